"""Commands for products with constant matrices, and for kernels on the rows of an RNS basis."""
