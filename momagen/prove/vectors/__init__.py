"""Proofs of kernels for operations on vectors, which are done element by element."""
