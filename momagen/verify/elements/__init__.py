"""The verification of element-wise kernels, and of sums over elements, against their definitions."""
