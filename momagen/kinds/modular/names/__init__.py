"""The names of kernels, and the command lines that generate them."""
