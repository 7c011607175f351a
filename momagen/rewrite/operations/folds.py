"""Sums of products of digits, kept as two numbers c0·2^w + c1: what the products have above their digit, and below.

The digits of a number say which number it is, but not the other way round: so these operations promise a sum of
products of *some* digits within ±2^w, and may part it anyhow.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import mul
from typing import overload

from momagen.ir import Op, register
from momagen.ir.value import Interval

Ints = tuple[int, ...]
Pair = tuple[int, int]


@dataclass(frozen=True)
class Parted(Sequence[Pair]):
    """All (c0, c1) with c0·2^w + c1 = total and c0 in a range."""

    w: int
    total: int
    high: range

    def __len__(self) -> int:
        return len(self.high)

    @overload
    def __getitem__(self, at: int) -> Pair: ...
    @overload
    def __getitem__(self, at: slice) -> Parted: ...
    def __getitem__(self, at: int | slice) -> Pair | Parted:
        if isinstance(at, slice):
            return Parted(self.w, self.total, self.high[at])
        return self.high[at], self.total - (self.high[at] << self.w)


def _room(w: int, b: int) -> int:
    """What low halves of a product by b add up to at most: 2^w for each digit of b, and its weight."""
    return sum(2 << at for at in range(w, w + max(b.bit_length(), 1), w))


def parted(w: int, k: int, c0: int, c1: int, a: int, b: int) -> Parted:
    """What ``mac`` may answer."""
    total = (c0 << w) + c1 + a * b
    low, room = total - c1, _room(w, b)
    return Parted(w, total, range(-(room - low >> w), (low + room >> w) + 1))


def rows_of(w: int, k: int, table: int, count: int) -> list[int]:
    """The rows of k digits of a table."""
    return [table >> k * w * at & (1 << k * w) - 1 for at in range(count)]


def digits_of(w: int, y: int, count: int) -> Iterator[Ints]:
    """All digits y_i of y between -2^w and 2^w, but for the leading one."""
    if count == 1:
        yield (y,)
        return
    low = y & (1 << w) - 1
    for d in (low, low - (1 << w)):
        for more in digits_of(w, y - d >> w, count - 1):
            yield d, *more


def _sums(w: int, y: int, rows: Sequence[int]) -> set[int]:
    """Σ y_i·W_i for all digits of y."""
    return {sum(map(mul, digits, rows)) for digits in digits_of(w, y, len(rows))}


def dots(w: int, k: int, c0: int, c1: int, y: int, table: int, count: int) -> list[Pair]:
    """The ends of what ``dot`` may answer: the least sum and the greatest, each parted in one of two ways."""
    sums = _sums(w, y, rows_of(w, k, table, count))
    least, most = ((c0 << w) + c1 + total for total in (min(sums), max(sums)))
    return [(least >> w, least & (1 << w) - 1), ((most >> w) + 1, (most & (1 << w) - 1) - (1 << w))]


def _dot_agrees(w: int, k: int, a: Ints, r: Ints) -> bool:
    c0, c1, y, table, count = a
    return (r[0] - c0 << w) + r[1] - c1 in _sums(w, y, rows_of(w, k, table, count))


def _dot_meaning(w: int, k: int, c0: int, c1: int, y: int, table: int, count: int) -> Ints:
    rows = rows_of(w, k, table, count)
    digits = [y >> w * at & (1 << w) - 1 for at in range(count - 1)] + [y >> w * (count - 1)]
    total = c1 + sum(d * row for d, row in zip(digits, rows, strict=True))
    return c0 + (total >> w), total & (1 << w) - 1


def _within(w: int, *terms: int) -> tuple[Interval, Interval]:
    """Any halves of a sum of numbers as large as these."""
    most = 2 * sum(map(abs, terms)) + (4 << w)
    return (-most, most), (-most, most)


def _most(*intervals: Interval) -> list[int]:
    return [max(-lo, hi) for lo, hi in intervals]


def _mac_bounds(w: int, k: int, *args: Interval) -> tuple[Interval, Interval]:
    c0, c1, a, b = _most(*args)
    return _within(w, c0, c1, a * b, _room(w, b))


def dot_bounds(w: int, k: int, *args: Interval) -> tuple[Interval, Interval]:
    """Digits of y are within 2^w but for the leading one, so all together within |y| + 2·2^w for each row."""
    c0, c1, y, table, count = _most(*args)
    return _within(w, c0, c1, (y + (count << w + 1)) * table)


def _fold_requires(w: int, k: int, c: int, y: int, v: int, q: int) -> bool:
    return q % 2 == 1 and 0 <= v < q and q >> w * k == 0 and abs(y) >> w * k == 0


def _fold_meaning(w: int, k: int, c: int, y: int, v: int, q: int) -> Ints:
    return ((c + y * v) % q,)


def _fold_bounds(w: int, k: int, *args: Interval) -> tuple[Interval]:
    c, q = args[0], args[3][1]
    return ((c[0] - (k + 2) * q, c[1] + (k + 2) * q),)


def _fold_agrees(w: int, k: int, a: Ints, r: Ints) -> bool:
    c, q = a[0], a[3]
    return (r[0] - _fold_meaning(w, k, *a)[0]) % q == 0 and abs(r[0] - c) <= (k + 2) * q


def _mac_agrees(w: int, k: int, a: Ints, r: Ints) -> bool:
    c0, c1, x, y = a
    return (r[0] - c0 << w) + r[1] - c1 == x * y and abs(r[1] - c1) <= _room(w, y)


_ROWS = [
    Op("mac", "iiii", "ii", lambda w, k, c0, c1, a, b: (c0 + (a * b >> w), c1 + (a * b & (1 << w) - 1)), _mac_bounds,
       "[d0, d1] = [c0, c1] + a · b, digits of any size", rank=7, spread=2,
       agrees=_mac_agrees),
    Op("dot", "iiiii", "ii", _dot_meaning, dot_bounds, "[d0, d1] = [c0, c1] + Σ y_i · W_i, digits of any size",
       rank=8, spread=2, agrees=_dot_agrees,
       requires=lambda w, k, c0, c1, y, table, count: count > 0 and 0 <= table < 1 << k * w * count),
    Op("fold", "iiii", "i", _fold_meaning, _fold_bounds, "t ≡ c + y · v mod q, |t - c| ≤ (k + 2)·q",
       rank=9, spread=2, fixed=(2, 3), requires=_fold_requires, agrees=_fold_agrees),
]  # fmt: skip

FOLDS = {row.name: register(row) for row in _ROWS}
