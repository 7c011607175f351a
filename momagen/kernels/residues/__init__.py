"""Residues: how they are held, in words, digits or doubles, and how far their values may drift."""
