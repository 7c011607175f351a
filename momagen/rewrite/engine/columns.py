"""Products of long numbers column by column, on machines that multiply words and add with a carry.

Column i of a product is the sum of the products a_j·b_(i-j) of two words. An accumulator of three words adds
them one after another, and passes its two upper words on to the next column. A product of any length
therefore needs few registers.
"""

from __future__ import annotations

from collections.abc import Sequence

from momagen.ir import Builder, Value, const

from .machine import Machine

NEEDED = ("mul", "add", "addc", "addclo")
"""The operations on words that the method needs."""
PRODUCTS = {"mul": 0, "mullo": 0, "mulhi": 1}
"""The products of two numbers of n words that can be computed by columns, and where their result begins in
the whole product, in units of n words."""


def makes_columns(machine: Machine, op: str) -> bool:
    """Return whether the product ``op`` of numbers of several words is computed by columns on ``machine``."""
    return op in PRODUCTS and all(machine.legal(name, machine.word) for name in NEEDED)


def product_by_columns(b: Builder, word: int, op: str, x: Sequence[Value], y: Sequence[Value]) -> list[Value]:
    """Append the product ``op`` of two numbers, and return the words of its result, the low one first.

    Args:
        b: The builder that appends the instructions.
        word: The number of bits of a word.
        op: The product, one of ``PRODUCTS``.
        x: The words of the first number, the low one first. There must be fewer than 2^word of them.
        y: The words of the second number, as many as of the first one.
    """
    found, low, middle = list[Value](), const(0), const(0)
    for column in range(2 * len(x) - 1):
        high = const(0)
        for at in range(max(0, column - len(y) + 1), min(column, len(x) - 1) + 1):
            up, down = b.emit("mul", word, x[at], y[column - at])
            carry, low = b.emit("add", word, low, down)
            carry, middle = b.emit("addc", word, middle, up, carry)
            high = b.one("addclo", word, high, const(0), carry)
        found.append(low)
        low, middle = middle, high
    return [*found, low][PRODUCTS[op] * len(x) :]
