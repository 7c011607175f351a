"""Integers in arrays, lists and lists of moduli: what is no integer, has a mask or is out of range is refused."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import gmpy2
import numpy as np
import pytest

import momagen as mg
from momagen.errors import MomagenError

pytestmark = pytest.mark.compiles

MASKED = "expected an array without a mask, got a masked array"
N = 8


@cache
def takers() -> dict[str, tuple[Callable[[Any], Any], int]]:
    """What takes integers (rows, N), and the modulus of its first row."""
    product = mg.matmul([[1, 2]], modulus=97)
    moves = {"values": {}, "coefficients": {"coefficients": True, "negacyclic": True, "moduli": [97, 193]}}
    found: dict[str, tuple[Callable[[Any], Any], int]] = {
        "convert": (mg.convert([97, 193], to=[257], target="c"), 97),
        "convert on jax": (mg.convert([97, 193], to=[257]), 97), "rescale": (mg.rescale([97, 193]), 97),
        "matmul": (product, 97), "the matrix of matmul": (lambda x: mg.matmul(x, modulus=97).spec.matrix, 0),
        "a kernel": (mg.ntt(N, modulus=97), 97), "a kernel of moduli": (mg.blas("vneg", moduli=[97, 193]), 97),
        **{f"automorphism of {name}": (mg.automorphism(N, 5, **more), 97 * (name == "coefficients"))  # type: ignore[arg-type]
           for name, more in moves.items()},
    }  # fmt: skip
    return found


NAMES = (
    "convert", "convert on jax", "rescale", "matmul", "the matrix of matmul", "a kernel", "a kernel of moduli",
    "automorphism of values", "automorphism of coefficients",
)  # fmt: skip
ONES = [[1] * N] * 2
BAD: dict[str, tuple[Any, str]] = {
    "masked": (np.ma.masked_array(ONES, mask=[[True] + [False] * (N - 1)] * 2), MASKED),
    "masked, of words": (np.ma.masked_array(ONES, dtype=np.uint64), MASKED),
    "a list of masked rows": ([np.ma.masked_array([1] * N, mask=[True] * N)] * 2, MASKED),
    "floats": (np.ones((2, N)), "float64 of shape"),
    "a list of floats": ([[1.0] * N] * 2, r"got 1\.0$"),
    "objects": (np.array([["1"] * N] * 2, object), "got '1'$"),
    "booleans": (np.ones((2, N), bool), "got bool of shape"),
    "a list of booleans": ([[True] * N] * 2, "got True$"),
    "objects that are booleans": (np.array([[1] * (N - 1) + [False]] * 2, object), "got False$"),
    "a text": ("1" * N, "got a str$"),
    "nothing": (None, "got a NoneType$"),
    "a set": ({1, 2}, "got a set$"),
    "of different lengths": ([[1] * N, [1] * (N - 1)], "got sequences of different lengths$"),
    "a table": (np.ones((3, 3), int), "expected"),
}  # fmt: skip
UNSHAPED = {"the matrix of matmul": ["a table"], "a kernel": ["a set"]}
"""What some of them take."""


@pytest.mark.parametrize("name", NAMES)
def test_what_is_no_array_of_integers_is_refused(name: str) -> None:
    take, modulus = takers()[name]
    good = take(np.array(ONES, np.uint64))
    for given in (ONES, np.array(ONES, np.int16), np.array(ONES, object), [[gmpy2.mpz(1)] * N] * 2):
        assert np.array(take(given), object).tolist() == np.array(good, object).tolist()
    for case, (bad, text) in BAD.items():
        if case not in UNSHAPED.get(name, ()):
            with pytest.raises(MomagenError, match=text):
                take(bad)
    for value in (modulus, -1) * (modulus > 0):
        for dtype in (np.int64, object, list, np.uint64):
            if value < 0 and dtype is np.uint64:
                continue
            rows: Any = [[1] * (N - 1) + [value], [1] * N]
            with pytest.raises(MomagenError, match=rf"expected residues below .*, got {value}$"):
                take(rows if dtype is list else np.array(rows, dtype))


MODULI: dict[str, Callable[[Any], object]] = {
    "convert": lambda moduli: mg.convert(moduli, to=[257], target="c").moduli,
    "to": lambda moduli: mg.convert([257], to=moduli, target="c").goals,
    "rescale": lambda moduli: mg.rescale(moduli).moduli,
    "ntt": lambda moduli: mg.ntt(2, moduli=moduli).moduli,
    "automorphism": lambda moduli: mg.automorphism(8, 5, coefficients=True, negacyclic=True, moduli=moduli).moduli,
}


@pytest.mark.parametrize("name", MODULI)
def test_lists_of_moduli_are_read_alike(name: str) -> None:
    make = MODULI[name]
    for good in ([97, 193], (97, 193), "97,193", ["97", "3*2^6+1"], np.array([97, 193]), iter([97, 193])):
        assert make(good) == (97, 193)
    wrong: list[tuple[Any, str]] = [
        (b"97", "a bytes"), ({97, 193}, "a set"), ({97: 1, 193: 1}, "a dict"), ([97.0, 193], "97.0"),
        (np.ma.masked_array([97, 193], mask=[0, 1]), "a MaskedArray"), ([[97, 193]], r"\[97, 193\]"),
    ]  # fmt: skip
    for bad, got in wrong:
        with pytest.raises(MomagenError, match=rf"got {got}$"):
            make(bad)


def test_a_text_is_a_number_not_its_digits() -> None:
    for call in (lambda: mg.convert("97", to="5"), lambda: mg.convert([97], to="5"), lambda: mg.rescale("97")):
        with pytest.raises(MomagenError, match="is a number of primes, but their width is missing"):
            call()
    assert mg.convert("2", to="3", modulus_bits=30, target="c").moduli == mg.rescale(2, modulus_bits=30).moduli
    with pytest.raises(MomagenError, match="modulus_bits: expected a list of integers, got '60'"):
        mg.sweep("ntt", modulus_bits="60")  # type: ignore[arg-type]


@pytest.mark.parametrize("modulus", [0, 1, -5])
def test_an_automorphism_needs_a_modulus(modulus: int) -> None:
    for given in ({"modulus": modulus}, {"moduli": [97, modulus]}):
        with pytest.raises(MomagenError, match=rf"expected a modulus of at least 2, got {modulus}$"):
            mg.automorphism(8, 5, coefficients=True, negacyclic=True, **given)  # type: ignore[arg-type]


def test_what_is_neither_true_nor_false_is_refused() -> None:
    no: Any = "no"
    calls: dict[str, Callable[[], object]] = {
        "exact": lambda: mg.convert([97], to=[5], exact=no), "sparse": lambda: mg.matmul([[1]], modulus=97, sparse=no),
        "negacyclic": lambda: mg.automorphism(8, 5, negacyclic=no), "inverse": lambda: mg.sharded_ntt(16, inverse=no),
    }  # fmt: skip
    for name, call in calls.items():
        with pytest.raises(MomagenError, match=f"^{name}: expected True or False, got 'no'"):
            call()


def test_the_first_row_out_of_range_is_named_and_nothing_is_wrapped() -> None:
    for kernel in (mg.rescale([97, 193]), mg.convert([97, 193], to=[257], target="c")):
        for batch in (0, 1):
            x = np.ones((2, 2, 5), np.uint64)
            x[batch, 1, 4] = 193
            with pytest.raises(MomagenError, match=r"^x\[1\]: expected residues below 193, got 193$"):
                kernel(x)
        assert (kernel(np.ones((2, 2, 5), np.uint64)) == kernel(np.ones((2, 5), np.uint64))).all()
        assert (kernel(np.ones((2, 10), np.uint64)[:, ::2]) == 1).all() == (kernel(np.ones((2, 5), int)) == 1).all()


def test_a_sharded_transform_takes_its_own_shape_alone() -> None:
    pytest.importorskip("jax")
    transform = mg.sharded_ntt(32, modulus=97)
    shape, x = (transform.rows, transform.columns), np.arange(32)
    assert shape == (4, 8)
    for good in (x, x.reshape(shape), x.tolist(), range(32)):
        (word,) = transform.place(good)
        assert (np.asarray(word) == x.reshape(shape)).all()
    bad: list[tuple[Any, str]] = [
        (x.reshape(8, 4), r"x: expected residues of shape \(4, 8\) or \(32,\), got shape \(8, 4\)"),
        (np.ma.masked_array(x), f"x: {MASKED}"), (x * 1.0, "x: .*got float64"), ([*range(31), 97], "x: .*got 97"),
        ((x.astype(np.uint64).reshape(shape),), "x: expected a tuple of 1 uint32 arrays"),
    ]  # fmt: skip
    for value, text in bad:
        with pytest.raises(MomagenError, match=f"^{text}"):
            transform.place(value)
    for value in ([x], (x.astype(np.uint32),), (x.astype(np.uint32).reshape(8, 4),), ()):
        with pytest.raises(MomagenError, match=r"^x: expected a tuple of 1 uint32 arrays of shape"):
            transform(value)  # type: ignore[arg-type]


def test_words_of_jax_have_one_shape() -> None:
    jax = pytest.importorskip("jax")
    k = mg.ntt(N, modulus_bits=60, target="jax")
    long, short = jax.numpy.ones((2, N), "uint32"), jax.numpy.ones(N, "uint32")
    assert len(k((long, long))) == 2
    for given in ((long, short), (short, long), (long, np.ones((2, N), np.uint32)), (np.ones((2, N), np.uint32), long)):
        with pytest.raises(MomagenError, match=r"^x: expected a uint32 JAX array"):
            k(given)
    product = mg.matmul([[1, 2]], modulus=2**61 - 1)
    with pytest.raises(MomagenError, match=r"^x: expected uint32 words of JAX"):
        product((jax.numpy.ones((3, 2, 4), "uint32"), jax.numpy.ones((2, 4), "uint32")))


@pytest.mark.parametrize("scalar", [True, 1.0, "1", np.ma.masked_array(1), None, [1]])
def test_a_scalar_is_an_integer(scalar: object) -> None:
    k = mg.blas("scal", modulus=97)
    with pytest.raises(MomagenError, match=r"^a: expected "):
        k(scalar, [1, 2])
    with pytest.raises(MomagenError, match=r"^a"):
        mg.blas("scal", moduli=[97, 193])([1, scalar], [[1, 2], [3, 4]])
