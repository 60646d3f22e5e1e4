"""What the course is: its chapters, and the assignments that an instructor adds."""
