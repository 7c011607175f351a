"""Transforms of any size: every size of one build is what its definition says, and what a kernel of that size gives."""

from __future__ import annotations

import pickle
import random
from pathlib import Path

import numpy as np
import pytest

import momagen as mg
from momagen.cli import main
from momagen.emit.codes import Refused
from momagen.errors import MomagenError
from momagen.verify.oracle import Definition

MAX_N = 64
SHAPES = [
    {"modulus_bits": 50, "negacyclic": True, "input_factor": 4},
    {"modulus_bits": 50, "negacyclic": True, "inverse": True},
    {"modulus_bits": 62, "inverse": True, "input_factor": 2},
    {"modulus_bits": 124, "order": "natural"},
    {"modulus": "goldilocks", "algorithm": "pease"},
    {"modulus_bits": 255, "negacyclic": True},
]


@pytest.mark.thorough
@pytest.mark.parametrize("target", ["c", "c64", "avx2", "avx512", "avx512ifma"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.sampled(3)
def test_every_size_is_right(shape: dict[str, object], target: str) -> None:
    kernel = mg.ntt("any", max_n=MAX_N, target=target, **shape)  # type: ignore[arg-type]
    report = kernel.verify()
    assert report.ok, report
    assert report.vectors > 6 * 10


@pytest.mark.parametrize("target", ["c", "avx512"])
def test_twiddles_of_the_innermost_loop_move_on(target: str) -> None:
    """Of 32 points the last pass has one loop, each turn of which has twiddles of its own on vectors."""
    assert mg.ntt(32, modulus="goldilocks", algorithm="pease", target=target).verify().ok


@pytest.fixture(scope="module")
def kernel() -> mg.Kernel:
    return mg.ntt("any", max_n=MAX_N, modulus_bits=62, negacyclic=True)


@pytest.mark.parametrize("n", [2, 8, 64])
def test_a_call_takes_the_size_of_what_it_is_given(kernel: mg.Kernel, n: int) -> None:
    draw = random.Random(n)
    x = [draw.randrange(kernel.modulus) for _ in range(n)]
    one = kernel.at(n)
    right = Definition(one.spec, one.modulus, one.root).outputs(mg.params.words.to_words(x, 1), range(n))
    assert kernel(x) == one(x) == right
    rows = np.array([x, x[::-1]], np.uint64)
    assert kernel(rows).tolist() == [right, one(x[::-1])]
    assert kernel(rows[..., None]).shape == (2, n, 1)
    assert kernel(tuple(x)) == right
    data = rows[0].astype("<u8").tobytes()
    assert kernel(data) == np.array(right, "<u8").tobytes()
    out = np.zeros(n, np.uint64)
    assert kernel(rows[0], out=out) is out and out.tolist() == right
    assert mg.ntt(n, modulus=kernel.modulus, root=one.root, negacyclic=True)(x) == right


def test_wide_residues(kernel: mg.Kernel) -> None:
    wide = mg.ntt("any", max_n=8, modulus_bits=124)
    words = np.zeros((3, 4, 2), np.uint64)
    words[:, 1, 0] = 1
    assert wide(words).shape == (3, 4, 2)
    assert wide(words[0].astype(object)[..., 0]).shape == (4,)


def test_there_and_back(kernel: mg.Kernel) -> None:
    x = list(range(16))
    assert kernel.inverse()(kernel(x)) == x == kernel.at(16).inverse()(kernel(x))


def test_another_modulus_for_all_sizes_and_for_one(kernel: mg.Kernel) -> None:
    other = kernel.with_modulus(12289)
    assert other.inverse()(other([1, 2, 3, 4])) == [1, 2, 3, 4]
    small = kernel.at(4).with_modulus(17)
    assert small.modulus == 17 and sorted(small([1, 0, 0, 0])) == [1] * 4


def test_saved_loaded_pickled(kernel: mg.Kernel, tmp_path: Path) -> None:
    x = [1, 2, 3, 4]
    assert mg.load(kernel.save(tmp_path / "whole"))(x) == kernel(x)
    assert mg.load(kernel.at(4).save(tmp_path / "one"))(x) == kernel(x)
    assert pickle.loads(pickle.dumps(kernel.at(4)))(x) == kernel(x)
    assert "of 4 points" in repr(kernel.at(4)) and "of 2 to 64 points" in repr(kernel)


def test_one_wrong_size_is_found(kernel: mg.Kernel) -> None:
    """A constant of one size alone is another: the report names that size."""
    text = kernel.source
    case = "run_16(y + b * 16, x + b * 16, "
    assert text.count(case) == 1
    broken = mg.api.kernel.Kernel(kernel.generated)
    broken.generated.source, kept = text.replace(case, "run_16(y + b * 16, x, "), text
    try:
        report = broken.verify()
    finally:
        broken.generated.source = kept
    assert not report.ok and report.mismatch is not None
    assert report.mismatch.vector.startswith("n = 16, ")


@pytest.mark.parametrize("n", [0, 1, 3, 63, 128, -2])
def test_sizes_that_there_are_not(kernel: mg.Kernel, n: int) -> None:
    with pytest.raises(MomagenError, match=f"n: expected a power of two from 2 to 64, got {n}"):
        kernel.at(n)


@pytest.mark.parametrize("x", [[], [1, 2, 3], np.zeros((4, 3), np.uint64), b"1234", 5, np.uint64(3)])
def test_operands_of_no_size(kernel: mg.Kernel, x: object) -> None:
    with pytest.raises(MomagenError, match="a power of two from 2 to 64"):
        kernel(x)


def test_create_refuses_sizes(kernel: mg.Kernel) -> None:
    from dataclasses import replace

    with pytest.raises(Refused) as refused:
        replace(kernel.compiled, size=3).plan(kernel.modulus, kernel.root)
    assert refused.value.code == "BAD_SIZE"


def test_kernels_of_one_size_have_no_others() -> None:
    with pytest.raises(MomagenError, match="only for kernels of any size"):
        mg.ntt(8, bits=64).at(4)


@pytest.mark.parametrize(
    ("line", "said"),
    [("ntt --n any --max-n 1000 --bits 64", "n: expected a power of two from 2 to 67108864, got 1000"),
     ("ntt --n 8 --max-n 16 --bits 64", '`--max-n` can only be used with `--n any`'),
     ("ntt --n every --bits 64", "expected a number, a known prime"),
     ("polymul --n any --bits 64", "`--n any` applies only to ntt, not to polymul"),
     ("tune ntt --n any --bits 64", "`--n any` cannot be tuned; tune each number of points separately")],
)  # fmt: skip
def test_bad_requests(line: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(line.split()) == 2
    assert said in capsys.readouterr().err


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = f"ntt --n any --max-n 32 --modulus-bits 62 --negacyclic --no-bench --output {tmp_path}"
    assert main(line.split()) == 0
    assert "NTT of 2 to 32 points" in capsys.readouterr().out
    assert "ntt_any32_negacyclic_62b_c.json" in {path.name for path in tmp_path.iterdir()}
