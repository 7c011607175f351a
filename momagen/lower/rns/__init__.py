"""Programs of kernels on the rows of an RNS basis."""
