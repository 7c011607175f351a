"""Inputs that reveal errors: residues at the edges of their range and of their words, and seeded random residues."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

import numpy as np

from momagen.params.words import Words, to_words, words_per

Vector = Callable[[], Words]


def edge_residues(q: int, top: int = 0, word: int = 64) -> dict[str, int]:
    """Return named numbers below ``top`` at which carries, borrows and conditional subtractions change.

    They include all ones in the low words, one bit in one word, q - 1 with its lower words filled with ones, and
    multiples of q.

    Args:
        q: The modulus.
        top: The bound (0: q).
        word: The number of bits of a kernel's words.
    """
    last, words = word * (words_per(q.bit_length(), word) - 1), words_per((top or q).bit_length(), word)
    candidates = {"0": 0, "1": 1, "2": 2, "(q - 1)/2": q // 2, "(q + 1)/2": q // 2 + 1, "q - 2": q - 2, "q - 1": q - 1}
    for m in (1, 2, 4, 8):
        candidates |= {f"{m}q": m * q, f"{m}q + 1": m * q + 1, f"{2 * m}q - 1": 2 * m * q - 1}
    for j in range(1, words + 1):
        candidates |= {f"2^{word * j} - 1": (1 << word * j) - 1, f"2^{word * j}": 1 << word * j}
    candidates |= {"2^32 - 1": (1 << 32) - 1, "top word less one, ones below": (q >> last << last) - 1}
    return {name: value for name, value in candidates.items() if 0 <= value < (top or q)}


def all_ones(q: int, word: int = 64) -> list[int]:
    """Return the numbers below q whose words are all ones, except that the top word may be smaller; otherwise 1."""
    words = words_per(q.bit_length(), word)
    top = word * (words - 1)
    found = [(1 << word * j) - 1 for j in range(1, words + 1)] + [(q >> top << top) - 1]
    return [value for value in found if 0 < value < q] or [1]


def random_residues(count: int, q: int, words: int, seed: Iterable[int]) -> Words:
    """Return random numbers below q, an array of shape (count, words); the same seed gives the same numbers.

    The top word is at most that of q. If it equals that of q - 1, the other words are a submask of q - 1, so that the
    number is below q.

    Args:
        count: The number of residues.
        q: A modulus or a multiple of it.
        words: The number of words of a residue.
        seed: The seed.
    """
    rng, most = np.random.default_rng([*seed]), to_words([q - 1], words)[0]
    values = rng.integers(0, 1 << 64, (count, words), np.uint64)
    values[:, -1] = rng.integers(0, int(most[-1]), count, np.uint64, endpoint=True)
    equal = values[:, -1] == most[-1]
    values[equal] &= most
    return values


def sparse_residues(count: int, q: int, words: int, seed: Iterable[int]) -> Words:
    """Return residues of which 16 are random and all others zero, so that products with them are short sums.

    Args:
        count: The number of residues.
        q: A modulus or a multiple of it.
        words: The number of words of a residue.
        seed: The seed.
    """
    seed = [*seed]
    result, places = np.zeros((count, words), np.uint64), np.random.default_rng(seed).integers(0, count, 16)
    result[places] = random_residues(16, q, words, seed)
    return result


def edge_vectors(n: int, q: int, words: int, factor: int = 1, word: int = 64) -> dict[str, Vector]:
    """Return functions that return vectors of n numbers below factor·q, by name.

    Args:
        n: The number of elements.
        q: The modulus.
        words: The number of words of a residue.
        factor: The factor of the range.
        word: The number of bits of a kernel's words.
    """
    top, most = factor * q, f"{factor if factor > 1 else ''}q - 1"
    patterns = {
        f"all {most}": [top - 1],
        "words of all ones": all_ones(top, word),
        "all 0": [0],
        f"0 and {most} alternating": [0, top - 1],
        f"{most} and 0 alternating": [top - 1, 0],
        **{f"all {m}q": [m * q] for m in (1, 2, 4) if m < factor},
    }
    repeats: dict[str, Vector] = {name: partial(repeated, row, n, words) for name, row in patterns.items()}
    places = dict.fromkeys((n - 1, 0, 1, n // 2))
    singles: dict[str, Vector] = {f"a single 1 at {place}": partial(single_one, place, n, words) for place in places}
    return repeats | singles | {f"0 and {most} at random": partial(extremes, n, top, words)}


def repeated(values: list[int], n: int, words: int) -> Words:
    """Return a vector that repeats ``values``."""
    return np.resize(to_words(values, words), (n, words))


def single_one(place: int, n: int, words: int) -> Words:
    """Return a vector with a 1 at index ``place`` and zeros elsewhere."""
    result = np.zeros((n, words), np.uint64)
    result[place, 0] = 1
    return result


def extremes(n: int, q: int, words: int) -> Words:
    """Return 0 and q - 1 without a period: the largest sums that no symmetry cancels."""
    return to_words([0, q - 1], words)[np.random.default_rng([n, words]).integers(0, 2, n)]
