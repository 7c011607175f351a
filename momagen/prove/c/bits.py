"""Bitwise operations on values: on flags, on masks made of a flag, and where the operands have no bit in common."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from momagen.prove.checker import ProofError
from momagen.prove.polynomial import combine, constant, plus, scaled, variables
from momagen.prove.words import Value, variable_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from momagen.prove.words import Words


HALF = 32
"""The bits of the shortest words of which numbers consist."""


@dataclass(frozen=True, eq=False)
class Difference:
    """The bits in which two values differ, ``a ^ b``."""

    a: Value
    b: Value


@dataclass(frozen=True, eq=False)
class Masked:
    """The bits in which two values differ if a flag is 1, otherwise 0."""

    flag: Value
    bits: Difference


@dataclass(frozen=True, eq=False)
class AnyBit:
    """The bits that are set in one of several words; only whether there are any is known."""

    words: tuple[Value, ...]

    def number(self, words: Words) -> Value:
        """Return a number that is 0 if and only if no bit is set: the sum of the words."""
        return words.value_of(combine((1, word.polynomial) for word in self.words))


Bits = Value | Difference | Masked | AnyBit


def is_flag(value: Value, words: Words) -> bool:
    """Return whether a value is a variable that is 0 or 1."""
    if value.low < 0 or value.high > 1 or value.is_constant:
        return False
    try:
        words.number_of(value)
    except ProofError:
        return False
    return True


def _is_bit(value: Value) -> bool:
    return value.low >= 0 and value.high <= 1


def as_flag(value: Value, words: Words) -> Value:
    """Return a value that is 0 or 1 as a variable: it may be one minus a variable."""
    if is_flag(value, words):
        return value
    opposite = Value(plus({(): 1}, value.polynomial, -1), 1 - value.high, 1 - value.low)
    if is_flag(opposite, words):
        return words.select(opposite, words.constant(0), words.constant(1), "not")
    raise ProofError("a condition is neither a flag nor its opposite")


def by_value(operation: Callable[..., int], operands: list[Value], words: Words) -> Value | None:
    """Return the result of an operation on bits, if all operands are known or depend on a single flag only."""
    if all(operand.is_constant for operand in operands):
        return words.constant(operation(*(operand.low for operand in operands)))
    return by_flag(operation, operands, words)


def choose(flag: Value, chosen: Value, other: Value, words: Words) -> Value:
    """Return ``chosen`` if ``flag`` is 1, and else ``other``; the flag may be one minus a variable."""
    if chosen.is_constant and other.is_constant and not flag.is_constant:
        return words.value_of(plus(constant(other.low), scaled(flag.polynomial, chosen.low - other.low)))
    if flag.is_constant or is_flag(flag, words):
        return words.select(flag, chosen, other, "choose")
    opposite = opposite_of(flag)
    if not is_flag(opposite, words):
        raise ProofError("a condition is neither a flag nor its opposite")
    return words.select(opposite, other, chosen, "choose")


def opposite_of(flag: Value) -> Value:
    """Return one minus a flag."""
    return Value(plus({(): 1}, flag.polynomial, -1), 1 - flag.high, 1 - flag.low)


def by_flag(operation: Callable[..., int], operands: list[Value], words: Words) -> Value | None:
    """Return the result of an operation whose operands are numbers, or depend on a single flag only; otherwise None."""
    flags = {number for operand in operands for number in variables(operand.polynomial)}
    if len(flags) > 1 or any(m and len(m) > 1 for operand in operands for m in operand.polynomial):
        return None
    if flags:
        flag = words.value_of({(next(iter(flags)),): 1})
        if not is_flag(flag, words):
            return None
    results = [
        operation(*(int(sum(c * (value if m else 1) for m, c in operand.polynomial.items())) for operand in operands))
        for value in (0, 1)
    ]
    if not flags or results[0] == results[1]:
        return words.constant(results[0])
    return words.value_of(plus(constant(results[0]), scaled(flag.polynomial, results[1] - results[0])))


def bit_and(a: Bits, b: Bits, bits: int, words: Words) -> Bits:
    """Return ``a & b``."""
    simple = by_value(lambda x, y: x & y, [a, b], words) if isinstance(a, Value) and isinstance(b, Value) else None
    if simple is not None:
        return simple
    for mask, other in ((b, a), (a, b)):
        if not isinstance(mask, Value):
            continue
        if mask.is_constant and mask.low == 0:
            return mask
        if mask.is_constant and isinstance(other, Value) and mask.low & (mask.low + 1) == 0 and mask.low > 0:
            return words.low_bits(other, mask.low.bit_length(), "and")
        flag = mask_flag(mask, bits, words)
        if flag is not None and isinstance(other, Difference) and is_flag(flag, words):
            return Masked(flag, other)
        if flag is not None and isinstance(other, Value):
            return choose(flag, other, words.constant(0), words)
    if isinstance(a, Value) and isinstance(b, Value) and _is_bit(a) and _is_bit(b):
        return words.select(as_flag(a, words), b, words.constant(0), "and")
    raise ProofError("this use of & is not supported")


def mask_flag(value: Value, bits: int, words: Words) -> Value | None:
    """Return the flag whose mask a value is: all bits of it are 1 if the flag is 1, otherwise 0."""
    ones = (1 << bits) - 1
    rest = plus(value.polynomial, constant(-ones)) if () in value.polynomial else value.polynomial
    if len(rest) == 1:
        monomial, coefficient = next(iter(rest.items()))
        flag = words.value_of({monomial: 1})
        if len(monomial) == 1 and is_flag(flag, words):
            if rest is value.polynomial and coefficient == ones:
                return flag
            if rest is not value.polynomial and coefficient == -ones:
                return opposite_of(flag)
    return None


def bit_or(a: Bits, b: Bits, words: Words) -> Bits:
    """Return ``a | b``."""
    if isinstance(a, AnyBit) and isinstance(b, Value) and b.low >= 0:
        return AnyBit((*a.words, b))
    if not isinstance(a, Value) or not isinstance(b, Value):
        raise ProofError("this use of | is not supported")
    for zero, other in ((a, b), (b, a)):
        if zero.is_constant and zero.low == 0:
            return other
    simple = by_flag(lambda x, y: x | y, [a, b], words)
    if simple is not None:
        return simple
    with suppress(ProofError):
        return words.join(a, b)
    if a.is_constant and b.is_constant:
        return words.constant(a.low | b.low)
    for less, tie in ((a, b), (b, a)):
        if (longer := _longer_comparison(less, tie, words)) is not None:
            return longer
    if _is_bit(a) and _is_bit(b):
        return words.select(as_flag(a, words), words.constant(1), b, "or")
    if a.low < 0 or b.low < 0:
        raise ProofError("this use of | is not supported")
    return AnyBit((a, b))


def _longer_comparison(less: Value, tie: Value, words: Words) -> Value | None:
    """Return the flag that ``2^k * d + e`` is negative, if the bits say that d is, or that d is 0 and e is negative.

    So the words of two numbers are compared one after the other. Here -2^k <= e < 2^k.

    Args:
        less: The flag that d is negative.
        tie: The flag that d is 0 and e is negative: a choice between the flag that e is negative, and 0.
        words: The operations.
    """
    both = words.selections.get(variable_of(tie))
    if both is None or both.other.polynomial:
        return None
    upper, lower = words.compared_with_zero(less), words.compared_with_zero(both.chosen)
    if upper is None or lower is None or not _is_zero(upper, words.value_of({(both.flag,): 1}), words):
        return None
    unit = 1 << -(-max(-lower.low - 1, lower.high).bit_length() // HALF) * HALF
    total = words.value_of(plus(scaled(upper.polynomial, unit), lower.polynomial))
    none = words.constant(0)
    width = max(128, (max(-total.low, total.high) + 1).bit_length())
    return words.copied(words.difference(total, none, none, width, "compare")[0])


def _is_zero(difference: Value, flag: Value, words: Words) -> bool:
    """Return whether a flag is 1 exactly if a number is 0: it is the opposite of "negative, or its negative is"."""
    opposite = words.selections.get(variable_of(flag))
    if opposite is None or opposite.chosen.polynomial or opposite.other.polynomial != {(): 1}:
        return False
    differs = words.selections.get(opposite.flag)
    if differs is None or differs.chosen.polynomial != {(): 1}:
        return False
    signs = [words.compared_with_zero(flag) for flag in (words.value_of({(differs.flag,): 1}), differs.other)]
    found = [{} if sign is None else sign.polynomial for sign in signs]
    opposites = [difference.polynomial, scaled(difference.polynomial, -1)]
    return found in (opposites, opposites[::-1])


def bit_xor(a: Bits, b: Bits, words: Words) -> Bits:
    """Return ``a ^ b``."""
    for masked, other in ((b, a), (a, b)):
        if isinstance(masked, Masked) and isinstance(other, Value):
            pair = masked.bits
            for same, chosen in ((pair.a, pair.b), (pair.b, pair.a)):
                if same.polynomial == other.polynomial:
                    return words.select(masked.flag, chosen, other, "xor")
    if isinstance(a, Value) and isinstance(b, Value):
        simple = by_value(lambda x, y: x ^ y, [a, b], words)
        return Difference(a, b) if simple is None else simple
    raise ProofError("this use of ^ is not supported")
