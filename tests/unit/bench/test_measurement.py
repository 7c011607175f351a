"""Measuring: the arithmetic of samples, what the C stopwatch calls, the baselines' results, the branch scanner, tables.

Nothing here judges a time.
"""

from __future__ import annotations

import csv
import ctypes
import io
import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from support.oracle import result

from momagen.bench import bench_kernel
from momagen.bench.measure import clock, machine
from momagen.bench.measure.built import Built, build
from momagen.bench.measure.child import measure
from momagen.bench.measure.kernel import (
    buffers,
    calls_per_sample,
    default_batch,
    kernel_call,
    random_residues,
    sampler,
    summary,
    unit,
    units,
)
from momagen.bench.measure.sample import Spread, interleave, ratio, spread
from momagen.bench.report.figure import Figure, as_csv, as_json, failure, markdown, number, shown, spread_figure
from momagen.bench.suite import generation, suite
from momagen.bench.suite import racing as race
from momagen.bench.x86 import assembly
from momagen.errors import MomagenError
from momagen.kinds.modular.make_spec import make_spec
from momagen.params import from_words, to_words
from momagen.runtime import Compiler, compile_shared, find_compiler, list_compilers, load

COMPILERS = list_compilers()
each_compiler = pytest.mark.parametrize("compiler", COMPILERS, ids=lambda compiler: " ".join(compiler.command[-2:]))


# Samples


def test_spread_is_median_and_nearest_rank_percentiles() -> None:
    assert spread([float(i) for i in range(100, 0, -1)]) == Spread(50.5, 10.0, 90.0, 100)
    assert spread([3.0]) == Spread(3.0, 3.0, 3.0, 1)
    assert spread([1.0, 9.0, 2.0]) == Spread(2.0, 1.0, 9.0, 3)
    with pytest.raises(MomagenError, match="at least one sample"):
        spread([])


def test_ratio_is_taken_round_by_round() -> None:
    # the machine is ten times slower in the second round; the ratio does not notice
    assert ratio([2.0, 20.0, 2.0], [1.0, 10.0, 1.0]) == Spread(2.0, 2.0, 2.0, 3)
    assert ratio([2.0, 9.0, 4.0], [1.0, 3.0, 1.0]).median == 3.0
    with pytest.raises(MomagenError, match="expected two lists of 2 samples, one per round, got 1 in the second"):
        ratio([1.0, 1.0], [1.0])


def test_rounds_interleave_and_rotate() -> None:
    order: list[str] = []
    rounds: list[int] = []

    def run(name: str) -> int:
        order.append(name)
        return len(order)

    found = interleave({name: partial(run, name) for name in "abc"}, repetitions=3, each=rounds.append)
    assert "".join(order) == "abcbcacab"
    assert found == {"a": [1, 6, 8], "b": [2, 4, 9], "c": [3, 5, 7]}
    assert rounds == [1, 2, 3]


def test_rounds_end_with_the_time_but_are_three() -> None:
    assert len(interleave({"a": lambda: 0}, repetitions=1000, seconds=-1.0)["a"]) == 3
    assert len(interleave({"a": lambda: 0}, repetitions=2, seconds=-1.0)["a"]) == 2
    with pytest.raises(MomagenError, match="repetition"):
        interleave({"a": lambda: 0}, repetitions=0)
    with pytest.raises(MomagenError, match="repetition"):
        interleave({}, repetitions=1)


# The stopwatch


def test_latency_is_a_whole_number_or_unknown() -> None:
    assert clock.whole([2.9, 2.96, 3.4]) == 3
    assert clock.whole([4.02]) == 4
    assert clock.whole([3.4]) is None
    assert clock.whole([1.0]) is None  # a chain that was optimised away
    assert clock.whole([]) is None


def test_a_reading_is_divided() -> None:
    assert clock.Reading(8.0, 32.0) / 4 == clock.Reading(2.0, 8.0)
    assert clock.Reading(8.0, None) / 4 == clock.Reading(2.0, None)
    assert clock.Reading(8.0, None, 4.4, 12.0) / 4 == clock.Reading(2.0, None, 4.4, 3.0)


def test_readings_on_a_shared_core_are_left_out() -> None:
    alone = [clock.Reading(1.0, 3.0, 4.4), clock.Reading(2.0, 6.0, 4.3), clock.Reading(3.0, 9.0, 4.5)]
    shared = [clock.Reading(9.0, 27.0, 2.2)] * 4
    assert clock.quiet(alone + shared) == alone
    assert clock.quiet(shared, best=4.5) == shared  # nothing better to be had
    assert clock.usual(alone + shared) == 4.5
    ns, cycles, wall = summary([*alone, *shared])
    assert (ns.median, ns.count) == (2.0, 3) and cycles is not None and cycles.median == 6.0
    assert wall.count == 7


# Every shape of arguments: what it was called with, and how often, two to four calls in front that go untimed.
PROBE = """
#include <stddef.h>
#include <stdint.h>
void transform(uint64_t *plan, uint64_t *z, const uint64_t *x, size_t n) { plan[0]++; z[0] = 10 * x[0] + n; }
void pair(uint64_t *plan, uint64_t *z, const uint64_t *x, const uint64_t *y, size_t n)
{ plan[0]++; z[0] = 100 * x[0] + 10 * y[0] + n; }
void scaled_pair(uint64_t *plan, uint64_t *z, const uint64_t *a, const uint64_t *x, const uint64_t *y, size_t n)
{ plan[0]++; z[0] = 1000 * a[0] + 100 * x[0] + 10 * y[0] + n; }
int product(uint64_t *plan, uint64_t *z, const uint64_t *x, const uint64_t *y, size_t n)
{ pair(plan, z, x, y, n); return 0; }
void in_place(uint64_t *z, uint64_t *plan) { plan[0]++; z[0] += 1; }
"""


@pytest.mark.compiles
@pytest.mark.parametrize(
    ("shape", "expected"),
    [("transform", 24), ("pair", 234), ("scaled_pair", 1234), ("product", 234), ("in_place", 0)],
)
def test_the_c_loop_passes_every_argument(shape: str, expected: int) -> None:
    library = load(compile_shared(PROBE, name="probe", flags=["-std=c99"]))
    plan, z, a, x, y = (np.array([value], np.uint64) for value in (0, 0, 1, 2, 3))
    call = clock.make_call(shape, library[shape], plan.ctypes.data, z=z, a=a, x=x, y=y, count=4)
    reading = call.time(5)
    assert 5 + 2 <= plan[0] <= 5 + 4 and z[0] == (expected or plan[0])
    assert (reading.cycles is None) == (clock.latency() is None)
    assert any(call.time(1000).ns > 0 for _ in range(10))  # a single one may be less than what asking the time takes


SLEEP = """
#define _POSIX_C_SOURCE 199309L
#include <stdint.h>
#include <time.h>
void in_place(uint64_t *z, const void *plan) { nanosleep(&(struct timespec){0, 3000000}, 0); (void)z, (void)plan; }
"""


@pytest.mark.compiles
def test_time_is_the_threads_own_and_the_wall_is_beside_it() -> None:
    library = load(compile_shared(SLEEP, name="sleep", flags=["-std=c99"]))
    reading = clock.make_call("in_place", library["in_place"], 0, z=np.zeros(1, np.uint64)).time(3)
    assert reading.wall >= 3e6 > 3 * reading.ns


@pytest.mark.parametrize(("ns", "calls"), [(0.0, 1000), (-30.0, 1000), (10.0, 100), (5000.0, 1)])
def test_calls_of_a_sample(ns: float, calls: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also of a kernel so short, or a moment so disturbed, that it took less than asking the time."""
    monkeypatch.setattr(clock.TimedCall, "time", lambda call, times: clock.Reading(ns, None, 0.0))
    assert calls_per_sample(clock.TimedCall(clock.TimerJob(), ()), 1000.0) == calls


@pytest.mark.compiles
@each_compiler
def test_the_stopwatch_compiles_everywhere_and_its_chains_are_kept(compiler: Compiler) -> None:
    source = Path(clock.__file__).with_name("clock.c").read_text()
    library = load(compile_shared(source, name="clock", flags=["-std=c99", "-Wall", "-Werror"], compiler=compiler))
    for name in ("momagen_additions", "momagen_multiplications"):
        chain = library[name]
        chain.restype, chain.argtypes = ctypes.c_double, [ctypes.c_uint64]
        assert any(chain(10_000) > 0 for _ in range(10))  # a moment may be disturbed


# Kernels


@pytest.mark.parametrize(("n", "log"), [(2, 1), (64, 6), (4096, 12)])
def test_units_of_a_transform_are_butterflies(n: int, log: int) -> None:
    spec = make_spec("ntt", n=n, bits=128)
    assert (unit(spec), units(spec, 3)) == ("butterfly", 3 * (n // 2) * log)


def test_units_of_the_others_are_elements() -> None:
    for kind, n in (("vmul", 0), ("axpy", 0)):
        spec = make_spec(kind, n=n, bits=128)
        assert (unit(spec), units(spec, 100)) == ("element", 100)
    assert units(make_spec("polymul", n=64, bits=128), 2) == 128


def test_short_kernels_fill_a_buffer() -> None:
    assert default_batch(make_spec("ntt", n=2, bits=128)) * 2 * 16 == 1 << 14
    assert default_batch(make_spec("vadd", bits=256)) * 32 == 1 << 14
    assert default_batch(make_spec("ntt", n=1 << 20, bits=128)) == 1


@pytest.mark.parametrize("length", [1, 100, 4096])
def test_buffers_begin_on_lines_a_third_of_a_page_apart(length: int) -> None:
    spec = make_spec("vadd", bits=128)
    found = buffers(spec, spec.modulus, length)
    assert [words.ctypes.data % 4096 for words in found] == [0, 1344, 2688]
    assert [words.shape for words in found] == [(length, 2)] * 3
    assert (found[0] == random_residues(spec, spec.modulus, length, 1)).all() and not found[2].any()


@pytest.mark.parametrize("bits", [16, 64, 65, 128, 753])
def test_random_residues_are_residues(bits: int) -> None:
    spec = make_spec("ntt", n=16, bits=bits)
    for modulus in (spec.modulus, 97):
        values = from_words(random_residues(spec, modulus, 5, 1))
        assert len(values) == 80 and all(0 <= value < modulus for value in values)
    assert len(set(from_words(random_residues(spec, spec.modulus, 5, 1)))) > 40


@pytest.fixture(scope="module")
def kernel() -> Built:
    return build(make_spec("ntt", n=64, bits=128))


@pytest.mark.compiles
def test_result_of_a_kernel(kernel: Built) -> None:
    result = bench_kernel(kernel, repetitions=3)
    assert (result.unit, result.batch, result.repetitions) == ("butterfly", 16, 3)
    assert 0 < result.ns.low <= result.ns.median <= result.ns.high
    assert (result.cycles is None) == (clock.latency() is None)
    assert json.loads(json.dumps(result.to_dict()))["ns"]["count"] == 3
    assert "ns per butterfly" in str(result)


@pytest.mark.compiles
def test_emulated_kernels_are_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOMAGEN_DISABLE", "avx512f")
    kernel = build(make_spec("vadd", bits=64, target="avx512"))
    with pytest.raises(MomagenError, match="this CPU lacks avx512f, and emulated kernels are not timed"):
        bench_kernel(kernel)


def test_the_timed_call_computes(kernel: Built) -> None:
    call = kernel_call(kernel, 2)
    sampler(call, units(kernel.spec, 2), 1)()
    _, z, _, x, _, *_ = call.keep
    assert isinstance(z, np.ndarray) and isinstance(x, np.ndarray)
    for part in (slice(0, 64), slice(64, 128)):
        assert from_words(z[part]) == result(kernel.spec, from_words(x[part]))


# The branch scanner

STRAIGHT = """
0000000000001100 <f_execute>:
    1100:	test   %r8,%r8
    1103:	je     1140 <f_execute+0x40>
    1105:	xor    %eax,%eax
    1107:	call   1200 <stage_0>
    110c:	inc    %eax
    110e:	jne    1107 <f_execute+0x7>
    1140:	ret

0000000000001200 <stage_0>:
    1200:	cmp    %rax,%rcx
    1203:	je     1230 <stage_0+0x30>
    1205:	nop
    1206:	mulx   %rax,%rcx,%rdx
    120b:	cmovb  %rax,%rcx
    1210:	call   1300 <outlined>
    1215:	jne    1206 <stage_0+0x6>
    121b:	dec    %rcx
    1220:	jne    1205 <stage_0+0x5>
    1230:	ret

0000000000001300 <outlined>:
    1300:	mulx   %rax,%rcx,%rdx
    1305:	ret

0000000000001400 <create>:
    1400:	jne    1410 <create+0x10>
    1402:	dec    %rcx
    1405:	jne    1400 <create>
    1410:	ret
"""


def test_counter_loops_are_no_branches() -> None:
    report = assembly.examine(STRAIGHT, "f_execute")
    assert report == assembly.BranchReport(("f_execute", "stage_0", "outlined"), 2, 0)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("120b:	cmovb  %rax,%rcx", "120b:	jb     1210 <stage_0+0x10>"),  # over a few instructions
        ("120b:	cmovb  %rax,%rcx", "120b:	jae    1500 <stage_0.cold>"),  # out of line
        ("120b:	cmovb  %rax,%rcx", "120b:	bnd jb 1206 <stage_0+0x6>"),  # back to the head
        ("120b:	cmovb  %rax,%rcx", "120b:	tbnz	x1, #3, 0x1210 <stage_0+0x10>"),
        ("120b:	cmovb  %rax,%rcx", "120b:	b.lo	0x1210 <stage_0+0x10>"),
        ("1300:	mulx   %rax,%rcx,%rdx", "1300:	jb     1305 <outlined+0x5>"),  # in what a loop calls
    ],
)
def test_branches_on_data_are_found(old: str, new: str) -> None:
    assert old in STRAIGHT
    assert assembly.examine(STRAIGHT.replace(old, new), "f_execute").branches == 1


BRANCHING = """
#include <stddef.h>
void g(long);
void sum_execute(const long *x, size_t n) { for (size_t i = 0; i < n; i++) if (x[i] > 7) g(x[i]); }
"""


@pytest.mark.compiles
@pytest.mark.skipif(not assembly.disassembler(), reason="neither objdump nor llvm-objdump")
@each_compiler
def test_a_compiled_branch_is_found(compiler: Compiler) -> None:
    source = BRANCHING + "void g(long x) { (void)*(volatile long *)x; }\n"
    path = compile_shared(source, name="sum", flags=["-std=c99", "-fno-inline"], compiler=compiler)
    assert assembly.inspect(path, "sum_execute").branches >= 1
    with pytest.raises(MomagenError, match="no loops were found in missing and the functions that it calls; use a"):
        assembly.inspect(path, "missing")


# Figures and the suite


def test_a_bar_is_met_or_missed() -> None:
    assert Figure("race", "f", 1.1, limit=1.1).ok is True
    assert Figure("race", "f", 1.11, limit=1.1).ok is False
    assert Figure("race", "f", 1.5, limit=1.5, at_least=True).ok is True
    assert Figure("race", "f", 1.4, limit=1.5, at_least=True).ok is False
    assert Figure("race", "f", 1.4).ok is None
    assert Figure("race", "f", None, limit=1.5).ok is None
    assert failure("race", "f", MomagenError("a kernel", "none", "x")).ok is False
    assert Figure("race", "f", 1.4, limit=1.5, at_least=True).bar == "≥ 1.5"


def test_numbers_have_three_digits() -> None:
    assert [number(v) for v in (None, 0.0, 3.0, 14.28, 0.0456, 1234.5)] == ["–", "0", "3", "14.3", "0.0456", "1234"]


def test_figures_as_json_csv_and_markdown() -> None:
    rows = [
        spread_figure("race", "a / b", Spread(1.0, 0.9, 1.2, 7), limit=1.1),
        Figure("large", "left | out", None, note="no objdump", detail=True),
    ]
    plain = json.loads(as_json({"cpu": "x"}, rows))
    assert plain["machine"] == {"cpu": "x"}
    assert plain["figures"][0] == {
        "section": "race", "name": "a / b", "value": 1.0, "low": 0.9, "high": 1.2, "samples": 7, "unit": "",
        "bar": "≤ 1.1", "ok": True, "note": "",
    }  # fmt: skip
    table = list(csv.DictReader(io.StringIO(as_csv(rows))))
    assert [row["name"] for row in table] == ["a / b", "left | out"] and table[1]["value"] == ""
    assert shown(rows) == rows[:1]
    assert "| a / b | 1 | 0.9 … 1.2 | ≤ 1.1 | PASS |  |" in markdown("T", rows)


def test_ratios_pair_what_took_part() -> None:
    times = {"hand-written, gcc": [4.0, 8.0], "c, gcc": [2.0, 4.0], "c, clang": [1.0, 4.0], "avx512, clang": [1.0, 1.0]}
    found = {figure.name: figure for figure in race.ratios(times)}
    assert set(found) == {"c, gcc / hand-written, gcc", "c, clang / avx512, clang", "c, gcc / c, clang"}
    assert found["c, gcc / c, clang"].value == 1.5 and found["c, gcc / c, clang"].limit == 1.3
    assert found["c, gcc / hand-written, gcc"].value == 0.5 and found["c, gcc / hand-written, gcc"].limit is None


def test_disagreement_is_counted() -> None:
    right, wrong = to_words([1, 2], 1), to_words([1, 3], 1)
    assert race.agreement({"a": right, "b": right.copy()}).ok is True
    odd = race.agreement({"a": right, "b": wrong})
    assert odd.ok is False and odd.note == "b"


@pytest.mark.compiles
def test_the_race_runs_and_agrees() -> None:
    figures = {figure.name: figure for figure in race.race(repetitions=3, seconds=60)}
    family = next(iter(machine.families()))
    assert figures["different outputs"].ok is True
    assert figures[f"c, {family} / hand-written, {family}"].samples == 3
    assert (figures[f"c, {family}"].value or 0) > 0


def test_a_child_measures_one_kernel() -> None:
    compiler = find_compiler()
    found = measure({"kind": "ntt", "n": 16, "bits": 64}, compilers={"cc": compiler}, run=True)
    times = ("parameters", "generate", "compile cc", "plan", "execute", "verify")
    assert all(found[key] > 0 for key in times)
    assert found["units"] == 32 and found["values"] >= 16 and found["lines"] > 100
    assert 10 < found["memory"] < 1000


def test_a_child_says_why_it_failed() -> None:
    with pytest.raises(MomagenError, match="a power of two"):
        measure({"kind": "ntt", "n": 12, "bits": 64})


def test_summaries_name_the_worst() -> None:
    family = next(iter(machine.families()))
    details = [
        Figure("generation", "generate 1024-bit ntt, c", 2.0, "s", 10.0, detail=True),
        Figure("generation", "generate 1024-bit vmul, c", 11.0, "s", 10.0, detail=True),
        Figure("generation", f"compile 1024-bit ntt, c, {family}", 4.0, "s", 15.0, detail=True),
        failure("generation", "1024-bit axpy, c", MomagenError("a", "b", "c")),
    ]
    worst, compiled = generation.summaries("c", details)
    assert (worst.value, worst.ok, worst.note) == (11.0, False, "of 2: generate 1024-bit vmul, c")
    assert (compiled.value, compiled.ok) == (4.0, True)


def test_cpu_name() -> None:
    text = "processor : 0\nmodel name\t: Some CPU\ncpu family : 6\nmodel : 143\n\nprocessor : 1\nmodel name : Other\n"
    assert machine.cpu_name(text) == "Some CPU (family 6, model 143)"
    assert machine.cpu_name("") != ""


def test_sections_are_chosen_and_refused() -> None:
    most = ["race", "x86", "stopwatch", "everyday", "hexl", "branches", "generation"]
    assert suite.chosen_sections(suite.Options()) == suite.chosen_sections(suite.Options(sections=("all",))) == most
    assert suite.chosen_sections(suite.Options(large=True)) == [*most, "large"]
    assert suite.chosen_sections(suite.Options(sections=("branches", "race"))) == ["race", "branches"]
    with pytest.raises(MomagenError, match="expected one of the sections race, x86, stopwatch, everyday, hexl"):
        suite.chosen_sections(suite.Options(sections=("speed",)))


def test_suite_prints_writes_and_judges(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    bad = Figure("branches", "bad", 2, limit=0)
    found = [Figure("branches", "good", 0, limit=0), replace(bad, name="bad too", detail=True), bad]
    monkeypatch.setitem(suite.MEASURES, "branches", lambda: iter(found))
    only = ("branches",)
    assert suite.main(suite.Options(sections=only, folder=tmp_path / "out")) == 1
    assert "1 of 2 thresholds met; missed: bad" in capsys.readouterr().out
    assert "| bad | 2 |" in (tmp_path / "out" / "bench.md").read_text()
    assert json.loads((tmp_path / "out" / "bench.json").read_text())["machine"]["python"]
    assert suite.main(suite.Options(sections=only, json=True)) == 1
    assert [f["ok"] for f in json.loads(capsys.readouterr().out)["figures"]] == [True, False, False]
    del found[1:]
    assert suite.main(suite.Options(sections=only, csv=True)) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("branches,good,0,")


def test_a_folder_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(MomagenError, match=r"the folder .* cannot be created \(File exists"):
        suite.main(suite.Options(sections=("branches",), folder=tmp_path / "file"))
