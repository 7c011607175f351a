"""Residues: how they are held, in words, digits or doubles, and how large their values may grow before a reduction."""
