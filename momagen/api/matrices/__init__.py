"""Calls of modules for JAX that multiply by a constant matrix."""
