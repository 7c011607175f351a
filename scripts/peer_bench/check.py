"""Whether a peer's results are a transform: the values that the definition has, in whatever order they come."""

from __future__ import annotations

import random
from collections.abc import Sequence

from momagen.errors import MomagenError
from momagen.params.roots import primitive_root

from .contestant import Contestant

ALL, SOME = 512, 16
"""Points up to which every value is looked for among the results; of longer transforms, so many are."""


def check_forward(peer: Contestant, n: int, modulus: int, *, negacyclic: bool, degree: int = 1) -> None:
    """Compare transforms of random values with the definition, column by column.

    Raises:
        MomagenError: a value is missing.
    """
    x = residues(n * peer.columns, modulus)
    got = peer.apply(x)
    for at in range(peer.columns):
        values = got[at :: peer.columns], x[at :: peer.columns]
        compare(peer.name, *values, modulus, negacyclic=negacyclic, degree=degree)


def residues(count: int, modulus: int) -> list[int]:
    """Random ones, the same for the same arguments; none is 0."""
    drawn = random.Random(count)
    return [drawn.randrange(1, modulus) for _ in range(count)]


def compare(
    name: str, got: Sequence[int], x: Sequence[int], modulus: int, *, negacyclic: bool, degree: int = 1
) -> None:
    """Look among results in any order for the values of the transform of x that the definition has.

    Raises:
        MomagenError: a value is missing.
    """
    pieces = {tuple(got[i : i + degree]) for i in range(0, len(got), degree)}
    if not pieces.issuperset(_defined(x, modulus, negacyclic, degree)):
        raise MomagenError("a transform", "other values", f"{name}, {len(x)} points modulo {modulus}")


def _defined(x: Sequence[int], q: int, negacyclic: bool, degree: int) -> list[tuple[int, ...]]:
    """Some of x modulo y^degree - r, for the roots r of r^(n/degree) = 1 or -1; all where it is short."""
    n, count = len(x), len(x) // degree
    root = primitive_root(2 * count if negacyclic else count, q)
    exponents = range(count) if n <= ALL else random.Random(count).sample(range(count), SOME)
    return [_at(x, pow(root, 2 * e + 1 if negacyclic else e, q), q, degree) for e in exponents]


def _at(x: Sequence[int], r: int, q: int, degree: int) -> tuple[int, ...]:
    pieces = []
    for part in range(degree):
        value = 0
        for v in reversed(x[part::degree]):
            value = (value * r + v) % q
        pieces.append(value)
    return tuple(pieces)


def check_inverse(forward: Contestant, inverse: Contestant, n: int, modulus: int) -> None:
    """Compare the inverse of a transform with what was transformed, up to one factor for all.

    Raises:
        MomagenError: it is something else.
    """
    x = residues(n, modulus)
    got = inverse.apply(forward.apply(x))
    factor = got[0] * pow(x[0], -1, modulus) % modulus
    if not factor or got != [factor * v % modulus for v in x]:
        raise MomagenError("the inverse", "other values", f"{inverse.name}, {n} points modulo {modulus}")
