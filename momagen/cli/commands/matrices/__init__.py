"""Kernels of constant matrices."""
