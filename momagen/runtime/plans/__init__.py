"""Plans of kernels of several moduli: for a basis, and for kernels on the rows of bases."""
