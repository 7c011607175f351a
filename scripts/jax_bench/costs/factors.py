"""Transforms by matrices of several shapes beside each other and beside butterflies."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax

import momagen as mg
from momagen.papers.cross.race.entries import OURS, JaxEntry, Maker
from momagen.papers.cross.race.own import halves, waited, whole
from momagen.papers.cross.race.problems import JaxProblem

ENGINE = "int8"
SHAPES = {
    1 << 12: ("32x128", "64x64", "128x32", "16x16x16"),
    1 << 14: ("32x512", "64x256", "128x128", "256x64", "512x32", "16x32x32"),
}
"""By the number of points."""


def shaped(problem: JaxProblem, shape: str) -> JaxEntry:
    """The function of JAX of a transform; ``shape``: its factors, none for butterflies."""
    chosen: dict[str, Any] = {"factors": shape, "engine": ENGINE} if shape else {}
    kernel = mg.ntt(problem.n, modulus=problem.modulus, root=problem.root, negacyclic=True, target="jax", **chosen)
    words = -(-problem.bits // 32)
    run, x = kernel.function(), tuple(jax.device_put(word) for word in halves(problem.given[0], words))
    return JaxEntry(lambda: waited(run(x)), lambda found: whole(found, problem.expected.shape[-1]))


def makers(problem: JaxProblem) -> dict[str, Maker]:
    """Butterflies, and each shape; of a number of points that is not in the table, the squarest."""
    half = 1 << (problem.n.bit_length() - 1) // 2
    shapes = SHAPES.get(problem.n, (f"{half}x{problem.n // half}",))
    return {OURS: partial(shaped, shape=""), **{shape: partial(shaped, shape=shape) for shape in shapes}}
