"""Kernels as JAX modules: every index bit is part of an axis, and operations take whole arrays."""
