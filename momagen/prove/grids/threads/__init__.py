"""Proofs of transforms for CUDA, whose threads share memory and wait for each other at barriers."""
