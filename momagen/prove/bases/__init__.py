"""Proofs of kernels for RNS bases, whose plans contain several moduli and whose vectors are rows of residues."""
