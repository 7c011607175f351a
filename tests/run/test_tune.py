"""Tuning for real, a small kernel and little time: what comes of it is right, kept, used, shown. No time is judged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import momagen as mg
from momagen.api.request import specify
from momagen.build import find_compiler
from momagen.cli import main
from momagen.tune.space import TriedOptions
from momagen.tune.wisdom import read
from momagen.tune.workshop import Workshop

SMALL = ["ntt", "--n", "64", "--bits", "64"]


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
    assert row.cpu.split(" (")[0] in capsys.readouterr().out


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


def test_candidates_are_kernels_of_one_specification() -> None:
    spec = specify("ntt", n=64, bits=64, target="avx2")
    workshop = Workshop(spec, {"": find_compiler()})
    plain, tiles = workshop.draft(TriedOptions()), workshop.draft(TriedOptions({"digits": "slack"}))
    assert plain.code != tiles.code and plain.matters("radix") and tiles.matters("levels")
    assert workshop.draft(TriedOptions({"radix": "4"})).code == plain.code  # the default, by its name
    for draft in (plain, tiles):
        runner = draft.build(60)
        assert runner.sample() > 0 and runner.fault() == ""
        assert (runner.spec.modulus, runner.spec.root) == (spec.modulus, spec.root)


def test_a_wrong_kernel_has_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("momagen.verify.pointwise.blas", lambda spec, scalars, vectors, q: [0] * len(vectors[0]))
    runner = Workshop(specify("vadd", bits=64), {"": find_compiler()}).draft(TriedOptions()).build(60)
    assert "expected 0x0, got" in runner.fault()


def test_a_compiler_that_takes_too_long_is_stopped() -> None:
    spec = specify("ntt", n=32, bits=1024, options={"radix": "8"})
    draft = Workshop(spec, {"": find_compiler()}).draft(TriedOptions())
    with pytest.raises(mg.MomagenError, match=r"compiles within 0.01 s, got more"):
        draft.build(0.01)
