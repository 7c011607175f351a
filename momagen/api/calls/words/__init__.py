"""Callers of kernels: which one calls a kernel, and the one that chooses by the words of the arrays it is given."""
