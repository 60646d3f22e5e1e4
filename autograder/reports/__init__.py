"""What people read: feedback, the class report, the table of marks."""
