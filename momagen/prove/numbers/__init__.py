"""The search for the numbers of a program, which its words form."""
