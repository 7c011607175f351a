"""Tuning for real, a small kernel and little time: what comes of it is right, kept, used, shown. No time is judged."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import momagen as mg
from momagen.api.native import resolved
from momagen.cli import main
from momagen.runtime import find_compiler
from momagen.tune import Wisdom
from momagen.tune.compilers import usual_compiler
from momagen.tune.space import TriedOptions
from momagen.tune.wisdom import read
from momagen.tune.workshop import Workshop

SMALL = ["ntt", "--n", "64", "--bits", "64"]


@pytest.mark.thorough
def test_a_tiny_kernel(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, seen = tmp_path / "deep" / "wisdom.json", list[float]()
    tuned = mg.tune("ntt", n=64, bits=64, seconds=2, wisdom=file, progress=lambda part, what: seen.append(part))
    (row,) = read(file).rows
    assert row == tuned.row and tuned.right
    assert row.momagen == mg.__version__ and row.compiler == str(find_compiler())
    assert (row.kernel, row.modulus_bits, row.n, row.target, row.given) == ("ntt", 60, 64, "c", {})
    assert row.ratio.count >= 1 and row.default > 0 < row.tuned
    assert tuned.options == {} or tuned.ratio.low > 1
    assert seen and 0 <= min(seen) <= max(seen) <= 1
    kernel = mg.ntt(64, bits=64, wisdom=file)
    assert kernel.spec == tuned.spec and kernel.wisdom and kernel.wisdom.row == row
    assert kernel.verify().ok
    assert row.label in repr(tuned) and row.label in tuned._repr_html_()
    assert main(["tune", "--show", "--wisdom", str(file)]) == 0
    assert row.cpu.split()[0] in capsys.readouterr().out  # a long name is wrapped in its column


def test_nothing_is_kept_where_nobody_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    assert mg.tune("vadd", bits=64, seconds=0.1, wisdom=False).path is None
    assert not (tmp_path / ".config").exists()


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    where = ["--wisdom", str(tmp_path / "w.json")]
    assert main(["tune", *SMALL, "--seconds", "0.5", *where, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["wisdom"] == where[1] and told["command"].startswith("momagen ntt --n 64 --modulus 0x")
    assert main(["tune", "blas", "vadd", "--bits", "64", "--seconds", "0.1", *where]) == 0
    shown = capsys.readouterr()
    assert "vadd, 60-bit modulus, c" in shown.out and "0.1 s" in shown.out and shown.err == ""
    assert main(["tune", "--show", *where, "--json"]) == 0
    assert {row["kernel"] for row in json.loads(capsys.readouterr().out)["rows"]} == {"ntt", "vadd"}
    assert main([*SMALL, *where, "--json", "--no-bench", "--output", str(tmp_path / "out")]) == 0
    made = json.loads(capsys.readouterr().out)
    assert made["options"] == told["options"] and made["verify"]["ok"]
    assert made["wisdom"]["row"] == {key: told[key] for key in made["wisdom"]["row"]}
    assert main(["tune", *SMALL, "--forget", *where, "--json"]) == 0
    assert [row["kernel"] for row in json.loads(capsys.readouterr().out)["rows"]] == ["vadd"]
    assert main(["tune", "--forget", *where]) == 0
    assert "no wisdom in" in capsys.readouterr().out and read(Path(where[1])).rows == ()


def test_wisdom_that_was_shipped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine, theirs = tmp_path / "mine.json", tmp_path / "theirs.json"
    for kernel in ("vadd", "vsub"):
        mg.tune(kernel, bits=64, seconds=0.1, wisdom=theirs)
    mg.tune("vadd", bits=64, seconds=0.1, wisdom=mine)
    (own,) = read(mine).rows
    assert main(["tune", "--merge", str(theirs), "--wisdom", str(mine)]) == 0
    capsys.readouterr()
    merged = {row.kernel: row for row in read(mine).rows}
    assert set(merged) == {"vadd", "vsub"} and merged["vadd"] == own


def test_a_sweep_with_wisdom(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "w.json"
    mg.tune("vadd", bits=64, seconds=0.1, wisdom=file, compiler=find_compiler().command[0])
    raw = json.loads(file.read_text())
    raw["rows"][0]["options"] = {"unroll": "2"}
    file.write_text(json.dumps(raw))
    grid = ["--kernel", "vadd", "--bits", "64", "--n", "1024", "--target", "c"]
    sweep = ["bench", "--sweep", *grid, "--plain", "--json"]
    for wisdom, note in ((["--wisdom", str(file)], "unroll 2"), ([], "")):
        assert main([*sweep, "--repetitions", "3", *wisdom]) == 0
        (point,) = json.loads(capsys.readouterr().out)["points"]
        assert point["note"].startswith(note) and ("unroll" in point["note"]) == bool(note)


@pytest.mark.thorough
def test_candidates_are_kernels_of_one_specification() -> None:
    spec = resolved("ntt", n=64, modulus_bits=62, target="avx2")
    workshop = Workshop(spec, {"": find_compiler()})
    plain, tiles = workshop.draft(TriedOptions()), workshop.draft(TriedOptions({"limbs": "reduced"}))
    assert plain.code != tiles.code and plain.matters("radix") and tiles.matters("levels")
    assert workshop.draft(TriedOptions({"radix": "4"})).code == plain.code  # the default, by its name
    for draft in (plain, tiles):
        runner = draft.build(60)
        assert runner.sample() > 0 and runner.fault() == ""
        assert (runner.spec.modulus, runner.spec.root) == (spec.modulus, spec.root)


def test_a_wrong_kernel_has_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = "momagen.verify.elements.pointwise.blas"
    monkeypatch.setattr(wrong, lambda spec, scalars, vectors, q: [0] * len(vectors[0]))
    runner = Workshop(resolved("vadd", bits=64), {"": find_compiler()}).draft(TriedOptions()).build(60)
    assert "expected 0x0, got" in runner.fault()


@pytest.mark.thorough
def test_a_compiler_that_takes_too_long_is_stopped() -> None:
    spec = resolved("ntt", n=32, bits=1024, radix="8")
    draft = Workshop(spec, {"": find_compiler()}).draft(TriedOptions())
    with pytest.raises(mg.MomagenError, match=r"took longer than the limit of 0.01 s"):
        draft.build(0.01)


def test_arrays_are_timed_on_their_device_and_verified() -> None:
    spec = resolved("ntt", n=8, modulus_bits=28, target="jax")
    workshop = Workshop(spec, {"": usual_compiler(spec)})
    plain, matrices = workshop.draft(TriedOptions()), workshop.draft(TriedOptions({"dense": "4", "engine": "int32"}))
    assert plain.code != matrices.code and workshop.draft(TriedOptions({"radix": "2"})).code == plain.code
    runner = matrices.build(None)
    assert runner.sample() > 0 and runner.fault() == ""
    with pytest.raises(mg.MomagenError, match="cannot be combined"):
        workshop.draft(TriedOptions({"dense": "4", "radix": "2"}))
    scaled = Workshop(resolved("axpy", modulus_bits=28, target="jax"), {"": usual_compiler(spec)})
    assert scaled.draft(TriedOptions()).build(None).sample() > 0


@pytest.mark.thorough
def test_matrices_are_tuned(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, shape = tmp_path / "w.json", {"n": 8, "modulus_bits": 28, "target": "jax"}
    tuned = mg.tune("ntt", dense=4, reduction="tight", seconds=8, wisdom=file, **shape)
    (row,) = read(file).rows
    assert row == tuned.row and row.by == row.compiler and row.compiler.startswith("XLA of jax")
    assert set(tuned.options) <= {"engine"} and row.unit == "ns of wall time per butterfly"
    file.write_text(str(Wisdom().merged([replace(row, options={"engine": "int32"})])), encoding="utf-8")
    kernel = mg.ntt(8, modulus_bits=28, target="jax", dense=4, reduction="tight", wisdom=file)
    assert kernel.wisdom and kernel.wisdom.row and kernel.spec.options.engine == "int32" and kernel.verify().ok
    words = ["--n", "8", "--modulus-bits", "28", "--target", "jax", "--dense", "4", "--reduction", "tight"]
    assert main(["explain", "ntt", *words, "--engine", "int32"]) == 0
    assert "int32, 3 parts of 14 bits, 9 products" in capsys.readouterr().out
    assert main(["tune", "ntt", *words, "--forget", "--wisdom", str(file)]) == 0 and not read(file).rows
