"""scripts/dropin without its builds: reports are read, HEXL's tests sorted, crashes and missing folders named."""

from __future__ import annotations

import io
import json
import os
import stat
import sys
from pathlib import Path

import pytest
from dropin import benches, gtests, hexl_tests
from dropin.command import main
from dropin.gtests import FAILED, LEFT_OUT, PASSED, Outcome
from dropin.hexl_tests.rewrite import PUBLIC, REASONS, REDIRECTED, rewrite
from dropin.report import Report
from dropin.sources import SOURCES
from dropin.suites import SUITES, VARIANTS
from dropin.trees import BENCHES, TREES, openfhe, refresh
from rich.console import Console

GTEST = {"testsuites": [
    {"name": "NTT", "testsuite": [
        {"name": "Powers", "status": "RUN", "result": "COMPLETED", "time": "0.25s"},
        {"name": "Wrong", "status": "RUN", "result": "COMPLETED", "time": "1s",
         "failures": [{"failure": "a.cpp:3\nExpected: 1\n  Actual: 2", "type": ""}, {"failure": "more", "type": ""}]},
        {"name": "DISABLED_Old", "status": "NOTRUN", "result": "SUPPRESSED", "time": "0s"}]},
    {"name": "A/Sizes", "testsuite": [
        {"name": "All/0", "status": "RUN", "result": "SKIPPED", "time": "0s",
         "skipped": [{"message": "a.cpp:9\nno AVX-512\n"}]}]},
]}  # fmt: skip
BENCHMARK = {"benchmarks": [
    {"name": "n=4 / NTT/iterations:10", "run_type": "iteration", "cpu_time": 3.5, "real_time": 9, "time_unit": "us"},
    {"name": "fast", "run_type": "iteration", "cpu_time": 250.0, "real_time": 9, "time_unit": "ns"},
    {"name": "slow", "cpu_time": 2.0, "real_time": 9, "time_unit": "ms"},
    {"name": "fast_mean", "run_type": "aggregate", "cpu_time": 1.0, "time_unit": "ns"},
    {"name": "broken", "run_type": "iteration", "error_occurred": True, "cpu_time": 0.0, "time_unit": "ns"},
]}  # fmt: skip
HEXL = """#include "hexl/ntt/ntt.hpp"
#include "ntt/ntt-internal.hpp"

#ifdef HEXL_DEBUG
TEST(NTT, bad_input) {
  EXPECT_ANY_THROW(ntt.ComputeForward(nullptr, nullptr, 1, 1));
}
#endif

class Sizes : public ::testing::TestWithParam<int> {};

TEST_P(Sizes, Zeros) {
#ifdef HEXL_DEBUG
  int trials = 1;
#endif
  if (true) {
    m_ntt.ComputeForward(x, x, 1, 1);
  }
}

TEST_P(Sizes, Radix) {
  ForwardTransformToBitReverseRadix4(x, x, n, q, w, v, 2, 1);
}

TEST_P(Sizes, Both) {
  m_ntt.ComputeForward(x, x, 1, 1);
  ReferenceForwardTransformToBitReverse(y, n, q, w);
}

TEST(Reduce, Random) {
  EltwiseReduceModNative(a, x, n, q, q, 1);
  EltwiseReduceMod(b, x, n, q, q, 1);
}

TEST(Add, Native) {
  EltwiseAddModNative(x, x, y, n, q);
}

#ifdef HEXL_HAS_AVX512DQ
TEST(Add, Wide) {
  EltwiseAddModAVX512(x, x, y, n, q);
}
#endif
"""


def _program(path: Path, text: str) -> Path:
    """A Python script that runs by itself."""
    path.write_text(f"#!{sys.executable}\n{text}", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_a_report_of_googletest() -> None:
    assert gtests.parse(json.dumps(GTEST)) == [
        Outcome("NTT.Powers", PASSED, 0.25),
        Outcome("NTT.Wrong", FAILED, 1.0, "a.cpp:3\nExpected: 1\n  Actual: 2"),
        Outcome("NTT.DISABLED_Old", LEFT_OUT, 0.0, "disabled by its name"),
        Outcome("A/Sizes.All/0", LEFT_OUT, 0.0, "no AVX-512"),
    ]


def test_names_of_tests() -> None:
    output = "Version 1.5\nNTT.\n  Powers\nA/Sizes.  # TypeParam = int\n  All/0  # GetParam() = 4\n  All/1\n"
    assert gtests.listed(output) == ["NTT.Powers", "A/Sizes.All/0", "A/Sizes.All/1"]


FAKE = """
import json, os, sys
options = dict(a.lstrip("-").partition("=")[::2] for a in sys.argv[1:])
if "gtest_list_tests" in options:
    print("S.\\n  a_LONG\\n  b_LONG")
    sys.exit()
barred = options["gtest_filter"].partition("-")[2].split(":")
run = [n for n in TESTS if "S." + n not in barred]
for n in run:
    print(f"[ RUN      ] S.{n}", flush=True)
    if n.startswith("crash"):
        os.abort()
entries = [{"name": n, "status": "RUN", "result": "COMPLETED", "time": "0s"} for n in run]
with open(options["gtest_output"].removeprefix("json:"), "w") as file:
    json.dump({"testsuites": [{"name": "S", "testsuite": entries}]}, file)
"""


def test_a_crash_fails_one_test_and_the_others_run(tmp_path: Path) -> None:
    program = _program(tmp_path / "tests", f"TESTS = ['a', 'crash', 'b', 'crash2']{FAKE}")
    said: list[str] = []
    found = gtests.run(program, tmp_path, "*_LONG", "too long", said.append)
    assert [(t.name, t.status) for t in found] == [
        ("S.a", PASSED), ("S.b", PASSED), ("S.crash", FAILED), ("S.crash2", FAILED),
        ("S.a_LONG", LEFT_OUT), ("S.b_LONG", LEFT_OUT),
    ]  # fmt: skip
    assert found[2].note == "ended with exit status -6, no report" and found[-1].note == "too long"
    assert len(said) == 2 and "S.crash" in said[0]


def test_a_program_without_tests_is_no_success(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="expected tests, got none"):
        gtests.run(_program(tmp_path / "tests", f"TESTS = []{FAKE}"), tmp_path)
    with pytest.raises(RuntimeError, match="expected a report, got none"):
        gtests.run(_program(tmp_path / "dead", "raise SystemExit(3)"), tmp_path, said=lambda line: None)


def test_a_report_of_google_benchmark() -> None:
    assert benches.parse(json.dumps(BENCHMARK)) == {"n=4 / NTT": 3.5, "fast": 0.25, "slow": 2000.0}


def test_repetitions_of_a_row_count_by_their_median() -> None:
    rows = [{"name": name, "run_type": "iteration", "repetition_index": at, "cpu_time": time, "time_unit": "us"}
            for name, times in {"n=4 / NTT/iterations:10/repeats:3": (3, 9, 4), "fast": (1, 2)}.items()
            for at, time in enumerate(times)]  # fmt: skip
    rows.append({"name": "fast_median", "run_type": "aggregate", "cpu_time": 7, "time_unit": "us"})
    assert benches.parse(json.dumps({"benchmarks": rows})) == {"n=4 / NTT": 4, "fast": 1.5}


def test_repetitions_are_a_number(capsys: pytest.CaptureFixture[str]) -> None:
    for text in ("0", "-1", "many", "1001"):
        with pytest.raises(SystemExit) as ended:
            main(["--work", "w", "--benchmark_repetitions", text])
        assert ended.value.code == 2
        assert f"expected a number from 1 to 1000, got {text!r}" in capsys.readouterr().err


@pytest.mark.parametrize(("times", "median", "spread"), [
    ([7.0], 7.0, 0.0), ([1.0, 3.0], 2.0, 0.25), ([10.0, 8.0, 12.0, 9.0, 11.0], 10.0, 0.1),
])  # fmt: skip
def test_median_and_spread(times: list[float], median: float, spread: float) -> None:
    figure = benches.Figure.of(times)
    assert (figure.median, figure.spread) == pytest.approx((median, spread))


def test_variants_are_timed_in_turn(tmp_path: Path) -> None:
    text = """
import json, sys
me = sys.argv[0][-1]
open(sys.argv[0][:-1] + "order", "a").write(me)
out = next(a for a in sys.argv if a.startswith("--benchmark_out=")).partition("=")[2]
assert "--benchmark_filter=n=8" in sys.argv and "--benchmark_repetitions=7" in sys.argv
row = {"name": "row", "cpu_time": ord(me), "time_unit": "us"}
json.dump({"benchmarks": [row]}, open(out, "w"))
"""
    programs = {name: _program(tmp_path / f"bench-{name}", text) for name in "abc"}
    times = benches.race(programs, tmp_path, 3, benches.Choice("n=8", 7), lock=tmp_path / "lock")
    assert (tmp_path / "bench-order").read_text() == "abcbcacab"
    assert times == {"row": {"a": [97.0] * 3, "b": [98.0] * 3, "c": [99.0] * 3}}


def test_a_filter_without_a_match(tmp_path: Path) -> None:
    """Google Benchmark then leaves an empty file, and exits with 0."""
    text = """
import sys
open(next(a for a in sys.argv if a.startswith("--benchmark_out=")).partition("=")[2], "w")
"""
    without = {"plain": _program(tmp_path / "bench", text)}
    with pytest.raises(RuntimeError, match=r"^expected benchmarks that --bench-filter matches, got none for n=9$"):
        benches.race_all([without, without], tmp_path, 1, benches.Choice("n=9"))
    row = {"name": "n=9", "cpu_time": 5, "time_unit": "us"}
    text += f"json.dump({{'benchmarks': [{row}]}}, open(sys.argv[1].partition('=')[2], 'w'))"
    matching = {"plain": _program(tmp_path / "other", f"import json{text}")}
    assert benches.race_all([without, matching], tmp_path, 1, benches.Choice("n=9")) == {"n=9": {"plain": [5.0]}}


def test_what_is_private_in_hexls_tests() -> None:
    text, kinds = rewrite(HEXL)
    assert kinds == {
        "NTT.bad_input": REASONS["debug"], "Sizes.Zeros": PUBLIC, "Sizes.Radix": REASONS["radix"], "Sizes.Both": PUBLIC,
        "Reduce.Random": PUBLIC, "Add.Native": REDIRECTED, "Add.Wide": REASONS["avx512"],
    }  # fmt: skip
    assert text.count("GTEST_SKIP") == 3 and text.count("\nTEST") == 7
    assert "ntt-internal" not in text and text.startswith('#include "standins.hpp"\n#include "hexl/ntt/ntt.hpp"\n')
    assert text.count("#ifdef HEXL_DEBUG") == text.count("#endif") == 1 and "int trials = 1" in text
    assert rewrite("int main() {\n  return 0;\n}\n") == ("int main() {\n  return 0;\n}\n", {})


def test_rows_of_hexls_tests(tmp_path: Path) -> None:
    kinds = {"Sizes.Native": REDIRECTED, "NTT.Powers": PUBLIC, "Sizes.Radix": REASONS["radix"]}
    (tmp_path / "kinds.json").write_text(json.dumps(kinds))
    tests = [Outcome("NTT.Powers", PASSED), Outcome("A/Sizes.Native/3", FAILED), Outcome("A/Sizes.Radix/0", FAILED)]
    rows = hexl_tests.split(tests, tmp_path, "HEXL")
    left = Outcome("A/Sizes.Radix/0", LEFT_OUT, note=REASONS["radix"])
    assert rows == {"HEXL": [tests[0], left], hexl_tests.REDIRECTED_TITLE: [tests[1]]}


def _report() -> Report:
    bad, good = Outcome("S.x", FAILED, 1.0, "why\n  so"), Outcome("S.x", PASSED, 2.0)
    other = [Outcome("S.y", FAILED), Outcome("S.z", LEFT_OUT, note="AVX-512")]
    tests = {("P", "plain"): [good, *other], ("P", "hexl"): [bad, *other], ("P", "ours"): [bad, *other]}
    return Report(tests, {"row": {"plain": [8.0, 8.0], "ours": [4.0, 4.0]}})


def test_only_what_an_original_passes_is_missed() -> None:
    report = _report()
    assert {program: [t.name for t in tests] for program, tests in report.missed().items()} == {"P": ["S.x"]}
    report.tests["P", "plain"] = report.tests["P", "hexl"]
    assert report.missed() == {}
    assert set(Report({("P", "ours"): report.tests["P", "ours"]}).missed()) == {"P"}


def test_a_failure_with_rows_counts_although_the_package_alone_passes() -> None:
    bad, good = Outcome("S.x", FAILED), Outcome("S.x", PASSED)
    report = Report({("P", "plain"): [good], ("P", "ours"): [good], ("P", "rows"): [bad]})
    assert report.missed() == {"P": [bad]}
    assert Report({("P", "plain"): [bad], ("P", "ours"): [good], ("P", "rows"): [bad]}).missed() == {}


def test_times_are_divided_by_those_of_the_last_variant_of_ours() -> None:
    out = io.StringIO()
    times = {"plain": [12.0], "hexl": [9.0], "ours": [6.0], "rows": [3.0]}
    Report(times={"row": times}).show(Console(file=out, width=200))
    lines = [" ".join(line.replace("│", " ").split()) for line in out.getvalue().splitlines()]
    assert any(line.endswith("3.0 ± 0% 4.00 3.00 2.00") for line in lines)
    assert any("HEXL / ours with rows ┃ ours / ours with rows" in line for line in lines)


def test_the_tables() -> None:
    report, out = _report(), io.StringIO()
    report.show(Console(file=out, width=120))
    lines = [" ".join(line.replace("│", " ").split()) for line in out.getvalue().splitlines()]
    assert "P without HEXL 1 1 1 2.0" in lines and "P ours 0 2 1 1.0" in lines
    assert "left out of P: 1, AVX-512" in lines and "FAIL P, ours: S.x: why | so" in lines
    assert any(line.endswith("8.0 ± 0% 4.0 ± 0% 2.00") for line in lines)
    first = report.as_json()["tests"][0]  # type: ignore[index]
    assert first == {"program": "P", "variant": "plain", "seconds": 2.0, "passed": 1, "left_out": {"AVX-512": 1},
                     "failed": [{"test": "S.y", "message": ""}]}  # fmt: skip


def test_many_failures_of_one_test_are_one_line() -> None:
    out = io.StringIO()
    tests = [Outcome(f"A/S.t/{i}", FAILED, note=f"no {i}") for i in range(3)]
    Report({("P", "ours"): tests}).show(Console(file=out, width=120))
    assert [line for line in out.getvalue().splitlines() if "FAIL" in line] == [
        "FAIL P, ours: A/S.t/0 and 2 more of S.t: no 0"
    ]


def test_missing_folders_are_named_and_nothing_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    empty, work = tmp_path / "empty", tmp_path / "work"
    empty.mkdir()
    given = ["--only", "seal", "--seal", str(empty), "--package", str(tmp_path / "none"), "--work", str(work)]
    assert main(given) == 2 and not work.exists()
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(":")[1].strip() for line in lines] == ["--seal", "--original", "--package", "--rows"]
    assert lines[0].endswith(f"got {empty}, which holds no such file")
    assert lines[1].endswith("got no such option") and lines[2].endswith("which is no folder")
    assert lines[3].endswith("got no such option")


def test_every_suite_has_its_tree_and_its_sources() -> None:
    assert set(TREES) == set(SUITES) and "unit-test" in SUITES["hexl"].targets()
    assert SUITES["seal"].targets() == ("sealtest", "sealbench")
    assert SUITES["seal"].targets(tests=False) == ("sealbench",) and SUITES["hexl"].targets(tests=False) == ()
    for suite in SUITES.values():
        assert {*suite.needs, *suite.finds} <= set(SOURCES) and set(suite.variants) <= set(VARIANTS)


def test_files_that_did_not_change_keep_their_time(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    (source / ".git").mkdir(parents=True)
    (source / ".git" / "HEAD").touch()
    (source / "kept").mkdir()
    for name in ("a.h", "kept/b.h"):
        (source / name).write_text("x")
        os.utime(source / name, (1000, 1000))
    refresh(source, target, keep={Path("kept")})
    assert [str(p.relative_to(target)) for p in target.rglob("*")] == ["a.h"]
    assert (target / "a.h").stat().st_mtime == 1000
    os.utime(target / "a.h", (5, 1000))
    refresh(source, target)
    assert (target / "a.h").stat().st_atime == 5 and (target / "kept" / "b.h").is_file()


def test_every_benchmark_of_ours_is_built() -> None:
    targets = SUITES["openfhe"].targets(tests=False)
    assert {path.stem for path in BENCHES.glob("*.cpp")} == {*targets} - {"lib-benchmark"}


def test_openfhe_with_hexl_is_an_overlay(tmp_path: Path) -> None:
    for name, text in {
        "openfhe/CMakeLists.txt": "plain", "openfhe/src/core.cpp": "core", "openfhe/third-party/cereal/old.hpp": "",
        "openfhe-hexl/CMakeLists.txt": "with HEXL", "openfhe-hexl/src/hexl.cpp": "", "openfhe-hexl/configure/c.in": "",
        "openfhe-hexl/third-party/intel-hexl/i.cmake": "", "cereal/include/new.hpp": "", "googletest/g.h": "",
        "benchmark/b.h": "",
    }.items():  # fmt: skip
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    folders = {name: tmp_path / name for name in ("openfhe", "openfhe-hexl", "cereal", "googletest", "benchmark")}
    plain, hexl = (openfhe(folders, tmp_path, variant) for variant in ("plain", "ours"))
    assert (plain / "CMakeLists.txt").read_text() == "plain" and (hexl / "CMakeLists.txt").read_text() == "with HEXL"
    assert not (plain / "src/hexl.cpp").exists() and (hexl / "src/hexl.cpp").exists()
    for tree in (plain, hexl):
        there = ("src/core.cpp", "third-party/cereal/include/new.hpp", "third-party/google-test/g.h",
                 "third-party/google-benchmark/b.h", "benchmark/src/small-bootstrapping.cpp")  # fmt: skip
        assert all((tree / name).exists() for name in there) and not (tree / "third-party/cereal/old.hpp").exists()
