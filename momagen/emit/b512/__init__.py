"""Kernels as assembly for Ring Processing Units."""
