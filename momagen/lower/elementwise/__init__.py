"""Programs of element-wise kernels."""
