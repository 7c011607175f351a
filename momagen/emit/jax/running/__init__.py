"""The execution of generated JAX modules: kernels, their tables, and the operations around a call."""
