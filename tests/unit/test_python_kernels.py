"""Kernels in Python: made, called, saved and loaded as kernels in C are; and what they are not."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import momagen as mg
from momagen.cli import main
from momagen.errors import MomagenError
from momagen.ir import OPS
from momagen.kernels.spec.kinds import BLAS
from momagen.targets import load_target


def test_a_python_kernel_is_called_and_verified_as_others_are() -> None:
    kernel = mg.ntt(64, bits=128, target="python")
    assert kernel.verify() and not kernel.timed and not kernel.emulated
    xs = [[i, 1] * 32 for i in range(3)]
    assert kernel.inverse()(kernel(xs)) == xs
    with pytest.raises(MomagenError, match=r"x\[0\]"):
        kernel([kernel.modulus] * 64)
    with pytest.raises(MomagenError, match="root of order 64"):
        kernel.compiled.plan(kernel.modulus, pow(kernel.root, 2, kernel.modulus))


def test_it_runs_without_a_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("CC", "")
    assert mg.ntt(16, bits=64, target="python")([1] * 16) == [16] + [0] * 15


def test_the_command_saves_it_and_verifies_it_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "kernel"
    ask = ["ntt", "--n", "16", "--bits", "64", "--target", "python", "--output", str(folder)]
    assert main(ask) == 0
    assert {path.suffix for path in folder.iterdir()} == {".py", ".json"}
    assert main(["verify", str(folder)]) == 0
    text = folder / "ntt16_60b_python.py"
    whole = text.read_text(encoding="utf-8")
    text.write_text(re.sub(r"(y0\[0:0 \+ 8\] = t\d+)\n", r"\1 + u64(1)\n", whole, count=1), encoding="utf-8")
    capsys.readouterr()
    assert main(["verify", str(text)]) == 1 and "FAIL" in capsys.readouterr().out
    assert main(["bench", str(folder)]) == 0 and "not timed" in capsys.readouterr().out


def test_a_transform_of_any_size_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ntt", "--n", "any", "--bits", "128", "--target", "python"]) == 2
    assert "expected a transform of one size in python, got one of any size" in capsys.readouterr().err


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", BLAS)
def test_every_kernel_on_vectors_is_verified(kind: str) -> None:
    assert mg.blas(kind, bits=64, target="python").verify()


def test_a_kernel_on_vectors_is_called_as_others_are() -> None:
    axpy = mg.blas("axpy", modulus=2**60 - 2, target="python")
    xs, ys = [2**59, *range(20)], [2**60 - 3, *range(20, 40)]
    assert axpy(5, xs, ys) == [(5 * x + y) % axpy.modulus for x, y in zip(xs, ys, strict=True)]
    assert axpy.with_modulus(7)(5, [3] * 20, [6] * 20) == [0] * 20
    with pytest.raises(MomagenError, match="a: expected residues below"):
        axpy(axpy.modulus, xs, ys)
    words = np.array([[5, 0]] * 3, np.uint64)
    vmul = mg.blas("vmul", bits=128, target="python")
    assert vmul(words, words, out=words) is words and words.tolist() == [[25, 0]] * 3
    with pytest.raises(MomagenError, match=r"every q below 2\^124, got 1"):
        vmul.compiled.plan(1, 0)


def test_the_command_saves_a_kernel_on_vectors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "kernel"
    assert main(["blas", "cmpsub", "--bits", "64", "--target", "python", "--output", str(folder)]) == 0
    assert main(["verify", str(folder)]) == 0
    text = folder / "cmpsub_nle_60b_python.py"
    whole = text.read_text(encoding="utf-8")
    text.write_text(re.sub(r"(z\[0:0 \+ 8\] = t\d+)\n", r"\1 + u64(1)\n", whole, count=1), encoding="utf-8")
    capsys.readouterr()
    assert main(["verify", str(text)]) == 1 and "FAIL" in capsys.readouterr().out


ROWS = sorted(set(load_target("python").ops) - {"perm2"})


@pytest.mark.parametrize("op", ROWS)
def test_every_row_means_what_its_operation_does(op: str) -> None:
    target, row, rng = load_target("python"), OPS[op], random.Random(op)
    draw = {"w": lambda: rng.choice([0, 1, (1 << 64) - 1, 1 << 63, rng.getrandbits(64)]), "f": lambda: rng.randrange(2)}
    args = [[draw[kind.replace("i", "w")]() for _ in range(8)] for kind in row.args]
    k = rng.randrange(1, 64)
    kinds = {"w": np.uint64, "i": np.uint64, "f": np.bool_}
    names: dict[str, Any] = {"np": np, "u64": np.uint64, "HALF": np.uint64((1 << 32) - 1)}
    names |= {f"v{i}": np.array(values, kinds[row.args[i]]) for i, values in enumerate(args)}
    slots = {letter: f"v{i}" for i, letter in enumerate("abcd")}
    (text,) = target.ops[op].results
    got = eval(text.format(**slots, k=k, t="", mask=f"u64({(1 << k) - 1})"), names)
    assert got.tolist() == [row.meaning(64, k, *each)[0] for each in zip(*args, strict=True)]
