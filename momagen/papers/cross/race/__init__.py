"""Races between kernels of the target `jax`, the target `c` and the code of CROSS."""
