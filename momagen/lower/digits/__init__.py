"""Transforms on reduced-radix digits: constants, butterflies and levels."""
