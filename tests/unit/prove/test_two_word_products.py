"""Products of two words are proven at chosen lengths and powers of two, and no product with a planted fault is."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from support import proofs

from momagen.prove.c.source import COMPILERS, read
from momagen.prove.checker import ProofError
from momagen.prove.claims import claim_of
from momagen.prove.facts import Facts
from momagen.prove.facts import Path as Execution
from momagen.prove.vectors.proof import all_paths

KERNEL = ("vmul", 124)
LENGTHS = [(1 << bits - 1, (1 << bits) - 1) for bits in (124, 123, 65, 64, 61, 20)]
GENERAL = [(least + 1, greatest) for least, greatest in LENGTHS]
POWERS = [(1 << k, 1 << k) for k in (1, 2, 20, 62, 63, 64, 122, 123)]
FAULTS = {
    "a dropped carry": ("mg_add2(&t13, t9, t12, &t14, t8, t11);", "t13 = t9 + t12; t14 = t8 + t11;"),
    "another word of the quotient": ("(u128)t37 * q_0", "(u128)t36 * q_0"),
    "a shorter shift": (">> 58)", ">> 57)"),
    "a longer shift of the quotient": ("t35 >> 1;", "t35 >> 2;"),
    "words of the constant exchanged": ("const uint64_t mu_0 = c[2];", "const uint64_t mu_0 = c[3];"),
    "no subtraction at the end": ("mg_reduce2(&t47, t45, q_0, &t48, t46, q_1)", "t47 = t45, t48 = t46"),
    "a division that stops early": ("i < bits; i++", "i + 1 < bits; i++"),
    "a division that goes on": ("i < bits; i++", "i < bits + 1; i++"),
    "a division of 2": ("uint64_t r[2] = {1};", "uint64_t r[2] = {2};"),
    "a constant of another length": ("barrett_constant(mu2, 2, 251, c)", "barrett_constant(mu2, 2, 250, c)"),
    "a bit that is not stored": ("(z[w] << 1) | bit", "z[w] << 1"),
    "a quotient that is not cleared": ("memset(z, 0, sizeof(uint64_t) * words);", ""),
    "a remainder of 0 that is not seen": ("return left == 0;", "return 0;"),
    "any remainder taken as 0": ("return left == 0;", "return 1;"),
    "a borrow that is dropped": ("less &= mu[w] ==", "less = mu[w] =="),
    "a shift by one bit less": ("shift[0] = s;", "shift[0] = s - (s > 0);"),
}


@pytest.fixture(scope="module")
def prove_at(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., None]:
    """Return a function that proves an edited kernel for a range of moduli, as gcc on x86-64 sees it."""

    def prove(least: int, greatest: int, *edits: tuple[str, str]) -> None:
        path = proofs.written(*KERNEL, proofs.edited(*KERNEL, *edits), tmp_path_factory.mktemp("kernel"))
        manifest = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
        compiler, macros = next(iter(COMPILERS.items()))
        all_paths(read(path, macros), claim_of(manifest), (least, greatest), compiler)

    return prove


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("least", "greatest"), [*GENERAL, *POWERS])
def test_the_product_is_proven(least: int, greatest: int, prove_at: Callable[..., None]) -> None:
    prove_at(least, greatest)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_refused(name: str, prove_at: Callable[..., None]) -> None:
    refused = 0
    for least, greatest in (GENERAL[0], GENERAL[-1], POWERS[2], POWERS[-1]):
        try:
            prove_at(least, greatest, FAULTS[name])
        except ProofError:
            refused += 1
    assert refused


def test_named_constants_are_related_to_the_modulus() -> None:
    for q, number in ((1 << 70, (1 << 100) - 1), (1 << 70, 3 << 70), (97, (1 << 99) // 97), (1 << 3, 1 << 67)):
        facts = Facts(q, q, Execution())
        facts.name_constants("number", [number & (1 << 64) - 1, number >> 64])
        whole = facts.search.numbers[-1].variable
        values = {0: q, whole: int(facts.checker.minimum(facts.checker.variables[whole].low))}
        equations = [*facts.search.relations.values(), *facts.search.meanings.values()]
        assert len(equations) == 1
        polynomial = facts.checker.equations[equations[0]]
        total = 0
        for monomial, coefficient in polynomial.items():
            for variable in monomial:
                coefficient = coefficient * values[variable]
            total += coefficient
        assert total == 0
        assert values[whole] in (number, number >> 64)
