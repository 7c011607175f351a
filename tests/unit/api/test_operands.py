"""Every kind of operand that a kernel takes, against the definition on Python integers, and what comes back."""

from __future__ import annotations

import random
from array import array
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support.oracle import element, points, values

import momagen as mg
from momagen.params import from_words, is_prime, to_words

pytestmark = pytest.mark.compiles

N = 8
KERNELS = {"one word": mg.ntt(N, bits=64), "two words": mg.ntt(N, bits=128), "products": mg.blas("vneg", bits=128)}


def expected(kernel: mg.Kernel, given: list[int]) -> list[int]:
    """Return the kernel's result by definition."""
    q = kernel.modulus
    return values(given, points(N, q, kernel.root), q) if kernel.n else [element("vneg", q, x) for x in given]


def integers(result: Any, words: int) -> list[int]:
    """A result in any form as flat integers."""
    if isinstance(result, bytes | bytearray):
        size = 8 * words
        return [int.from_bytes(result[at : at + size], "little") for at in range(0, len(result), size)]
    if isinstance(result, list):
        return list(np.array(result, object).ravel())
    return from_words(result.reshape(-1, words)) if result.dtype == np.uint64 else result.ravel().tolist()


def packed(values: list[int], words: int) -> bytes:
    return b"".join(v.to_bytes(8 * words, "little") for v in values)


NAMES = ("u1", "u2", ">u4", "i1", "i4", "<i8", ">i8")
SMALL: dict[str, Callable[[list[int]], Any]] = {
    **{f"{name} array": lambda v, name=name: np.array(v, name) for name in NAMES},
    "object array": lambda v: np.array(v, object), "list": list, "tuple": tuple, "array.array": lambda v: array("Q", v),
    "a range's kind": lambda v: [np.int16(x) for x in v], "strided": lambda v: np.repeat(np.array(v, np.int64), 2)[::2],
}  # fmt: skip
"""Ways to give eight numbers below 128."""


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=list(KERNELS))
@pytest.mark.parametrize("kind", SMALL)
def test_integers_of_every_kind(kernel: mg.Kernel, kind: str) -> None:
    values = [5, 0, 127, 1, 64, 99, 2, 3]
    given = SMALL[kind](values)
    result = kernel(given)
    assert integers(result, kernel.words) == expected(kernel, values)
    wanted = (np.uint64 if kernel.words == 1 and given.dtype != object else object) if hasattr(given, "dtype") else list
    assert (result.dtype, result.shape) == (wanted, (N,)) if hasattr(given, "dtype") else type(result) is list


BUFFERS: dict[str, tuple[Callable[[bytes], Any], type]] = {
    "bytes": (bytes, bytes), "bytearray": (bytearray, bytearray), "memoryview": (memoryview, bytes),
    "unaligned": (lambda data: memoryview(b"x" + data)[1:], bytes),
    "strided": (lambda data: memoryview(bytes(x for b in data for x in (b, 0)))[::2], bytes),
    "words": (lambda data: memoryview(np.frombuffer(data, "<u8").reshape(N, -1)), np.ndarray),
}  # fmt: skip


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=list(KERNELS))
@pytest.mark.parametrize("kind", BUFFERS)
def test_bytes_are_little_endian_words(kernel: mg.Kernel, kind: str) -> None:
    values = [random.Random(kind).randrange(kernel.modulus) for _ in range(N)]
    make, wanted = BUFFERS[kind]
    result = kernel(make(packed(values, kernel.words)))
    assert type(result) is wanted and integers(result, kernel.words) == expected(kernel, values)


def test_bytes_of_several_vectors() -> None:
    kernel = KERNELS["two words"]
    one, two = packed([*range(N)], 2), packed([*range(3, 3 + N)], 2)
    assert kernel(one + two) == kernel(one) + kernel(two)
    assert KERNELS["products"](b"") == b""
    out = np.zeros((2, N, 2), np.uint64)
    assert kernel(one + two, out=out) is out and out.astype("<u8").tobytes() == kernel(one) + kernel(two)


def test_the_first_operand_that_is_no_list_says_what_comes_back() -> None:
    add = mg.blas("vadd", modulus=17)
    x = np.array([5, 6], np.int32)
    for operands, kind in (
        (([5, 6], [1, 2]), list), ((x, [1, 2]), np.ndarray), (([5, 6], x), np.ndarray),
        (([1, 2], packed([5, 6], 1)), bytes), ((bytearray(packed([5, 6], 1)), x), bytearray),
    ):  # fmt: skip
        assert type(add(*operands)) is kind
    assert add(np.array([16], np.uint64), [2]).tolist() == [1]
    assert add([16], np.array([[2]], np.uint64)[0]).shape == (1,)


def test_where_out_and_the_operands_memory_meet() -> None:
    add, data = mg.blas("vadd", modulus=97), bytearray(packed([*range(8)], 1))
    whole = np.frombuffer(data, np.uint64)
    assert add(data, data, out=whole) is whole and whole.tolist() == [2 * v for v in range(8)]
    with pytest.raises(mg.MomagenError, match="partially overlaps x"):
        add(memoryview(data).cast("Q")[:4], whole[:4].copy(), out=whole[2:6])
    assert whole.tolist() == [2 * v for v in range(8)]


BOUNDS = {
    1: "goldilocks", 2: "2^127-1", 3: 2**129 + 39, 4: "curve25519", 12: 2**768 - 2**256 + 2**64 + 3,
}  # fmt: skip
"""Moduli by their words: some with empty words, some with full ones; of numbers, the next prime."""


@pytest.mark.parametrize("target", ["c", "avx2", "avx512"])
@pytest.mark.parametrize("words", BOUNDS)
def test_the_range_is_checked_at_every_place(words: int, target: str) -> None:
    """At edges, in every word, in every part of a block, below and above."""
    kernel = mg.blas("vneg", modulus=_prime(BOUNDS[words]), target=target)
    q = kernel.modulus
    assert kernel.words == words
    fine = {0, q - 1, *(v for w in range(words) for v in (q - 1 - (1 << 64 * w), q - (1 << 64 * w)) if v >= 0)}
    wrong = {q, q + 1, (1 << 64 * words) - 1, *(q + (1 << 64 * w) for w in range(words))}
    rows = to_words([*fine] * 200, words)[:600]
    assert integers(kernel(rows), words) == [-v % q for v in [*fine] * 200][:600]
    for value in (v for v in wrong if v >> 64 * words == 0):
        for at in (0, 1, 255, 256, 511, 512, 599):
            spoiled = rows.copy()
            spoiled[at] = to_words([value], words)[0]
            out = np.full_like(rows, 7)
            with pytest.raises(mg.MomagenError, match=rf"^x\[{at}\]: expected residues below .*, got "):
                kernel(spoiled, out=out)
            assert (out == 7).all()


def _prime(start: int | str) -> int | str:
    return start if isinstance(start, str) else next(q for q in range(start, start + 10**6, 2) if is_prime(q))


MASKED = "an array without a mask, got a masked array"
RANGE = "expected residues below .*, got"
REFUSED: dict[str, tuple[Any, str]] = {
    "masked": (np.ma.masked_array(np.zeros(N, np.uint64), mask=[1] + [0] * 7), MASKED),
    "unmasked": (np.ma.masked_array(np.zeros(N, np.uint64)), MASKED),
    "negative": (np.array([[3] * N, [3] * 5 + [-4] + [3] * 2], np.int64), rf"^x\[1, 5\]: {RANGE} -4$"),
    "bool": (np.zeros(N, bool), "expected a uint64 array of .*, got bool of shape"),
    "object": (np.array([1, 2, 3, 4, 5, 6, 2**65, 8], object), rf"^x\[6\]: {RANGE} {2**65}$"),
    "wide object": (np.array([[1] * N, [1] * 7 + [1 << 99]], object), rf"^x\[1, 7\]: {RANGE} "),
    "no number": (np.array([1] * 7 + ["2"], object), rf"^x\[7\]: {RANGE} '2'$"),
    "bytes": (b"x" * 65, "^x: expected a multiple of 64 bytes, with 8 for each number, got 65 bytes$"),
    "no bytes": (b"", "^x: expected a multiple of 64 bytes, with 8 for each number, got 0 bytes$"),
    "bytes out of range": (b"\xff" * 64, rf"^x\[0\]: {RANGE} "),
    "memoryview": (memoryview(np.zeros(N)), "expected a uint64 array of .*, got float64 of shape"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(case: str) -> None:
    value, text = REFUSED[case]
    with pytest.raises(mg.MomagenError, match=text):
        KERNELS["one word"](value)


def test_a_mask_is_refused_as_scalar_and_out() -> None:
    scale, x = mg.blas("scal", modulus=17), np.zeros(3, np.uint64)
    with pytest.raises(mg.MomagenError, match=rf"^out: expected {MASKED}"):
        scale(2, x, out=np.ma.masked_array(x))
    with pytest.raises(mg.MomagenError, match=rf"^a: expected {MASKED}"):
        scale(np.ma.masked_array([2], mask=[1], dtype=np.uint64), x)


def test_shapes_are_told_as_they_are() -> None:
    add = mg.blas("vadd", modulus=17)
    with pytest.raises(mg.MomagenError, match=r"^y: expected the shape of x, \(3,\), got \(1,\)$"):
        add(np.zeros(3, np.uint64), np.zeros(1, np.uint64))
    with pytest.raises(mg.MomagenError, match=r"^y: expected the shape of x, \(1,\), got \(3,\)$"):
        add(np.zeros(1, np.uint64), np.zeros(3, np.uint64))
