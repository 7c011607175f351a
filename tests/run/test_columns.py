"""Transforms of every column of a matrix: each by its definition, whatever stands beside it, by every door."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product
from pathlib import Path
from random import Random

import numpy as np
import pytest
from support.oracle import result

import momagen as mg
from momagen.bench.measure.kernel import default_batch, units
from momagen.cli import main
from momagen.errors import MomagenError
from momagen.formula.breakdown import ALGORITHMS
from momagen.kinds.modular.derived.inner import of_modulus

COUNTS = (2, 3, 4, 5, 8, 12, 17)
"""Columns: fewer than lanes, as many, more; powers of two, whole vectors, and a rest."""
SHAPES = list(product((False, True), repeat=2))
"""Inverse, negacyclic."""


def check(kernel: mg.Kernel) -> None:
    """A batch of two matrices of integers, out of place and in place: every column."""
    spec, random = kernel.spec, Random(kernel.name)
    q, shape = spec.modulus, (2, spec.n, spec.columns)
    x = np.array([random.choice((0, 1, q - 1, random.randrange(q))) for _ in range(2 * spec.elements)], object)
    x = x.reshape(shape)
    y = kernel(x)
    for batch, column in product(range(2), range(spec.columns)):
        assert y[batch, :, column].tolist() == result(spec, x[batch, :, column].tolist()), (batch, column)
    rows = np.array([[value >> 64 * w & 2**64 - 1 for w in range(kernel.words)] for value in x.ravel()], np.uint64)
    words = rows.reshape(*shape, kernel.words)
    again = kernel(words.copy())
    assert kernel(words, out=words) is words and np.array_equal(words, again)
    assert [sum(int(w) << 64 * i for i, w in enumerate(row)) for row in again.reshape(-1, kernel.words)] == [*y.ravel()]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("target", ["c", "c64", "c32", "avx2", "avx512", "python"])
@pytest.mark.parametrize("columns", COUNTS)
def test_every_column_is_transformed_by_itself(columns: int, target: str) -> None:
    random = Random(f"{columns} {target}")
    inverse, negacyclic = random.choice(SHAPES)
    bits, order = random.choice((32, 64, 128, 260)), random.choice(("bitrev", "natural"))
    n = random.choice((2, 4, 8, 16, 32))
    check(mg.ntt(n, columns=columns, bits=bits, target=target, inverse=inverse, negacyclic=negacyclic, order=order))


@pytest.mark.thorough
@pytest.mark.sampled(2)
@pytest.mark.parametrize("columns", [2, 4, 9])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_data_flow_has_columns(algorithm: str, columns: int) -> None:
    for inverse, negacyclic in SHAPES:
        shape = {"inverse": inverse, "negacyclic": negacyclic, "order": Random(columns).choice(("bitrev", "natural"))}
        check(mg.ntt(32, columns=columns, bits=64, target="avx2", algorithm=algorithm, **shape))  # type: ignore[arg-type]


@pytest.mark.thorough
def test_codelets_beyond_a_pass_have_columns() -> None:
    check(mg.ntt(4, columns=5, bits=1024, target="avx2", limbs="full"))


@pytest.mark.sampled(9)
@pytest.mark.parametrize("target", ["avx2", "avx512", "avx512ifma"])
@pytest.mark.parametrize("columns", [3, 5, 16, 17])
@pytest.mark.parametrize("width", [31, 50, 60, 64, 124, 254])
def test_columns_go_in_steps_and_tiles(width: int, columns: int, target: str) -> None:
    """Of every width, in one pass and in several."""
    random = Random(f"{width} {columns} {target}")
    inverse, negacyclic = random.choice(SHAPES)
    order, n = random.choice(("bitrev", "natural")), random.choice((2, 8, 64))
    kernel = mg.ntt(
        n, columns=columns, modulus_bits=width, target=target, inverse=inverse, negacyclic=negacyclic, order=order
    )
    check(kernel)
    assert not any("permutes" in each.note or "transposed" in each.note for each in kernel.plan.passes)


@pytest.mark.parametrize(("columns", "more"), [(9, {"levels": 2}), (16, {"levels": 2, "storage": "words"})])
@pytest.mark.parametrize("inverse", [False, True])
def test_tiles_of_columns_go_in_several_passes(columns: int, more: dict[str, object], inverse: bool) -> None:
    asked = {"inverse": inverse, "order": ("bitrev", "natural")[inverse == (columns > 9)], **more}
    made = mg.ntt(32, columns=columns, modulus_bits=100, target="avx2", **asked)  # type: ignore[arg-type]
    levels = [each.levels for each in made.plan.passes if each.note != "reorders"]
    assert levels == ([2, 2, 1] if not inverse else [1, 2, 2])
    check(made)


def test_columns_in_steps_have_the_tables_of_one_transform() -> None:
    plan = mg.ntt(1024, columns=24, modulus_bits=48, target="avx512ifma").plan
    assert sum(each.entries for each in plan.passes) == 1023 and plan.passes[-1].bits.endswith("ccvvv")
    assert "in 2 passes, depth first" in plan.residues


@pytest.mark.parametrize("target", ["c", "avx2"])
def test_verification_sees_one_column_that_is_wrong(target: str) -> None:
    kernel = mg.ntt(16, columns=5, bits=64, target=target)
    assert kernel.verify()
    call = "    transform(y, x, c, tables);\n"
    assert call in kernel.source
    for fault in ("y[79] ^= 1;", "y[7] = y[6];", "y[2] = y[1];"):
        wrong = replace(kernel.generated, source=kernel.source.replace(call, f"{call}    {fault}\n"))
        assert mg.Kernel(wrong).verify().mismatch is not None, fault


def test_verification_sees_it_where_not_every_output_is_compared() -> None:
    kernel = mg.ntt(1024, columns=4, bits=64)
    call = "    transform(y, x, c, tables);\n"
    wrong = replace(kernel.generated, source=kernel.source.replace(call, f"{call}    y[2222] ^= 1;\n"))
    report = mg.Kernel(wrong).verify()
    assert report.mismatch and report.mismatch.method in ("definition", "inverse∘forward")


def test_columns_go_with_several_moduli() -> None:
    kernel = mg.ntt(8, columns=3, moduli=2, bits=64)
    assert kernel.verify() and kernel.name == "ntt8_columns3_rns_60b_c"
    x = [[[(i * 3 + j) * 5**m for j in range(3)] for i in range(8)] for m in range(2)]
    y = np.array(kernel(x), object)
    for at in range(2):
        one = of_modulus(kernel.spec, at)
        for column in range(3):
            assert [*y[at, :, column]] == result(one, [row[column] for row in x[at]])
    with pytest.raises(MomagenError, match=r"x\[…, 1, …\]"):
        kernel([x[0], [[kernel.moduli[1]] * 3] * 8])
    batch = np.ones((4, 2, 8, 3), np.uint64)
    assert kernel(batch).shape == batch.shape


def test_the_inverse_undoes_it_and_a_saved_one_is_the_same(tmp_path: Path) -> None:
    kernel = mg.ntt(16, columns=6, bits=64, negacyclic=True, order="natural")
    x = [[i * j for j in range(6)] for i in range(16)]
    again = mg.load(kernel.save(tmp_path))
    assert again.spec == kernel.spec and again(x) == kernel(x) and kernel.inverse()(kernel(x)) == x
    other = kernel.with_modulus(12289)
    assert [row[0] for row in other(x)] == result(other.spec, [0] * 16)
    assert "--columns 6" in kernel.spec.command() and f"{kernel.name.upper()}_COLUMNS 6" in kernel.header
    asked = kernel.spec.command().split()[1:]
    assert main([*asked, "--no-bench", "--no-verify", "--output", str(tmp_path)]) == 0
    assert (tmp_path / f"{kernel.name}.c").read_text(encoding="utf-8") == kernel.source


def test_operands_have_an_axis_of_columns() -> None:
    kernel = mg.ntt(4, columns=2, modulus=17)
    assert kernel([[1, 2], [3, 4], [5, 6], [7, 8]]) == [[16, 3], [13, 13], [14, 14], [12, 12]]
    assert kernel(np.ones((3, 4, 2), np.uint64)).shape == (3, 4, 2)
    assert kernel(np.ones((4, 2, 1), np.uint64)).shape == (4, 2, 1)
    assert len(kernel(bytes(2 * 4 * 2 * 8))) == 128
    for value in ([1, 2, 3, 4], np.ones((2, 4), np.uint64), np.ones((4, 3, 2), np.uint64)):
        with pytest.raises(MomagenError, match=r"x: expected a uint64 array of shape \(…, 4, 2, 1\) or \(…, 4, 2\)"):
            kernel(value)
    with pytest.raises(MomagenError, match=r"x\[3\]\[1\]: expected residues below the modulus 17, got 18"):
        kernel([[1, 2], [3, 4], [5, 6], [7, 18]])
    with pytest.raises(MomagenError, match="a multiple of 64 bytes"):
        kernel(bytes(32))


def test_the_plan_has_columns_and_the_tables_of_one_transform() -> None:
    kernels = {m: mg.ntt(256, columns=m, bits=64, target="avx2", radix=4) for m in (4, 12)}
    plan = kernels[12].plan
    assert [each.bits[-4:] for each in plan.passes] == ["ccvv"] * 4 and [each.levels for each in plan.passes] == [2] * 4
    assert not any("L" in each.bits[-4:] or "permutes" in each.note for each in plan.passes)
    assert "column (12)" in str(plan) and "c loop over columns" in str(plan) and plan.formula.endswith("⊗ I(12)")
    assert kernels[4].plan.table == plan.table
    left = mg.ntt(256, columns=7, bits=64, target="avx2", radix=4)
    assert "3 columns one by one" in str(left.plan) and "scalar code for 3 of 7 columns" in left.notes


@pytest.mark.thorough
def test_the_commands_take_columns(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    ask = ["ntt", "--n", "16", "--columns", "4", "--bits", "64", "--no-bench", "--json", "--output", str(tmp_path)]
    assert main(ask) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["columns"] == 4 and told["verify"]["ok"]
    assert main(["verify", str(tmp_path)]) == 0 and "ntt16_columns4_60b_c: PASS" in capsys.readouterr().out
    assert main(["explain", "ntt", "--n", "16", "--columns", "4", "--target", "c"]) == 0
    assert "LL..cc" in capsys.readouterr().out


def test_butterflies_of_all_columns_are_counted() -> None:
    one, four = (mg.ntt(64, columns=m, bits=64) for m in (1, 4))
    assert units(four.spec, 3) == 4 * units(one.spec, 3) == 4 * 3 * 32 * 6
    assert 4 * default_batch(four.spec) == default_batch(one.spec)
    assert four.bench(repetitions=3).unit == "butterfly"
