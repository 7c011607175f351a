"""scripts/bench_jax.py on tiny sizes: it runs without CROSS, it sees a wrong contestant, its own integers are right."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import momagen as mg
from momagen.errors import MomagenError

pytest.importorskip("jax", reason="JAX is missing")
from jax_bench import races
from jax_bench.command import main
from jax_bench.costs import sharded

from momagen.papers.cross.race import problems, report, timing
from momagen.papers.cross.race.contest import race
from momagen.papers.cross.race.cross_transforms import powers, sides
from momagen.papers.cross.race.entries import JaxEntry, MissingContestant, verdict

pytestmark = pytest.mark.study

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "bench_jax.py"
CROSS = os.environ.get("CROSS_ROOT", "")


def ran(folder: Path, *arguments: str, cross: str = "") -> tuple[list[dict[str, Any]], str]:
    """The rows that a run writes, and what it prints."""
    path = folder / "found.json"
    core = [] if not hasattr(os, "sched_getaffinity") else ["--core", str(min(os.sched_getaffinity(0)))]
    done = subprocess.run(
        [sys.executable, str(SCRIPT), *core, "--repeat", "3", "--output", str(path), *arguments],
        capture_output=True, text=True, check=False, env=os.environ | {"CROSS_ROOT": cross},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    told = json.loads(path.read_text(encoding="utf-8"))
    assert told["device"]["platform"] and told["versions"]["jax"] and told["date"]
    return told["rows"], done.stdout


@pytest.mark.thorough
def test_a_run_without_cross_measures_ours(tmp_path: Path) -> None:
    rows, table = ran(tmp_path, "--sizes", "4", "--batch", "2", "--seconds", "0.01")
    assert Counter(row["kernel"] for row in rows) == Counter(
        {"ntt": 2 + 9 + 2 * 2, "matmul": 1 + 3, "bconv": 2 * (2 + 8)}
    )
    for row in rows:
        if row["name"].startswith("CROSS"):
            assert row["state"] == "absent" and row["why"] == "CROSS_ROOT is unset", row
        elif row["kernel"] == "ntt":
            assert row["state"] == "measured" and row["samples"] == 3 and row["batch"] == 2 and row["reduced"], row
            assert 0 < row["least"] <= row["median_us"] <= row["most"]
            assert (row["compile_s"] is None) == (row["name"] == "c")
            assert row["ratio"] == 1 or row["name"] == "c"
    lines = table.splitlines()
    assert len(lines) == 2 + len(rows) and len({line.count(" | ") for line in lines}) == 1
    assert "CROSS_ROOT is unset" in table


@pytest.mark.thorough
def test_what_pages_and_target_files_are_measured_by(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XLA_FLAGS", "--xla_force_host_platform_device_count=8")
    rows, table = ran(tmp_path, "--only", "factors,engine,sharded", "--sizes", "6", "--seconds", "0.01")
    found = {row["name"]: row for row in rows}
    assert [*found] == ["jax", "8x8", "int8", "int32", "bfloat16", "float32", "float64", "sharded"]
    assert {row["state"] for name, row in found.items() if name != "float64"} == {"measured"}
    assert found["float64"]["state"] in ("measured", "absent") and found["8x8"]["n"] == 64
    assert "8 devices, 4 values compared" in table


@pytest.mark.parametrize(("log", "step"), [(6, 2), (12, 2), (27, 1)])
def test_values_on_several_devices_are_by_the_definition(log: int, step: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Against the target c, where that has all of them."""
    order = step << log
    q = problems.prime_of(31, order // 2)
    root = sharded.root_of(order, q)
    assert pow(root, order // 2, q) == q - 1
    if log > 12:
        return
    problem = sharded.spread_out(log)
    assert (problem.n, problem.bits, problem.modulus, problem.root) == (1 << log, 31, q, root)
    values = mg.ntt(problem.n, modulus=q, root=root, negacyclic=True)(problem.given[0][:, 0].tolist())
    assert [values[at] for at in sharded.sampled(problem.n)] == problem.expected[:, 0].tolist()


@pytest.mark.skipif(not CROSS, reason="CROSS_ROOT is unset")
def test_cross_is_right_on_small_numbers(tmp_path: Path) -> None:
    rows, _ = ran(tmp_path, "--sizes", "6", "--only", "ntt,matmul", cross=CROSS)
    measured = {row["name"] for row in rows if row["state"] == "measured"}
    assert measured >= {"CROSS radix-2", "CROSS three-step, Barrett", "CROSS BAT, left, int32 sums"}


def test_only_who_is_right_is_timed() -> None:
    problem = problems.conversion(3, 2, 3)
    right = problem.expected
    others = {"right": right, "late": right + np.array(problem.moduli, np.uint64), "wrong": right ^ np.uint64(1)}
    makers: dict[str, Any] = {
        name: lambda _, found=found: JaxEntry(lambda: found, lambda result: result) for name, found in others.items()
    }

    def fails(_: Any) -> JaxEntry:
        raise RuntimeError("no such\ninstruction")

    def absent(_: Any) -> JaxEntry:
        raise MissingContestant("not here")

    rows = {row["name"]: row for row in race(problem, {**makers, "fails": fails, "absent": absent}, 4, 1.0)}
    assert [row["state"] for row in rows.values()] == ["measured", "measured", "wrong", "failed", "absent"]
    assert rows["right"]["reduced"] and not rows["late"]["reduced"] and rows["late"]["note"] == "not reduced below q"
    assert rows["fails"]["why"] == "RuntimeError: no such" and "median_us" not in rows["wrong"]
    assert rows["right"]["ratio"] is None
    assert len([*report.lines([*rows.values()])]) == 5


def test_what_must_come_out_is_right_by_integers() -> None:
    q = (1 << 31) - 1
    a, b = (np.random.default_rng(seed).integers(0, q, (9, 9), np.uint64) for seed in (1, 2))
    wanted = [
        [sum(u * v for u, v in zip(row, column, strict=True)) % q for column in b.T.tolist()] for row in a.tolist()
    ]
    assert problems.product_modulo(a, b, q).tolist() == wanted
    problem = problems.conversion(4, 3, 2)
    whole = np.prod(np.array(problem.sources, object))
    for x, y in zip(problem.given[0].tolist(), problem.expected.tolist(), strict=True):
        pairs = [(each, whole // each) for each in problem.sources]
        total = sum(digit * pow(rest, -1, each) % each * rest for digit, (each, rest) in zip(x, pairs, strict=True))
        assert y == [total % p for p in problem.moduli]


def test_a_wrong_transform_is_found() -> None:
    problem = problems.transform(60, 5, 2)
    entry = races.ENTRANTS["wide"]["c"](problem)
    found = entry.result(entry.call())
    assert verdict(found, problem) == "exact"
    found[1, 7, 0] ^= np.uint64(1)
    assert verdict(found, problem) == "wrong" and verdict(found[:1], problem) == "wrong"
    x, y = problem.given[0][-1], problem.expected[-1].copy()
    y[-1, 0] += np.uint64(1)
    with pytest.raises(MomagenError, match="by the definition"):
        problems.check_transform(x, y, problem.modulus, problem.root)


def test_slow_contestants_leave_the_race() -> None:
    lanes = {"slow": timing.JaxLane(lambda: None, spent=5.0), "quick": timing.JaxLane(lambda: None)}
    timing.interleaved(lanes, 10, 1.0)
    assert [len(lane.samples) for lane in lanes.values()] == [timing.LEAST, 10]
    lanes["slow"].samples = {0: 6.0, 1: 8.0, 2: 9.0}
    lanes["quick"].samples = {0: 2.0, 1: 2.0, 2: 9.0, 3: 1.0}
    assert lanes["slow"].over(lanes["quick"]) == 3.0
    assert lanes["slow"].over(timing.JaxLane(lambda: None)) is None


def test_tables_for_cross() -> None:
    assert powers(97, 5, 8).tolist() == [pow(5, i, 97) for i in range(8)]
    assert [sides(1 << 12), sides(1 << 13), sides(1 << 16, 128), sides(16, 128)] == [
        (64, 64), (64, 128), (128, 512), (8, 2)
    ]  # fmt: skip


@pytest.mark.parametrize(("arguments", "said"), [
    (["--only", "ntt,fft"], "--only: expected sections among ntt"), (["--sizes", "12,x"], "--sizes: expected numbers"),
    (["--repeat", "0"], "--repeat: expected at least 1"), (["--core", "100000"], "core: expected a core"),
])  # fmt: skip
def test_bad_input_is_one_line(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert capsys.readouterr().err.startswith(f"error: {said}")


def test_jax_is_imported_after_the_core_is_chosen() -> None:
    code = "import sys, jax_bench.command, momagen.papers.cross.race.machine; assert 'jax' not in sys.modules"
    path = f"{SCRIPT.parent}{os.pathsep}{SCRIPT.parents[1]}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False,
                          env=os.environ | {"PYTHONPATH": path})  # fmt: skip
    assert done.returncode == 0, done.stderr
