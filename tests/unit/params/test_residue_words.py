"""Words and residues: round trips, layouts, edges."""

from __future__ import annotations

import random

import gmpy2
import numpy as np
import pytest

from momagen.params import check_residues, from_words, to_words, words_per


@pytest.mark.parametrize("bits, word, words", [(1, 64, 1), (64, 64, 1), (65, 64, 2), (753, 64, 12), (124, 52, 3),
                                               (381, 32, 12), (2048, 128, 16), (5, 8, 1)])  # fmt: skip
def test_words_per(bits: int, word: int, words: int) -> None:
    assert words_per(bits, word) == words


def test_words_are_little_endian() -> None:
    array = to_words([0x0123456789ABCDEF_FEDCBA9876543210, 1, 2**128 - 1], 2)
    low, high = 0xFEDCBA9876543210, 0x0123456789ABCDEF
    assert array.dtype == np.uint64 and array.tolist() == [[low, high], [1, 0], [2**64 - 1, 2**64 - 1]]
    assert array.flags.writeable and array.flags.c_contiguous


@pytest.mark.parametrize("words", [1, 2, 6, 12, 16])
def test_round_trip(words: int) -> None:
    rng, top = random.Random(words), 2 ** (64 * words)
    values = [0, 1, top - 1, top // 2, *(rng.randrange(top) for _ in range(100))]
    array = to_words(iter(values), words)
    assert array.shape == (len(values), words)
    assert [sum(int(w) << 64 * i for i, w in enumerate(row)) for row in array] == values
    assert from_words(array) == values


def test_round_trip_over_several_chunks() -> None:
    values = [i * i << 40 for i in range(150_000)]
    assert from_words(to_words(values, 2)) == values


def test_other_integer_types() -> None:
    values = [gmpy2.mpz(5), np.uint64(2**64 - 1), np.int8(7), True]
    assert from_words(to_words(values, 1)) == [5, 2**64 - 1, 7, 1]


def test_empty() -> None:
    assert to_words([], 3).shape == (0, 3)
    assert from_words(to_words([], 3)) == []
    check_residues(to_words([], 3), 17)


def test_leading_axes_and_strides() -> None:
    values = list(range(24))
    cube = to_words(values, 2).reshape(2, 3, 4, 2)
    assert from_words(cube) == values
    assert from_words(cube.transpose(2, 0, 1, 3)[::-1, :, ::2]) == [
        values[(i * 3 + j) * 4 + m] for m in (3, 2, 1, 0) for i in (0, 1) for j in (0, 2)
    ]
    assert from_words(cube[1, 2, 3]) == [23]


def test_residues_below_the_modulus_pass() -> None:
    q = 2**124 - 59
    check_residues([0, 1, q - 1], q)
    check_residues(to_words([0, q - 1, 2**64 - 1, (q >> 64 << 64)], 2), q)
    check_residues(to_words([2**64 - 1], 1), q)  # one word never reaches a two-word modulus
    check_residues(to_words([0, q - 1], 3), q)


@pytest.mark.parametrize("words", [1, 2, 3])
def test_residues_compare_like_integers(words: int) -> None:
    """All pairs of values made of edge words: the array check agrees with integer comparison."""
    edge = [0, 1, 2**63, 2**64 - 2, 2**64 - 1]
    values = [0]
    for _ in range(words):
        values = [v << 64 | w for v in values for w in edge]
    for q in values[1:]:
        bad = next(i for i, v in enumerate(values) if v >= q)
        for given in (values, to_words(values, words)):
            with pytest.raises(ValueError, match=rf"^residues\[{bad}\]: "):
                check_residues(given, q)
