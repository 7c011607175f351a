"""Kernels of several moduli: one plan, a row of every vector for each, against definitions on integers."""

from __future__ import annotations

import ctypes
from pathlib import Path
from random import Random

import numpy as np
import pytest
from support.oracle import points, values

import momagen as mg
from momagen.kinds.modular.derived.meaning import meaning
from momagen.params import is_prime, prime_basis
from momagen.runtime.plans.basis import BasisPlan

pytestmark = pytest.mark.compiles

N = 32
SMALL = (97, 193, 257)
"""Primes with roots of unity of order 32."""


def transform(x: list[int], q: int, root: int) -> list[int]:
    """Return the cyclic transform in bit-reversed order."""
    return values(x, points(len(x), q, root), q)


def drawn(moduli: tuple[int, ...], n: int, seed: int = 0) -> list[list[int]]:
    rng = Random(seed)
    return [[rng.randrange(q) for _ in range(n)] for q in moduli]


@pytest.mark.thorough
def test_a_basis_is_the_largest_primes_of_a_width() -> None:
    found = prime_basis(3, 30, 64)
    every = [q for q in range((1 << 30) - 127, 1 << 29, -128) if is_prime(q)]
    assert list(found) == every[:3]


@pytest.mark.parametrize("target", ["c", "c32", "native"])
@pytest.mark.parametrize("bits", [28, 60, 124])
def test_a_transform_of_every_row(bits: int, target: str) -> None:
    k = mg.ntt(N, moduli=3, modulus_bits=bits, target=target)
    rows = drawn(k.moduli, N)
    wanted = [transform(x, q, w) for x, q, w in zip(rows, k.moduli, k.spec.roots, strict=True)]
    assert k(rows) == wanted
    assert k([rows, rows]) == [wanted, wanted]
    assert k.inverse()(wanted) == rows


def test_moduli_of_any_length_and_given_roots() -> None:
    roots = [pow(5, (q - 1) // N, q) for q in SMALL]
    k = mg.ntt(N, moduli=SMALL, roots=roots)
    rows = drawn(SMALL, N, 1)
    assert k(rows) == [transform(x, q, w) for x, q, w in zip(rows, SMALL, roots, strict=True)]
    assert k.verify().ok


@pytest.mark.parametrize("kind", ["vadd", "vmul", "axpy", "vneg", "reduce"])
def test_element_by_element_at_any_length(kind: str) -> None:
    moduli = (2**61 - 1, 97, 2**60 - 93, 6)
    k = mg.blas(kind, moduli=moduli)
    scalars = [[q - 1 for q in moduli]] * (len(k.operands) - len(k.spec.ranges.vectors))
    vectors = [drawn(moduli, 5, at) for at in range(len(k.spec.ranges.vectors))]
    got = k(*scalars, *vectors)
    for m, q in enumerate(moduli):
        given = [row[m] for row in scalars]
        wanted = [meaning(k.spec, q, *given, *each) for each in zip(*(v[m] for v in vectors), strict=True)]
        assert got[m] == wanted
    assert k.verify().ok


def test_a_product_of_polynomials() -> None:
    k = mg.polymul(16, moduli=2, bits=128, negacyclic=True)
    x, y = drawn(k.moduli, 16, 2), drawn(k.moduli, 16, 3)
    for q, a, b, c in zip(k.moduli, x, y, k(x, y), strict=True):
        wanted = [0] * 16
        for i, u in enumerate(a):
            for j, v in enumerate(b):
                wanted[(i + j) % 16] += u * v if i + j < 16 else -u * v
        assert c == [w % q for w in wanted]


def test_arrays_come_back_as_they_came_and_may_be_written_over() -> None:
    k = mg.ntt(N, moduli=SMALL)
    x = np.array(drawn(SMALL, N, 4), np.uint64)
    y = k(x)
    assert y.shape == (3, N) and y.dtype == np.uint64
    both = np.stack([x, x])[..., None]
    assert k(both, out=both) is both
    assert (both[..., 0] == y).all()


def test_a_saved_one_is_loaded_again(tmp_path: Path) -> None:
    k = mg.ntt(N, moduli=SMALL)
    again = mg.load(k.save(tmp_path / "saved"))
    assert (again.moduli, again.spec) == (SMALL, k.spec)
    assert again.verify().ok


def test_what_does_not_fit_together() -> None:
    for given, said in (
        ({"moduli": [17, 34]}, "moduli[1]: expected pairwise coprime moduli, got 17 and 34"),
        ({"moduli": SMALL, "modulus": 97}, "`modulus` cannot be combined with `moduli`"),
        ({"moduli": SMALL, "roots": [3]}, "roots: expected 3 roots, one for each modulus, got 1"),
        ({"moduli": SMALL, "bits": 64}, "`bits` cannot be combined with a list of `moduli`"),
        ({"moduli": 2}, "`moduli` is a number of primes, but their width is missing"),
        ({"moduli": 99, "modulus_bits": 12}, "moduli: expected at most"),
        ({"moduli": []}, "moduli: expected at least 1 modulus, got none"),
        ({"modulus": 97, "roots": [3]}, "`roots` can only be used with `moduli`"),
        ({"moduli": SMALL, "bake": "yes"}, "`bake` cannot be combined with `moduli`"),
    ):
        with pytest.raises(mg.MomagenError) as error:
            mg.ntt(16, **given)  # type: ignore[arg-type]
        assert str(error.value).startswith(said), str(error.value)


def test_every_row_has_its_own_range() -> None:
    k = mg.ntt(N, moduli=SMALL)
    rows = drawn(SMALL, N)
    rows[1][3] = 193
    with pytest.raises(mg.MomagenError, match=r"x\[…, 1, …\].*residues below the modulus 193, got 193"):
        k(rows)
    with pytest.raises(mg.MomagenError, match="shape"):
        k(rows[:2])
    with pytest.raises(mg.MomagenError, match="expected 1 operand"):
        k(rows, rows)
    with pytest.raises(mg.MomagenError, match="axes"):
        k(bytes(N * 24))
    with pytest.raises(mg.MomagenError, match="requires a kernel of one modulus, and this kernel has 3"):
        k.with_modulus(97)


def test_create_tells_what_is_wrong() -> None:
    k = mg.ntt(N, moduli=SMALL)
    create = k.compiled.library[f"{k.name}_create"]
    create.restype, why = ctypes.c_void_p, ctypes.c_int()
    q, root = np.array([97, 96], np.uint64), np.array([k.spec.roots[0]] * 2, np.uint64)
    for count, moduli, code in ((2, q.ctypes.data, 1), (0, q.ctypes.data, 1), (1 << 61, q.ctypes.data, 3), (2, 0, 4)):
        given = (ctypes.c_size_t(count), ctypes.c_void_p(moduli), ctypes.c_void_p(root.ctypes.data), ctypes.byref(why))
        assert create(*given) is None
        assert why.value == code
    assert isinstance(k.tables, BasisPlan)
    assert "modulus (3)" in str(k.plan)
