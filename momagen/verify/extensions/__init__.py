"""Low-degree extensions: what is right, and trials of kernels."""
