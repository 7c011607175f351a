"""Residues that a(x) to a(x^g) moves: against x^i to x^(g·i), and against values at points, by integers."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support.automorphisms import moved
from support.oracle import points, values

import momagen as mg

Q, W = 97, 19
"""19 has the order 32 modulo 97."""


@pytest.mark.parametrize("g", [1, 3, 5, 31, -7, 101])
@pytest.mark.parametrize("negacyclic", [True, False])
def test_values_and_coefficients_move(negacyclic: bool, g: int) -> None:
    n = 16
    rng = random.Random(g)
    a = [0, *(rng.randrange(Q) for _ in range(n - 1))]
    right, root = moved(a, g, negacyclic, Q), W if negacyclic else W * W
    given = {"modulus": Q} if negacyclic else {}
    on_coefficients = mg.automorphism(n, g, negacyclic=negacyclic, coefficients=True, **given)  # type: ignore[arg-type]
    assert on_coefficients(a) == right and on_coefficients.inverse()(right) == a
    for order in ("bitrev", "natural"):
        on_values = mg.automorphism(n, g, negacyclic=negacyclic, order=order)
        before, after = (values(each, points(n, Q, root, negacyclic, order), Q) for each in (a, right))
        assert on_values(before) == after and on_values.inverse()(after) == before
        assert not on_values.signs.any() and [before[p] for p in on_values.places] == after


def rows(moduli: list[int], n: int) -> tuple[Any, Any]:
    """A batch of two polynomials modulo each, and what x to x^5 makes of them."""
    rng = random.Random(1)
    a = [[[rng.randrange(q) for _ in range(n)] for q in moduli] for _ in range(2)]
    return a, [[moved(one, 5, True, q) for one, q in zip(each, moduli, strict=True)] for each in a]


@pytest.mark.parametrize(
    ("moduli", "dtype"),
    [([97, 193], np.uint8), ([97, 193], np.int32), ([(1 << 61) - 1, 97], np.uint64), ([(1 << 89) - 1], object)],
)
def test_arrays_of_several_moduli(moduli: list[int], dtype: Any) -> None:
    a, right = rows(moduli, 8)
    k = mg.automorphism(8, 5, negacyclic=True, coefficients=True, moduli=moduli)
    found = k(np.array(a, dtype=dtype))
    assert found.dtype == dtype and found.tolist() == right == k(a)


def test_words_of_residues_move_together() -> None:
    k = mg.automorphism(8, 3, negacyclic=True)
    words = np.arange(48, dtype=np.uint64).reshape(3, 8, 2)
    assert (k(words, axis=-2) == words[:, k.places]).all()
    assert not k.places.flags.writeable and not k.signs.flags.writeable
    assert repr(k) == "<momagen automorphism x to x^3 of x^8 + 1, values in bitrev order>"


@pytest.mark.compiles
def test_arrays_of_jax_also_where_they_are_traced() -> None:
    jax = pytest.importorskip("jax", reason="JAX is missing")
    moduli = [97, 193]
    a, right = rows(moduli, 8)
    k = mg.automorphism(8, 5, negacyclic=True, coefficients=True, moduli=moduli)
    x = jax.numpy.array(a, dtype="uint32")
    for run in (k, jax.jit(k), jax.vmap(k)):
        found = run(x)
        assert isinstance(found, jax.Array) and found.dtype == x.dtype and found.tolist() == right
    on_values = mg.automorphism(8, 5)
    assert (jax.jit(lambda y: on_values(y, axis=0))(x[0].T) == x[0].T[on_values.places]).all()


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: mg.automorphism(8, 4), "automorphism: expected an odd number, got 4"),
        (lambda: mg.automorphism(12, 5), "n: expected a power of two from 2"),
        (lambda: mg.automorphism(8, 5, order="odd"), "order: expected one of the orders"),
        (lambda: mg.automorphism(8, 5, modulus=97), "`modulus` does not apply to values of a transform"),
        (lambda: mg.automorphism(8, 5, negacyclic=True, coefficients=True), "modulus: a negacyclic automorphism"),
        (lambda: mg.automorphism(8, 5, modulus=97, moduli=[97]), "`modulus` cannot be combined with `moduli`"),
        (lambda: mg.automorphism(8, 5)([1, 2, 3]), "x: expected 8 residues along axis -1, got shape (3,)"),
        (lambda: of_coefficients(97)(np.zeros((8, 1), int), axis=0), "`axis=0` is not the last axis"),
        (lambda: of_coefficients(257)(np.zeros(8, np.uint8)), "x: expected a dtype that holds the modulus 257"),
        (lambda: of_coefficients(97)(np.zeros(8)), "x: expected integers of shape (…, 8), got float64"),
        (lambda: of_coefficients(97, 193)(np.zeros((3, 8), int)), "x: expected 2 rows, one for each modulus"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line(call: Callable[[], object], text: str) -> None:
    with pytest.raises(mg.MomagenError) as error:
        call()
    assert str(error.value).startswith(text)


def of_coefficients(*moduli: int) -> Any:
    given: dict[str, Any] = {"moduli": moduli} if len(moduli) > 1 else {"modulus": moduli[0]}
    return mg.automorphism(8, 5, negacyclic=True, coefficients=True, **given)
