"""The printer of kernels as JAX modules, whose operations act on whole arrays.

Every bit of an element's index is part of an axis of an array.
"""
