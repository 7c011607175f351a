"""Products by Montgomery's method are proven for odd moduli, and no product with a planted fault is."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from support import concrete, proofs

from momagen.prove.c.source import COMPILERS, read
from momagen.prove.certificates.guide import SEARCH
from momagen.prove.checker import ProofError
from momagen.prove.claims import claim_of
from momagen.prove.facts import Path as Execution
from momagen.prove.kernels import prove
from momagen.prove.vectors.odd import OddKernel, prove_odd
from momagen.prove.vectors.plans import Plans

KERNEL = ("vmul", 62)
NULLS = "if (!plan || (n && !(x && y && z)))"
FAULTS: dict[str, tuple[tuple[str, str], str]] = {
    "an iteration of Newton less": (("i < 5; i++)\n        newton", "i < 4; i++)\n        newton"), "below q"),
    "another constant of Newton": (("UINT64_C(0x2) - t1", "UINT64_C(0x3) - t1"), "below q"),
    "a start of Newton at 1": (("memcpy(c + 1, q, sizeof(uint64_t) * 1);", "c[1] = 2;"), "below q"),
    "a doubling less of one": (("doubled(one, literal_one, 64, c)", "doubled(one, literal_one, 63, c)"), "modulo q"),
    "a doubling more of the square": (("doubled(square, one, 64, c)", "doubled(square, one, 65, c)"), "modulo q"),
    "a sum that is not reduced": (("mg_reduce1(&t2, t1, q_0);", "t2 = t1;"), ""),
    "the high word times the inverse": (("t4 = t3 * qi_0", "t4 = t2 * qi_0"), "modulo q"),
    "the second high word times the inverse": (("t11 = t10 * qi_0", "t11 = t9 * qi_0"), "modulo q"),
    "no q before the difference": (("t6 = t2 + q_0", "t6 = t2"), ""),
    "a difference that is not restored": (("mg_restore1(&t13, t9, t12, q_0)", "t13 = t9 - t12"), "below q"),
    "constants exchanged": (
        ("square_0 = c[2];\n    const uint64_t qi_0 = c[1]", "square_0 = c[1];\n    const uint64_t qi_0 = c[2]"),
        "",
    ),
    "the wrong constant": (("square_0 = c[2]", "square_0 = c[0]"), "modulo q"),
    "one product only": (("z[0] = t13;", "z[0] = t7;"), ""),
    "the square of one operand": (("(u128)x_0 * y_0", "(u128)x_0 * x_0"), ""),
    "a last element that is left out": (("i < n; i++", "i + 1 < n; i++"), ""),
    "an operand that does not advance": (("        y++;\n", ""), ""),
    "an operand that may be NULL": ((NULLS, NULLS.replace("x && y", "x")), ""),
    "a plan that may be NULL": ((NULLS, NULLS.replace("!plan || ", "")), ""),
    "a modulus that is too long": ((" && q[0] >> 62 == 0", ""), ""),
    "a modulus of 1": (("q[0] > 2", "q[0] > 0"), "the modulus 1"),
    "a modulus of 3 that is refused": (("q[0] > 2", "q[0] > 3"), "different states"),
    "an even modulus": (("(q[0] & 1) && ", "((q[0] & 1) || q[0] == 8) && "), "different states"),
    "a plan that is not freed": (("    free(plan);\n", ""), "does not free"),
    "a factor that is reduced twice": (("(u128)t7 * square_0", "(u128)t7 * t7"), ""),
}


def problem(folder: Path, *edits: tuple[str, str]) -> str:
    """Return why an edited kernel is not proven for odd moduli, as gcc on x86-64 sees it, or an empty text."""
    path = proofs.written(*KERNEL, proofs.edited(*KERNEL, *edits), folder)
    claim = claim_of(json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))).for_odd_moduli()
    compiler, macros = next(iter(COMPILERS.items()))
    try:
        prove_odd(read(path, macros), claim, "seed", compiler, SEARCH)
    except ProofError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("bits", [62, 63, 64])
def test_products_are_proven_for_odd_moduli(bits: int, tmp_path: Path) -> None:
    found = prove(proofs.written("vmul", bits, proofs.source("vmul", bits), tmp_path))
    assert found.problem == ""
    assert found.claim.startswith(f"For every odd q with 2 < q < 2^{bits} and")


@pytest.mark.thorough
@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_refused(name: str, tmp_path: Path) -> None:
    edit, expected = FAULTS[name]
    found = problem(tmp_path, edit)
    assert found
    assert expected in found


def test_every_statement_of_a_proof_for_odd_moduli_holds(tmp_path: Path) -> None:
    rng = random.Random(62)
    path = proofs.written(*KERNEL, proofs.source(*KERNEL), tmp_path)
    source = read(path, COMPILERS["gcc, x86-64"])
    claim = claim_of(json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))).for_odd_moduli()
    plans = Plans(source, claim, "seed")
    runs = [concrete.RecordingFacts(claim.least, claim.greatest, Execution([first])) for first in (True, False)]
    for facts in runs:
        OddKernel(source, claim, facts, plans, plans.prove()).run()
    for _ in range(12):
        q, n = rng.randrange(3, 1 << rng.randrange(3, 63)) | 1, rng.choice([1, 2, 1000])
        values = {"n": n, "index": rng.randrange(n), "q[0]": q, "quotient": q // 2, "(q^2 - 1) / 8": (q * q - 1) // 8}
        values |= {"x[…][0]": rng.choice([0, 1, q - 1]), "y[…][0]": rng.randrange(q), "factor": (1 << 128) // q}
        values["slack"] = (q * pow(q, -1, 1 << 64) - 1) >> 64
        taken = 0
        for facts in runs:
            constants = iter([pow(q, -1, 1 << 64), (1 << 128) % q])
            numbers = concrete.Numbers(facts, q, partial(_drawn, values, constants))
            if all(numbers.value(condition) == 0 for condition in facts.conditions):
                taken += 1
                assert numbers.problems() == []
        assert taken == 1


def _drawn(values: dict[str, int], constants: Iterator[int], name: str) -> int:
    return next(constants) if name == "constant[0]" else values[name]
