"""The C interfaces of kernels on the rows of RNS bases."""
