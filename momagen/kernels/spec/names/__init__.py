"""What a kernel is called, and the command line that makes it."""
