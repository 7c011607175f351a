"""Arithmetic on reduced-radix limbs: sums limb by limb, and carry normalisation where limbs must be normal.

*Normal* limbs are from 0 to 2^word - 1, except the leading limb of a number that may be negative, which has
the sign.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from momagen.errors import MomagenError
from momagen.ir import OPS, Builder, Value, const, refine

from .digits import ZERO, Digits, bits_of, digits_of, is_normal, is_zero, length, narrowed, number, pairs, says_enough


class Carries:
    """A builder of operations on numbers with limbs of ``word`` bits in lanes of ``lane`` bits.

    Attributes:
        builder: The builder of the block.
        word: The number of bits of the radix.
        lane: The number of bits of a lane.
    """

    def __init__(self, builder: Builder, word: int, lane: int) -> None:
        self.builder, self.word, self.lane = builder, word, lane
        self._normal: dict[tuple[int, int], tuple[Value, Value]] = {}
        self._again: dict[int, tuple[Value, Callable[[], Value]]] = {}

    def one(self, op: str, *args: Value, k: int = 0) -> Value:
        """Return the only result of an operation on limbs."""
        return self.builder.one(op, self.word, *args, k=k)

    def normal(self, value: Value) -> Value:
        """Return a number with normal limbs.

        The leading limb of a number that may be negative is as long as the lane allows.
        """
        return self.spread(value, self.word if value.lo >= 0 else self.lane)

    def spread(self, value: Value, most: int) -> Value:
        """Return a number with normal limbs, except the leading one, which has at most ``most`` bits."""
        if value.kind == "flag" or value.is_const:
            return value
        if (id(value), most) not in self._normal:
            result = self._carried(self.sure(value), most)
            self._normal.update({(id(value), most): (value, result), (id(result), most): (result, result)})
        return self._normal[id(value), most][1]

    def sure(self, value: Value) -> Value:
        """Return a number whose limbs determine it.

        A sum whose limbs do not is computed again from normal limbs.
        """
        return value if says_enough(value) else self._again[id(value)][1]()

    def _carried(self, value: Value, most: int) -> Value:
        """Return a number after one carry normalisation from the low limb up.

        Limbs that it does not need are dropped.
        """
        digits, signed, known = digits_of(value, self.word), value.lo < 0, value.interval
        count = length(*known, self.word)
        if count > len(digits):
            count = max(len(digits), 1 - (most - bits_of(*known)) // self.word)
        exact = not value.ring and (count == len(digits) or not signed)
        if exact and all(is_normal(d, self.word) for d in (digits[:-1] if signed else digits)):
            return number(digits, self.word, known) if signed else narrowed(value, *known, self.word)
        cut, digits = value.ring or count < len(digits), (digits + [ZERO] * count)[:count]
        carry, done = ZERO, Digits()
        for digit in digits[:-1]:
            total = self.digit("plus", digit, carry)
            carry = self.one("sar", total, k=self.word)
            done.append(self.one("low", total, k=self.word))
        top = self.digit("plus", digits[-1], carry)
        if cut:
            half = const(signed << self.word - 1)
            top = self.digit("minus", self.one("low", self.digit("plus", top, half), k=self.word), half)
        below = self.word * len(done)  # since these limbs are normal, the leading one is ⌊value / 2^below⌋
        return number([*done, refine(top, value.lo >> below, value.hi >> below)], self.word, value.interval)

    def refined(self, value: Value, lo: int, hi: int) -> Value:
        """Return a value that is known to lie in [lo, hi], too."""
        if not value.digits:
            return refine(value, lo, hi)
        lo, hi = max(lo, value.lo), min(hi, value.hi)
        if value.ring and bits_of(lo, hi) > value.ring:
            value = self.sure(value)
        return narrowed(value, max(lo, value.lo), min(hi, value.hi), self.word)

    def digit(self, op: str, a: Value, b: Value) -> Value:
        """Return the sum or the difference of two limbs.

        Args:
            op: "plus" or "minus".
            a: The first limb.
            b: The second limb.

        Raises:
            MomagenError: The lane cannot hold the result.
        """
        if is_zero(b):
            return a
        if op == "plus" and is_zero(a):
            return b
        result = self.one(op, a, b)
        if not self._held(op, result, ZERO):
            raise MomagenError(f"a sum within {self.lane} bits", str(result), "reduced-radix limbs")
        return result

    def _held(self, op: str, a: Value, b: Value) -> bool:
        """Return whether a lane can hold the result of an operation on two limbs."""
        ((lo, hi),) = OPS[op].bounds(self.word, 0, a.interval, b.interval)
        return bits_of(min(lo, -1), hi) <= self.lane

    def sum(self, op: str, a: Value, b: Value, width: int = 0, exact: bool = False) -> Value:
        """Return the sum or the difference of two numbers.

        Args:
            op: "plus" or "minus".
            a: The first number.
            b: The second number.
            width: The number of bits w if the result is taken modulo 2^w, or 0.
            exact: Whether the result is known to be from 0 to 2^width - 1.

        Raises:
            MomagenError: The lane cannot hold a limb of the result.
        """
        ((lo, hi),) = OPS[op].bounds(self.word, 0, a.interval, b.interval)
        ring = min((r for r in (a.ring, b.ring) if r), default=0)
        if width and (lo < 0 or hi >> width):
            lo, hi, ring = 0, (1 << width) - 1, ring if exact else min(ring or width, width)
        both = pairs(a, b, self.word)
        if not all(self._held(op, u, v) for u, v in both):
            x, y = self.spread(a, self.word), self.spread(b, self.word)
            if x is not a or y is not b:
                return self.sum(op, x, y, width, exact)
        total = number([self.digit(op, u, v) for u, v in both], self.word, (lo, hi), ring)
        self._again[id(total)] = total, lambda: self.sum(op, self.normal(a), self.normal(b), width, exact)
        return total

    def select(self, flag: Value, a: Value, b: Value) -> Value:
        """Return a if the flag is set, and b otherwise.

        Numbers whose normal limbs are already known are used in that form.
        """
        a, b = (self._normal.get((id(x), self.word if x.lo >= 0 else self.lane), (x, x))[1] for x in (a, b))
        lo, hi = min(a.lo, b.lo), max(a.hi, b.hi)
        ring = min((r for r in (a.ring, b.ring) if r), default=0)
        if ring and bits_of(lo, hi) > ring:
            a, b, ring = self.normal(a), self.normal(b), 0
        chosen = [self.one("select", flag, u, v) for u, v in pairs(a, b, self.word)]
        return number(chosen, self.word, (lo, hi), ring)

    def moved(self, value: Value, places: int, width: int) -> Value:
        """Return value·2^(places·word), modulo 2^width if that is not 0."""
        digits, k = [ZERO] * places + digits_of(value, self.word), places * self.word
        if width and value.hi << k >> width:
            return number(digits, self.word, None, width)
        return number(digits, self.word, (value.lo << k, value.hi << k), value.ring + k if value.ring else 0)

    def dropped(self, value: Value, places: int) -> Value:
        """Return ⌊value / 2^(places·word)⌋.

        The carry out of the dropped limbs is added to the lowest remaining limb.
        """
        digits, carry, k = digits_of(value, self.word), ZERO, places * self.word
        for digit in digits[:places]:
            carry = self.one("sar", self.digit("plus", digit, carry), k=self.word)
        low, *rest = digits[places:] or [ZERO]
        return number([self.digit("plus", low, carry), *rest], self.word, (value.lo >> k, value.hi >> k))

    def settled(self, value: Value, width: int, k: int) -> Value:
        """Return a number modulo 2^width or more, with limbs in ±2^k.

        If they are already in that range, the number stays unchanged; otherwise, or if k is ``word``, its
        limbs become normal. The leading limb may be larger if the number needs this to fit ``width`` bits.
        """
        if k == self.word:
            return self.normal(value)
        near = all(-(1 << k) <= d.lo <= d.hi <= 1 << k for d in digits_of(value, self.word))
        if near and not 0 < value.ring < width:
            return value
        return self.spread(value, max(k + (value.lo < 0), bits_of(*value.interval) - width + self.word))

    def cleared(self, value: Value, k: int) -> Value:
        """Return ⌊value / 2^k⌋·2^k, where the k bits are in the lowest limb."""
        low, *rest = digits_of(self.normal(value), self.word)
        lo, hi = value.interval
        return number([self.one("clear", low, k=k) if k else low, *rest], self.word, (lo >> k << k, hi >> k << k))

    def signed(self, value: Value, most: Value) -> Value:
        """Return the number from -most to most - 1 that is ``value`` modulo a power of two.

        It has as few limbs as it needs.
        """
        lo, hi = -most.hi, most.hi - 1
        count = length(lo, hi, self.word)
        value = self.sure(value) if 0 < value.ring < count * self.word else value
        return number(digits_of(value, self.word)[:count], self.word, (lo, hi), count * self.word)

    def negative(self, value: Value) -> Value:
        """Return the flag that is set if a number is negative.

        For a number modulo 2^ring it is the top bit, otherwise the sign of the leading limb.
        """
        if not value.ring:
            return self.one("negative", digits_of(self.normal(value), self.word)[-1])
        word = number(digits_of(value, self.word), self.word, None, value.ring)
        return self.one("bit", digits_of(self.normal(word), self.word)[-1], k=self.word - 1)

    def join(self, parts: Sequence[Value], weight: int, exact: bool) -> Value:
        """Return the number with the given parts of ``weight`` bits, the high one first.

        If the leading part is known modulo a power of two only, so is the number.

        Args:
            parts: The parts.
            weight: The number of bits of the radix.
            exact: Whether a leading part that is known modulo a power of two is normalised.
        """
        flat, ring, step = Digits(), 0, weight // self.word
        for at, part in enumerate(reversed(parts)):
            part = self.normal(part) if part.ring and (exact or at < len(parts) - 1) else part
            ring = part.ring and part.ring + at * weight
            for place, digit in enumerate(digits_of(part, self.word), at * step):
                flat += [ZERO] * (place + 1 - len(flat))
                flat[place] = self.digit("plus", flat[place], digit)
        return number(flat, self.word, None, ring)

    def split(self, value: Value, weight: int, count: int) -> list[Value]:
        """Return ``count`` parts of ``weight`` bits, the high one first.

        The high part also contains all bits above, and may therefore have more bits.
        """
        word = value.weight or self.word
        digits, step = digits_of(self.normal(value) if value.ring else value, word), weight // word
        ends = [*range(step, count * step, step), max(count * step, len(digits))]
        groups = [digits[start:end] for start, end in zip([0, *ends], ends, strict=False)]
        return [number(group or [ZERO], word) for group in reversed(groups)]
