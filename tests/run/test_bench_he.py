"""scripts/bench_he.py on a tiny ring: kernels are timed, and estimates come from them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("jax", reason="JAX is missing")
import bench_he

from momagen.he import HeParameters
from momagen.he.kernels import RnsKernels
from momagen.he.timing import kernel_times

pytestmark = pytest.mark.study

SCRIPT = Path(bench_he.__file__)


def test_kernels_have_a_time_for_each_vector() -> None:
    p = HeParameters(16, 2, 28, 2)
    rows, rates = kernel_times(RnsKernels(16), p, 0.0)
    assert set(rates) == set(bench_he.KERNELS) and all(rate > 0 for rate in rates.values())
    assert rates["ntt"] == pytest.approx(rows["ntt"]["median_us"] * 1e3 / 4)
    assert rates["convert"] == pytest.approx(rows["convert"]["median_us"] * 1e3 / 2)
    assert all(row["compile_s"] > 0 and row["least_us"] <= row["median_us"] <= row["most_us"] for row in rows.values())


def test_workloads_are_estimated_where_their_set_was_measured() -> None:
    rates = dict.fromkeys(bench_he.KERNELS, 1000.0)
    works = bench_he.whole([{"set": "D", "nanoseconds": rates}])
    assert set(works) == {"bootstrapping", "helr"}
    spent = works["bootstrapping"]["milliseconds"]
    assert spent["add"] == pytest.approx(57.015) and spent["transform"] == pytest.approx(11.245)


@pytest.mark.slow
def test_the_script_writes_results(tmp_path: Path) -> None:
    path = tmp_path / "found.json"
    command = [sys.executable, str(SCRIPT), "--sets", "small", "--seconds", "0", "--output", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "| small | 1024, 4, 2 |" in done.stdout
    (found,) = json.loads(path.read_text(encoding="utf-8"))["sets"]
    assert set(found["operators"]) == set(bench_he.OPERATORS)
    assert all(row["estimated_us"] > 0 for row in found["operators"].values())


def test_an_unknown_set_is_one_line(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["bench_he.py", "--sets", "E"])
    assert bench_he.main() == 2
    assert capsys.readouterr().err.startswith("preset: expected one of the parameter sets")
