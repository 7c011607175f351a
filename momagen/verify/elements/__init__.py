"""Element-wise kernels, and sums over elements, against their definitions."""
