"""The names of the kinds of kernels modulo q, for help texts, benchmarks and tests that process all kinds."""

from __future__ import annotations

from momagen.kernels.elementwise.blas import KERNELS

BLAS = tuple(KERNELS)
"""The element-wise kinds."""
ANY_MODULUS = tuple(name for name, row in KERNELS.items() if not (row.converts or row.inverts or row.sums))
"""The element-wise kinds that serve every modulus, odd or even, and compute each element separately."""
MADE = ("ntt", "polymul", "basemul", "lde", *BLAS)
"""All kinds."""
