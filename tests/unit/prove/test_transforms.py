"""Transforms are proven for every modulus and root, and wrong sources are not."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from support.transforms import files, written

import momagen as mg
from momagen.kinds.modular.options.declared import OptionFields
from momagen.kinds.parameter import ParameterRole, parameters_of
from momagen.prove.c.source import COMPILERS, read
from momagen.prove.kernels import prove
from momagen.prove.transforms.claim import SAME_RESULT, transform_of
from momagen.prove.transforms.field import RandomField
from momagen.prove.transforms.proof import TransformProof

pytest.importorskip("pycparser")


@pytest.mark.parametrize("is_inverse", [False, True])
@pytest.mark.parametrize(
    ("n", "bits", "is_negacyclic"), [(16, 60, False), (16, 62, True), (8, 40, True), (4, 33, False), (64, 62, True)]
)
def test_a_transform_is_proven(n: int, bits: int, is_negacyclic: bool, is_inverse: bool, tmp_path: Path) -> None:
    result = prove(written(files(n, bits, is_negacyclic, is_inverse), tmp_path))
    assert result.problem == ""
    assert f"q < 2^{bits}" in result.claim
    assert ("whose values" in result.claim) == is_inverse
    assert "probability below 2^-64" in result.claim
    assert result.elements >= 2 * n


@pytest.mark.thorough
def test_equal_parts_are_proven_once(tmp_path: Path) -> None:
    path = written(files(64, 60), tmp_path)
    claim = transform_of(json.loads(path.with_suffix(".json").read_text(encoding="utf-8")))
    proof = TransformProof(read(path, COMPILERS["gcc, x86-64"]), claim, "seed")
    proof.prove()
    assert len(proof.summaries) < 40


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("is_negacyclic", "is_inverse"), [(False, False), (True, True)])
@pytest.mark.parametrize(
    ("n", "bits"), [(2, 60), (8, 8), (8, 31), (8, 64), pytest.param(8, 124, marks=pytest.mark.thorough)]
)
def test_a_transform_of_another_width_is_proven(
    n: int, bits: int, is_negacyclic: bool, is_inverse: bool, tmp_path: Path
) -> None:
    assert prove(written(files(n, bits, is_negacyclic, is_inverse), tmp_path)).problem == ""


@pytest.mark.thorough
@pytest.mark.sampled(1)
@pytest.mark.parametrize("bits", [40, 60])
@pytest.mark.parametrize("is_inverse", [False, True])
def test_a_transform_in_words_only_is_proven(bits: int, is_inverse: bool, tmp_path: Path) -> None:
    assert prove(written(files(4, bits, is_inverse, is_inverse, "c64"), tmp_path)).problem == ""


SWAP = "put_tree(tables + 6 + b0 * 6, 1, powers, c, b0, 2, 1, 0)"
WRONG = {
    # Tables and set-up.
    "twiddles of another block": (SWAP, SWAP.replace("c, b0,", "c, b0 ^ 1,")),
    "a quotient of a twiddle that is 1 too large": ("entry[step] = fraction[0];", "entry[step] = fraction[0] + 1;"),
    "a quotient and a twiddle exchanged": ("entry[0] = v[0];\n    entry[step]", "entry[step] = v[0];\n    entry[0]"),
    "too few steps of Newton's iteration": ("i < 5", "i < 4"),
    "a wrong power of two": ("literal_one, 64, c", "literal_one, 63, c"),
    "a power that is not squared": ("mont(power, power, power, c)", "mont(power, power, one, c)"),
    "a wrong first power": ("memcpy(powers, one,", "memcpy(powers, power,"),
    "a table that is too short": ("malloc(sizeof(uint64_t) * 30)", "malloc(sizeof(uint64_t) * 29)"),
    "an allocation that is not freed": ("free(powers);", ""),
    "an allocation of the plan that is not freed": ("free(plan->tables);", ""),
    "an allocation that is not checked": ("plan && plan->tables && powers", "plan && plan->tables"),
    # What create accepts.
    "every root is accepted": ("return memcmp(sum, literal_zero, sizeof(uint64_t) * 1) == 0;", "return 1;"),
    "roots above q are accepted": ("!below(root, q)", "0"),
    "even moduli are accepted": ("(q[0] & 1) && ", ""),
    "longer moduli are accepted": ("q[0] >> 60 == 0", "q[0] >> 61 == 0"),
    "long moduli are refused": ("q[0] >> 60 == 0", "q[0] >> 59 == 0"),
    "the modulus 3 is refused": ("q[0] > 2", "q[0] > 3"),
    "a NULL root is read": ("if (!q || !root)", "if (!q)"),
    "a NULL plan is read": ("if (!plan || (batch", "if ((batch"),
    # Passes.
    "a range that is doubled": ("q_0 << 2", "q_0 << 3"),
    "a sum for a difference": ("const uint64_t t6 = x0_0 + t5;", "const uint64_t t6 = x0_0 - t5;"),
    "a difference that may be negative": ("const uint64_t t7 = x0_0 + t1;", "const uint64_t t7 = x0_0;"),
    "a quotient in 32 bits": ("const uint64_t t4 = t2 * q_0;", "const uint64_t t4 = (uint32_t)(t2 * q_0);"),
    "a shift by another number of bits": ("* u1_0) >> 64", "* u1_0) >> 63"),
    "another twiddle": ("const uint64_t u3_0 = tw[5]", "const uint64_t u3_0 = tw[3]"),
    "another twiddle and its quotient": (
        "const uint64_t v3_0 = tw[4];\n    const uint64_t u3_0 = tw[5]",
        "const uint64_t v3_0 = tw[2];\n    const uint64_t u3_0 = tw[3]",
    ),
    "two results exchanged": ("y2[0] = t27;\n        y3[0] = t29", "y3[0] = t27;\n        y2[0] = t29"),
    "a result that is not stored": ("y3[0] = t29", "y2[0] = t29"),
    "a loop that ends early": ("i0 < step", "i0 < step - 1"),
    "a loop that ends late": ("i0 < step", "i0 <= step"),
    "a pass of another distance": ("pass_0(y, x, c, tables, 4)", "pass_0(y, x, c, tables, 2)"),
    "a pass with other twiddles": ("pass_1(y, y, c, tables + 6, 1, 4)", "pass_1(y, y, c, tables, 1, 4)"),
    "a pass from the operand": ("pass_1(y, y, c,", "pass_1(y, x, c,"),
    # The loop over the vectors.
    "vectors that overlap": ("x += 16, y += 16", "x += 16, y += 15"),
    "the same operand for all vectors": ("x += 16, y += 16", "y += 16"),
    "every other vector": ("b < batch; b++", "b < batch; b += 2"),
    "the first vector only": ("run(y, x, plan->c, plan->tables);", "if (b == 0) run(y, x, plan->c, plan->tables);"),
    "a branch on the operand": ("run(y, x, plan->c, plan->tables);", "run(y, x, plan->c, plan->tables); if (x[0]) y;"),
    "no loop over the vectors": (
        "for (size_t b = 0; b < batch; b++, x += 16, y += 16)\n        run(",
        "run(",
    ),
    "an operand that is changed before the loop": ("for (size_t b", "y[0] = 0;\n    for (size_t b"),
    "a result that is changed after the loop": (
        "        run(y, x, plan->c, plan->tables);\n",
        "        run(y, x, plan->c, plan->tables);\n    y[-1] = 0;\n",
    ),
    "a word that is passed to a loop": (
        "pass_0(y, x, c, tables, 4)",
        "pass_0(y, x, c, tables, 4 + (x[0] > 9))",
    ),
    "a branch on the modulus between two parts": (
        "pass_0(y, x, c, tables, 4);",
        "if (c[0] > 9) pass_0(y, x, c, tables, 4);",
    ),
    "a comparison of fewer bytes": (
        "return memcmp(sum, literal_zero, sizeof(uint64_t) * 1) == 0;",
        "return memcmp(sum, literal_zero, sizeof(uint32_t) * 1) == 0;",
    ),
    "a comparison of the operand": (
        "run(y, x, plan->c, plan->tables);",
        "{ run(y, x, plan->c, plan->tables); if (memcmp(x, y, sizeof(uint64_t) * 1) == 0) y; }",
    ),
    "a comparison that is not used": (
        "return memcmp(sum, literal_zero, sizeof(uint64_t) * 1) == 0;",
        "return memcmp(sum, literal_zero, sizeof(uint64_t) * 1) == 0 || 1;",
    ),
    "an error for no vectors": ("if (!batch)\n        return NTT16_60B_C_OK", "if (!batch)\n        return 1"),
}


def test_a_number_of_two_words_is_not_kept_as_one(tmp_path: Path) -> None:
    edits = (
        (
            "const uint64_t *const tw = tables;",
            "const u128 s = (u128)c[0] * c[1];\n    const uint64_t *const tw = tables;",
        ),
        ("y3[0] = t29;", "y3[0] = t29 + (uint64_t)(s >> 64);"),
    )
    assert "longer than a word" in prove(written(files(16, 60), tmp_path, *edits)).problem


WRONG_INVERSE = {
    "a root whose order is not checked": (
        "if (invert_root(g, one, c, 4) == 0)\n        return 0;",
        "invert_root(g, one, c, 4);",
    ),
    "an order that is compared and not used": (
        "if (invert_root(g, one, c, 4) == 0)\n        return 0;",
        "if (invert_root(g, one, c, 4) == 0)\n        ;",
    ),
    "a power too few": ("invert_root(g, one, c, 4)", "invert_root(g, one, c, 3)"),
    "a wrong scale": ("doubled(scale, literal_one, 60, c)", "doubled(scale, literal_one, 61, c)"),
    "no inverse": ("if (invert_root(g, one, c, 4) == 0)\n        return 0;", ""),
}


@pytest.mark.thorough
@pytest.mark.sampled(12)
@pytest.mark.parametrize("what", [*WRONG, *WRONG_INVERSE])
def test_a_wrong_transform_is_not_proven(what: str, tmp_path: Path) -> None:
    edit = WRONG.get(what) or WRONG_INVERSE[what]
    assert prove(written(files(16, 60, is_inverse=what in WRONG_INVERSE), tmp_path, edit)).problem


def test_options_of_the_claim_change_no_result() -> None:
    roles = {name: each.param.role for name, each in parameters_of(OptionFields).items()}
    same = {name for name, role in roles.items() if role in (ParameterRole.CODE, ParameterRole.RUN)}
    assert same - {"bake"} == SAME_RESULT, "a baked modulus is no argument of create"


def test_a_claim_of_another_order_is_not_proven(tmp_path: Path) -> None:
    found = {name: text.replace('"order": "bitrev"', '"order": "natural"') for name, text in files(16, 60).items()}
    assert prove(written(found, tmp_path)).problem


def test_a_claim_of_another_ring_is_not_proven(tmp_path: Path) -> None:
    found = {name: text.replace('"negacyclic": false', '"negacyclic": true') for name, text in files(16, 60).items()}
    assert prove(written(found, tmp_path)).problem


def test_a_kernel_with_an_option_that_changes_the_result_has_no_claim(tmp_path: Path) -> None:
    mg.ntt(16, modulus_bits=60, target="c", output_factor=4).save(tmp_path)
    assert "no claim" in prove(next(tmp_path.glob("*.c"))).problem


@pytest.mark.parametrize("order", [1, 2, 16, 2048])
def test_the_root_of_the_field_has_its_order(order: int) -> None:
    field = RandomField(order, "seed")
    assert pow(int(field.root), order, int(field.prime)) == 1
    assert order == 1 or pow(int(field.root), order // 2, int(field.prime)) == field.prime - 1


def test_polynomials_are_evaluated_in_the_field() -> None:
    field, draw = RandomField(16, "seed"), random.Random(1)
    x, y = draw.randrange(1 << 100), draw.randrange(1 << 100)
    p = int(field.prime)
    assert field.evaluate(((3, (0, 1)), (-1, (1,)), (7, ())), [x, y]) == (3 * x * y - y + 7) % p
    assert field.evaluate(((1, (0,)),), [None]) is None
    assert field.differ_by_power_of_two(field.evaluate(((-8, (0,)),), [x]), x)
    assert not field.differ_by_power_of_two(field.evaluate(((3, (0,)),), [x]), x)
