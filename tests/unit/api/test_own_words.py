"""Arrays of uint16 and uint32 words, several to a residue: against the same numbers as Python integers."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import momagen as mg
from momagen.api.calls.own_words import OwnWords
from momagen.cuda.nvrtc import nvrtc_version
from momagen.errors import MomagenError
from momagen.params import from_words, to_words

pytestmark = pytest.mark.compiles

Q90 = 2**90 - 33
TARGETS = {"c16": 6, "c32": 3, "avx2_words32": 3}
"""Targets with short words, and how many a residue of 90 bits has."""


def packed(numbers: list[int], bits: int, count: int) -> np.ndarray[Any, Any]:
    """Residues as words of so many bits, the low one first."""
    words = [[number >> bits * at & (1 << bits) - 1 for at in range(count)] for number in numbers]
    return np.array(words, f"u{bits // 8}")


def integers(words: Any) -> list[int]:
    bits = 8 * words.dtype.itemsize
    return [sum(int(word) << bits * at for at, word in enumerate(row)) for row in words.reshape(-1, words.shape[-1])]


@pytest.fixture(scope="module", params=TARGETS)
def muladd(request: pytest.FixtureRequest) -> mg.Kernel:
    return mg.blas("vmuladd", modulus=Q90, target=request.param)


@pytest.fixture(scope="module")
def numbers() -> list[list[int]]:
    draw = random.Random(3)
    return [[0, Q90 - 1, *(draw.randrange(Q90) for _ in range(6))] for _ in range(3)]


def test_words_of_a_residue_are_read_and_written(muladd: mg.Kernel, numbers: list[list[int]]) -> None:
    count, bits = TARGETS[muladd.target.name], muladd.spec.arith.word
    expected = [(x * y + w) % Q90 for x, y, w in zip(*numbers, strict=True)]
    own = [packed(each, bits, count) for each in numbers]
    wide = [to_words(each, 2) for each in numbers]
    found = muladd(*own)
    assert found.dtype == own[0].dtype and integers(found) == expected
    assert from_words(muladd(*wide)) == expected and muladd(*numbers) == expected
    mixed = muladd(own[0], wide[1], own[2])
    assert mixed.dtype == np.uint64 and from_words(mixed) == expected
    strided = np.repeat(own[0], 2, axis=0)[::2]
    assert integers(muladd(strided, own[1].astype(own[1].dtype.newbyteorder()), own[2])) == expected
    assert muladd(*own, out=own[1]) is own[1] and integers(own[1]) == expected


def test_words_are_never_taken_for_integers(muladd: mg.Kernel, numbers: list[list[int]]) -> None:
    count, bits = TARGETS[muladd.target.name], muladd.spec.arith.word
    own = [packed(each, bits, count) for each in numbers]
    for wrong in (own[0][:, :-1], own[0][:, 0], np.zeros((8, count + 1), own[0].dtype)):
        for given in ([wrong, *own[1:]], [wrong, to_words(numbers[1], 2), own[2]], [wrong] * 3):
            text = rf"^x: expected a uint{bits} array of shape \(…, {count}\), got shape"
            with pytest.raises(MomagenError, match=text):
                muladd(*given)
    with pytest.raises(MomagenError, match=r"^y: expected the shape of x, \(8,\), got \(2,\)"):
        muladd(own[0], own[1][:2], own[2])


def test_words_are_checked_in_every_place(muladd: mg.Kernel, numbers: list[list[int]]) -> None:
    count, bits = TARGETS[muladd.target.name], muladd.spec.arith.word
    for value in (Q90, Q90 + 1, (1 << bits * count) - 1):
        for at in range(3):
            own, wide = [packed(each, bits, count) for each in numbers], [to_words(each, 2) for each in numbers]
            own[at][5], wide[at][5] = packed([value], bits, count)[0], to_words([value], 2)[0]
            for given in (own, wide):
                out = np.full_like(given[0], 7)
                with pytest.raises(MomagenError, match=rf"^{'xyw'[at]}\[5\]: expected residues below .*, got {value}$"):
                    muladd(*given, out=out)
                assert (out == 7).all()


LAYOUTS = [(12289, "u16"), (2**16 - 17, "u16"), (2013265921, "u32"), (2**32 - 5, "u32")]


@pytest.mark.parametrize(("modulus", "layout"), LAYOUTS)
def test_a_word_is_checked_at_every_place(modulus: int, layout: str) -> None:
    """At both ends of the blocks that are compared at once."""
    k = mg.blas("vneg", modulus=modulus, layout=layout)
    bits = int(layout[1:])
    for dtype in (np.dtype(f"u{bits // 8}"), np.dtype(np.uint64)):
        x = np.arange(600, dtype=dtype)
        x[-1] = modulus - 1
        assert k(x).tolist() == [-int(a) % modulus for a in x] and k(x).dtype == dtype
        for at in (0, 1, 255, 256, 511, 512, 599):
            for value in {modulus, (1 << bits) - 1, (1 << 8 * dtype.itemsize) - 1}:
                spoiled = x.copy()
                spoiled[at] = value
                with pytest.raises(MomagenError, match=rf"^x\[{at}\]: expected residues below .*, got {value}$"):
                    k(spoiled)


@pytest.mark.parametrize("kind", ["axpy", "cmpadd"])
def test_scalars_reach_a_kernel_of_short_words(kind: str) -> None:
    k = mg.blas(kind, modulus=Q90, target="c32")
    x = [1, 2**64, 2**65 + 1]
    own = packed(x, 32, 3)
    if kind == "axpy":
        assert integers(k(2**40 + 1, own, own)) == [((2**40 + 1) * a + a) % Q90 for a in x]
    else:
        found, wide = k(2**64, 2**70, own), k(2**64, 2**70, to_words(x, 2))
        assert integers(found) == [1, 2**64, 2**65 + 1 + 2**70] == from_words(wide)


def test_several_moduli_and_sums_of_words() -> None:
    moduli = [Q90, 2**89 - 1]
    k = mg.blas("axpy", moduli=moduli, target="c32")
    draw = random.Random(4)
    x = [[[draw.randrange(q) for _ in range(5)] for q in moduli] for _ in range(3)]
    own = packed([a for batch in x for row in batch for a in row], 32, 3).reshape(3, 2, 5, 3)
    rows = [(row, q, s) for batch in x for row, q, s in zip(batch, moduli, (3, 2**80), strict=True)]
    expected = [(a * s + a) % q for row, q, s in rows for a in row]
    assert integers(k([3, 2**80], own, own)) == expected
    assert np.array(k([3, 2**80], x, x)).ravel().tolist() == expected
    own[2, 1, 4] = packed([moduli[1]], 32, 3)[0]
    with pytest.raises(MomagenError, match=rf"^y\[…, 1, …\]\[2, 4\]: .*, got {moduli[1]}$"):
        k([3, 2**80], own * 0, own)
    dot = mg.blas("dot", modulus=Q90, target="c32")
    short, wide = packed(list(range(12)), 32, 3).reshape(3, 4, 3), to_words(range(12), 2).reshape(3, 4, 2)
    assert integers(dot(short, short)) == [14, 126, 366] == from_words(dot(wide, wide))


def test_no_vectors_at_all() -> None:
    for k in (mg.blas("dot", modulus=97, target="c32"), mg.blas("dot", modulus=97)):
        assert k(np.zeros((2, 0, 1), np.uint64), np.zeros((2, 0, 1), np.uint64)).tolist() == [[0], [0]]
        assert k(np.zeros((0, 3, 1), np.uint64), np.zeros((0, 3, 1), np.uint64)).shape == (0, 1)
    k = mg.blas("vadd", moduli=[97, 193], target="c32")
    assert k(np.zeros((3, 2, 0), np.uint32), np.zeros((3, 2, 0), np.uint32)).shape == (3, 2, 0)


def test_any_size_takes_words_of_several() -> None:
    k = mg.ntt("any", max_n=8, modulus_bits=60, target="c32")
    x = list(range(4))
    assert integers(k(packed(x, 32, 2))) == k(x)


@pytest.mark.parametrize(("target", "count"), [("cuda", 4), ("jax_tpu", 3)])
def test_arrays_of_the_host_on_devices(target: str, count: int) -> None:
    """CUDA pads three words to four."""
    if target == "jax_tpu":
        pytest.importorskip("jax")
    elif nvrtc_version() is None:
        pytest.skip("no NVRTC")
    k = mg.blas("vadd", modulus=Q90, target=target)
    x = [0, 1, Q90 - 1, 2**64]
    own = packed(x, 32, count)
    found = k(own, own)
    assert found.dtype == np.uint32 and found.shape == own.shape and integers(found) == [2 * a % Q90 for a in x]
    own[3] = packed([Q90], 32, count)[0]
    with pytest.raises(MomagenError, match=rf"^y\[3\]: expected residues below .*, got {Q90}$"):
        k(own * 0, own)


def test_copies_are_exact_in_every_word() -> None:
    values = [int.from_bytes(bytes(range(at, at + 12)), "little") for at in range(5)]
    for own in (OwnWords(np.dtype("u2"), 6, 2), OwnWords(np.dtype("u4"), 3, 2)):
        bits = 8 * own.dtype.itemsize
        assert own.narrowed(to_words(values, 2)).tolist() == packed(values, bits, own.words).tolist()
        assert from_words(own.widened(packed(values, bits, own.words))) == values
