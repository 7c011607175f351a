"""The paper's sections of scripts/bench_jax.py: each at a small size, its data, and bad input."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from momagen.errors import MomagenError

pytest.importorskip("jax", reason="JAX is missing")
from jax_bench.command import main, parser
from jax_bench.sections import PAPER

from momagen.he.parameters import HeParameters
from momagen.papers.cross import energy, estimates
from momagen.papers.cross.operators import integers as he_integers
from momagen.papers.cross.operators.trials import kernel_trials, operator_trials
from momagen.papers.cross.published import published, rows
from momagen.papers.cross.race.contest import race
from momagen.papers.cross.race.entries import OURS, JaxEntry, MissingContestant
from momagen.papers.cross.race.report import JaxResults
from momagen.papers.cross.race.trials import JaxTrial, SweepSettings
from momagen.papers.cross.sweeps import kernels as own
from momagen.papers.cross.sweeps import limbs, needs, page, plots, run, sweeps
from momagen.params.primes import prime_basis

pytestmark = pytest.mark.study

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "bench_jax.py"
SMALL = HeParameters(16, 3, 28, 2, name="here")


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a quick run of all sections writes."""
    path = tmp_path_factory.mktemp("paper") / "found.json"
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--only", "paper", "--quick", "--repeat", "1", "--seconds", "0.01",
         "--watts", "100", "--output", str(path)],
        capture_output=True, text=True, check=False, env=os.environ | {"CROSS_ROOT": ""},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found | {"text": done.stdout}


@pytest.mark.sampled(2)
@pytest.mark.thorough
def test_every_section_runs(told: dict[str, Any]) -> None:
    found = {row["section"] for row in told["rows"]} | {each["section"] for each in told["estimates"]}
    assert found == {*PAPER, "kernels"}
    measured = [row for row in told["rows"] if row["state"] == "measured"]
    assert {row["state"] for row in told["rows"]} == {"measured", "absent"}
    for row in measured:
        assert 0 < row["least"] <= row["median_us"] <= row["most"] and row["compile_s"] >= 0 and row["reduced"]
        assert row["rate"] == pytest.approx(row["per"] * 1e6 / row["median_us"]) and row["target"] == "jax"
        assert row["needs"]["operations"] > 0 or row["kernel"] == "permute"
        assert row["needs"]["bytes"]["unfused"] >= row["needs"]["bytes"]["once"] or row["section"] != "table5"
        assert row["paper"] == []
    assert len(measured) == 2 + 2 + 1 + 2 + 5 + 6 + 2 + 2 * (4 + 5)
    assert all(f"\n{section}\n" in told["text"] for section in PAPER)


@pytest.mark.sampled(2)
def test_only_others_are_absent(told: dict[str, Any]) -> None:
    absent = {row["name"]: row["why"] for row in told["rows"] if row["state"] == "absent"}
    assert all(name.startswith("CROSS") and why == "CROSS_ROOT is unset" for name, why in absent.items())


def test_estimates_are_sums_of_kernels(told: dict[str, Any]) -> None:
    rates = {row["kernel"]: row["median_us"] / row["per"] / 1e3 for row in told["rows"] if row["section"] == "kernels"}
    rates["transform"] = (rates["ntt"] + rates["intt"]) / 2
    assert {each["section"] for each in told["estimates"]} == {"table9", "fig12", "fig14"}
    for each in told["estimates"]:
        assert each["milliseconds"] == pytest.approx(sum(rates[name] * n for name, n in each["kernels"].items()))
        assert sum(each["shares"].values()) == pytest.approx(100) == pytest.approx(sum(each["groups"].values()))
        assert each["set"] == "quick" and each["paper"] == {}


def test_a_run_can_be_drawn(told: dict[str, Any], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="no matplotlib")
    assert [path.name for path in plots.plot(told, tmp_path)] == [f"{name}.svg" for name in plots.FIGURES]
    ours, paper = plots.by_batch(told, "fig11b", scaled=True)
    ((first, one), (second, _)) = ours["Set quick"]
    assert (first, one, second) == (1, 1.0, 2) and not paper
    assert plots.plot({"rows": [], "device": told["device"], "date": told["date"]}, tmp_path) == []


def test_a_page_has_what_a_run_wrote(told: dict[str, Any], tmp_path: Path) -> None:
    path, written = tmp_path / "page.md", tmp_path / "found.json"
    written.write_text(json.dumps(told), encoding="utf-8")
    path.write_text(
        "Before\n\n<!-- table5 -->\n| old |\n\n<!-- fig12 -->\n\n<!-- ntt -->\n| stays |\n", encoding="utf-8"
    )
    for _ in range(2):
        assert main(["--read", str(written), "--page", str(path)]) == 0
        lines = path.read_text(encoding="utf-8").splitlines()
        assert len(lines) == 2 + 1 + (2 + 2) + 1 + 1 + (2 + 2) + 1 + 2 and lines[-1] == "| stays |"
        assert lines[5].startswith("| 16 × 8 × 8 | jax |") and lines[11].startswith("| HE-Mult | quick |")
    written.write_text("[]", encoding="utf-8")
    assert main(["--read", str(written)]) == 2


def test_plots_need_matplotlib(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["--only", "table5", "--quick", "--plots", "figures"]) == 2
    assert "`plot` needs matplotlib, which is not installed" in capsys.readouterr().err


@pytest.mark.parametrize(("arguments", "said"), [
    (["--only", "table4"], "--only: expected sections among ntt"),
    (["--batches", "1,0"], "--batches: expected numbers"),
    (["--watts", "-1"], "--watts: expected a number of watts"), (["--watts", "nan"], "--watts: expected a number of"),
    (["--only", "table6", "--sizes", "12"], "--sizes: expected sizes of table6 among 16, got 12"),
    (["--only", "table8", "--names", "E"], "--names: expected names of table8 among FIDESlib, Cheddar"),
    (["--read", "nowhere.json"], "--read: expected results of bench_jax.py"),
])  # fmt: skip
def test_bad_input_is_one_line(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"error: {said}")


def test_another_target_is_no_target(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["--only", "table5", "--target", "c"])
    assert left.value.code == 2 and "--target" in capsys.readouterr().err


def test_the_paper_agrees_with_itself() -> None:
    table5 = [row["sparse"] / row["bat"] for row in published()["table5"]["row"]]
    stated = [1.31, 1.37, 1.39, 1.44, 1.26, 1.35, 1.45, 1.39, 1.62]
    assert table5 == pytest.approx(stated, abs=0.01)
    table6 = [row["baseline"] / row["bat"] for row in published()["table6"]["row"]]
    assert table6 == pytest.approx([6.0, 7.16, 2.51, 3.37], abs=0.01)
    table10 = [row["radix_2"] / row["matrices"] for row in published()["table10"]["row"]]
    assert table10 == pytest.approx([26.39, 30.23, 29.5, 27.24, 25.47], abs=0.2)
    assert all(row["taken"][0] * row["taken"][1] == 1 << row["log_n"] for row in published()["table10"]["row"])
    assert [max(row["by_batch"]) for row in published()["table7"]["row"][::2]] == pytest.approx([7.7, 1.5], abs=0.05)
    assert sum(published()["table9"]["shares"].values()) == pytest.approx(100)
    assert [sum(published()["fig12"][name]) for name in ("multiply", "rotate")] == pytest.approx([100, 100], abs=0.02)


def test_energy_is_the_papers_ratio_of_latencies() -> None:
    found = {row["library"]: row for row in energy.efficiencies()}
    stated = {name: row["latencies"] for name, row in found.items() if row["stated"]}
    assert stated == pytest.approx({name: found[name]["stated"] for name in stated}, rel=0.03)
    assert found["FAB"]["watts"] == pytest.approx((1710 + 1570) / (1414 + 1080) * 245 / 800)
    assert found["OpenFHE"]["watts"] is None and found["BASALISC"]["model"]
    names = ("v6e-8", "v4-8", "v5p-8", "A100", "9950X3D")
    assert [energy.power(name) for name in names] == [1600, 680, None, 400, None]
    of = energy.energy(2000.0, 50.0, {"FAB (U280)": 1000.0, "OpenFHE (9950X3D)": 1.0, "v6e-4": 4000.0})
    assert of["per_joule"] == 10 and of["over"] == pytest.approx({"FAB (U280)": 10 * 0.245, "v6e-4": 10 * 3.2})
    row = published()["table8"]["row"][4]
    assert "BASALISC (ASIC)" not in energy.others(row, "rescale") and energy.others(row, "add")["v6e-8"] == 3.6


def test_what_must_come_out_of_rescaling_is_a_number_rounded() -> None:
    (trial,) = operator_trials("table8", SMALL, "jax", ["rescale"])
    problem, basis = trial.problem(), SMALL.moduli
    whole, drop = whole_numbers(problem.given[0], basis), basis[-1]
    rounded = whole_numbers(problem.expected.swapaxes(-1, -2), basis[:-1])
    total = np.prod(np.array(basis[:-1], object))
    assert all((a + drop // 2) // drop % total == b for a, b in zip(whole, rounded, strict=True))


def whole_numbers(x: Any, basis: tuple[int, ...]) -> list[int]:
    """Coefficients modulo the product of a basis, of values (2, limbs, N), by the definition of the inverse."""
    total = int(np.prod(np.array(basis, object)))
    found = []
    for pair in he_integers.intt(x, basis).astype(object):
        for column in pair.T:
            parts = zip(column, basis, strict=True)
            found.append(sum(int(a) * (total // q) * pow(total // q, -1, q) for a, q in parts) % total)
    return found


def test_a_turned_polynomial_has_its_coefficients_elsewhere() -> None:
    basis = prime_basis(2, 28, 8)
    x = limbs.drawn(basis, (1, 8), 1)
    found = he_integers.intt(he_integers.turned(he_integers.ntt(x, basis), basis, 5), basis)
    wanted = np.zeros_like(x).astype(object)
    for i in range(8):
        sign, place = divmod(5 * i, 8)
        wanted[..., place] = x[..., i].astype(object) * (-1) ** sign % np.array(basis, object)
    assert (found == wanted).all()


def test_a_wrong_operator_is_seen() -> None:
    (trial,) = operator_trials("table8", SMALL, "jax", ["add"])
    problem = trial.problem()
    wrong = problem.expected.copy()
    wrong[1, 7, 2] ^= np.uint64(1)
    (row,) = race(problem, {OURS: lambda _: JaxEntry(lambda: wrong, lambda found: found)}, 1, 0.1)
    assert row["state"] == "wrong"


def test_absent_options_are_missing_and_others_fail() -> None:
    with pytest.raises(MissingContestant, match="not there"):
        own.taken(_raising("reduction"), reduction="folded")
    with pytest.raises(MomagenError, match="modulus"):
        own.taken(_raising("modulus"), reduction="folded")
    assert own.taken(dict, a=1) == {"a": 1}


def _raising(where: str) -> Any:
    def make(**_: Any) -> None:
        raise MomagenError("another", "this", where)

    return make


def test_what_is_too_slow_or_too_large_is_left_out(tmp_path: Path) -> None:
    found = run.PaperSweep(SweepSettings(seconds=1e-9), 1, JaxResults(tmp_path / "found.json", {}), lambda _: None)
    problem = limbs.matrix(2, 2, 2)

    def trial(size: int) -> JaxTrial:
        made = {OURS: lambda _: JaxEntry(lambda: problem.expected, lambda got: got)}
        return JaxTrial("table5", "series", "title", size, lambda: problem, made)

    states = [found.trial(trial(size))[0] for size in (1, 1, 1 << 60)]
    assert [row["state"] for row in states] == ["measured", "absent", "absent"]
    assert "a smaller one took" in states[1]["why"] and "GiB" in states[2]["why"]
    assert len(json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))["rows"]) == 3


def test_operators_have_energy_where_watts_are_known() -> None:
    trial = JaxTrial("table8", "table8 D multiply", "title", 1, lambda: limbs.matrix(2, 2, 2), {}, more={"set": "D"})
    for watts in (0.0, 50.0):
        row: dict[str, Any] = {"name": OURS, "state": "measured", "median_us": 4000.0}
        run.PaperSweep(SweepSettings(watts=watts), 1, JaxResults(None, {}), lambda _: None)._complete(row, trial)
        assert ("energy" in row) == (watts > 0)
    assert row["energy"]["model"] and row["energy"]["per_joule"] == 5
    assert row["energy"]["over"]["v6e-4"] == pytest.approx(5 / (1e6 / 1007 / 800))


def test_shapes_are_those_of_the_paper() -> None:
    settings = SweepSettings()
    assert len([*sweeps.table5(settings)]) == 9 and len([*sweeps.table6(settings)]) == 4
    assert [trial.per for trial in sweeps.table7(settings)] == [32, 16, 16]
    assert [trial.title for trial in sweeps.fig11b(SweepSettings(sizes=[13], batches=[1, 4]))] == [
        "Set B, batch 1", "Set B, batch 4"
    ]  # fmt: skip
    assert [row["name"] for row in rows("table8", SweepSettings(sizes=[13]))] == ["HEAP"]
    sizes = [trial.bytes for trial in sweeps.fig13(settings)][::2]
    assert len(sizes) == 8 and all(second == 2 * first for first, second in pairwise(sizes))
    assert estimates.groups({"transform": 3.0, "add": 1.0, "multiply": 2.0})["VecModOps"] == 3.0


def test_operators_need_what_their_kernels_need() -> None:
    add = needs.elementwise("vadd", 16, {})
    (trial,) = operator_trials("table8", SMALL, "jax", ["add"])
    found = trial.counts[OURS]()
    assert add and found and found["operations"] == 6 * add["operations"] and found["bytes"]["once"] == 6 * 16 * 12
    for kernel in kernel_trials("kernels", SMALL, "jax"):
        assert kernel.counts[OURS]()


def test_commands_of_the_page_are_taken_as_written() -> None:
    text = (SCRIPT.parents[1] / "docs" / "papers" / "cross.md").read_text(encoding="utf-8")
    found = re.findall(r"python scripts/bench_jax\.py([^`]*)`", text)
    assert len(found) > 2
    for each in found:
        parser().parse_args(each.split())
    marks = set(re.findall(r"^<!-- (\w+) -->$", text, re.MULTILINE))
    assert marks == {page.EFFICIENCIES}
    assert page.renewed(text, {"rows": [], page.EFFICIENCIES: {"rows": [*energy.efficiencies()]}}) == text
