"""Breakdown rules: every row of rules/breakdown.toml is an equality of matrices; expansions compute the transform."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache, reduce
from itertools import product
from math import prod
from pathlib import Path
from random import Random
from typing import Any

import gmpy2
import numpy as np
import pytest
from support.formulas import RingContext, Rows, apply, matrix, points

from momagen.data import folder
from momagen.formula.atoms import Diagonal, I, L, Permutation, R, Scale, T
from momagen.formula.breakdown import Choose, expand, specification
from momagen.formula.breakdown_rules import BreakdownRule, load, rules
from momagen.formula.expression import Compose, DirectSum, Formula, Tensor
from momagen.formula.factors import Stage, stages
from momagen.formula.instantiate import JOINS, formula
from momagen.formula.term import Term
from momagen.formula.transforms import NTT, RADICES, Ring, Transform

HALF = Fraction(1, 2)
TURNS = (Fraction(0), HALF, Fraction(3, 8))


def ring_context(q: int, order: int) -> RingContext:
    """Z_q with the first g^((q−1)/order) that has this order."""
    roots = (pow(g, (q - 1) // order, q) for g in range(2, q))
    return RingContext(q, next(w for w in roots if pow(w, order // 2, q) == q - 1), order)


def prime(bits: int, order: int) -> int:
    """The largest prime below 2^bits that is 1 mod order."""
    candidates = range(2**bits - order + 1, 0, -order)
    return next(q for q in candidates if gmpy2.is_prime(q))


SMALL = (ring_context(7681, 512), ring_context(12289, 512))
LARGE = ring_context(prime(124, 4096), 4096)


# The definitions ------------------------------------------------------------------------------------------------------


def values(x: list[int], turns: list[Fraction], ring: RingContext) -> list[int]:
    """Σ x_j e(t)^j by gmpy2, for every turn t."""
    return _values(tuple(x), tuple(turns), ring)


@cache
def _values(x: tuple[int, ...], turns: tuple[Fraction, ...], ring: RingContext) -> list[int]:
    points = [gmpy2.powmod(ring.omega, int(t * ring.order), ring.modulus) for t in turns]
    return [int(sum(v * gmpy2.powmod(p, j, ring.modulus) for j, v in enumerate(x)) % ring.modulus) for p in points]


def residues(x: list[int], turn: Fraction, ring: RingContext) -> list[int]:
    """x mod x^n − e(turn), split by square roots down to degree 1: mod x^(n/2) − τ and x^(n/2) + τ, τ = e(turn/2)."""
    if len(x) == 1:
        return x
    low, high = x[: len(x) // 2], x[len(x) // 2 :]
    halves = [(turn / 2, ring.e(turn / 2)), (turn / 2 + HALF, -ring.e(turn / 2))]
    return [
        y
        for child, tau in halves
        for y in residues([(a + tau * b) % ring.modulus for a, b in zip(low, high, strict=True)], child, ring)
    ]


def dense(formula: Formula, ring: RingContext) -> Any:
    """The matrix by the definition of every leaf and operator, on arrays of Python's integers."""
    size = range(formula.size)
    match formula:
        case Compose(parts=parts):
            return reduce(lambda a, b: a @ b % ring.modulus, (dense(part, ring) for part in parts))
        case Tensor(parts=parts):
            return reduce(np.kron, (dense(part, ring) for part in parts)) % ring.modulus
        case DirectSum(parts=parts):
            return blocks([dense(part, ring) for part in parts])
        case Permutation():
            return np.array([[int(j == formula.source(i)) for j in size] for i in size], dtype=object)
        case Scale(n):
            return np.diag([int(gmpy2.invert(n, ring.modulus)) for _ in size]).astype(object)
        case Diagonal():
            return np.diag([power(formula.angle(i), ring) for i in size]).astype(object)
    assert isinstance(formula, Transform)
    parts = [points(formula)[at : at + formula.n] for at in size[:: formula.n]]
    if formula.inverse:
        return blocks([[[power(-t * j, ring) for t in block] for j in range(formula.n)] for block in parts])
    return blocks([[[power(t * j, ring) for j in range(formula.n)] for t in block] for block in parts])


def power(turn: Fraction, ring: RingContext) -> int:
    return int(gmpy2.powmod(ring.omega, int(turn * ring.order), ring.modulus))


def blocks(parts: list[Any]) -> Any:
    """Block diagonal."""
    whole = np.zeros((sum(map(len, parts)),) * 2, dtype=object)
    at = 0
    for part in parts:
        whole[at : at + len(part), at : at + len(part)] = part
        at += len(part)
    return whole


def vector(n: int, q: int) -> list[int]:
    random = Random(n)
    return [random.choice((0, 1, q - 1, random.randrange(q))) for _ in range(n)]


@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("n", [1, 2, 4, 16, 64])
def test_transforms_are_their_definitions(n: int, turn: Fraction) -> None:
    x = vector(n, LARGE.modulus)
    assert apply(NTT(n, turn=turn), x, LARGE) == values(x, [(turn + k) / n for k in range(n)], LARGE)
    assert apply(Ring(n, turn), x, LARGE) == residues(x, turn, LARGE)


@pytest.mark.parametrize("natural", [True, False])
@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("n", [2, 8, 64])
def test_scaled_inverse_is_the_inverse(n: int, turn: Fraction, natural: bool) -> None:
    both = [specification(n, turn, inverse=inverse, natural=natural) for inverse in (True, False)]
    for ring in SMALL:
        assert matrix(Compose(*both), ring) == matrix(formula(f"I({n})"), ring)


def test_conventions() -> None:
    ring = SMALL[0]
    assert apply(L(8, 2), range(8), ring) == [0, 2, 4, 6, 1, 3, 5, 7]
    assert apply(L(8, 4), apply(L(8, 2), range(8), ring), ring) == list(range(8))
    assert apply(R(8), range(8), ring) == [0, 4, 2, 6, 1, 5, 3, 7]
    assert apply(R(9, 3), range(9), ring) == [0, 3, 6, 1, 4, 7, 2, 5, 8]
    assert [T(8, 4).angle(i) * 8 for i in range(8)] == [0, 0, 0, 0, 0, 1, 2, 3]
    assert [T(8, 2, inverse=True).angle(i) * 8 for i in range(8)] == [0, 0, 0, -1, 0, -2, 0, -3]
    assert ring.e(Fraction(1, 64)) == pow(ring.omega, 8, ring.modulus)


EXAMPLES = (
    "(NTT(2) ⊗ I(4)) · T(8, 4) · (I(2) ⊗ NTT(4)) · L(8, 2)",
    "(Ring(4, 1/4) ⊕ iRing(4, 3/4)) · (Rings(2, 2, 1/2) ⊗ I(2)) · iRings(2, 4, 1/8)",
    "Scale(8) · R(8, 2) · iT(8, 2) · iNTT(8, 1/2)",
    "I(2) ⊗ (R(4, 2) · NTT(4)) ⊗ NTT(2)",
    "(NTT(2) ⊗ (NTT(4) · L(4, 2))) ⊕ (T(4, 2) ⊗ NTT(2))",
)


@pytest.mark.parametrize("text", EXAMPLES)
def test_printing_is_the_notation_and_matrices_are_the_definitions(text: str) -> None:
    example, ring = formula(text), SMALL[0]
    assert str(example) == text
    rows = dense(example, ring)
    assert matrix(example, ring) == rows.tolist()
    x = vector(example.size, ring.modulus)
    assert apply(example, x, ring) == (rows @ x % ring.modulus).tolist()


def test_ascii_notation() -> None:
    assert formula("(NTT(2) (x) I(4)) * prod[i=0..1] T(8, 2^i) * (I(4) (+) L(4, 2))") == formula(
        "(NTT(2) ⊗ I(4)) · T(8, 1) · T(8, 2) · (I(4) ⊕ L(4, 2))"
    )
    diagonal = formula("D[j=1..4]((j mod 3)/4)")
    assert isinstance(diagonal, Diagonal)
    assert [diagonal.angle(i) * 4 for i in range(4)] == [1, 2, 0, 1]


# Every rule is proven -------------------------------------------------------------------------------------------------


@cache
def definition(node: Transform, ring: RingContext) -> Rows:
    rows: Rows = dense(node, ring).tolist()
    return rows


def nodes(largest: int) -> Iterator[Transform]:
    sizes = [2**k for k in range(1, largest.bit_length())]
    for n, turn, inverse in product(sizes, TURNS, (False, True)):
        yield NTT(n, inverse, turn)
        yield from (Ring(n, turn, inverse, blocks) for blocks in (1, *sizes) if blocks * n <= largest)


@cache
def cases(rule: BreakdownRule, largest: int) -> dict[tuple[Transform, Formula], int]:
    """All (left side, right side) up to this size at radices 2, 4, 8, 16, with their radix; NTT(16^2) for r^k."""
    square = [(NTT(256, i), 16) for i in (False, True)] if rule.when == "radix_power" and largest == 64 else []
    tried = [*product(nodes(largest), RADICES), *square]
    return {(node, rule.rewrite(node, r)): r for node, r in tried if rule.match(node, r) is not None}


def holds(rule: BreakdownRule, ring: RingContext, largest: int) -> bool:
    return all(definition(left, ring) == matrix(right, ring) for left, right in cases(rule, largest))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("ring", SMALL, ids=lambda ring: f"q={ring.modulus}")
@pytest.mark.parametrize("name", rules())
def test_rule_is_an_equality_of_matrices(name: str, ring: RingContext) -> None:
    proven = cases(rules()[name], 64)
    for left, right in proven:
        assert definition(left, ring) == matrix(right, ring), f"{name}: {left} is not {right}"
    assert max(left.size for left, _ in proven) >= 64
    if rules()[name].when.startswith("radix"):
        assert set(proven.values()) == set(RADICES)


def mutants(term: Term) -> Iterator[Term]:
    """``term`` with factors of one product left out."""
    if term.head not in JOINS:
        return
    for at, part in enumerate(term.parts):
        yield from (replace(term, parts=(*term.parts[:at], m, *term.parts[at + 1 :])) for m in mutants(part))
        if term.head == "·" and term.range is None:
            yield term.parts[1 - at]


@pytest.mark.parametrize("name", [name for name in rules() if next(mutants(rules()[name].right), None)])
def test_rule_without_one_factor_is_refuted(name: str) -> None:
    for mutant in mutants(rules()[name].right):
        assert not holds(replace(rules()[name], right=mutant), SMALL[0], 16), mutant


MUTATIONS = (
    ("cooley_tukey_dit", "T(r·s, s)", "T(r·s, r)"),
    ("cooley_tukey_dif", "L(r·s, s)", "L(r·s, r)"),
    ("four_step", "T(r·s, s)", "iT(r·s, s)"),
    ("pease", "r^(i+1)⌋", "r^i⌋"),
    ("stockham", "(L(r^(k-i), r) ⊗ I(r^i))", "(I(r^i) ⊗ L(r^(k-i), r))"),
    ("bit_reversal", "R(n) · Ring(n, t)", "Ring(n, t) · R(n)"),
    ("twist", "j·t/n", "-j·t/n"),
    ("ring_split", "(t + rev(r, i))/r", "(t + i)/r"),
    ("ring_split", "(t + rev(r, i))/r", "rev(r, i)/r"),
    ("rings", "(t + rev(m, i))/m", "(t + i)/m"),
    ("ring_split_inverse", "(iRing(r, t)", "(Ring(r, t)"),
    ("rings_split_inverse", "iRings(m·r, s, t)", "iRings(m·r, s, 0)"),
    ("rings_twist", "t + rev(m, ⌊j/n⌋)", "t + ⌊j/n⌋"),
)


@pytest.mark.parametrize(("name", "old", "new"), MUTATIONS, ids=lambda value: str(value))
def test_mistyped_row_is_refuted(name: str, old: str, new: str, tmp_path: Path) -> None:
    text = (folder("rules") / "breakdown.toml").read_text(encoding="utf-8")
    before, row = text.split(f'name = "{name}"')
    row, *after = row.split("\n[[rule]]", 1)
    assert old in row
    file = tmp_path / "breakdown.toml"
    mistyped = f'{before}name = "{name}"{row.replace(old, new)}'
    file.write_text("\n[[rule]]".join([mistyped, *after]), encoding="utf-8")
    assert holds(rules()[name], SMALL[0], 16)
    assert not holds(load(file)[name], SMALL[0], 16)


# Expansions -----------------------------------------------------------------------------------------------------------


def every(name: str, radix: int) -> Choose:
    """The iterative rules: one rule, one radix."""
    return lambda node: (name, radix) if node.n > radix else None


def plan(names: Sequence[str], radices: Sequence[int]) -> Choose:
    """At each size the first of these rules that applies, at the next of the radices; the last is left as a kernel."""
    radix_at = {prod(radices[i:]): radix for i, radix in enumerate(radices[:-1])}

    def choose(node: Transform) -> tuple[str, int] | None:
        radix = radix_at.get(node.n, 0)
        return next(((name, radix) for name in names if radix and rules()[name].match(node, radix) is not None), None)

    return choose


RECURSIVE = ("cooley_tukey_dit", "cooley_tukey_dif", "four_step", "four_step_dif", "six_step")
ITERATIVE = ("iterative", "pease", "korn_lambiotte", "korn_lambiotte_dif", "pease_dif",
             "stockham", "stockham_dif")
MIXED = ((16, 8, 4), (8, 2, 16), (2, 4, 8, 2), (4, 2, 4, 2, 8))


def check(spec: Formula, choose: Choose, turn: Fraction, natural: bool, inverse: bool) -> None:
    """The expansion and its stages compute the transform (its inverse) of 124-bit residues."""
    expanded = expand(spec, choose)
    x = vector(spec.size, LARGE.modulus)
    y = values(x, [(turn + k) / len(x) for k in range(len(x))], LARGE) if natural else residues(x, turn, LARGE)
    given, wanted = (y, x) if inverse else (x, y)
    assert apply(expanded, given, LARGE) == wanted
    for stage in stages(expanded):
        assert isinstance(stage.core, Transform | Permutation | Diagonal | Scale)
        given = apply(Tensor(I(stage.left), stage.core, I(stage.right)), given, LARGE)
    assert given == wanted


@pytest.mark.parametrize("inverse", [False, True], ids=["forward", "inverse"])
@pytest.mark.parametrize("radices", MIXED, ids=str)
@pytest.mark.parametrize("name", RECURSIVE)
def test_natural_order_at_mixed_radices(name: str, radices: tuple[int, ...], inverse: bool) -> None:
    suffix = "_inverse" * inverse
    spec = specification(prod(radices), HALF, inverse=inverse, natural=True)
    check(spec, plan((f"twist{suffix}", f"{name}{suffix}"), radices), HALF, True, inverse)


@pytest.mark.parametrize("inverse", [False, True], ids=["forward", "inverse"])
@pytest.mark.parametrize(("radix", "power"), [(2, 8), (4, 4), (8, 3), (16, 2)])
@pytest.mark.parametrize("name", ITERATIVE)
def test_natural_order_iteratively(name: str, radix: int, power: int, inverse: bool) -> None:
    spec = specification(radix**power, inverse=inverse, natural=True)
    check(spec, every(name + "_inverse" * inverse, radix), Fraction(0), True, inverse)


@pytest.mark.parametrize("inverse", [False, True], ids=["forward", "inverse"])
@pytest.mark.parametrize("natural", [False, True], ids=["bitrev", "natural"])
@pytest.mark.parametrize("turn", [Fraction(0), HALF], ids=["cyclic", "negacyclic"])
@pytest.mark.parametrize("radices", [*MIXED, (16, 16)], ids=str)
def test_ring_splitting_at_mixed_radices(
    radices: tuple[int, ...], turn: Fraction, natural: bool, inverse: bool
) -> None:
    spec = specification(prod(radices), turn, inverse=inverse, natural=natural)
    names = [name + "_inverse" * inverse for name in ("bit_reversal", "rings_split")]
    check(spec, plan(names, radices), turn, natural, inverse)


@pytest.mark.parametrize("radices", [*MIXED, (16, 16)], ids=str)
@pytest.mark.parametrize("inverse", [False, True], ids=["forward", "inverse"])
def test_all_rings_of_a_stage_are_one_kernel(radices: tuple[int, ...], inverse: bool) -> None:
    suffix, spec = "_inverse" * inverse, Ring(prod(radices), HALF, inverse)
    gathered = expand(spec, plan((f"rings_split{suffix}",), radices))
    blocks, expected = 1, []
    for radix in radices:
        expected.append((Ring(radix, HALF, inverse, blocks), spec.n // (blocks * radix)))
        blocks *= radix
    kernels = [(stage.core, stage.right) for stage in stages(gathered)]
    assert kernels == (expected[::-1] if inverse else expected)
    ring_by_ring = expand(spec, plan((f"ring_split{suffix}",), radices))
    x = vector(spec.n, LARGE.modulus)
    assert apply(ring_by_ring, x, LARGE) == apply(gathered, x, LARGE)


def test_negacyclic_product_through_expanded_transforms() -> None:
    n, q = 256, LARGE.modulus
    choose = plan(("rings_split", "rings_split_inverse"), (4, 16, 4))
    forward, inverse = (expand(specification(n, HALF, inverse=i), choose) for i in (False, True))
    a, b = vector(n, q), [int(gmpy2.powmod(3, j, q)) for j in range(n)]
    pointwise = [u * v % q for u, v in zip(apply(forward, a, LARGE), apply(forward, b, LARGE), strict=True)]
    wanted = [gmpy2.mpz(0)] * n
    for i, j in product(range(n), repeat=2):
        wanted[(i + j) % n] += (1 if i + j < n else -1) * gmpy2.mpz(a[i]) * b[j]
    assert apply(inverse, pointwise, LARGE) == [v % q for v in wanted]


def test_large_kernels_may_be_broken_down_too() -> None:
    """four_step with the square root as its radix: both sizes are asked for."""
    choices = {1024: ("four_step", 32), 32: ("stockham", 2)}
    expanded = expand(NTT(1024), lambda node: choices.get(node.n))
    x = vector(1024, LARGE.modulus)
    assert apply(expanded, x, LARGE) == values(x, [Fraction(k, 1024) for k in range(1024)], LARGE)


def test_largest_transform_takes_no_space() -> None:
    n, radices = 2**22, (16, 16, 16, 16, 16, 4)
    found = stages(expand(specification(n, HALF, inverse=True), plan(("rings_split_inverse",), radices)))
    assert [stage.core.size * stage.left * stage.right for stage in found] == [n] * 7
    twisted = stages(expand(NTT(n, turn=HALF), plan(("twist", "four_step"), radices)))
    assert twisted[0].core.angle(n - 1) == Fraction(n - 1, 2 * n)


def test_identities_are_no_stages() -> None:
    found = stages(formula("I(8) · (I(2) ⊗ NTT(4)) · (I(2) ⊗ I(4))"))
    assert found == [Stage(2, NTT(4), 1)]


def matching(node: Transform, radix: int) -> set[str]:
    return {name for name, rule in rules().items() if rule.match(node, radix) is not None}


def test_rules_match_what_their_left_sides_are() -> None:
    assert matching(NTT(64), 8) == {*RECURSIVE, *ITERATIVE, "bit_reversal", "four_step_turned"}
    inverses = {"natural_order", "ring_split", "rings", "rings_split", "rings_twist", "three_step"}
    assert matching(Ring(32, HALF, True), 16) == {f"{name}_inverse" for name in inverses}
