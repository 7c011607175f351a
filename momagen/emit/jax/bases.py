"""What modules of conversions between bases compute on the host: their text is that of these functions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np


def column(numbers: Sequence[int]) -> Any:
    """Integers of any length, one below the other."""
    return np.array([int(each) for each in numbers], object)[:, None]


def shares(moduli: Any) -> tuple[int, Any, Any]:
    """Q, the product of moduli q_i; Q/q_i; and their inverses modulo q_i."""
    whole = math.prod(moduli[:, 0])
    parts = whole // moduli
    found = [pow(int(part), -1, int(q)) for part, q in zip(parts[:, 0], moduli[:, 0], strict=True)]
    return whole, parts, column(found)


def inverses(numbers: Any, modulus: int) -> Any:
    """Their inverses."""
    return column([pow(int(each), -1, modulus) for each in numbers[:, 0]])


def radices(moduli: Any) -> tuple[Any, list[int], Any]:
    """Of mixed radices q_0, q_1, …: their weights 1, q_0, q_0·q_1, …; the digits of (Q - 1)/2; and q_k modulo q_i
    inverted for all k < i, 1 for others."""
    whole = [int(q) for q in moduli[:, 0]]
    weights = column([math.prod(whole[:at]) for at in range(len(whole))])
    half, middle = (math.prod(whole) - 1) // 2, []
    for q in whole:
        half, digit = divmod(half, q)
        middle.append(digit)
    rows = [[pow(q, -1, other) if k < i else 1 for i, other in enumerate(whole)] for k, q in enumerate(whole)]
    return weights, middle, np.array(rows, object)[:, :, None]
