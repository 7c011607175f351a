"""What can be asked for: known before JAX is imported."""

from __future__ import annotations

SECTIONS = {"ntt": (12, 14, 16), "wide": (12,), "matmul": (10,), "bconv": (16,)}
"""By section, log2 of its sizes: points, rows of the left matrix, coefficients."""
COSTS = {"factors": (12, 14), "engine": (10,), "sharded": (24,)}
"""Sections behind figures of pages and target files, in the same way; none is run unless it is asked for."""
SIZED = {**SECTIONS, **COSTS}
PAPER = {
    "table5": "a matrix product modulo a prime, digits folded (BAT) against digits of a sparse matrix",
    "table6": "basis conversions at 2^16 coefficients",
    "table7": "transforms a second at 2^12, 2^13 and 2^14 points, all limbs, at the paper's best batch",
    "fig11b": "the same by batch",
    "table8": "HE-Add, HE-Sub, HE-Mult, Rescale and Rotate, and a model of energy",
    "table9": "bootstrapping, MNIST and HELR, estimated from kernels",
    "table10": "transforms by butterflies of two against matrices, a batch of 128",
    "fig12": "shares of kernels in HE-Mult and Rotate of Set D, estimated from kernels",
    "fig13": "products of residues and transforms of Set D by reduction and batch",
    "fig14": "shares of kernels in operators of Sets A, B and C, estimated from kernels",
}  # fmt: skip
"""Sections with the tables and figures of CROSS."""
EVERY = "paper"
"""Stands for all of those."""


def sections_of(names: list[str]) -> list[str]:
    """Each once, with those of the paper in place of :data:`EVERY`."""
    found: dict[str, None] = {}
    for name in names:
        found.update(dict.fromkeys(PAPER if name == EVERY else [name]))
    return [*found]
