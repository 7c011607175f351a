"""The verification of low-degree extensions: their definition, and trials of kernels."""
