"""Words to digits and back: the same number in digits of fewer bits, as shifts and masks in lanes."""

from __future__ import annotations

from momagen.ir import Builder, Value, const


def to_digits(b: Builder, words: list[Value], word: int, digit: int, count: int, shift: int = 0) -> list[Value]:
    """``count`` digits of ``digit`` bits of 2^shift times the number whose words are given, low first on both sides;
    the shift is less than a digit."""
    return [_bits(b, words, word, digit * i - shift, digit) for i in range(count)]


def _bits(b: Builder, words: list[Value], word: int, start: int, length: int) -> Value:
    """Bits start … start + length - 1 of the number, zeros below its first."""
    if start < 0:
        return b.one("low", word, b.one("shl", word, words[0], k=-start), k=length)
    at, offset = divmod(start, word)
    if at >= len(words):
        return const(0)
    value = b.one("shr", word, words[at], k=offset)
    if offset + length > word and at + 1 < len(words):
        value = b.one("addlo", word, value, b.one("shl", word, words[at + 1], k=word - offset))
    return b.one("low", word, value, k=length)


def to_words(b: Builder, digits: list[Value], word: int, digit: int, count: int, shift: int = 0) -> list[Value]:
    """``count`` words of the number whose digits, all below 2^digit, are given, over 2^shift; low first on both sides."""
    return [_word(b, digits, word, digit, i * word + shift) for i in range(count)]


def _word(b: Builder, digits: list[Value], word: int, digit: int, start: int) -> Value:
    """Bits start … start + word - 1: the digits that reach into them do not overlap."""
    total: Value = const(0)
    for i, value in enumerate(digits):
        shift = digit * i - start
        if -digit < shift < word:
            part = b.one("shl", word, value, k=shift) if shift >= 0 else b.one("shr", word, value, k=-shift)
            total = b.one("addlo", word, total, part)
    return total
