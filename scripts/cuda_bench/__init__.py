"""Measurements of kernels on a GPU: ``python scripts/bench_cuda.py``."""
