"""What follows of a specification: kernels inside others, shares of threads, meanings."""
