"""Commands that write a C library with several kernels."""
