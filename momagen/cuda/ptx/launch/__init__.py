"""What a launch is given and what it says: arguments, memory, faults, counts."""
