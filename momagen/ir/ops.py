"""The one table of operations: name, kinds of arguments and results, meaning on integers, and how intervals pass.

Every operation works at a *width* w (in bits): words are from 0 to 2^w - 1, integers of any size and sign, flags 0 or
1, masks a bit per lane. An operation may carry one integer attribute k (a shift distance). Several results stand high
part first. The interpreter, the folder, the interval pass, the rule checker and the tests all read this table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from .value import Interval

Meaning = Callable[..., tuple[int, ...]]
Bounds = Callable[..., tuple[Interval, ...]]


@dataclass(frozen=True)
class Op:
    """A row of the table.

    Attributes:
        args, results: one letter each, as in ``KINDS``.
        meaning: ``meaning(w, k, *ints) -> results`` on Python integers.
        bounds: ``bounds(w, k, *intervals) -> intervals`` of the results.
        rank: a rewrite rule may produce operations of its own width only at a lower rank, so rewriting ends.
        spread: the widest result in units of w; a product at width w measures 2w.
        commutes: the first two arguments may change places.
        requires: the inputs on which the meaning is promised, ``requires(w, k, *ints)``.
        agrees: whether a lazily reduced answer will do, ``agrees(w, k, args, results)``; None asks for equality.
        only: the operation that computes result i alone, for ``only[i]``.
        notation: how the papers write it.
    """

    name: str
    args: str
    results: str
    meaning: Meaning
    bounds: Bounds
    notation: str
    rank: int = 1
    spread: int = 1
    commutes: bool = False
    only: dict[int, str] = field(default_factory=dict)
    requires: Callable[..., bool] = lambda w, k, *args: True
    agrees: Callable[..., bool] | None = None

    @cached_property
    def logic(self) -> bool:
        """Whether it is one of flags alone, which have no width."""
        return not set(self.args + self.results) - {"f"}

    @property
    def product(self) -> bool:
        """Whether it is a product of two words or a part of one, which costs as many products as they have digits."""
        return self.args == "ww" and self.spread == 2 and self.commutes


KINDS = {"w": "word", "i": "word", "f": "flag", "m": "mask"}
"""What a letter stands for: a word of w bits, an integer of any size, a flag, a mask of all lanes."""


def fits(kind: str, w: int, number: int) -> bool:
    """Whether ``number`` may stand where the table has this letter, at width ``w``."""
    return kind in "im" or 0 <= number < (2 if kind == "f" else 1 << w)


def _full(w: int) -> Interval:
    return 0, (1 << w) - 1


def _sum_bounds(w: int, k: int, *terms: Interval) -> tuple[Interval, Interval]:
    lo, hi = sum(t[0] for t in terms), sum(t[1] for t in terms)
    if lo >> w == hi >> w:
        carry = lo >> w
        return (carry, carry), (lo - (carry << w), hi - (carry << w))
    return (lo >> w, hi >> w), _full(w)


def _difference_bounds(w: int, k: int, a: Interval, b: Interval, c: Interval = (0, 0)) -> tuple[Interval, Interval]:
    lo, hi = a[0] - b[1] - c[1], a[1] - b[0] - c[0]
    if lo >> w == hi >> w:
        borrow = -(lo >> w)
        return (borrow, borrow), (lo + (borrow << w), hi + (borrow << w))
    return (-(hi >> w), -(lo >> w)), _full(w)


def _product_bounds(w: int, k: int, a: Interval, b: Interval) -> tuple[Interval, Interval]:
    lo, hi = a[0] * b[0], a[1] * b[1]
    low = (lo - (lo >> w << w), hi - (hi >> w << w)) if lo >> w == hi >> w else _full(w)
    return (lo >> w, hi >> w), low


def _less_bounds(w: int, k: int, a: Interval, b: Interval) -> tuple[Interval]:
    return ((int(a[1] < b[0]), int(a[0] < b[1])),)


def _signed(w: int, x: int) -> int:
    """What x stands for in two's complement."""
    return x - (x >> w - 1 << w)


def _less_signed_bounds(w: int, k: int, a: Interval, b: Interval) -> tuple[Interval]:
    """As numbers, where no interval holds both signs."""
    if any(lo >> w - 1 != hi >> w - 1 for lo, hi in (a, b)):
        return ((0, 1),)
    (c, d), (e, f) = ((_signed(w, lo), _signed(w, hi)) for lo, hi in (a, b))
    return _less_bounds(w, k, (c, d), (e, f))


def _at_most_bounds(w: int, k: int, a: Interval, b: Interval) -> tuple[Interval]:
    return ((int(a[1] <= b[0]), int(a[0] <= b[1])),)


def _equal_bounds(w: int, k: int, a: Interval, b: Interval) -> tuple[Interval]:
    return ((int(a[0] == a[1] == b[0] == b[1]), int(a[0] <= b[1] and b[0] <= a[1])),)


def _low_bounds(w: int, k: int, a: Interval) -> tuple[Interval]:
    same = a[0] >> k == a[1] >> k
    return ((a[0] & ((1 << k) - 1), a[1] & ((1 << k) - 1)) if same else _full(k),)


def _shl_bounds(w: int, k: int, a: Interval) -> tuple[Interval]:
    ((lo, hi),) = _low_bounds(w, w, (a[0] << k, a[1] << k))
    return ((lo, hi >> k << k),)


def _shrd_bounds(w: int, k: int, a: Interval, b: Interval) -> tuple[Interval]:
    return _low_bounds(w, w, (((a[0] << w) + b[0]) >> k, ((a[1] << w) + b[1]) >> k))


def _half_bounds(w: int, k: int, a: Interval, b: Interval) -> tuple[Interval]:
    (x,), (y,) = _low_bounds(w, w // 2, a), _low_bounds(w, w // 2, b)
    return ((x[0] * y[0], x[1] * y[1]),)


def _pack_bounds(w: int, k: int, a: Interval, b: Interval) -> tuple[Interval]:
    h = w // 2
    (x,), (y,) = _low_bounds(w, w - h, a), _low_bounds(w, h, b)
    return (((x[0] << h) + y[0], (x[1] << h) + y[1]),)


def _union(w: int, k: int, f: Interval, a: Interval, b: Interval) -> tuple[Interval]:
    chosen = [a] * f[1] + [b] * (1 - f[0])
    return ((min(c[0] for c in chosen), max(c[1] for c in chosen)),)


def _if(sign: int) -> Bounds:
    """a + sign·b where the flag is set, else a."""

    def bounds(w: int, k: int, f: Interval, a: Interval, b: Interval) -> tuple[Interval]:
        moved = (_sum_bounds if sign > 0 else _difference_bounds)(w, k, a, b)[1]
        return _union(w, k, f, moved, a)

    return bounds


def _split(x: int, w: int) -> tuple[int, int]:
    return x >> w, x & ((1 << w) - 1)


def _borrow(x: int, w: int) -> tuple[int, int]:
    return -(x >> w), x & ((1 << w) - 1)


def _low_half(w: int, x: int) -> int:
    return x & ((1 << w // 2) - 1)


def _across_lanes(w: int, k: int, a: int, b: int) -> tuple[int]:
    raise TypeError("perm2 moves lanes and has no meaning on a single one")


_TABLE = [
    Op("add", "ww", "fw", lambda w, k, a, b: _split(a + b, w), _sum_bounds,
       "[c0:1, c1] = a + b", rank=4, commutes=True, only={1: "addlo"}),
    Op("addc", "wwf", "fw", lambda w, k, a, b, c: _split(a + b + c, w), _sum_bounds,
       "[c0:1, c1] = a + b + δ", rank=5, commutes=True, only={1: "addclo"}),
    Op("addlo", "ww", "w", lambda w, k, a, b: (_split(a + b, w)[1],),
       lambda *t: _sum_bounds(*t)[1:], "c = a + b", commutes=True),
    Op("addclo", "wwf", "w", lambda w, k, a, b, c: (_split(a + b + c, w)[1],),
       lambda *t: _sum_bounds(*t)[1:], "c = a + b + δ", rank=2, commutes=True),
    Op("sub", "ww", "fw", lambda w, k, a, b: _borrow(a - b, w), _difference_bounds,
       "[c0:1, c1] = a - b", rank=4, only={1: "sublo", 0: "lt"}),
    Op("subb", "wwf", "fw", lambda w, k, a, b, c: _borrow(a - b - c, w), _difference_bounds,
       "[c0:1, c1] = a - b - δ", rank=5, only={1: "subblo"}),
    Op("sublo", "ww", "w", lambda w, k, a, b: (_borrow(a - b, w)[1],),
       lambda *t: _difference_bounds(*t)[1:], "c = a - b"),
    Op("subblo", "wwf", "w", lambda w, k, a, b, c: (_borrow(a - b - c, w)[1],),
       lambda *t: _difference_bounds(*t)[1:], "c = a - b - δ", rank=2),
    Op("mul", "ww", "ww", lambda w, k, a, b: _split(a * b, w), _product_bounds,
       "[c0, c1] = a · b", rank=6, spread=2, commutes=True, only={0: "mulhi", 1: "mullo"}),
    Op("mulhi", "ww", "w", lambda w, k, a, b: (a * b >> w,),
       lambda *t: _product_bounds(*t)[:1], "c = ⌊a · b / 2^w⌋", rank=5, spread=2, commutes=True),
    Op("mullo", "ww", "w", lambda w, k, a, b: (_split(a * b, w)[1],),
       lambda *t: _product_bounds(*t)[1:], "c = a · b", rank=5, spread=2, commutes=True),
    Op("mulhalf", "ww", "w", lambda w, k, a, b: (_low_half(w, a) * _low_half(w, b),), _half_bounds,
       "c = (a mod 2^(w/2)) · (b mod 2^(w/2))", rank=2, commutes=True),
    Op("pack", "ww", "w", lambda w, k, a, b: (_split(a << w // 2, w)[1] + _low_half(w, b),), _pack_bounds,
       "c = [a, b mod 2^(w/2)] modulo 2^w", rank=3),
    Op("lt", "ww", "f", lambda w, k, a, b: (int(a < b),), _less_bounds, "δ = a < b", rank=3),
    Op("lts", "ww", "f", lambda w, k, a, b: (int(_signed(w, a) < _signed(w, b)),), _less_signed_bounds,
       "δ = a < b, both signed"),
    Op("le", "ww", "f", lambda w, k, a, b: (int(a <= b),), _at_most_bounds, "δ = a ≤ b", rank=4),
    Op("eq", "ww", "f", lambda w, k, a, b: (int(a == b),), _equal_bounds, "δ = a =? b", commutes=True),
    Op("and", "ff", "f", lambda w, k, a, b: (a & b,),
       lambda w, k, a, b: ((a[0] & b[0], a[1] & b[1]),), "δ = a ∧ b", commutes=True),
    Op("or", "ff", "f", lambda w, k, a, b: (a | b,),
       lambda w, k, a, b: ((a[0] | b[0], a[1] | b[1]),), "δ = a ∨ b", commutes=True),
    Op("not", "f", "f", lambda w, k, a: (1 - a,), lambda w, k, a: ((1 - a[1], 1 - a[0]),), "δ = ¬a"),
    Op("select", "fii", "i", lambda w, k, f, a, b: (a if f else b,), _union, "c = a if δ otherwise b", rank=2),
    Op("addif", "fww", "w", lambda w, k, f, a, b: (_split(a + f * b, w)[1],), _if(1), "c = a + b if δ otherwise a",
       rank=3),
    Op("subif", "fww", "w", lambda w, k, f, a, b: (_borrow(a - f * b, w)[1],), _if(-1), "c = a - b if δ otherwise a",
       rank=3),
    Op("inc", "wf", "w", lambda w, k, a, f: (_split(a + f, w)[1],),
       lambda w, k, a, f: _sum_bounds(w, k, a, f)[1:], "c = a + δ"),
    Op("dec", "wf", "w", lambda w, k, a, f: (_borrow(a - f, w)[1],),
       lambda w, k, a, f: _difference_bounds(w, k, a, f)[1:], "c = a - δ"),
    Op("word", "f", "w", lambda w, k, a: (a,), lambda w, k, a: (a,), "c = δ"),
    Op("shr", "w", "w", lambda w, k, a: (a >> k,), lambda w, k, a: ((a[0] >> k, a[1] >> k),), "c = a >> k"),
    Op("shl", "w", "w", lambda w, k, a: (_split(a << k, w)[1],), _shl_bounds, "c = a << k", rank=2),
    Op("shrd", "ww", "w", lambda w, k, a, b: (_split(((a << w) + b) >> k, w)[1],), _shrd_bounds,
       "c = [a, b] >> k", rank=3),
    Op("top", "w", "f", lambda w, k, a: (a >> (w - 1),), lambda w, k, a: ((a[0] >> (w - 1), a[1] >> (w - 1)),),
       "δ = the top bit of a", rank=2),
    Op("perm2", "ww", "w", _across_lanes, lambda w, k, a, b: ((min(a[0], b[0]), max(a[1], b[1])),),
       "c = the given lanes of a and b", rank=0),
    Op("low", "i", "w", lambda w, k, a: (a & ((1 << min(k, w)) - 1),),
       lambda w, k, a: _low_bounds(w, min(k, w), a), "c = a mod 2^k"),
]  # fmt: skip

OPS: dict[str, Op] = {op.name: op for op in _TABLE}


def register(op: Op) -> Op:
    """Add a composite operation (one that no machine has and a rule must rewrite) to the table."""
    OPS[op.name] = op
    return op
