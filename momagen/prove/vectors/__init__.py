"""Proofs of vector kernels."""
