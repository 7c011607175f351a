"""The kinds of kernels modulo q: transforms, products, low-degree extensions and element-wise kernels."""
