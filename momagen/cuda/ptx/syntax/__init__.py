"""The parser of PTX: from its text to statements, names, operands and functions."""
