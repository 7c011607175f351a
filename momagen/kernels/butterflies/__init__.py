"""Butterflies of one or several levels, on big integers."""
