"""Inputs that find faults: residues at the edges of their range and of their words, and seeded random ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

import numpy as np

from momagen.params.words import Words, to_words

Vector = Callable[[], Words]


def edge_residues(q: int, words: int) -> dict[str, int]:
    """Named residues where carries, borrows and conditional subtractions turn.

    All ones in the low words, one bit in one word, and q − 1 with its lower words filled with ones.
    """
    top = 64 * (words - 1)
    candidates = {"0": 0, "1": 1, "2": 2, "(q - 1)/2": q // 2, "(q + 1)/2": q // 2 + 1, "q - 2": q - 2, "q - 1": q - 1}
    for j in range(1, words + 1):
        candidates |= {f"2^{64 * j} - 1": (1 << 64 * j) - 1, f"2^{64 * j}": 1 << 64 * j}
    candidates |= {"2^32 - 1": (1 << 32) - 1, "top word less one, ones below": (q >> top << top) - 1}
    return {name: value for name, value in candidates.items() if 0 <= value < q}


def all_ones(q: int, words: int) -> list[int]:
    """The residues whose words are all ones, or ones under a top word as large as q allows; 1 where there are none."""
    top = 64 * (words - 1)
    found = [(1 << 64 * j) - 1 for j in range(1, words + 1)] + [(q >> top << top) - 1]
    return [value for value in found if 0 < value < q] or [1]


def random_residues(count: int, q: int, words: int, seed: Iterable[int]) -> Words:
    """``count`` random residues, (count, words); the same seed gives the same ones.

    The top word is at most q's. Where it equals q's, the rest is a submask of q − 1, hence below q.
    """
    rng, most = np.random.default_rng([*seed]), to_words([q - 1], words)[0]
    values = rng.integers(0, 1 << 64, (count, words), np.uint64)
    values[:, -1] = rng.integers(0, int(most[-1]), count, np.uint64, endpoint=True)
    equal = values[:, -1] == most[-1]
    values[equal] &= most
    return values


def sparse_residues(count: int, q: int, words: int, seed: Iterable[int]) -> Words:
    """``count`` residues, 16 random ones among zeros: products with them are short sums."""
    seed = [*seed]
    result, places = np.zeros((count, words), np.uint64), np.random.default_rng(seed).integers(0, count, 16)
    result[places] = random_residues(16, q, words, seed)
    return result


def edge_vectors(n: int, q: int, words: int) -> dict[str, Vector]:
    """Makers of vectors of n residues, by name."""
    patterns = {
        "all q - 1": [q - 1],
        "words of all ones": all_ones(q, words),
        "all 0": [0],
        "0 and q - 1 alternating": [0, q - 1],
        "q - 1 and 0 alternating": [q - 1, 0],
    }
    repeats: dict[str, Vector] = {name: partial(repeated, row, n, words) for name, row in patterns.items()}
    places = dict.fromkeys((n - 1, 0, 1, n // 2))
    singles: dict[str, Vector] = {f"a single 1 at {place}": partial(single_one, place, n, words) for place in places}
    return repeats | singles | {"0 and q - 1 at random": partial(extremes, n, q, words)}


def repeated(values: list[int], n: int, words: int) -> Words:
    """``values`` over and over."""
    return np.resize(to_words(values, words), (n, words))


def single_one(place: int, n: int, words: int) -> Words:
    """A 1 at ``place`` and zeros."""
    result = np.zeros((n, words), np.uint64)
    result[place, 0] = 1
    return result


def extremes(n: int, q: int, words: int) -> Words:
    """0 and q - 1 in no period: the largest sums that no symmetry cancels."""
    return to_words([0, q - 1], words)[np.random.default_rng([n, words]).integers(0, 2, n)]
