"""Proofs of kernels for CUDA, whose threads each compute some elements of the result."""
