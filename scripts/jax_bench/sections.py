"""What can be asked for: known before JAX is imported."""

from __future__ import annotations

SECTIONS = {"ntt": (12, 14, 16), "wide": (12,), "matmul": (10,), "bconv": (16,)}
"""By section, log2 of its sizes: points, rows of the left matrix, coefficients."""
