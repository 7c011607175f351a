"""What reading a target from its files takes."""
