"""Kernels for threads in blocks: launches of transforms, element-wise kernels, and what makes their tables."""
