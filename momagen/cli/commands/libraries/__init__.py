"""The commands that write a C library of several kernels."""
