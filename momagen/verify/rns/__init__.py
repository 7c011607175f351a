"""The verification of kernels on the rows of an RNS basis, by integers of gmpy2."""
