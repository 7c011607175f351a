"""Programs of element-wise kernels, inner products, batch inversions and base multiplications."""
