"""The text of PTX to its parts: statements, names, operands, functions."""
