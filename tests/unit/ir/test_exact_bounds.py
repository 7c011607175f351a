"""Bounds that are exact: the interval of a result is no wider than its values, on every interval of the arguments.

Bounds that are merely sound let a comparison stay that is decided, and carries that are 0: kernels become slower, but
no result becomes wrong, and no other test notices.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement, product

import pytest

from momagen.ir import OPS
from momagen.ir.bounds import of_less_signed, signed
from momagen.ir.ops import Op
from momagen.ir.value import Interval

EXACT = [
    "add", "addc", "addlo", "addclo", "sub", "subb", "sublo", "subblo", "mulhi", "mulhalf", "pack", "lt", "le", "eq",
    "and", "or", "not", "addif", "subif", "inc", "dec", "word", "shr", "shl", "top", "lift", "select",
]  # fmt: skip
"""Operations whose bounds are exact for words of 2 and 3 bits, as far as such words have intervals."""


def boxes(op: Op, w: int) -> Iterator[tuple[Interval, ...]]:
    """Yield every choice of one interval for each argument; an integer ranges over the words, too."""
    return product(*(combinations_with_replacement(range(2 if kind in "fm" else 1 << w), 2) for kind in op.args))


def hull(op: Op, w: int, k: int, box: tuple[Interval, ...]) -> tuple[Interval, ...]:
    """Return the smallest intervals that hold the results of all arguments in ``box``."""
    found = [op.meaning(w, k, *args) for args in product(*(range(lo, hi + 1) for lo, hi in box))]
    return tuple((min(results), max(results)) for results in zip(*found, strict=True))


@pytest.mark.parametrize("name", EXACT)
def test_bounds_are_as_narrow_as_the_results(name: str) -> None:
    op = OPS[name]
    for w in (2, 3)[: 4 - len(op.args)]:
        for k in range(w) if name in ("shr", "shl") else [0]:
            for box in boxes(op, w):
                assert tuple(op.bounds(w, k, *box)) == hull(op, w, k, box), (w, k, box)


def test_a_signed_comparison_is_decided_unless_an_interval_holds_both_signs() -> None:
    op, w = OPS["lts"], 3
    for box in boxes(op, w):
        of_one_sign = all((signed(w, lo) < 0) == (signed(w, hi) < 0) for lo, hi in box)
        expected = hull(op, w, 0, box) if of_one_sign else ((0, 1),)
        assert of_less_signed(w, 0, *box) == expected, box
