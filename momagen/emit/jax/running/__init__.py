"""Modules of JAX that are run: what they define, kernels and tables, and what calls do beside them."""
