"""scripts/bench_cuda.py, without a GPU: it runs, it sees a wrong kernel, and its own arithmetic is right."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from cuda_bench import checks, command, rates
from cuda_bench.command import main
from cuda_bench.floors import floor_of, measured_gpu
from cuda_bench.kernel import BenchKernel, numbers_of, words_of
from cuda_bench.machine import DryMachine, quantile
from cuda_bench.prepare import attempt, prepared
from cuda_bench.prepared import Prepared, read_row, write_row
from cuda_bench.results import Results
from cuda_bench.rows import DRY, BenchRow, rows
from cuda_bench.running import Run

import momagen as mg
from momagen.cuda.devices import load_gpu
from momagen.cuda.nvrtc import compile_cuda, nvrtc_version
from momagen.cuda.places import program
from momagen.cuda.sass.listing import disassemble
from momagen.errors import MomagenError

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "bench_cuda.py"
MEASURED = SCRIPT.parent / "results" / "nvidia-h100-80gb-hbm3-20261126-0935.json"
"""What devices.toml names as the source of a rate."""
pytestmark = [pytest.mark.study, pytest.mark.skipif(nvrtc_version() is None, reason="no NVRTC")]


@pytest.fixture(scope="module")
def vmul() -> Prepared:
    return prepared(BenchRow("blas", "vmul", 0, 64, {"bits": 64}), "cuda", ())


@pytest.mark.thorough
def test_a_dry_run_verifies_and_writes_nothing() -> None:
    before = sorted(SCRIPT.parent.rglob("*.json"))
    done = subprocess.run([sys.executable, str(SCRIPT), "--dry"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "mean NOTHING" in done.stdout and all(name in done.stdout for name in DRY)
    assert sorted(SCRIPT.parent.rglob("*.json")) == before


def test_a_prepared_kernel_is_read_back_as_it_was(vmul: Prepared, tmp_path: Path) -> None:
    row = replace(vmul, cubins={"sm_90": b"\x7fELF"})
    write_row(tmp_path, row)
    found = read_row(tmp_path, row.name)
    assert replace(found, operands=tuple(found.operands), scalars=tuple(found.scalars), setup=list(found.setup)) == (
        replace(row, operands=tuple(row.operands), scalars=tuple(row.scalars), setup=list(row.setup), run=list(row.run))
    )
    (tmp_path / f"{row.name}.json").write_text("{}")
    with pytest.raises(MomagenError, match=r"bench_cuda\.py prepare"):
        read_row(tmp_path, row.name)


@pytest.mark.thorough
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_what_is_not_begun_in_time_is_left(
    jobs: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On a clock that goes on by a second each time one looks at it: 2.5 seconds suffice to begin two of four rows."""
    seconds = count()
    monkeypatch.setattr(command, "time", SimpleNamespace(monotonic=lambda: float(next(seconds))))
    given = ["prepare", str(tmp_path), "--only", "blas-128-", "--jobs", jobs, "--minutes"]
    assert main([*given, str(2.5 / 60)]) == 0
    begun, left = {"blas-128-vadd", "blas-128-vsub"}, {"blas-128-vmul", "blas-128-axpy"}
    told = [f"{name} prepared" for name in begun] + [f"{name} left" for name in left]
    assert sorted(capsys.readouterr().out.splitlines()) == sorted(told)
    assert set(json.loads((tmp_path / "rows.json").read_text())) == begun
    assert {path.stem for path in tmp_path.glob("*.cu")} == begun
    assert main([*given, "1"]) == 0
    assert sorted(capsys.readouterr().out.splitlines()) == sorted(f"{name} prepared" for name in left)


def test_a_row_that_no_generator_makes_is_a_reason() -> None:
    made, why = attempt(BenchRow("ntt", "ntt", 3, 64, {"bits": 64}), "cuda", ())
    assert made == [] and "power of two" in why
    made, why = attempt(BenchRow("ntt", "ntt", 8, 64, {"nonsense": 1}), "cuda", ())
    assert made == [] and "nonsense" in why


def test_a_wrong_kernel_is_told_and_not_timed(vmul: Prepared) -> None:
    run = Run(DryMachine(), Results(None, {}), minutes=1)
    wrong = replace(vmul, kind="vadd")
    assert run.rows([("good", [vmul], ""), ("bad", [wrong], ""), ("none", [], "no rule")]) == 1
    told = run.results.told["rows"]
    assert [told[name]["state"] for name in ("good", "bad", "none")] == ["measured", "wrong", "skipped"]
    assert "times" not in told["bad"] and "expected" in told["bad"]["why"] and told["none"]["why"] == "no rule"
    run.end = 0.0
    assert run.rows([("late", [vmul], "")]) == 0 and run.results.told["left"] == ["late"]


class _Echo:
    """A transform that is wrong in one output: what a check must find."""

    def __init__(self, kernel: BenchKernel, at: int) -> None:
        self.row, self.device, self.kernel, self.at = kernel.row, kernel.device, kernel, at
        self.room = kernel.room

    def run(self, result: Any, vectors: Any, count: int, room: Any) -> None:
        self.kernel.run(result, vectors, count, room)
        result[self.at * self.row.stride] ^= 1


@pytest.mark.thorough
def test_a_transform_that_is_wrong_anywhere_is_found() -> None:
    row = BenchRow("ntt", "ntt", 16, 64, {"bits": 64})
    there, back = (prepared(row, "cuda", (), inverse=inverse) for inverse in (False, True))
    made = [BenchKernel(each, DryMachine().device(each.source)) for each in (there, back)]
    assert checks.check_transform(*made, 3) > 48
    for at in (0, 15, 17, 40):
        with pytest.raises(checks.Wrong):
            checks.check_transform(_Echo(made[0], at), made[1], 3)  # type: ignore[arg-type]
    with pytest.raises(checks.Wrong):  # a permutation of outputs that the inverse undoes
        other = replace(there, root=pow(there.root, 3, there.modulus))
        both = [BenchKernel(replace(each, root=other.root), DryMachine().device(each.source)) for each in (there, back)]
        both[0].row = there
        checks.check_transform(both[0], both[1], 1)


@pytest.mark.parametrize(("q", "stride"), [(2**31 - 1, 1), (2**64 - 2**32 + 1, 2), (2**124 - 59, 4), (2**157 + 5, 6)])
def test_residues_are_below_q_and_reach_its_ends(q: int, stride: int) -> None:
    numbers = numbers_of(checks.residues(q, stride, 2000, 1), stride)
    assert numbers[:2] == [q - 1, 0] and max(numbers) < q and max(numbers[2:]) > q - q // 100
    assert numbers_of(words_of(numbers, stride), stride) == numbers


def test_rows_are_all_widths_and_sizes_of_every_section() -> None:
    found = list(rows())
    assert len({row.name for row in found}) == len(found) == 7 * 17 + 2 * 6 + 16 + 16 + 8
    assert {row.n for row in found if row.section == "ntt"} == {1 << k for k in range(8, 25)}
    assert {row.name for row in found} >= set(DRY)


def test_quantiles() -> None:
    assert quantile([5.0, 1.0, 2.0, 3.0, 4.0], 0.5) == 3.0
    assert quantile([float(i) for i in range(1, 101)], 0.95) == 95.0


@pytest.mark.skipif(program("nvdisasm") is None, reason="no nvdisasm")
def test_rates_measure_the_instructions_that_they_name() -> None:
    functions = disassemble(compile_cuda(rates.source(), "sm_90").cubin)
    for name, mnemonic in rates.KERNELS.items():
        counts = Counter(line.base if mnemonic.count(".") == 0 else line.mnemonic for line in functions[name].lines)
        most = sum(count for each, count in counts.items() if each.startswith(mnemonic))
        assert rates.CHAINS * rates.UNROLL <= most <= rates.CHAINS * rates.UNROLL + 24, (name, counts)


def _transform(vmul: Prepared, name: str, width: int, counted: str = "") -> Prepared:
    """As of the row ``name``, with a modulus of ``width`` bits; with a count of its own where one is ``counted``."""
    row = next(row for row in rows() if row.name == name)
    return replace(vmul, name=name, section=row.section, kind="ntt", n=row.n, bits=row.bits, modulus=(1 << width) - 1,
                   counted=counted, butterfly={"multiply": 3.0} if counted else {})  # fmt: skip


def test_a_transform_without_counts_takes_those_of_its_width(vmul: Prepared) -> None:
    run = Run(DryMachine(), Results(None, {}), minutes=1)
    known = _transform(vmul, "ntt-128-2^16", 124, "pass_1, sm_90")
    bare = _transform(vmul, "ntt-128-2^12", 124)
    assert run._counted(bare) is bare and run._counted(known) is known
    for name in ("ntt-128-2^12", "sweep-128-2^12"):
        found = run._counted(_transform(vmul, name, 124))
        assert found.butterfly == {"multiply": 3.0} and found.counted == "pass_1, sm_90, ntt-128-2^16"
        assert found == replace(_transform(vmul, name, 124), butterfly=found.butterfly, counted=found.counted)
    for name, width in (("ntt-256-2^12", 252), ("sweep-256-2^12", 252), ("products-128-2^12-schoolbook", 124),
                        ("baked-128-2^12", 124)):  # fmt: skip
        other = _transform(vmul, name, width)
        assert run._counted(other) is other, name
    assert run._counted(vmul) is vmul
    own = _transform(vmul, "sweep-128-2^12", 124, "pass_0, sm_90")
    assert run._counted(own) is own


def test_a_modulus_in_the_code_is_counted_apart(vmul: Prepared) -> None:
    run = Run(DryMachine(), Results(None, {}), minutes=1)
    run._counted(_transform(vmul, "baked-128-2^16", 124, "pass_1, sm_90"))
    assert run._counted(_transform(vmul, "baked-128-2^12", 124)).counted == "pass_1, sm_90, baked-128-2^16"
    assert not run._counted(_transform(vmul, "ntt-128-2^12", 124)).counted


def test_goldilocks_is_no_other_modulus_of_its_row(vmul: Prepared) -> None:
    """Rows named 64: of the section ntt Goldilocks, of the sweep a modulus of 60 bits, which ntt-60 has, too."""
    run = Run(DryMachine(), Results(None, {}), minutes=1)
    run._counted(_transform(vmul, "ntt-64-2^16", 64, "pass_0, sm_90"))
    assert not run._counted(_transform(vmul, "sweep-64-2^12", 60)).counted
    assert not run._counted(_transform(vmul, "sweep-64-2^12", 64)).counted
    run._counted(_transform(vmul, "ntt-60-2^16", 60, "pass_1, sm_90"))
    assert run._counted(_transform(vmul, "sweep-64-2^12", 60)).counted == "pass_1, sm_90, ntt-60-2^16"
    assert run._counted(_transform(vmul, "ntt-64-2^12", 64)).counted == "pass_0, sm_90, ntt-64-2^16"


def test_rows_that_are_alike_are_made_alike() -> None:
    """The kernels of rows that share counts differ in nothing but the command that made them."""
    pairs = [({"bits": 128}, {"bits": 128, "multiply": "schoolbook"}), ({"bits": 64}, {"modulus_bits": 60})]
    for options in pairs:
        one, other = (
            [line for line in mg.ntt(16, target="cuda_sm90", **each).source.splitlines() if "--target" not in line]
            for each in options  # type: ignore[arg-type]
        )
        assert one == other


def test_the_floor_by_hand(vmul: Prepared) -> None:
    lanes = {"wide_carry": 32.0, "wide_beside": 25.0, "multiply": 64.0, "add": 64.0, "fp64": 64.0}
    measured = {"lanes": lanes, "ghz": 1.0, "copy_gb_s": 1000.0}
    gpu = measured_gpu({"capability": "90", "device": "a GPU", "sms": 100}, measured)
    row = replace(vmul, n=1 << 4, traffic=2 * 16 * 2, butterfly={"wide multiply": 8.0})
    found = floor_of(row, gpu)
    # 32 butterflies of 8 instructions, 32 lanes a cycle on 100 multiprocessors: 0.08 ns; 256 bytes at 1 TB/s: 0.256 ns.
    assert found["arithmetic_ns"] == pytest.approx(0.08) and found["memory_ns"] == pytest.approx(0.256)
    assert found["floor_ns"] == found["memory_ns"] and found["bound"] == "fmaheavy"
    # of an instruction beside each, 9 slots for 8 of before, at 128 lanes a cycle
    found = floor_of(replace(row, butterfly={"wide multiply": 8.0, "add": 4.0}), gpu)
    assert found["arithmetic_ns"] == pytest.approx(0.08 * 9 / 8) and found["bound"] == "issue"


def test_the_table_of_devices_is_what_was_measured() -> None:
    """No rate of the table is below the measured one, else a floor were none; none is more than a tenth above it."""
    found = rates.lanes_of(json.loads(MEASURED.read_text(encoding="utf-8"))["rates"])
    table = load_gpu("h100-sxm").core
    assert table.slots == rates.slots_of(json.loads(MEASURED.read_text(encoding="utf-8"))["rates"]) == {"wide": 4}
    assert set(found) == set(table.lanes) and str(MEASURED.relative_to(SCRIPT.parents[1])) in table.source
    for name, lanes in found.items():
        assert 0.9 * table.lanes[name] < lanes < 1.01 * table.lanes[name], name


@pytest.mark.thorough
def test_plots_show_the_results(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib", reason="no matplotlib")
    path = tmp_path / "gpu.json"
    path.write_bytes(MEASURED.read_bytes())
    assert main(["plot", str(path)]) == 0
    assert "momagen, H100" in capsys.readouterr().out
    assert {"figure-2.svg", "figure-3a.svg", "figure-4.svg", "figure-5a.svg"} <= {
        each.name for each in (tmp_path / "gpu").iterdir()
    }


def test_a_run_on_a_stand_in_for_cupy(vmul: Prepared, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not a word about a GPU, but every line that one will run, apart from captures and transfers."""
    from support.cupy_standin import stand_cupy

    from momagen.cuda import gpu

    monkeypatch.setitem(sys.modules, "cupy", stand_cupy())
    monkeypatch.setattr(gpu, "nvrtc_version", lambda: None)
    monkeypatch.setattr(rates, "ROUNDS", 1)
    monkeypatch.setattr(rates, "source", lambda: rates.SOURCE.read_text(encoding="utf-8").replace("clock64()", "0ll"))
    gpu.find_cupy.cache_clear()
    kept = replace(vmul, name="blas-128-vmul", butterfly={"wide multiply": 8.0})
    write_row(tmp_path, kept)
    (tmp_path / "rows.json").write_text(json.dumps({kept.name: ""}))
    monkeypatch.setattr(rates, "_lanes", lambda *_: 32.0)
    monkeypatch.setattr(rates, "_clock", lambda *_: 1.0)
    told = tmp_path / "told.json"
    assert main(["run", str(tmp_path), "--only", "128-v", "--results", str(told)]) == 0
    gpu.find_cupy.cache_clear()
    found = json.loads(told.read_text())
    assert found["machine"]["device"] == "Stand-in" and found["rates"]["copy_gb_s"] > 0
    row = found["rows"][kept.name]
    assert row["state"] == "measured" and row["over_floor"] > 0 and row["times"]["stated"]["beyond_l2"]
    assert found["rows"]["blas-128-vadd"] == {"state": "skipped", "why": "not prepared", "seconds": 0.0}


def test_no_gpu_is_one_line(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    from momagen.cuda import gpu

    gpu.find_cupy.cache_clear()
    monkeypatch.setitem(sys.modules, "cupy", None)
    assert main(["run", "nowhere"]) == 2
    assert capsys.readouterr().err.startswith("error: GPU: CuPy cannot be imported")


def test_a_run_needs_only_cupy_and_numpy() -> None:
    code = (
        "import sys\n"
        "class Without:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.split('.')[0] in ('gmpy2', 'sympy', 'jinja2', 'rich', 'matplotlib'):\n"
        "            raise ImportError(name)\n"
        "sys.meta_path.insert(0, Without())\n"
        "import cuda_bench.command, cuda_bench.running\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False,
                          cwd=SCRIPT.parent, env={"PYTHONPATH": f"{SCRIPT.parent}:{SCRIPT.parents[1]}"})  # fmt: skip
    assert done.returncode == 0, done.stderr
