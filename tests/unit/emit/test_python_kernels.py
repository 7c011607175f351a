"""Kernels in Python: made, called, saved and loaded as kernels in C are; and what they are not."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import momagen as mg
from momagen.cli import main
from momagen.emit.kernel import EMITTERS
from momagen.errors import MomagenError
from momagen.ir import OPS
from momagen.ir.masks import ACROSS
from momagen.ir.real import DOUBLE_OPS
from momagen.kinds.modular.lists import BLAS
from momagen.languages import LANGUAGES, Language
from momagen.targets import load_target


def test_a_python_kernel_is_called_and_verified_as_others_are() -> None:
    kernel = mg.ntt(64, bits=128, target="python")
    assert kernel.verify().ok and not kernel.timed and not kernel.emulated
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


@pytest.mark.thorough
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
    assert "`--n any` is not available on python" in capsys.readouterr().err


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", BLAS)
def test_every_kernel_on_vectors_is_verified(kind: str) -> None:
    assert mg.blas(kind, bits=64, target="python").verify().ok


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


@pytest.mark.thorough
def test_the_command_saves_a_kernel_on_vectors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "kernel"
    assert main(["blas", "cmpsub", "--bits", "64", "--target", "python", "--output", str(folder)]) == 0
    assert main(["verify", str(folder)]) == 0
    text = folder / "cmpsub_nle_60b_python.py"
    whole = text.read_text(encoding="utf-8")
    text.write_text(re.sub(r"(z\[0:0 \+ 8\] = t\d+)\n", r"\1 + u64(1)\n", whole, count=1), encoding="utf-8")
    capsys.readouterr()
    assert main(["verify", str(text)]) == 1 and "FAIL" in capsys.readouterr().out


ON_DIGITS = ("python52", "python48")


def test_a_transform_that_would_take_minutes_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ntt", "--n", "8192", "--bits", "60", "--target", "python"]) == 2
    assert "n: expected at most 4096 points on python, got 8192" in capsys.readouterr().err


@pytest.mark.sampled(16)
@pytest.mark.parametrize("target", ON_DIGITS)
@pytest.mark.parametrize("n", [4, 16, 64, 128])
@pytest.mark.parametrize("bits", [20, 50, 60, 124, 252])
@pytest.mark.parametrize("way", [{}, {"inverse": True}, {"negacyclic": True}, {"order": "natural"}], ids=str)
def test_every_transform_on_digits_is_verified(target: str, n: int, bits: int, way: dict[str, Any]) -> None:
    assert mg.ntt(n, modulus_bits=bits, target=target, **way).verify().ok


@pytest.mark.sampled(3)
@pytest.mark.parametrize("target", ON_DIGITS)
@pytest.mark.parametrize("negacyclic", [False, True])
@pytest.mark.parametrize("bits", [50, 124])
def test_every_ring_on_digits_is_verified(target: str, negacyclic: bool, bits: int) -> None:
    assert mg.polymul(32, modulus_bits=bits, target=target, negacyclic=negacyclic).verify().ok


@pytest.mark.sampled(40)
@pytest.mark.parametrize("target", ON_DIGITS)
@pytest.mark.parametrize("bits", [50, 64, 128, 320])
@pytest.mark.parametrize("kind", BLAS)
def test_every_kernel_on_digits_is_verified(target: str, bits: int, kind: str) -> None:
    assert mg.blas(kind, bits=bits, target=target).verify().ok


def test_a_transform_on_digits_is_right() -> None:
    kernel = mg.ntt(64, modulus_bits=124, target="python52")
    xs = [i * i for i in range(64)]
    natural = [sum(x * pow(kernel.root, i * j, kernel.modulus) for i, x in enumerate(xs)) for j in range(64)]
    assert kernel(xs) == [natural[int(f"{j:06b}"[::-1], 2)] % kernel.modulus for j in range(64)]
    assert "high52" in kernel.source and "% q" not in kernel.source
    broken = kernel.source.replace("return a1 * b1 +", "return a1 * b0 +")
    assert not type(kernel)(replace(kernel.generated, source=broken), None, kernel.wisdom, kernel.spec).verify().ok


ROWS = [(name, op) for name in ("python", *ON_DIGITS) for op in sorted(set(load_target(name).ops) - {"perm2"})]
WORDS = [0, 1, (1 << 64) - 1, 1 << 63]
SHIFTS = {"fmahi": [0], "fmalo": [0], "negative": [0, 63], "spread": [1, 5, 15],
          "real": [-42, 0, 42], "unreal": [-42, 0, 42]}  # fmt: skip


def _drawn(op: str, kind: str, k: int, rng: random.Random) -> int:
    """An argument that ``op`` takes: an integer for w and i, by their bits where it is a double; a flag; a mask."""
    if kind == "f":
        return rng.randrange(2)
    if kind == "m":
        return sum(1 << k * i + k for i in range(3) if rng.randrange(2)) if op == "spread" else rng.getrandbits(20)
    if op == "real":
        return rng.getrandbits(52)
    if op in DOUBLE_OPS:
        exponent = k if op == "unreal" else rng.choice([-42, 0, 42])
        return int(np.ldexp(float(rng.getrandbits(48) - (1 << 47)), exponent).view(np.uint64))
    return rng.choice([*WORDS, rng.getrandbits(64)] if kind == "w" else [-1, 0, 1, rng.getrandbits(62) - (1 << 61)])


@pytest.mark.parametrize("round", range(4))
@pytest.mark.parametrize("name, op", ROWS)
def test_every_row_means_what_its_operation_does(name: str, op: str, round: int) -> None:
    target, row, rng = load_target(name), OPS[op], random.Random(f"{op}{round}")
    k = rng.choice(SHIFTS.get(op, range(1, 52)))
    args = [[_drawn(op, kind, k, rng) for _ in range(1 if kind == "m" else 8)] for kind in row.args]
    if op == "carries":
        args[1][0] &= ~args[0][0]
    if op in ("shlv", "shrv"):
        args[1] = [count % 64 for count in args[1]]
    names: dict[str, Any] = {"np": np, "u64": np.uint64, "i64": np.int64, "f64": np.float64, "Fraction": Fraction}
    names["HALF"] = np.uint64((1 << 32) - 1)
    exec(target.prelude.get(op, ""), names)
    for i, (kind, values) in enumerate(zip(row.args, args, strict=True)):
        bits = np.array([value % (1 << 64) for value in values], np.uint64)
        names[f"v{i}"] = values[0] if kind == "m" else bits.astype(bool) if kind == "f" else bits
    (text,) = target.ops[op].results
    mask = f"u64({(1 << max(k, 0)) - (op != 'bit')})"
    got = eval(text.format(**{letter: f"v{i}" for i, letter in enumerate("abcd")}, k=k, t="", mask=mask), names)
    if op in ACROSS:
        want = ACROSS[op](k, *(values if len(values) > 1 else values * 8 for values in args))
    else:
        width = 52 if op in ("fmalo", "fmahi") else 64
        want = [row.meaning(width, k, *each)[0] for each in zip(*args, strict=True)]
    found = [got] if row.results == "m" else got.tolist()
    assert found == [int(value) % (1 << 64) for value in want][: len(found)]


@pytest.mark.compiles
@pytest.mark.parametrize("target", ["python", "python52"])
def test_a_kernel_of_several_moduli_gives_row_by_row_what_those_of_one_do(target: str) -> None:
    kernel = mg.ntt(16, moduli=[97, 193], target=target)
    assert kernel.verify().ok
    xs = [[[i * j % 97 for i in range(16)], [i + j for i in range(16)]] for j in range(3)]
    pairs = zip(kernel.moduli, kernel.spec.roots, strict=True)
    one = [mg.ntt(16, modulus=q, root=root, target="c") for q, root in pairs]
    assert kernel(xs) == [[each(row) for each, row in zip(one, rows, strict=True)] for rows in xs]
    axpy = mg.blas("axpy", moduli=[97, 2**61 - 1], target=target)
    assert axpy.verify().ok and axpy([2, 3], [[4, 5], [6, 7]], [[1, 1], [2, 2]]) == [[9, 11], [20, 23]]


def test_a_target_of_the_user_inherits_one_with_vectors(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text('inherits = "python52"\nname = "own"\n', encoding="utf-8")
    assert mg.blas("vmul", bits=64, target=str(own)).verify().ok
    assert mg.ntt(64, modulus_bits=50, target=str(own)).verify().ok


def test_a_language_that_nothing_runs_is_printed_and_not_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(LANGUAGES, "told", Language((64,), (".txt",)))
    monkeypatch.setitem(EMITTERS, "told", lambda head, made: ("text", ""))
    own = tmp_path / "own.toml"
    own.write_text('inherits = "c64"\nname = "own"\nsyntax = "told"\n', encoding="utf-8")
    kernel = mg.ntt(16, bits=64, target=str(own))
    assert kernel.source == "text"
    with pytest.raises(MomagenError, match="kernels in told cannot be run"):
        kernel.verify()
