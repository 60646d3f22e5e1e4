"""What the course is: chapters, the bank, release and bundle."""
