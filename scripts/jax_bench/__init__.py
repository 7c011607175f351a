"""Races of kernels for the target jax on the device that JAX has: ``python scripts/bench_jax.py``."""
