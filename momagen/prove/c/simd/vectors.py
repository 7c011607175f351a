"""Vectors of integer lanes, and masks with one bit for each lane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from momagen.prove.c.bits import by_flag
from momagen.prove.c.memory import Address, Number, Pointer
from momagen.prove.c.simd.deferred import Deferred, apply, is_finished
from momagen.prove.c.types import Integer, Mask, Vector
from momagen.prove.checker import ProofError
from momagen.prove.polynomial import combine, plus, scaled
from momagen.prove.words import Value

if TYPE_CHECKING:
    from collections.abc import Iterable

    from momagen.prove.c.bits import Bits
    from momagen.prove.facts import Facts
    from momagen.prove.words import Words


@dataclass(frozen=True, eq=False)
class Lanes:
    """A vector: its type, the bits of a lane, and the lanes, lowest first."""

    kind: Vector
    width: int
    lanes: tuple[Bits, ...]

    def of_width(self, width: int, words: Words) -> tuple[Any, ...]:
        """Return the bits of the vector as lanes of a width: a wide lane is the number of the narrow ones in it."""
        lanes: list[Any] = list(self.lanes)
        if width != self.width and not all(is_finished(lane) for lane in lanes):
            raise ProofError("a lane of unfinished bits changes its width")
        at = self.width
        while at > width:
            at //= 2
            lanes = [half for lane in lanes for half in _halves(lane, at, words)]
        while at < width:
            lanes = [_joined(low, high, at, words) for low, high in zip(lanes[::2], lanes[1::2], strict=True)]
            at *= 2
        return tuple(lanes)


@dataclass(frozen=True, eq=False)
class Flags:
    """A mask: its type and its bits, lowest first, each a value that is 0 or 1."""

    kind: Mask
    bits: tuple[Value, ...]


def mask_of(number: Number, kind: Mask, words: Words) -> Flags:
    """Return the lowest bits of a number as a mask."""
    value = number.value
    if not isinstance(value, Value) or value.low < 0:
        raise ProofError("a mask is made of unfinished bits, or of a number that may be negative")
    shifted = (words.divide(value, 1 << i, "mask")[0] for i in range(kind.bits))
    return Flags(kind, tuple(words.low_bits(each, 1, "mask") for each in shifted))


def number_of(mask: Flags, words: Words) -> Number:
    """Return the number whose bits are those of a mask."""
    if not all(isinstance(bit, Value) for bit in mask.bits):
        raise ProofError("a number is made of unfinished bits")
    total = combine((1 << i, bit.polynomial) for i, bit in enumerate(mask.bits))
    return Number(Integer(mask.kind.bits), words.value_of(total))


def _halves(lane: Any, bits: int, words: Words) -> tuple[Any, Any]:
    """Return the lower and the upper half of a lane."""
    if isinstance(lane, Deferred) and lane.meaning is _join and lane.width == 2 * bits:
        return lane.operands[0], lane.operands[1]
    return apply(_low_half, words, bits, lane), apply(_high_half, words, bits, lane)


def _low_half(words: Words, bits: int, lane: Value) -> Value:
    return _parts(lane, bits, words)[0]


def _high_half(words: Words, bits: int, lane: Value) -> Value:
    return _parts(lane, bits, words)[1]


def _parts(lane: Value, bits: int, words: Words) -> tuple[Value, Value]:
    low = by_flag(lambda x: x % (1 << bits), [lane], words)
    high = by_flag(lambda x: x >> bits, [lane], words)
    if low is None or high is None:
        high, low = words.divide(lane, 1 << bits, "half")
    return low, high


def _joined(low: Any, high: Any, bits: int, words: Words) -> Any:
    """Return the lane with two halves of ``bits`` bits."""
    is_whole = isinstance(low, Deferred) and isinstance(high, Deferred) and low.operands == high.operands
    if is_whole and low.meaning is _low_half and high.meaning is _high_half and low.width == high.width == bits:
        return low.operands[0]
    return apply(_join, words, 2 * bits, low, high)


def _join(_words: Words, width: int, low: Value, high: Value) -> Value:
    bits = width // 2
    total = plus(low.polynomial, scaled(high.polynomial, 1 << bits))
    return Value(total, low.low + (high.low << bits), low.high + (high.high << bits))


def _cells(address: Any, bits: int, facts: Facts) -> tuple[Pointer, int, list[Value]]:
    """Return the pointer, the width of its elements, and the offsets of the elements in the next ``bits`` bits."""
    pointer = address.pointer if isinstance(address, Address) else address
    if not isinstance(pointer, Pointer) or not isinstance(pointer.block.of, Integer):
        raise ProofError("a vector is loaded from or stored to something else than an array of integers")
    width = pointer.block.of.bits
    steps: Iterable[int] = range(bits // width)
    return pointer, width, [pointer.moved({(): i} if i else {}, facts).offset for i in steps]


def load(kind: Vector, address: Any, facts: Facts) -> Lanes:
    """Return the vector of the consecutive elements at an address, which need not be aligned."""
    pointer, width, offsets = _cells(address, kind.bits, facts)
    return Lanes(kind, width, tuple(pointer.block.load_lane(offset, facts) for offset in offsets))


def store(address: Any, vector: Lanes, facts: Facts) -> None:
    """Store a vector into consecutive elements at an address, which need not be aligned."""
    pointer, width, offsets = _cells(address, vector.kind.bits, facts)
    for offset, lane in zip(offsets, vector.of_width(width, facts.words), strict=True):
        pointer.block.store_lane(offset, lane, facts)
