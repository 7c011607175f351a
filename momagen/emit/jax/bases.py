"""Functions on the host for conversions between bases. Generated modules contain their text, without types."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np


def column(numbers: Sequence[int]) -> Any:
    """Return integers of any length as a column."""
    return np.array([int(each) for each in numbers], object)[:, None]


def shares(moduli: Any) -> tuple[int, Any, Any]:
    """Return the product Q of the moduli q_i, the quotients Q/q_i, and the inverses of Q/q_i modulo q_i."""
    whole = math.prod(moduli[:, 0])
    parts = whole // moduli
    found = [pow(int(part), -1, int(q)) for part, q in zip(parts[:, 0], moduli[:, 0], strict=True)]
    return whole, parts, column(found)


def inverses(numbers: Any, modulus: int) -> Any:
    """Return the inverses of numbers modulo ``modulus``."""
    return column([pow(int(each), -1, modulus) for each in numbers[:, 0]])


def radices(moduli: Any) -> tuple[Any, list[int], Any]:
    """Return constants of the mixed-radix system q_0, q_1, …

    They are the weights 1, q_0, q_0·q_1, …; the digits of (Q - 1)/2; and the inverses of q_k modulo q_i for k < i, with
    1 for other k."""  # noqa: D209, D415 (modules contain this text)
    whole = [int(q) for q in moduli[:, 0]]
    weights = column([math.prod(whole[:at]) for at in range(len(whole))])
    half, middle = (math.prod(whole) - 1) // 2, []
    for q in whole:
        half, digit = divmod(half, q)
        middle.append(digit)
    rows = [[pow(q, -1, other) if k < i else 1 for i, other in enumerate(whole)] for k, q in enumerate(whole)]
    return weights, middle, np.array(rows, object)[:, :, None]
