"""Radix conversion between words and shorter limbs, by shifts and masks in lanes."""

from __future__ import annotations

from momagen.ir import Builder, Value, const


def to_digits(b: Builder, words: list[Value], word: int, digit: int, count: int, shift: int = 0) -> list[Value]:
    """Return ``count`` limbs of 2^shift·x, low limb first.

    Args:
        b: The builder.
        words: The words of x, low word first.
        word: The number of bits of a word.
        digit: The number of bits of a limb.
        count: The number of limbs.
        shift: A number of bits, less than ``digit``.
    """
    return [_bits(b, words, word, digit * i - shift, digit) for i in range(count)]


def _bits(b: Builder, words: list[Value], word: int, start: int, length: int) -> Value:
    """Return bits start … start + length - 1 of the number; bits with negative indices are 0."""
    if start < 0:
        return b.one("low", word, b.one("shl", word, words[0], k=-start), k=length)
    at, offset = divmod(start, word)
    if at >= len(words):
        return const(0)
    if offset + length <= word or at + 1 == len(words):
        return b.one("low", word, b.one("shr", word, words[at], k=offset), k=length)
    return b.one("low", word, _funnel(b, word, words[at + 1], words[at], offset), k=length)


def _funnel(b: Builder, word: int, high: Value, low: Value, k: int) -> Value:
    """Return bits k … k + word - 1 of the two-word number [high, low]."""
    if b.has("shrd"):
        return b.one("shrd", word, high, low, k=k)
    return b.one("addlo", word, b.one("shr", word, low, k=k), b.one("shl", word, high, k=word - k))


def to_words(b: Builder, digits: list[Value], word: int, digit: int, count: int, shift: int = 0) -> list[Value]:
    """Return ``count`` words of ⌊x/2^shift⌋, low word first.

    Args:
        b: The builder.
        digits: The limbs of x, low limb first, all below 2^digit.
        word: The number of bits of a word.
        digit: The number of bits of a limb.
        count: The number of words.
        shift: A number of bits.
    """
    return [_word(b, digits, word, digit, i * word + shift) for i in range(count)]


def _word(b: Builder, digits: list[Value], word: int, digit: int, start: int) -> Value:
    """Return bits start … start + word - 1 of the number, as a sum of limbs that do not overlap."""
    total, (first, offset) = const(0), divmod(start, digit)
    if b.has("shrd") and first + 1 < len(digits):
        low = b.one("shl", word, digits[first], k=word - digit)
        total, first = b.one("shrd", word, digits[first + 1], low, k=word - digit + offset), first + 2
    for i, value in enumerate(digits[first:], first):
        shift = digit * i - start
        if -digit < shift < word:
            part = b.one("shl", word, value, k=shift) if shift >= 0 else b.one("shr", word, value, k=-shift)
            total = b.one("addlo", word, total, part)
    return total
