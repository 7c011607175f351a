"""Kernels on the rows of an RNS basis against integers of gmpy2."""
