"""The oracle's shortcuts against sums written out, and against published values."""

from __future__ import annotations

import random

import numpy as np
import pytest

from momagen.kinds.modular.make_spec import make_spec
from momagen.params import default_prime, from_words, is_prime, to_words, words_per
from momagen.verify import oracle
from momagen.verify.moduli import other_moduli
from momagen.verify.vectors import all_ones, edge_residues, edge_vectors, random_residues, sparse_residues

WIDTHS = (12, 64, 65, 128, 381)


def residues(n: int, q: int, words: int) -> list[int]:
    return [random.Random(n).randrange(q) for _ in range(n)]


@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize("n", [1, 2, 8, 32, 128])
def test_evaluate(bits: int, n: int) -> None:
    q, words = default_prime(bits + 4, 1), words_per(bits)
    values, points = residues(n, q, words), [0, 1, 2, q - 1, q // 3]
    expected = [sum(v * p**j for j, v in enumerate(values)) % q for p in points]
    assert oracle.evaluate(to_words(values, words), points, q) == expected


@pytest.mark.parametrize("negacyclic", [False, True])
@pytest.mark.parametrize("bits", WIDTHS)
def test_product(bits: int, negacyclic: bool) -> None:
    q, words, n = default_prime(bits + 4, 1), words_per(bits), 16
    x, y = residues(n, q, words), residues(n, q, words)[::-1]
    expected = [0] * n
    for i in range(n):
        for j in range(n):
            expected[(i + j) % n] += (-1 if negacyclic and i + j >= n else 1) * x[i] * y[j]
    rows = to_words(x, words), to_words(y, words)
    assert oracle.product(*rows, q, negacyclic) == [value % q for value in expected]
    assert oracle.product_at(*rows, range(n), q, negacyclic) == [value % q for value in expected]
    assert from_words(oracle.pointwise(*rows, q)) == [a * b % q for a, b in zip(x, y, strict=True)]


def test_product_with_zeros() -> None:
    x, y = to_words([1, 2, 3, 4], 1), to_words([0, 0, 5, 0], 1)
    assert oracle.product_at(x, y, range(4), 97, False) == [15, 20, 5, 10]
    assert oracle.product_at(x, y, range(4), 97, True) == [82, 77, 5, 10]


@pytest.mark.parametrize("order", ["bitrev", "natural"])
@pytest.mark.parametrize("negacyclic", [False, True])
@pytest.mark.parametrize("n", [2, 8, 16])
def test_definition(n: int, negacyclic: bool, order: str) -> None:
    """Both directions as sums, and one undoes the other."""
    spec = make_spec("ntt", n=n, modulus=12289, negacyclic=negacyclic, order=order)
    back = make_spec("ntt", n=n, modulus=12289, negacyclic=negacyclic, order=order, inverse=True)
    q, t, x = spec.modulus, spec.root, residues(n, spec.modulus, 1)
    exponents = [2 * k + 1 if negacyclic else k for k in range(n)]
    natural = [sum(v * pow(t, j * e, q) for j, v in enumerate(x)) % q for e in exponents]
    bits = n.bit_length() - 1
    places = [int(f"{k:0{bits}b}"[::-1], 2) if order == "bitrev" else k for k in range(n)]
    expected = [natural[place] for place in places]
    assert oracle.Definition(spec, q, t).outputs(to_words(x, 1), range(n)) == expected
    assert oracle.Definition(back, q, t).outputs(to_words(expected, 1), range(n)) == x
    assert oracle.Definition(spec, q, t).outputs(to_words(x, 1), [n - 1]) == expected[-1:]


def test_definition_published() -> None:
    """The examples of Satriawan, Mareta and Lee, "Conceptual Review on Number Theoretic Transform" (2023)."""
    x = to_words([1, 2, 3, 4], 1)
    cyclic = make_spec("ntt", n=4, modulus=7681, root=3383, order="natural")
    negacyclic = make_spec("ntt", n=4, modulus=7681, root=1925, order="natural", negacyclic=True)
    assert oracle.Definition(cyclic, 7681, 3383).outputs(x, range(4)) == [10, 913, 7679, 6764]
    assert oracle.Definition(negacyclic, 7681, 1925).outputs(x, range(4)) == [1467, 2807, 3471, 7621]


def test_bit_reversal() -> None:
    assert oracle.bit_reversed(8).tolist() == [0, 4, 2, 6, 1, 5, 3, 7]


@pytest.mark.parametrize("order", [2, 4, 64, 4096])
def test_any_root(order: int) -> None:
    q = 12289
    root = oracle.any_root(order, q)
    assert pow(root, order, q) == 1 and pow(root, order // 2, q) == q - 1


@pytest.mark.parametrize("q", [3, 17, 2**31 - 1, 2**64 - 2**32 + 1, 2**64 + 13, 2**255 - 19, 2**521 - 1])
def test_inputs_are_residues(q: int) -> None:
    words = words_per(q.bit_length())
    assert all(0 <= value < q for value in [*edge_residues(q).values(), *all_ones(q)])
    assert {0, 1, q - 1} <= set(edge_residues(q).values())
    vectors = [make() for make in edge_vectors(8, q, words).values()]
    vectors += [random_residues(2000, q, words, (seed,)) for seed in range(3)] + [sparse_residues(64, q, words, (0,))]
    assert all(value < q for vector in vectors for value in from_words(vector))
    assert from_words(edge_vectors(8, q, words)["all q - 1"]()) == [q - 1] * 8


def test_words_of_all_ones() -> None:
    q = 2**127 - 1
    assert all_ones(q) == [2**64 - 1, 2**127 - 2**64 - 1]
    assert np.uint64(2**64 - 1) in to_words(all_ones(q), 2)


def test_same_seed_same_residues() -> None:
    first, again, other = (random_residues(10, 97, 1, (seed,)) for seed in (1, 1, 2))
    assert (first == again).all() and (first != other).any()


@pytest.mark.parametrize(("q", "order"), [(12289, 1024), (2**64 - 2**32 + 1, 2**20), (97, 32), (2**255 - 19, 2)])
def test_other_moduli(q: int, order: int) -> None:
    for p in other_moduli(q, order):
        assert p != q and is_prime(p) and p % order == 1 and p.bit_length() <= q.bit_length()


def test_other_moduli_at_the_ends() -> None:
    assert other_moduli(12289, 0) == (2**14 - 1, 2**13 + 1, 3)
    assert other_moduli(3, 0) == ()
    assert other_moduli(97, 2) == (127, 67, 3)
