"""Operations on masks, which are numbers with one bit for each lane, register after register.

The width w of these operations is the number of lanes. With masks, a number can be distributed over lanes,
and a carry can move from lane to lane. Only ``lift`` and ``pick`` exchange data between lanes; all other
operations act on the whole mask, which is the same number in every lane.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from operator import and_, or_, xor

from .bounds import Bounds
from .ops import Meaning, Op, register
from .value import Interval


def _carries(w: int, k: int, made: int, passed: int) -> tuple[int]:
    """Return the carries into all positions.

    The masks contain the lanes that generate and propagate a carry.
    """
    found = 0
    for i in range(max(made, passed).bit_length()):
        found |= (made >> i & 1 | passed >> i & found >> i & 1) << i + 1
    return (found,)


def _carries_within(w: int, k: int, made: int, passed: int) -> tuple[int]:
    """Return the carries into the lowest k positions."""
    return (_carries(w, k, made, passed)[0] & (1 << k) - 1,)


def _spread(w: int, k: int, a: int) -> tuple[int]:
    """Return a mask with the k bits below each bit of ``a``."""
    return (sum((1 << i) - (1 << i - k) for i in range(a.bit_length()) if a >> i & 1),)


def _lift_one(w: int, k: int, a: int) -> tuple[int]:
    """Return the mask for a flag that is the same in all lanes."""
    return (((1 << w) - 1) * a << k,)


def _pick_one(w: int, k: int, a: int) -> tuple[int]:
    """Return bit k of a mask, that is, the flag of the first lane."""
    return (a >> k & 1,)


def _bits(more: int, w: int, k: int, *masks: Interval) -> tuple[Interval]:
    """Return the interval of all masks that have ``more`` bits more than the longest argument."""
    return ((0, (1 << max(hi.bit_length() for _, hi in masks) + more) - 1),)


def known(meaning: Meaning, bounds: Bounds) -> Bounds:
    """Return a function that computes bounds, which are exact if all arguments are constants.

    Args:
        meaning: The operation on integers, which is applied to constants.
        bounds: The bounds for all other arguments.
    """

    def found(w: int, k: int, *args: Interval) -> tuple[Interval, ...]:
        if all(lo == hi for lo, hi in args):
            return tuple((r, r) for r in meaning(w, k, *(lo for lo, _ in args)))
        return bounds(w, k, *args)

    return found


def _bitwise(name: str, meaning: Callable[[int, int], int], notation: str) -> Op:
    """Return a bitwise operation on two masks."""

    def each(w: int, k: int, a: int, b: int) -> tuple[int]:
        return (meaning(a, b),)

    return Op(name, "mm", "m", each, known(each, partial(_bits, 0)), notation, rank=0, commutes=True)


def _apart(w: int, k: int, a: int) -> bool:
    """Return whether all set bits of ``a`` are at least k positions from each other and from bit 0."""
    return all(a >> i & 1 == 0 or (i >= k and a >> i - k & (1 << k) - 1 & ~1 == 0) for i in range(a.bit_length()))


_ROWS = [
    Op("lift", "f", "m", _lift_one, known(_lift_one, lambda w, k, a: ((0, _lift_one(w, k, 1)[0]),)),
       "c = the flags δ of all lanes, from bit k on"),
    Op("pick", "m", "f", _pick_one, known(_pick_one, lambda w, k, a: ((0, 1),)), "δ = bit k + i of a in lane i"),
    Op("carries", "mm", "m", _carries, known(_carries, partial(_bits, 1)),
       "δ_(i+1) = a_i ∨ (b_i ∧ δ_i), δ_0 = 0", rank=0, requires=lambda w, k, a, b: a & b == 0),
    Op("carries_within", "mm", "m", _carries_within,
       known(_carries_within, lambda w, k, made, passed: ((0, (1 << k) - 1),)),
       "δ_(i+1) = a_i ∨ (b_i ∧ δ_i), δ_0 = 0, without bits from k on", rank=0,
       requires=lambda w, k, a, b: a & b == 0 and _carries(w, k, a, b)[0] >> k == 0),
    Op("spread", "m", "m", _spread, known(_spread, partial(_bits, 0)),
       "c = the k bits below every bit of a", requires=_apart),
    _bitwise("mand", and_, "c = a ∧ b"), _bitwise("mor", or_, "c = a ∨ b"), _bitwise("mxor", xor, "c = a ⊕ b"),
]  # fmt: skip

MASK_OPS = {row.name: register(row) for row in _ROWS}
"""The operations on masks by name."""


def _lift(k: int, a: Sequence[int]) -> list[int]:
    """Return the mask of the flags of all lanes, shifted by k bits, for each lane."""
    return [sum(flag << k + lane for lane, flag in enumerate(a))] * len(a)


def _pick(k: int, a: Sequence[int]) -> list[int]:
    """Return for each lane its bit of a mask, from bit k on."""
    return [a[0] >> k + lane & 1 for lane in range(len(a))]


ACROSS: dict[str, Callable[..., list[int]]] = {"lift": _lift, "pick": _pick}
"""The operations that exchange data between lanes, as functions of k and the arguments in all lanes."""
