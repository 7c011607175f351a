"""Transforms modulo the Goldilocks prime where it is baked in, against the definition."""

from __future__ import annotations

import gmpy2
import numpy as np
import pytest
from support.oracle import result

import momagen as mg
from momagen.kernels.residues.arith import SIGNED, SOLINAS

Q = 2**64 - 2**32 + 1
EDGES = [0, 1, Q - 1, Q - 2, 2**63, 2**63 - 1, 2**63 - 2**31, 2**63 - 2**31 - 1, 2**31, 2**32 - 1, 2**32, Q - 2**31]
"""Both ends, and where words change their sign, their half, or their signed digits."""
CASES = [
    ("avx2", {}), ("avx2", {"inverse": True}), ("avx512", {}), ("avx512", {"inverse": True}), ("c64", {}),
    ("avx2", {"negacyclic": True}), ("avx2", {"negacyclic": True, "inverse": True, "columns": 3}),
    ("avx512", {"order": "natural", "columns": 8}),
]  # fmt: skip


@pytest.mark.parametrize("target, options", CASES, ids=str)
def test_points_at_the_edges_are_transformed_by_definition(target: str, options: dict[str, object]) -> None:
    kernel, columns = mg.ntt(32, modulus=Q, target=target, bake="yes", **options), int(options.get("columns", 1))
    assert kernel.spec.arith.kind == (SOLINAS if target == "c64" else SIGNED)
    rng = np.random.default_rng(0)
    for _ in range(4):
        points = rng.choice(np.array(EDGES, dtype=np.uint64), 32 * columns)
        found = np.asarray(kernel(points.reshape(32, columns) if columns > 1 else points)).reshape(32, columns)
        for at in range(columns):
            column = [int(x) for x in points.reshape(32, columns)[:, at]]
            assert [int(y) for y in found[:, at]] == result(kernel.spec, column)


@pytest.mark.parametrize("target", ["c", "mqx", "mqx_m"])
def test_where_products_are_one_instruction_montgomery_stays(target: str) -> None:
    kernel = mg.ntt(32, modulus=Q, target=target, bake="yes")
    assert kernel.spec.arith.kind == "montgomery" and kernel.verify().ok


def test_a_build_for_every_modulus_has_no_special_one() -> None:
    assert mg.ntt(32, modulus=Q, target="avx2").spec.arith.kind == "montgomery"


FORMS = {
    "mersenne": 2**61 - 1, "long mersenne": 2**127 - 1, "crandall": 2**255 - 19, "secp256k1": 2**256 - 2**32 - 977,
    "goldilocks": Q, "p192": 2**192 - 2**64 - 1, "p224": 2**224 - 2**96 + 1,
    "p256": 2**256 - 2**224 + 2**192 + 2**96 - 1, "ed448": 2**448 - 2**224 - 1, "p521": 2**521 - 1,
    "p384": 2**384 - 2**128 - 2**96 + 2**32 - 1,
}  # fmt: skip


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("target", ["c", "avx2"])
def test_products_modulo_numbers_next_to_powers_of_two_are_folded(target: str, name: str) -> None:
    q = FORMS[name]
    kernel = mg.blas("vmul", modulus=q, target=target, bake="yes")
    assert kernel.spec.product == "special" and "fold_at" in kernel.source
    half = 1 << q.bit_length() // 2
    edges = [0, 1, 2, q - 1, q - 2, half - 1, half, q - half, q // 2, q // 2 + 1, (1 << q.bit_length() - 1) - 1]
    pairs = [(x, y) for x in edges for y in edges]
    assert list(kernel([x for x, _ in pairs], [y for _, y in pairs])) == [int(gmpy2.mpz(x) * y % q) for x, y in pairs]


WAYS = [  # 2^255 - 19 and 2^61 - 1 by kernel and target: whether products and remainders fold by themselves
    ("vmul", "avx2", True, True), ("vmul", "avx512", False, True), ("vmul", "avx512ifma", False, True),
    ("scal", "avx2", True, False), ("scal", "avx512", True, False), ("scal", "avx512ifma", False, False),
    ("axpy", "c", True, False), ("reduce", "c", True, True), ("reduce", "avx512ifma", True, True),
]  # fmt: skip


@pytest.mark.thorough
@pytest.mark.parametrize("kind, target, long, short", WAYS)
def test_kernels_fold_where_that_is_faster(kind: str, target: str, long: bool, short: bool) -> None:
    for q, folds in ((2**255 - 19, long), (2**61 - 1, short)):
        kernel = mg.blas(kind, modulus=q, target=target, bake="yes")
        assert (kernel.spec.arith.kind == "special") == folds and kernel.verify().ok


def test_a_number_that_fills_its_words_is_reduced_by_a_subtraction() -> None:
    kernel = mg.blas("reduce", modulus=Q, target="c", bake="yes")
    assert kernel.spec.arith.kind != "special" and kernel([Q, 2**64 - 1, 3]) == [0, 2**32 - 2, 3]


def test_folding_is_refused_where_the_modulus_is_not_next_to_a_power_of_two() -> None:
    with pytest.raises(mg.MomagenError, match="baked-in modulus"):
        mg.blas("vmul", modulus=2**61 - 1, reduction="special")
    with pytest.raises(mg.MomagenError, match="baked-in modulus"):
        mg.blas("scal", modulus=3 * 2**59 + 1, reduction="special", bake="yes")


@pytest.mark.thorough
@pytest.mark.parametrize("target, kind", [("c64", SOLINAS), ("avx2", SIGNED), ("avx512ifma", "montgomery")])
def test_products_of_polynomials(target: str, kind: str) -> None:
    """Transforms have their own scheme, or go on digits; products of points have Montgomery's, and threads take whole
    products."""
    spec = mg.polymul(64, modulus="goldilocks", bake="yes", target=target, threads=2).spec
    transforms = spec.kind.transforms(spec).values()
    assert all(each.options.threads is None for each in transforms)
    assert {each.arith.kind for each in transforms} == {kind}
    for options in ({}, {"depth": 4, "negacyclic": True}):
        assert mg.polymul(64, modulus="goldilocks", bake="yes", target=target, **options).verify().ok


BAKED = [("ntt", "babybear", "avx2"), ("ntt", "babybear", "avx512ifma"), ("polymul", "koalabear", "avx2"),
         ("ntt", "bn254-r", "avx512ifma")]  # fmt: skip


@pytest.mark.parametrize("kind, name, target", BAKED)
def test_a_baked_modulus_without_a_scheme_of_its_own_goes_the_usual_way(kind: str, name: str, target: str) -> None:
    make = {"ntt": mg.ntt, "polymul": mg.polymul}[kind]
    kernel, usual = (make(256, modulus=name, target=target, bake=bake) for bake in ("yes", "no"))
    assert any("limbs: " in note for note in usual.generated.notes)
    assert kernel.generated.notes == usual.generated.notes
    assert kernel.verify().ok
