"""Incomplete transforms, whose butterfly levels stop at factors x^d - z of x^n ∓ 1 instead of x - z.

With y = x^d, a polynomial of n coefficients is d polynomials in y, side by side: column j of a matrix of n/d
rows contains the coefficients of x^(d·i + j). Since x^d - z is y - z, each column is transformed separately,
by NTT(n/d) ⊗ I(d), and row i of the result is the remainder modulo x^d - z_i. The root is therefore that of a
transform of n/d points.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from momagen.errors import MomagenError
from momagen.params.primes import MAX_BITS

LARGEST_DEGREE = 16
"""The largest degree d of the factors of a base multiplication, which takes d² products of residues."""


def check_depth(n: int, depth: int | None) -> None:
    """Check the number of levels of a transform of n points, or None for all levels.

    Raises:
        MomagenError: There are fewer than one level, or more than log2 n.
    """
    most = n.bit_length() - 1
    if depth is not None and not 1 <= depth <= most:
        raise MomagenError(f"from 1 to {most} levels for a transform of {n} points", depth, "depth")


def check_montgomery(bits: int) -> None:
    """Check the number of bits of R in the factor of Montgomery products.

    Raises:
        MomagenError: It is negative, or exceeds the width of the longest modulus.
    """
    if not 0 <= bits <= MAX_BITS:
        raise MomagenError(f"a number of bits of R from 0 to {MAX_BITS}", bits, "montgomery")


def asked_values(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a request, for the fields of its specification.

    Raises:
        MomagenError: The degree does not divide the number of columns.
    """
    found = dict(fields)
    degree, columns, n = found.pop("degree"), found["columns"], found["n"]
    if degree < 1 or columns % degree:
        raise MomagenError(f"a divisor of {columns} columns", degree, "degree")
    if degree > 1:
        found |= {"n": n * degree, "columns": columns // degree, "depth": n.bit_length() - 1}
    return found
