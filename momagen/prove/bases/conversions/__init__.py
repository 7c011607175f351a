"""Kernels that convert residues from one RNS basis to another: their claims, and the runs that prove them."""
