"""Operations that no machine has, and constants that their rules derive: as rule files have them, and sums of digits.

A sum of products of digits is kept as two numbers c0·2^w + c1: what the products have above their digit, and below. The
digits of a number say which number it is, but not the other way round: so ``dot`` promises a sum of products of *some*
digits within ±2^w, and may part it anyhow. In ``dot_near`` goes beside it what the sum is over q, to 53 bits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import mul

from momagen.ir import Op, Value, numeral, register
from momagen.ir.real import MANTISSA, nearest
from momagen.ir.value import Interval

from .declared import Ints, Lazy, declared


def _rows(w: int, k: int, table: int, count: int) -> list[int]:
    """The rows of k digits of a table."""
    return [table >> k * w * at & (1 << k * w) - 1 for at in range(count)]


def _digits(w: int, y: int, count: int) -> Iterator[Ints]:
    """All digits y_i of y between -2^w and 2^w, but for the leading one; normal ones first."""
    if count == 1:
        yield (y,)
        return
    low = y & (1 << w) - 1
    for digit in (low, low - (1 << w)):
        for more in _digits(w, y - digit >> w, count - 1):
            yield digit, *more


def _sums(w: int, k: int, y: int, table: int, count: int, over: int = 0) -> list[tuple[int, list[int]]]:
    """Σ y_i·W_i, and every y_i·u_i, for all digits of y; for normal ones first."""
    rows, parts = _rows(w, k, table, count), _rows(MANTISSA, 1, over, count)
    return [(sum(map(mul, digits, rows)), [*map(mul, digits, parts)]) for digits in _digits(w, y, count)]


def dots(w: int, k: int, c0: int, c1: int, y: int, table: int, count: int) -> list[Ints]:
    """The ends of what ``dot`` may answer: the least sum and the greatest, each parted in one of two ways."""
    return [found[:2] for found in near_dots(w, k, c0, c1, 0, y, table, 0, count)]


def near_dots(w: int, k: int, c0: int, c1: int, e: int, y: int, table: int, over: int, count: int) -> list[Ints]:
    """The same for ``dot_near``: the least sum with the greatest quotient, and the other way round."""
    sums = sorted((total, sum(parts)) for total, parts in _sums(w, k, y, table, count, over))
    doubt, full, ((least, most_over), *_, (most, least_over)) = count << MANTISSA - 1, 1 << w, [*sums, sums[-1]]
    least, most = least + (c0 << w) + c1, most + (c0 << w) + c1
    up, down = e + (most_over + doubt >> MANTISSA), e - (doubt - least_over >> MANTISSA)
    return [(least >> w, least % full, up), ((most >> w) + 1, most % full - full, down)]


def _dot(w: int, k: int, c0: int, c1: int, y: int, table: int, count: int) -> Ints:
    return _dot_near(w, k, c0, c1, 0, y, table, 0, count)[:2]


def _dot_near(w: int, k: int, c0: int, c1: int, e: int, y: int, table: int, over: int, count: int) -> Ints:
    total, parts = _sums(w, k, y, table, count, over)[0]
    total += c1
    return c0 + (total >> w), total & (1 << w) - 1, e + sum(nearest(part, MANTISSA) for part in parts)


def _dot_agrees(w: int, k: int, a: Ints, r: Ints) -> bool:
    c0, c1, *more = a
    return _near_agrees(w, k, (c0, c1, 0, *more[:2], 0, more[2]), (*r, 0))


def _near_agrees(w: int, k: int, a: Ints, r: Ints) -> bool:
    c0, c1, e, y, table, over, count = a
    total, more = (r[0] - c0 << w) + r[1] - c1, r[2] - e << MANTISSA
    sums = _sums(w, k, y, table, count, over)
    return any(total == one and abs(more - sum(parts)) <= count << MANTISSA - 1 for one, parts in sums)


def _dot_bounds(w: int, k: int, *args: Interval) -> tuple[Interval, ...]:
    """Digits of y are within 2^w but for the leading one, so all together within |y| + 2·2^w for each row."""
    c0, c1, y, table, count = (max(-lo, hi) for lo, hi in args)
    most = 2 * (c0 + c1 + (y + (count << w + 1)) * table) + (4 << w)
    return ((-most, most),) * 2


def _near_bounds(w: int, k: int, *args: Interval) -> tuple[Interval, ...]:
    c0, c1, e, y, table, over, count = args
    most = max(-e[0], e[1]) + ((max(-y[0], y[1]) + (count[1] << w + 1)) * over[1] >> MANTISSA) + count[1] + 1
    return *_dot_bounds(w, k, c0, c1, y, table, count), (-most, most)


def _takes(w: int, k: int, c0: int, c1: int, y: int, table: int, count: int) -> bool:
    return count > 0 and 0 <= table < 1 << k * w * count


_DOT = register(Op("dot", "iiiii", "ii", _dot, _dot_bounds, "[d0, d1] = [c0, c1] + Σ y_i · W_i, digits of any size",
                   rank=8, spread=2, agrees=_dot_agrees, requires=_takes))  # fmt: skip
_DOT_NEAR = register(Op("dot_near", "iiiiiii", "iii", _dot_near, _near_bounds,
                       "[d0, d1] = [c0, c1] + Σ y_i · W_i, digits of any size, f ≈ e + Σ y_i · u_i / 2^53",
                       rank=8, spread=2, agrees=_near_agrees,
                       requires=lambda w, k, c0, c1, e, y, table, over, count:
                       _takes(w, k, c0, c1, y, table, count) and 0 <= over < 1 << MANTISSA * count))  # fmt: skip

_OPERATIONS, _CONSTANTS = declared("operations.toml"), declared("constants.toml")

COMPOSITES = {name: each.op for name, each in _OPERATIONS.items() if not each.row.get("done")}
COMPOSITES |= {"dot": _DOT, "dot_near": _DOT_NEAR}
"""Operations that rules must rewrite."""
REDUCED = frozenset(name for name, each in _OPERATIONS.items() if each.row.get("first"))
"""Operations that are reduced before all else: rules for them derive constants."""
CONSTANTS = {name: each.op for name, each in _CONSTANTS.items()}
NAMES: dict[str, str] = {name: each.row["input"] for name, each in _CONSTANTS.items()}
"""What an input is called that holds a constant: the operation that derives it, and {} for what it derives it of."""
SIGNS = {name: each.sign for name, each in _OPERATIONS.items()}
"""Whether a result equals (=), is congruent to (≡) or next to (≈) what its row says."""
LAZY: dict[str, Lazy] = {name: each.lazy for name, each in _OPERATIONS.items() if each.lazy}
LAZY |= {"dot": dots, "dot_near": near_dots}
"""All that an operation may answer, in order, where its meaning is only one of several."""


def constant(op: str, width: int, args: Sequence[Value], k: int, name: str) -> Value:
    """The input that holds what ``op`` derives."""
    row = _CONSTANTS[op]
    ((lo, hi),) = row.op.bounds(width, k, *(a.interval for a in args))
    if "digits" not in row.row:
        return Value(lo, hi, "word", name)
    bits, ends = row.digits(width, k, *(a.hi for a in args))
    return numeral(name, (lo, hi), ends, bits)
