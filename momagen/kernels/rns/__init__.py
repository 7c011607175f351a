"""The codelets of kernels on the rows of an RNS basis: constant multiples, sums of products, and their reduction."""
