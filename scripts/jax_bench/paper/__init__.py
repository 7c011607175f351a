"""The tables and figures of CROSS (arXiv:2501.07047) as sweeps: ``python scripts/bench_jax.py --only paper``."""
