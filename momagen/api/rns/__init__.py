"""Calls of kernels in C and CUDA on the rows of an RNS basis."""
