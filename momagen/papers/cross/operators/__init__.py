"""Operators of homomorphic encryption and their kernels as contestants of races."""
