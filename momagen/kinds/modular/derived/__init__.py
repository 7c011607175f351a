"""Properties derived from a specification: kernels inside the kernel, the parts of threads, and its meaning."""
