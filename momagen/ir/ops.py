"""The table of operations: names, kinds of arguments and results, meaning on integers, and bounds of results.

Every operation has a *width* w in bits: words are from 0 to 2^w - 1, integers have any size and sign, flags
are 0 or 1, and masks have one bit for each lane. An operation may have one integer attribute k, such as a
shift count. If there are several results, the high part is first. The interpreter, the constant folder, the
computation of intervals, the checker of rules and the tests all use this table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from . import bounds
from .bounds import Bounds

Meaning = Callable[..., tuple[int, ...]]
"""A function ``meaning(w, k, *arguments)`` that computes the results of an operation on integers."""


@dataclass(frozen=True)
class Op:
    """One operation.

    Attributes:
        name: The name, which is its key in ``OPS``.
        args: The kinds of the arguments, one letter of ``KINDS`` for each.
        results: The kinds of the results, one letter of ``KINDS`` for each.
        meaning: The function ``meaning(w, k, *arguments)`` that computes the results on Python integers.
        bounds: The function ``bounds(w, k, *intervals)`` that returns the intervals of the results.
        notation: The operation as the papers write it. Generated code contains this text.
        rank: The position in the order that makes rewriting terminate: a rule for this operation may use
            operations of the same width only if their ranks are lower.
        spread: The width of the widest result in units of w, such as 2 for a product.
        commutes: Whether the first two arguments may be swapped.
        only: The names of the operations that compute just one of the results, by the index of the result.
        fixed: The indices of the arguments that are known before the data, so that constants may be derived
            from them.
        requires: The precondition ``requires(w, k, *arguments)`` under which ``meaning`` is defined.
        agrees: The predicate ``agrees(w, k, arguments, results)`` that accepts lazily reduced results, or
            None if results must be equal to the results of ``meaning``.
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
    fixed: tuple[int, ...] = ()
    requires: Callable[..., bool] = lambda w, k, *args: True
    agrees: Callable[..., bool] | None = None

    @cached_property
    def logic(self) -> bool:
        """Whether all arguments and results are flags, which have no width."""
        return not set(self.args + self.results) - {"f"}

    @property
    def product(self) -> bool:
        """Whether the operation is a product of two words or a part of one.

        Its cost grows with the number of its limbs.
        """
        return self.args == "ww" and self.spread == 2 and self.commutes


KINDS = {"w": "word", "i": "word", "n": "word", "f": "flag", "m": "mask"}
"""The kinds of values by their letters: w is a word of w bits, i an integer of any size, n a number that
is known when the code is generated, f a flag, and m a mask of all lanes."""


def fits(kind: str, w: int, number: int) -> bool:
    """Return whether ``number`` is in the range of an argument or result.

    Args:
        kind: The letter of the kind, as in ``KINDS``.
        w: The width of the operation in bits.
        number: The number.
    """
    return kind in "imn" or 0 <= number < (2 if kind == "f" else 1 << w)


def _split(x: int, w: int) -> tuple[int, int]:
    """Return the part of x from bit w on, and the w bits below it."""
    return x >> w, x & ((1 << w) - 1)


def _borrow(x: int, w: int) -> tuple[int, int]:
    """Return the borrow of a difference x and its value modulo 2^w, so that x = value - borrow·2^w."""
    return -(x >> w), x & ((1 << w) - 1)


def _low_half(w: int, x: int) -> int:
    """Return the low half word of a word of w bits."""
    return x & ((1 << w // 2) - 1)


def _mulhalves(w: int, a: int, b: int) -> int:
    """Return the products of the high and of the low half words, each modulo 2^(w/2)."""
    return _low_half(w, (a >> w // 2) * (b >> w // 2)) << w // 2 | _low_half(w, a * b)


def _smulhalf(w: int, a: int, b: int) -> int:
    """Return the product of the low half words as signed numbers, modulo 2^w."""
    x, y = (bounds.signed(w // 2, _low_half(w, each)) for each in (a, b))
    return _split(x * y, w)[1]


def _subhalves(w: int, a: int, b: int) -> int:
    """Return the differences of the high and of the low half words, each modulo 2^(w/2)."""
    return _low_half(w, (a >> w // 2) - (b >> w // 2)) << w // 2 | _low_half(w, a - b)


def _swaphalves(w: int, a: int) -> int:
    """Return the word with its halves exchanged."""
    return _split(a << w // 2, w)[1] | _split(a, w)[1] >> w - w // 2


def _quotient(w: int, a: int, b: int, c: int) -> int:
    """Return the quotient of the two-word number [a, b] by c."""
    return ((a << w) + b) // c


def _across_lanes(w: int, k: int, a: int, b: int) -> tuple[int]:
    """Raise TypeError, since the permutation of lanes has no meaning on one integer."""
    raise TypeError("perm2 moves lanes and has no meaning on a single one")


_TABLE = [
    Op("add", "ww", "fw", lambda w, k, a, b: _split(a + b, w), bounds.of_sum,
       "[c0:1, c1] = a + b", rank=4, commutes=True, only={1: "addlo"}),
    Op("addc", "wwf", "fw", lambda w, k, a, b, c: _split(a + b + c, w), bounds.of_sum,
       "[c0:1, c1] = a + b + δ", rank=5, commutes=True, only={1: "addclo"}),
    Op("addlo", "ww", "w", lambda w, k, a, b: (_split(a + b, w)[1],),
       lambda *t: bounds.of_sum(*t)[1:], "c = a + b", commutes=True),
    Op("addclo", "wwf", "w", lambda w, k, a, b, c: (_split(a + b + c, w)[1],),
       lambda *t: bounds.of_sum(*t)[1:], "c = a + b + δ", rank=2, commutes=True),
    Op("sub", "ww", "fw", lambda w, k, a, b: _borrow(a - b, w), bounds.of_difference,
       "[c0:1, c1] = a - b", rank=4, only={1: "sublo", 0: "lt"}),
    Op("subb", "wwf", "fw", lambda w, k, a, b, c: _borrow(a - b - c, w), bounds.of_difference,
       "[c0:1, c1] = a - b - δ", rank=5, only={1: "subblo"}),
    Op("sublo", "ww", "w", lambda w, k, a, b: (_borrow(a - b, w)[1],),
       lambda *t: bounds.of_difference(*t)[1:], "c = a - b"),
    Op("subblo", "wwf", "w", lambda w, k, a, b, c: (_borrow(a - b - c, w)[1],),
       lambda *t: bounds.of_difference(*t)[1:], "c = a - b - δ", rank=2),
    Op("mul", "ww", "ww", lambda w, k, a, b: _split(a * b, w), bounds.of_product,
       "[c0, c1] = a · b", rank=6, spread=2, commutes=True, only={0: "mulhi", 1: "mullo"}),
    Op("mulhi", "ww", "w", lambda w, k, a, b: (a * b >> w,),
       lambda *t: bounds.of_product(*t)[:1], "c = ⌊a · b / 2^w⌋", rank=5, spread=2, commutes=True),
    Op("mullo", "ww", "w", lambda w, k, a, b: (_split(a * b, w)[1],),
       lambda *t: bounds.of_product(*t)[1:], "c = a · b", rank=5, spread=2, commutes=True),
    Op("mad_low", "wwwf", "fw", lambda w, k, a, b, c, d: _split(_split(a * b, w)[1] + c + d, w),
       lambda w, k, a, b, c, d: bounds.of_sum(w, k, bounds.of_product(w, k, a, b)[1], c, d),
       "[c0:1, c1] = (a · b) mod 2^w + c + δ", rank=7, spread=2, commutes=True),
    Op("mad_high", "wwwf", "fw", lambda w, k, a, b, c, d: _split((a * b >> w) + c + d, w),
       lambda w, k, a, b, c, d: bounds.of_sum(w, k, bounds.of_product(w, k, a, b)[0], c, d),
       "[c0:1, c1] = ⌊a · b / 2^w⌋ + c + δ", rank=7, spread=2, commutes=True),
    Op("mulhalf", "ww", "w", lambda w, k, a, b: (_low_half(w, a) * _low_half(w, b),), bounds.of_half_product,
       "c = (a mod 2^(w/2)) · (b mod 2^(w/2))", rank=2, commutes=True),
    Op("smulhalf", "ii", "w", lambda w, k, a, b: (_smulhalf(w, a, b),), bounds.of_bits(_smulhalf),
       "c = a · b modulo 2^w, from the low half words as signed numbers", rank=2, commutes=True),
    Op("mulhalves", "ww", "w", lambda w, k, a, b: (_mulhalves(w, a, b),), bounds.of_bits(_mulhalves),
       "[c0, c1] = [a0 · b0, a1 · b1], by half words modulo 2^(w/2)", rank=2, commutes=True),
    Op("subhalves", "ww", "w", lambda w, k, a, b: (_subhalves(w, a, b),), bounds.of_bits(_subhalves),
       "[c0, c1] = [a0 - b0, a1 - b1], by half words modulo 2^(w/2)", rank=2),
    Op("swaphalves", "i", "w", lambda w, k, a: (_swaphalves(w, a),), bounds.of_bits(_swaphalves),
       "[c0, c1] = [a1, a0], by half words", rank=2),
    Op("pack", "ww", "w", lambda w, k, a, b: (_split(a << w // 2, w)[1] + _low_half(w, b),), bounds.of_pack,
       "c = [a, b mod 2^(w/2)] modulo 2^w", rank=3),
    Op("div", "www", "w", lambda w, k, a, b, c: (_quotient(w, a, b, c),), bounds.of_bits(_quotient),
       "d = ⌊[a, b] / c⌋", rank=6, requires=lambda w, k, a, b, c: a < c),
    Op("lt", "ww", "f", lambda w, k, a, b: (int(a < b),), bounds.of_less, "δ = a < b", rank=3),
    Op("lts", "ww", "f", lambda w, k, a, b: (int(bounds.signed(w, a) < bounds.signed(w, b)),), bounds.of_less_signed,
       "δ = a < b, as signed words"),
    Op("le", "ww", "f", lambda w, k, a, b: (int(a <= b),), bounds.of_at_most, "δ = a ≤ b", rank=4),
    Op("eq", "ww", "f", lambda w, k, a, b: (int(a == b),), bounds.of_equal, "δ = a =? b", commutes=True),
    Op("and", "ff", "f", lambda w, k, a, b: (a & b,),
       lambda w, k, a, b: ((a[0] & b[0], a[1] & b[1]),), "δ = a ∧ b", commutes=True),
    Op("or", "ff", "f", lambda w, k, a, b: (a | b,),
       lambda w, k, a, b: ((a[0] | b[0], a[1] | b[1]),), "δ = a ∨ b", commutes=True),
    Op("not", "f", "f", lambda w, k, a: (1 - a,), lambda w, k, a: ((1 - a[1], 1 - a[0]),), "δ = ¬a"),
    Op("select", "fii", "i", lambda w, k, f, a, b: (a if f else b,), bounds.of_choice, "c = a if δ otherwise b",
       rank=2),
    Op("select_top", "iii", "i", lambda w, k, d, a, b: (a if d >> w - 1 & 1 else b,), bounds.of_choice_by_top,
       "c = a if the top bit of d is set otherwise b", rank=3),
    Op("pick_top", "iii", "i", lambda w, k, d, a, b: (a if d >> w - 1 & 1 else b,), bounds.of_choice_by_top,
       "c = a if the top bit of d is set otherwise b, for a and b that are the same in all lanes", rank=4),
    Op("addif", "fww", "w", lambda w, k, f, a, b: (_split(a + f * b, w)[1],), bounds.of_sum_if(1),
       "c = a + b if δ otherwise a", rank=3),
    Op("subif", "fww", "w", lambda w, k, f, a, b: (_borrow(a - f * b, w)[1],), bounds.of_sum_if(-1),
       "c = a - b if δ otherwise a", rank=3),
    Op("subbif", "fwwf", "fw", lambda w, k, f, a, b, d: _borrow(a - f * (b + d), w), bounds.of_difference_if,
       "[c0:1, c1] = a - b - δ1 if δ0 otherwise [0, a]", rank=5),
    Op("inc", "wf", "w", lambda w, k, a, f: (_split(a + f, w)[1],),
       lambda w, k, a, f: bounds.of_sum(w, k, a, f)[1:], "c = a + δ"),
    Op("dec", "wf", "w", lambda w, k, a, f: (_borrow(a - f, w)[1],),
       lambda w, k, a, f: bounds.of_difference(w, k, a, f)[1:], "c = a - δ"),
    Op("word", "f", "w", lambda w, k, a: (a,), lambda w, k, a: (a,), "c = δ"),
    Op("shr", "w", "w", lambda w, k, a: (a >> k,), lambda w, k, a: ((a[0] >> k, a[1] >> k),), "c = a >> k"),
    Op("shrv", "ww", "w", lambda w, k, a, b: (a >> b,), lambda w, k, a, b: ((a[0] >> b[1], a[1] >> b[0]),),
       "c = a >> b", requires=lambda w, k, a, b: b < w),
    Op("shlv", "ww", "w", lambda w, k, a, b: (_split(a << min(b, w), w)[1],), bounds.of_shlv, "c = a << b",
       requires=lambda w, k, a, b: b < w),
    Op("shl", "w", "w", lambda w, k, a: (_split(a << k, w)[1],), bounds.of_shl, "c = a << k", rank=2),
    Op("shrd", "ww", "w", lambda w, k, a, b: (_split(((a << w) + b) >> k, w)[1],), bounds.of_shrd,
       "c = [a, b] >> k", rank=3),
    Op("top", "w", "f", lambda w, k, a: (a >> (w - 1),), lambda w, k, a: ((a[0] >> (w - 1), a[1] >> (w - 1)),),
       "δ = the top bit of a", rank=2),
    Op("perm2", "ww", "w", _across_lanes, lambda w, k, a, b: ((min(a[0], b[0]), max(a[1], b[1])),),
       "c = the chosen lanes of a and b", rank=0),
    Op("low", "i", "w", lambda w, k, a: (a & ((1 << min(k, w)) - 1),),
       lambda w, k, a: bounds.of_low(w, min(k, w), a), "c = a mod 2^k"),
]  # fmt: skip

OPS: dict[str, Op] = {op.name: op for op in _TABLE}
"""All registered operations by name."""


def register(op: Op) -> Op:
    """Add an operation to the table, and return it.

    Other modules register composite operations, which no machine has and which rules must rewrite, and the
    operations on lanes, masks and doubles.
    """
    OPS[op.name] = op
    return op
