"""Products modulo 2^s * q are proven for all shifts s at once, and faults of the shifts are refused."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from support import concrete, proofs

from momagen.prove.c.source import COMPILERS, read
from momagen.prove.checker import ProofError
from momagen.prove.claims import claim_of
from momagen.prove.vectors.proof import _all_shifts
from momagen.prove.vectors.shifts import ShiftLemmas

ONE, TWO, THREE = ("vmul", 60), ("vmul", 124), ("vmul", 140)
FORWARD = "z[w] = (t[at + 1] << (s % 64)) | ((t[at] >> 1) >> (63 - s % 64));"
BACK = "z[w] = (t[at] >> (s % 64)) | ((t[at + 1] << 1) << (63 - s % 64));"
FAULTS: dict[str, tuple[tuple[str, int], tuple[str, str], str]] = {
    "a count from 1": (TWO, ("size_t s = 0;\n    while", "size_t s = 1;\n    while"), "does not count from 0"),
    "a count of another bit": (TWO, (">> ((123 - s) % 64) & 1", ">> ((122 - s) % 64) & 1"), "short_by"),
    "a count in the wrong word": (TWO, ("q[(123 - s) / 64]", "q[(124 - s) / 64]"), "short_by"),
    "a count of ones": (TWO, ("& 1) == 0)\n        s++", "& 1) != 0)\n        s++"), "short_by does not end"),
    "a count by 2": (TWO, ("== 0)\n        s++;", "== 0)\n        s += 2;"), "does not count by 1"),
    "a condition that counts": (
        ONE,
        (
            "while ((q[(59 - s) / 64] >> ((59 - s) % 64) & 1) == 0)\n        s++;",
            "while (s++ < 200 && (q[(60 - s) / 64] >> ((60 - s) % 64) & 1) == 0)\n        ;",
        ),
        "the condition of short_by changes a variable",
    ),
    "a count that depends on other bits": (
        ONE,
        ("        s++;", "    {\n        if (q[0] != 5)\n            s++;\n        else\n            s += 2;\n    }"),
        "an iteration of short_by depends on more",
    ),
    "a shift by a number of another type": (
        TWO,
        ("shift_up(uint64_t *z, const uint64_t *x, size_t n, size_t s)",
         "shift_up(uint64_t *z, const uint64_t *x, size_t n, uint8_t s)"),
        "has another type than size_t",
    ),
    "a modulus of another type": (
        ONE,
        ("short_by(const uint64_t *q)", "short_by(const uint32_t *q)"),
        "a pointer to uint64_t is used as one to uint32_t",
    ),
    "a length that depends on other bits": (
        TWO,
        (">> ((123 - s) % 64) & 1) == 0", ">> ((123 - s) % 64) & 1) == (q[0] >> 63)"),
        "depends on more than the length",
    ),
    "a shift by one bit more": (TWO, (FORWARD, FORWARD.replace("<< (s % 64)", "<< (s % 64 + 1)")), ""),
    "bits of the lower word that are lost": (TWO, (FORWARD, "z[w] = t[at + 1] << (s % 64);"), "to multiply by"),
    "the word below": (TWO, (FORWARD, FORWARD.replace("t[at]", "t[at + 1]")), "to multiply by"),
    "a shift of the wrong words": (TWO, ("at = 1 - s / 64 + w", "at = 2 - s / 64 + w"), ""),
    "a shift that changes its operand": (TWO, (FORWARD, FORWARD + " t[at] = 0;"), "changes more than its result"),
    "a word that is not shifted": (TWO, (FORWARD, FORWARD.replace("z[w]", "z[0]")), ""),
    "words that are not cleared": (TWO, ("memset(t, 0, sizeof(uint64_t) * 2);", "memset(t, 0, 8);"), ""),
    "the operand in the wrong half": (TWO, ("memcpy(t + 2, x,", "memcpy(t, x,"), ""),
    "a shift back by one bit less": (TWO, (BACK, BACK.replace(">> (s % 64)", ">> ((s - 1) % 64)")), "overlap"),
    "bits of the upper word that are lost": (TWO, (BACK, "z[w] = t[at] >> (s % 64);"), "to divide by"),
    "a shift of a sum": (TWO, ("memcpy(t + 2, x, sizeof(uint64_t) * 2);", "memcpy(t + 2, x, 16); t[2] += i;"), ""),
    "a factor that is not shifted": (TWO, ("shift_up(t, x, m, s);\n", "memcpy(t, x, 16);\n"), ""),
    "two factors that are shifted": (TWO, ("product(t, t, y, c, m);", "product(t, t, t, c, m);"), "below 2^s * q"),
    "operands that are exchanged": (
        ("vmuladd", 124),
        ("product(t, t, y, u, c, m);", "product(t, u, y, t, c, m);"),
        "modulo q",
    ),
    "a factor that is not shifted, either": (
        TWO,
        ("product(t, t, y, c, m);", "product(t, x, y, c, m);"),
        "multiple of 2^s",
    ),
    "a result that is not shifted back": (TWO, ("shift_down(z, t, m, s);", "product(z, t, y, c, m);"), "no quotient"),
    "a result that is shifted back twice": (
        TWO,
        ("shift_down(z, t, m, s);", "shift_down(z, t, m, s); shift_down(z, z, m, s);"),
        "",
    ),
    "the other branch": (TWO, ("if (s == 0)\n        product", "if (s != 0)\n        product"), ""),
    "an operand that is shifted twice": (
        TWO,
        ("shift_up(t, x, m, s);\n", "shift_up(t, x, m, s); shift_up(t, t, m, s);\n"),
        "",
    ),
    "a modulus that is not shifted": (TWO, ("shift_up(c, q, 1, s);", "memcpy(c, q, 16);"), ""),
    "a stored shift that is another one": (TWO, ("shift[0] = s;", "shift[0] = s - 1;"), ""),
    "a comparison without the lower words": (THREE, ("(twice[w] == r[w]) & bit", "(twice[w] == r[w]) & 0"), ""),
    "a comparison that is turned round": (THREE, ("(twice[w] < r[w]) |", "(twice[w] > r[w]) |"), ""),
    "a comparison of different words": (THREE, ("(twice[w] == r[w]) & bit", "(twice[w] == r[0]) & bit"), ""),
    "a comparison that ends early": (
        THREE,
        (
            "        uint64_t bit = 0;\n        for (size_t w = 0; w < 3;",
            "        uint64_t bit = 0;\n        for (size_t w = 0; w < 2;",
        ),
        "",
    ),
    "a comparison that counts ties": (THREE, ("uint64_t bit = 0;", "uint64_t bit = 1;"), ""),
    "a comparison by different words": (THREE, ("(twice[w] == r[w]) & bit", "(twice[w] != r[w]) & bit"), ""),
    "a word that is shifted by one bit more": (ONE, ("x_0 << missing_0", "x_0 << (missing_0 + 1)"), "known"),
    "a word that is shifted back by one bit less": (ONE, ("t10 >> missing_0", "t10 >> (missing_0 - 1)"), "known"),
    "a word that is not shifted back": (ONE, ("t10 >> missing_0", "t10"), "no quotient"),
    "a word that is shifted back before it is reduced": (
        ONE,
        ("t9 = t4 - t8;\n        uint64_t t10;", "t9 = (t4 - t8) >> missing_0;\n        uint64_t t10;"),
        "below 2^s * q",
    ),
    "the words of the modulus": (ONE, ("normalised[0] = c[0] << missing[0];", "normalised[0] = c[0];"), ""),
}


def proven(kernel: tuple[str, int], folder: Path, *edits: tuple[str, str]) -> int:
    """Prove an edited kernel for all shifts, as gcc on x86-64 sees it, and return the number of paths."""
    path = proofs.written(*kernel, proofs.edited(*kernel, *edits), folder)
    manifest = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    compiler, macros = next(iter(COMPILERS.items()))
    return _all_shifts(read(path, macros), claim_of(manifest), compiler)["paths"]


@pytest.mark.parametrize(
    "kernel",
    [("vmul", 3), ("vmul", 31), ("vmul", 60), ("vmul", 124), ("vmuladd", 66),
     pytest.param(("vmul", 140), marks=pytest.mark.thorough)],
)
def test_all_shifts_are_proven_at_once(kernel: tuple[str, int], tmp_path: Path) -> None:
    assert proven(kernel, tmp_path) < 60


@pytest.mark.thorough
@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_of_the_shifts_is_refused(name: str, tmp_path: Path) -> None:
    kernel, edit, problem = FAULTS[name]
    with pytest.raises(ProofError) as refusal:
        proven(kernel, tmp_path, edit)
    assert problem in str(refusal.value)


def test_an_operand_that_may_exceed_q_is_not_shifted(tmp_path: Path) -> None:
    lines = re.findall(r"(?ms)^static size_t short_by.*?^}\n", proofs.source("vmul", 20))
    shifted = (
        "static void shifted(uint64_t *z, const uint64_t *x, const uint64_t *c, size_t n)\n{\n"
        "    const uint64_t s = c[2];\n    for (size_t i = 0; i < n; i++) {\n"
        "        z[0] = x[0] << s >> s;\n        x++;\n        z++;\n    }\n}\n"
    )
    edits = (
        ("#define WORDS 1\n", "#define WORDS 1\n" + lines[0] + shifted),
        ("uint64_t c[2];", "uint64_t c[3];"),
        ("divide(u11, 1, 64, c);", "c[2] = short_by(c);\n    const uint64_t full[1] = {c[0] << c[2]};\n"
         "    divide(u11, 1, 64, full);"),
        ("    by_1(z, x, c, n);", "    if (c[2])\n        shifted(z, x, c, n);\n    else\n        by_1(z, x, c, n);"),
    )
    with pytest.raises(ProofError, match="a number is shifted that is neither q nor an operand below q"):
        proven(("reduce", 20), tmp_path, *edits)


def test_a_product_of_two_bits_has_no_shifts(tmp_path: Path) -> None:
    with pytest.raises(ProofError, match="no modulus is shorter"):
        proven(("vmul", 2), tmp_path)


def inputs(rng: random.Random, q: int, s: int, n: int, index: int) -> Callable[[str], int]:
    """Return a function that draws what a proof for all shifts leaves open, word by word."""
    x, y = (rng.choice([0, 1, q - 1, rng.randrange(q)]) for _ in range(2))
    quotient, remainder = divmod(1 << 2 * (q << s).bit_length() + 3, q << s)
    numbers = {"q": q << s, "short q": q, "x[…]": x, "y[…]": y, "2^s * x": x << s, "r / 2^s": x * y % q}
    numbers |= {"quotient": quotient, "remainder": remainder}
    indices = [index, 0]  # The second loop is the one over parts of the vector, if there is one.

    def draw(name: str) -> int:
        array, _, word = name.rpartition("[")
        if array in numbers:
            return numbers[array] >> 64 * int(word[:-1]) & (1 << 64) - 1
        if name == "index":
            return indices.pop(0) if indices else index
        return {"n": n, "out of memory": 0, "s": s}[name]

    return draw


@pytest.mark.parametrize("bits", [6, 60, 66])
def test_every_statement_of_a_proof_for_all_shifts_holds(bits: int, tmp_path: Path) -> None:
    rng = random.Random(bits)
    path = proofs.written("vmul", bits, proofs.source("vmul", bits), tmp_path)
    source = read(path, COMPILERS["gcc, x86-64"])
    claim = claim_of(json.loads(path.with_suffix(".json").read_text(encoding="utf-8")))
    lemmas = ShiftLemmas(source, bits, claim.words, 64)
    runs = concrete.paths(source, claim, (1 << bits - 1) + 1, (1 << bits) - 1, lemmas)
    for _ in range(12):
        q = rng.randrange(3, 1 << rng.randrange(3, bits)) | 1
        s, n = bits - q.bit_length(), rng.choice([1, 2, 64, 1000])
        index, seed = rng.randrange(min(n, 64)), rng.random()
        taken = 0
        for facts in runs:
            numbers = concrete.Numbers(facts, q << s, inputs(random.Random(seed), q, s, n, index))
            if all(numbers.value(condition) == 0 for condition in facts.conditions):
                taken += 1
                assert numbers.problems() == []
        assert taken, f"q = {q}, n = {n}: no path"
