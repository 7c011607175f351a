"""Element-wise kernels and scalar functions, on big integers."""
