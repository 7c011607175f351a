"""Kernels for RNS bases: several moduli in one plan, and columns of residues."""
