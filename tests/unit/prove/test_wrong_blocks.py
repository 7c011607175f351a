"""Wrong sources of a kernel whose set-up divides bit by bit and which shifts its operands block by block."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support import proofs

from momagen.prove.c.source import COMPILERS, read
from momagen.prove.checker import ProofError
from momagen.prove.claims import claim_of
from momagen.prove.vectors.proof import all_paths

DIVISION = "    for (size_t i = 0; i < bits; i++) {\n        uint64_t twice[2];\n"
KEEP = "            r[w] = twice[w];\n"
UP = "        z[w] = (t[at + 1] << (s % 64)) | ((t[at] >> 1) >> (63 - s % 64));\n        }\n"
BLOCKS = "            x += m * 2;\n            y += m * 2;\n"
LONG, SHORT = ((1 << 123) + 1, (1 << 124) - 1), (5, 7)
"""Moduli of 124 bits, whose operands are not shifted, and moduli of 3 bits, whose operands are."""

WRONG: dict[str, tuple[tuple[int, int], tuple[tuple[str, str], ...]]] = {
    "a division from 1": (LONG, ((DIVISION, DIVISION.replace("i = 0", "i = 1")),)),
    "a division with step 2": (LONG, ((DIVISION, DIVISION.replace("i++", "i += 2")),)),
    "a division with one more bit": (LONG, ((DIVISION, DIVISION.replace("<", "<=")),)),
    "a division with one bit less": (LONG, ((DIVISION, DIVISION.replace("bits", "bits - 1")),)),
    "a division with a special iteration": (
        LONG,
        ((KEEP, KEEP + "            if (i == 5)\n                r[w] = 0;\n"),),
    ),
    "a division that carries a value": (
        LONG,
        (
            (DIVISION, "    uint64_t extra[1] = {0};\n" + DIVISION),
            (
                "        uint64_t bit = 0;\n        for",
                "        uint64_t bit = extra[0];\n        extra[0] = 1;\n        for",
            ),
        ),
    ),
    "a division that changes its divisor": (LONG, ((KEEP, KEEP + "            ((uint64_t *)q)[0] += 0;\n"),)),
    "a division that stores too much": (
        LONG,
        (("            bit = top;\n        }\n", "            bit = top;\n        }\n        z[words] = 0;\n"),),
    ),
    "a division of 2^(bits + 1)": (LONG, (("uint64_t r[2] = {1};", "uint64_t r[2] = {2};"),)),
    # A test of the whole quotient would be correct: modulo 2^128 it is 0 exactly if the remainder is 0.
    "a test of a bit of the quotient": (LONG, (("left |= r[w];", "left |= z[w] << 63;"),)),
    "a wrong top bit": (LONG, (("z[w] >> 63", "z[w] >> 62"),)),
    "operands shifted by whole words only": (
        SHORT,
        (("const size_t at = 1 - s / 64 + w;", "const size_t at = 1 + w;"),),
    ),
    "blocks that overlap": (SHORT, (("            z += m * 2;", "            z += m * 2 - 2;"),)),
    "blocks of 65 elements": (SHORT, (("n < 64 ? n : 64", "n < 65 ? n : 65"),)),
    "a scratch array that is too short": (SHORT, (("uint64_t t[128]", "uint64_t t[127]"),)),
    "results shifted by one bit more": (SHORT, (("shift_down(z, t, m, s)", "shift_down(z, t, m, s + 1)"),)),
    "a product of unshifted operands": (SHORT, (("product(t, t, y, c, m)", "product(t, x, y, c, m)"),)),
    "a product of fewer elements": (SHORT, (("product(t, t, y, c, m)", "product(t, t, y, c, m - 1)"),)),
    "a product stored one element further": (SHORT, (("product(t, t, y, c, m)", "product(t + 2, t, y, c, m)"),)),
    "a block of y used twice": (SHORT, (("            y += m * 2;\n", ""),)),
    "operands exchanged after a block": (
        SHORT,
        ((BLOCKS, "            const uint64_t *p = x;\n            x = y + m * 2;\n            y = p + m * 2;\n"),),
    ),
    "a store into the next element": (SHORT, ((UP, UP + "        z[2] = 0;\n"),)),
}


def _problem(moduli: tuple[int, int], edits: tuple[tuple[str, str], ...], folder: Path) -> str:
    path = proofs.written("vmul", 124, proofs.edited("vmul", 124, *edits), folder)
    claim = claim_of(json.loads(path.with_suffix(".json").read_text(encoding="utf-8")))
    compiler = "gcc, x86-64"
    try:
        all_paths(read(path, COMPILERS[compiler]), claim, moduli, compiler)
    except (ProofError, AttributeError) as error:
        return str(error)
    return ""


@pytest.mark.whole
@pytest.mark.parametrize("moduli", [LONG, SHORT])
def test_the_generated_kernel_is_proven(moduli: tuple[int, int], tmp_path: Path) -> None:
    assert _problem(moduli, (), tmp_path) == ""


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_text_is_rejected(name: str, tmp_path: Path) -> None:
    assert _problem(*WRONG[name], tmp_path) != ""
