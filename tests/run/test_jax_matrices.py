"""Kernels by matrices of digits: transforms in three steps and more, constant matrices, conversions between bases."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

import momagen as mg
from momagen.cli import main
from momagen.errors import MomagenError
from momagen.kinds.modular import typed

jax = pytest.importorskip("jax")

TRANSFORMS = [
    {"n": 64, "dense": 8, "modulus_bits": 28, "negacyclic": True},
    {"n": 64, "dense": 8, "modulus_bits": 28, "inverse": True},
    {"n": 256, "dense": 4, "modulus_bits": 31, "negacyclic": True, "inverse": True},
    {"n": 64, "dense": 16, "modulus_bits": 28, "order": "natural", "negacyclic": True},
    {"n": 64, "dense": 16, "modulus_bits": 28, "order": "natural", "inverse": True},
    {"n": 8, "dense": 8, "modulus_bits": 16}, {"n": 64, "dense": 8, "modulus_bits": 32},
    {"n": 16, "dense": 4, "modulus_bits": 97, "negacyclic": True},
    {"n": 32, "dense": 8, "modulus_bits": 60}, {"n": 32, "dense": 8, "modulus_bits": 63, "negacyclic": True},
    {"n": 2048, "dense": 16, "modulus_bits": 28, "negacyclic": True}, {"n": 512, "dense": 512, "modulus_bits": 28},
    {"n": 64, "dense": 8, "modulus_bits": 28, "moduli": 3, "negacyclic": True},
    {"n": 64, "dense": 8, "modulus_bits": 28, "columns": 5, "negacyclic": True, "inverse": True},
    *[{"n": 64, "dense": 8, "modulus_bits": 28, "engine": each} for each in get_args(typed.Engine)],
    *[{"n": 64, "dense": 8, "modulus_bits": bits, "engine": "int32"} for bits in (16, 31, 60)],
    {"n": 64, "dense": 8, "modulus_bits": 60, "engine": "float64"},
    {"n": 64, "dense": 8, "modulus_bits": 28, "input_factor": 2, "output_factor": 2},
    {"n": 16, "factors": "2x8", "modulus_bits": 50, "sums": "folded"},  # folds of different lengths
]  # fmt: skip


@pytest.mark.sampled(12)
@pytest.mark.parametrize("asked", TRANSFORMS)
def test_transforms_by_matrices_are_verified(asked: dict[str, Any]) -> None:
    assert mg.ntt(target="jax", **asked).verify().ok


@pytest.mark.slow
@pytest.mark.parametrize("bits", [124, 252])
def test_moduli_of_many_words_go_by_digits(bits: int) -> None:
    assert mg.ntt(16, dense=4, modulus_bits=bits, target="jax").verify().ok


@pytest.mark.parametrize("asked", [{"modulus_bits": 28}, {"modulus_bits": 28, "moduli": 2, "negacyclic": True}])
def test_products_of_polynomials_by_matrices_are_verified(asked: dict[str, Any]) -> None:
    assert mg.polymul(32, dense=8, target="jax", **asked).verify().ok


@pytest.mark.parametrize("target", ["jax_cpu", "jax_gpu", "jax_tpu"])
def test_every_machine_is_verified(target: str) -> None:
    kernel = mg.ntt(256, modulus_bits=28, negacyclic=True, target=target)
    assert kernel.verify().ok and ("products(" in kernel.source) == (target == "jax_tpu")


def test_the_plan_says_engine_digits_and_matrices() -> None:
    kernel = mg.ntt(4096, modulus_bits=28, negacyclic=True, dense=64, target="jax")
    assert [each.note for each in kernel.plan.passes] == ["matrix of 64 × 64", "twiddles", "matrix of 64 × 64"]
    assert "int8, 4 parts of 8 bits, 16 products" in str(kernel.plan)
    many = mg.ntt(1 << 16, modulus_bits=28, dense=16, target="jax").plan
    assert [each.levels for each in many.passes] == [4, 0, 4, 0, 4, 0, 4]


def test_explain_shows_how_matrices_come_about(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "ntt", "--n", "256", "--modulus-bits", "28", "--target", "jax_tpu", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["codelets"][0]["name"].startswith("digits_")
    assert main(["explain", "ntt", "--n", "4096", "--modulus-bits", "28", "--target", "jax_tpu"]) == 0
    assert "three_step (R5)" in capsys.readouterr().out


@pytest.mark.parametrize(("asked", "message"), [
    ({"target": "c", "dense": 8}, "matrix engines"),
    ({"target": "jax", "dense": 8, "radix": 2}, "cannot be combined with `dense`"),
    ({"target": "jax_tpu", "engine": "float64"}, "one of the engines"),
    ({"target": "cuda", "engine": "int8"}, "matrix engines"),
])  # fmt: skip
def test_matrices_are_refused_where_there_are_none(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(MomagenError, match=message):
        mg.ntt(64, modulus_bits=28, **asked)


@pytest.mark.parametrize(("bits", "q"), [(28, (1 << 28) - 57), (31, (1 << 31) - 1), (60, (1 << 60) - 93), (7, 97)])
@pytest.mark.parametrize("engine", [None, "int32", "float32"])
def test_matrices_are_multiplied(bits: int, q: int, engine: Any) -> None:
    rng = random.Random(bits)
    matrix = [[rng.choice([0, q - 1, q // 2, q // 2 + 1, rng.randrange(q)]) for _ in range(33)] for _ in range(5)]
    kernel = mg.matmul(matrix, modulus=q, engine=engine)
    assert kernel.verify() and f"_{bits}b_" in kernel.name


CONVERSIONS = [
    {"moduli": 3, "to": 4, "modulus_bits": 28}, {"moduli": 12, "to": 28, "modulus_bits": 28, "exact": False},
    {"moduli": 5, "to": 2, "modulus_bits": 31}, {"moduli": [97, 193], "to": [65537, 97]}, {"moduli": [7], "to": [3, 5]},
    {"moduli": 3, "to": 2, "modulus_bits": 60}, {"moduli": 3, "to": 4, "modulus_bits": 28, "engine": "float64"},
    {"moduli": 4, "to": 4, "modulus_bits": 28, "engine": "int8"},
    *[{"moduli": 3, "to": 2, "modulus_bits": bits, "engine": "int32"} for bits in (16, 28, 31, 60)],
    {"moduli": 24, "to": 3, "modulus_bits": 28, "engine": "words"},
    {"moduli": 2, "to": 2, "modulus_bits": 30, "engine": "words"},
    {"moduli": 12, "to": 4, "modulus_bits": 28, "engine": "words", "exact": False},
]  # fmt: skip


@pytest.mark.parametrize(("bits", "exact"), [(32, True), (64, False)])
def test_moduli_that_fill_their_words_are_converted(bits: int, exact: bool) -> None:
    assert mg.convert(3, to=2, modulus_bits=bits, exact=exact, target="jax").verify()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("asked", CONVERSIONS)
def test_conversions_are_verified(asked: dict[str, Any]) -> None:
    assert mg.convert(**asked, target="jax").verify()


@pytest.mark.thorough
@pytest.mark.parametrize("engine", ["int8", "words"])
def test_blocks_of_columns_are_as_one(engine: Any) -> None:
    """Also where some columns of some blocks are too near to ±Q/2 to be sure at once."""
    import jax.numpy as jnp

    kernel = mg.convert(3, to=2, modulus_bits=28, engine=engine, target="jax")
    block, half = kernel.tables.names["BLOCK"], (int(np.prod(np.array(kernel.moduli, object))) - 1) // 2
    rng = random.Random(1)
    numbers = [rng.randrange(-half, half + 1) for _ in range(2 * block)]
    numbers[block + 5], numbers[block + 6] = half, -half
    x = jnp.asarray(np.array([[a % q for a in numbers] for q in kernel.moduli], np.uint32))
    assert np.asarray(kernel(x)).tolist() == [[a % p for a in numbers] for p in kernel.goals]
    assert np.asarray(kernel(jnp.stack([x, x])))[1].tolist() == [[a % p for a in numbers] for p in kernel.goals]


def test_no_columns_are_none() -> None:
    import jax.numpy as jnp

    kernel, conversion = mg.matmul([[1, 2]], modulus=97), mg.convert([97, 193], to=[257], target="jax")
    assert kernel(jnp.zeros((3, 2, 0), np.uint32)).shape == (3, 1, 0)
    assert conversion(jnp.zeros((0, 2, 5), np.uint32)).shape == (0, 1, 5)
    assert kernel(jnp.ones((2, 1), np.uint32)).tolist() == [[3]]


def test_a_wrong_matrix_is_found() -> None:
    kernel = mg.matmul([[1, 2], [3, 4]], modulus=97)
    kernel.tables.tables["m"] = kernel.tables.tables["m"].at[0, 0].add(1)
    report = kernel.verify()
    assert not report and "definition" in report.fault
    other = mg.convert([97, 193], to=[65537], target="jax")
    other.tables.tables["words"] = other.tables.tables["words"].at[0].add(2)
    assert not other.verify()


@pytest.mark.parametrize(("call", "message"), [
    (lambda: mg.matmul([[1, 2], [3]], modulus=97), "of the same length"),
    (lambda: mg.matmul([[1]], modulus=4), "odd number"),
    (lambda: mg.matmul([[1]], modulus=97, target="c"), "matrix engines"),
    (lambda: mg.matmul([], modulus=97), "rows"),
    (lambda: mg.convert([3, 9], to=[5]), "coprime"), (lambda: mg.convert(3, to=2), "modulus_bits"),
    (lambda: mg.convert([97], to=[]), "expected 1 to 4095 moduli"),
    (lambda: mg.convert([97], to=[8], target="jax"), r"to\[0\]"),
    (lambda: mg.matmul([[1]], modulus=97)([[1], [2]]), "1 rows of integers"),
    (lambda: mg.matmul([[1]], modulus=97)([[97]]), "residues below 97"),
    (lambda: mg.matmul([[1]], modulus=97)(jax.numpy.zeros((2, 2), "uint32")), "uint32 words of JAX"),
])  # fmt: skip
def test_bad_matrices_and_bases_are_refused(call: Any, message: str) -> None:
    with pytest.raises(MomagenError, match=message):
        call()


def test_the_commands_print_and_verify(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "matrix.json"
    file.write_text("[[1, 2, 96], [95, 4, 5]]", encoding="utf-8")
    assert main(["matmul", "--modulus", "97", "--matrix", str(file), "--output", str(tmp_path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["rows"], found["inner"], found["verify"]["ok"]) == (2, 3, True)
    own: dict[str, Any] = {}
    exec((tmp_path / "matmul2x3_7b_jax.py").read_text(encoding="utf-8"), own)
    (z,) = own["execute"](own["create"](97, [[1, 2, 96], [95, 4, 5]]), (np.array([[1], [2], [3]], np.uint32),))
    assert z.tolist() == [[(1 + 4 - 3) % 97], [(95 + 8 + 15) % 97]]
    assert main(["convert", "--moduli", "3", "--to", "97,193", "--modulus-bits", "28", "--approximate",
                 "--target", "jax"]) == 0  # fmt: skip
    assert "PASS" in capsys.readouterr().out and not [*tmp_path.glob("convert*")]


@pytest.mark.parametrize("words", [
    ["matmul", "--modulus", "8"], ["matmul", "--modulus", "97", "--rows", "0"],
    ["matmul", "--modulus", "97", "--matrix", "no"],
    ["convert", "--moduli", "3", "--to", "2"], ["convert", "--moduli", "3,9", "--to", "5,7"],
    ["convert", "--moduli", "3", "--to", "2", "--modulus-bits", "28", "--target", "jax", "--engine", "int3"],
    ["convert", "--moduli", "3", "--to", "2", "--modulus-bits", "28", "--engine", "int8"],
    ["matmul", "--modulus", "97", "--target", "native"],
])  # fmt: skip
def test_the_commands_refuse(words: list[str], tmp_path: Path) -> None:
    assert main([*words, "--output", str(tmp_path)]) == 2 and not [*tmp_path.iterdir()]
