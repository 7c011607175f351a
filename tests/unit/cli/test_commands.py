"""The command line: what it shows a person, what it tells a program, and that commands mean what they say."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from momagen.api.native import resolved
from momagen.cli import main
from momagen.cli.commands.kernels import specification
from momagen.cli.commands.rules import rows
from momagen.cli.parser import build_parser
from momagen.cli.show import number
from momagen.formula.breakdown_rules import rules as breakdown_rules
from momagen.regen import kernels as regen
from momagen.rewrite import table
from momagen.targets import names

SMALL = ["--n", "16", "--bits", "64"]


def answer(args: list[str], capsys: pytest.CaptureFixture[str], code: int = 0) -> Any:
    """What ``--json`` prints; nothing else may stand on standard output, and nothing at all on standard error."""
    assert main([*args, "--json"]) == code
    out, err = capsys.readouterr()
    assert err == ""
    return json.loads(out)


def text(args: list[str], capsys: pytest.CaptureFixture[str], code: int = 0) -> str:
    assert main(args) == code
    out, err = capsys.readouterr()
    assert err == ""
    return out


@pytest.mark.compiles
def test_kernel_for_a_person(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    shown = text(["ntt", *SMALL, "--output", str(tmp_path)], capsys)
    spec = resolved("ntt", n=16, bits=64)
    for fact in (
        "NTT of 16 points", hex(spec.modulus), hex(spec.root), "order 16", "1 of 64 bits", "C99 with unsigned __int128",
        "cooley_tukey_lazy", "word operations", "edge cases", "all q - 1", "definition", "ns per butterfly",
        "ntt16_60b_c.c", "momagen ntt --n 16", "x < q; y < q",
    ):  # fmt: skip
        assert fact in shown, fact
    assert {path.name for path in tmp_path.iterdir()} == {"ntt16_60b_c.c", "ntt16_60b_c.h", "ntt16_60b_c.json"}


@pytest.mark.compiles
def test_kernel_for_a_program(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    told = answer(["polymul", *SMALL, "--negacyclic", "--output", str(tmp_path)], capsys)
    assert told["name"] == "polymul16_negacyclic_60b_c"
    assert pow(int(told["root"], 16), 16, int(told["modulus"], 16)) == int(told["modulus"], 16) - 1
    assert told["order_of_root"] == 32
    assert told["verify"]["ok"] and told["verify"]["vectors"] > 10
    assert told["bench"]["unit"] == "element" and told["bench"]["ns"]["median"] > 0
    assert [Path(file).name for file in told["files"]] == [f"{told['name']}{end}" for end in (".c", ".h", ".json")]
    assert all(Path(file).is_file() for file in told["files"])
    assert sum(told["rules_applied"].values()) > 10 < sum(told["operations"].values())
    assert set(told["seconds"]) == {"check", "generate", "compile", "verify", "time"}


@pytest.mark.parametrize(
    ("value", "text"), [(0.8333, "0.833"), (36.62, "36.6"), (999.4, "999"), (999.6, "1,000"), (2951.2, "2,951")]
)
def test_times_have_no_exponents(value: float, text: str) -> None:
    assert number(value) == text


def test_blas_without_checks(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    told = answer(["blas", "axpy", "--bits", "128", "--output", str(tmp_path), "--no-verify", "--no-bench"], capsys)
    assert (told["verify"], told["bench"], told["compiler"]) == (None, None, "")
    assert (tmp_path / "axpy_124b_c.c").read_text().count("axpy_124b_c_execute") >= 1


def test_files_go_to_the_cache_unless_told(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOMAGEN_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    told = answer(["blas", "vadd", "--bits", "64", "--no-verify", "--no-bench"], capsys)
    assert Path(told["files"][0]).is_relative_to(tmp_path / "cache")
    assert [path.name for path in tmp_path.iterdir()] == ["cache"]


@pytest.mark.compiles
def test_cpu_without_the_features(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOMAGEN_DISABLE", "avx512f,avx512dq")
    args = ["ntt", "--n", "32", "--bits", "64", "--target", "avx512", "--output", str(tmp_path)]
    told = answer(args, capsys)
    assert told["emulated"] and told["verify"]["ok"]
    assert told["verify"]["emulated"] == ["avx512f", "avx512dq"]
    shown = " ".join(text(args, capsys).replace("│", "").split())
    assert "which this CPU lacks" in shown
    assert told["bench"] is None and "ns per butterfly" not in shown
    stands = "emulated: this CPU lacks avx512f, avx512dq, so plain-C stand-ins replace the intrinsics"
    assert f"{stands}; emulated kernels are not timed" in shown
    (bench,) = answer(["bench", str(tmp_path)], capsys)
    assert bench == {
        "kernel": "ntt32_60b_avx512", "ns": None,
        "note": "emulated kernels are not timed: this CPU lacks avx512f, avx512dq",
    }  # fmt: skip
    assert text(["bench", str(tmp_path)], capsys).strip().endswith("this CPU lacks avx512f, avx512dq")


@pytest.mark.compiles
@pytest.mark.thorough
def test_saved_kernel_is_verified_as_it_stands(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    answer(["blas", "vadd", "--bits", "64", "--output", str(tmp_path), "--no-bench"], capsys)
    assert "kernels: 1 PASS" in text(["verify", str(tmp_path)], capsys)
    assert answer(["verify", str(tmp_path / "vadd_60b_c.c")], capsys)[0]["ok"]
    assert "ns per element" in text(["bench", str(tmp_path)], capsys)
    file = tmp_path / "vadd_60b_c.c"
    broken = re.sub(r"(= x_0) \+ (y_0)", r"\1 - \2", file.read_text(), count=1)
    assert broken != file.read_text()
    file.write_text(broken)
    assert "FAIL" in text(["verify", str(tmp_path)], capsys, code=1)
    report = answer(["verify", str(tmp_path)], capsys, code=1)[0]
    assert not report["ok"] and report["mismatch"]["expected"] != report["mismatch"]["got"]


ENDS = {
    "*(volatile uint64_t *)8 = 1;": "a crash by SIGSEGV (Segmentation fault)",
    "raise(SIGILL);": "a crash by SIGILL (Illegal instruction)",
    'puts("noise"); exit(0);': "exit code 0",
    "for (;;) pause();": "a timeout after 10 s",
    "for (int i = 3; i < 99; i++) close(i); for (;;) pause();": "a timeout after 10 s",
    **({"raise(40);": f"a crash by signal 40 ({signal.strsignal(40)})"} if sys.platform == "linux" else {}),
}


def saved_to_fail(how: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """The command that verifies a saved vadd that does ``how`` when it runs, and a right vsub."""
    for kind in ("vadd", "vsub"):
        answer(["blas", kind, "--bits", "64", "--output", str(folder), "--no-bench", "--no-verify"], capsys)
    file, before = folder / "vadd_60b_c.c", "    run(z, "
    headers = "#include <signal.h>\n#include <stdio.h>\n#include <stdlib.h>\nint pause(void), close(int);\n"
    file.write_text(headers + file.read_text().replace(before, f"    {how}{before}"))
    return ["verify", str(folder), "--seconds", "10"]


@pytest.mark.sampled(2)
@pytest.mark.thorough
@pytest.mark.parametrize("how", ENDS)
def test_a_saved_kernel_that_never_comes_back_is_wrong_and_the_next_is_verified(
    how: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    wrong, right, total = text(saved_to_fail(how, tmp_path, capsys), capsys, code=1).splitlines()
    assert wrong.startswith(f"vadd_60b_c: FAIL: {ENDS[how]}, step: ")
    assert right.startswith("vsub_60b_c: PASS: ") and total == "kernels: 1 FAIL, 1 PASS"


@pytest.mark.thorough
def test_a_program_reads_why_a_saved_kernel_never_came_back(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    wrong, right = answer(saved_to_fail("abort();", tmp_path, capsys), capsys, code=1)
    assert not wrong["ok"] and wrong["mismatch"] is None and wrong["end"].startswith("a crash by SIGABRT (Aborted)")
    assert right["ok"] and right["end"] == ""


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def within(seconds: float, holds: Callable[[], object]) -> bool:
    """Whether something comes true in so many seconds."""
    limit = time.monotonic() + seconds
    while not (found := bool(holds())) and time.monotonic() < limit:
        time.sleep(0.1)
    return found


def runs(pid: int) -> bool:
    """Whether a process is there and does not wait only to be collected."""
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="processes are told by /proc")
def test_a_kernel_that_never_ends_does_not_outlive_who_verifies_it(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    saved_to_fail("for (;;) pause();", tmp_path, capsys)
    asked = [sys.executable, "-m", "momagen", "verify", str(tmp_path / "vadd_60b_c.c"), "--seconds", "600"]
    with subprocess.Popen(asked, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as parent:
        assert within(60, lambda: children(parent.pid))
        (child,) = children(parent.pid)
        assert within(60, lambda: re.search(r"vadd_60b_c\S*\.so", Path(f"/proc/{child}/maps").read_text()))
        parent.kill()
    assert within(10, lambda: not runs(child))


def test_files_of_the_current_folder_have_no_say(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(["blas", "vadd", "--bits", "64", "--output", str(tmp_path), "--no-bench", "--no-verify"], capsys)
    (tmp_path / "random.py").write_text("raise SystemExit(3)\n")
    monkeypatch.chdir(tmp_path)
    assert answer(["verify", "vadd_60b_c.c"], capsys)[0]["ok"]


def test_a_process_that_cannot_begin_says_nothing_of_the_kernel(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(["blas", "vadd", "--bits", "64", "--output", str(tmp_path), "--no-bench", "--no-verify"], capsys)
    monkeypatch.setattr("sys.executable", "/bin/false")
    assert main(["verify", str(tmp_path)]) == 2
    assert "verifies the kernel failed with exit code 1" in capsys.readouterr().err


@pytest.mark.thorough
def test_a_process_that_never_begins_is_waited_for_in_vain_but_not_for_ever(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel is too long a text for the pipe to hold it unread."""
    answer(["blas", "vmul", "--bits", "2048", "--output", str(tmp_path), "--no-bench", "--no-verify"], capsys)
    assert (tmp_path / "vmul_2044b_c.c").stat().st_size > 1 << 17
    (tmp_path / "python").write_text("#!/bin/sh\nexec sleep 600\n")
    (tmp_path / "python").chmod(0o755)
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    monkeypatch.setattr("momagen.api.calls.isolated.START", 0.2)
    assert main(["verify", str(tmp_path)]) == 2
    assert "verifies the kernel failed with a timeout after 0.2 s" in capsys.readouterr().err


def test_what_a_process_of_its_own_refuses_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    answer(["blas", "vadd", "--bits", "64", "--output", str(tmp_path), "--no-bench", "--no-verify"], capsys)
    file = tmp_path / "vadd_60b_c.c"
    file.write_text(file.read_text() + "no C\n")
    assert main(["verify", str(tmp_path)]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and "vadd_60b_c.c: expected C that" in err


@pytest.mark.compiles
def test_wrong_kernel_is_not_saved(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = "momagen.verify.elements.pointwise.blas"
    monkeypatch.setattr(wrong, lambda spec, scalars, vectors, q: [0] * len(vectors[0]))
    out = tmp_path / "out"
    told = answer(["blas", "vadd", "--bits", "64", "--output", str(out)], capsys, code=1)
    assert not told["verify"]["ok"] and told["files"] == [] and told["bench"] is None
    assert "FAIL" in text(["blas", "vadd", "--bits", "64", "--output", str(out)], capsys, code=1)
    assert not out.exists()


COMMANDS = [
    "ntt --n 16 --modulus 97",
    "ntt --n 2^4 --modulus 97 --root 8 --inverse --order natural --target c64",
    "ntt --n 8 --bits 128 --negacyclic --radix 2 --multiply karatsuba --compare less --target avx512",
    "ntt --n 64 --bits 128 --algorithm stockham",
    "ntt --n 64 --bits 128 --limbs full --unroll 2 --carry signed --borrow top --product halves --target avx2",
    "ntt --n 64 --bits 128 --levels 3 --interleave-blocks 2 --interleave-butterflies yes --target avx2",
    "polymul --n 32 --bits 64 --negacyclic",
    "blas vmul --modulus bls12-381-p --reduction montgomery",
    "blas axpy --bits 753",
    "blas vmul --bits 64 --bake yes --target c64",
    "blas cmpsub --bits 128 --cmp le --input-factor any --output-factor 2",
    "ntt --n 16 --bits 128 --input-factor 4 --output-factor 2",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_the_command_in_a_kernel_makes_that_kernel(command: str) -> None:
    parser = build_parser()
    first = specification(parser.parse_args(shlex.split(command)))
    again = specification(parser.parse_args(shlex.split(first.command())[1:]))
    assert (again.name, again.modulus, again.root, again.options) == (
        first.name,
        first.modulus,
        first.root,
        first.options,
    )
    assert again.command() == first.command()


def test_targets(capsys: pytest.CaptureFixture[str]) -> None:
    shown = text(["targets"], capsys)
    assert all(name in shown for name in names())
    told = {target["name"]: target for target in answer(["targets"], capsys)}
    assert told["c"]["here"] == "runs" and set(told) == set(names())
    shown = text(["targets", "c64"], capsys)
    assert "{a} + {b}" in shown and "(23) carry_by_comparison" in shown


def test_rules_lists_both_tables_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    listed = [row["name"] for row in answer(["rules"], capsys)]
    assert listed == ["digits", *(rule.name for rule in table()), *breakdown_rules()]
    shown = text(["rules"], capsys)
    assert all(row.label in shown for row in rows())


def test_rule_and_where_it_comes_from(capsys: pytest.CaptureFixture[str]) -> None:
    shown = text(["rules", "show", "22", "R1"], capsys)
    for fact in (
        "[c0:1, c1, c2] = [a0, a1] + [b0, b1]",
        "MoMA, Table 1",
        "rules/moma.toml",
        "Harvey 2014",
        "rules/breakdown.toml",
    ):
        assert fact in shown
    assert [row["id"] for row in answer(["rules", "(22)"], capsys)] == ["22", "22"]


def test_explain(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    args = ["explain", "addmod", "--bits", "128", "--target", "c64", "--compare", "less"]
    assert "[c₀, c₁] = ([a₀, a₁] + [b₀, b₁]) mod [q₀, q₁]    (19)" in text(args, capsys)
    told = answer(args, capsys)
    assert {line["rule"] for line in told["steps"][3]["lines"]} == {"(22) add", "(24) reduce_by_comparison"}
    page = tmp_path / "deep" / "page.html"
    assert text([*args, "--html", str(page)], capsys).strip() == str(page)
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_explain_an_element_by_the_form_of_its_modulus(capsys: pytest.CaptureFixture[str]) -> None:
    args = ["explain", "vmul", "--modulus", "curve25519"]
    shown, told = text(args, capsys), answer(args, capsys)
    assert "q = 2^255 - 19, baked in" in shown and "product_by_two_folds   " in shown
    assert told["form"] == "2^255 - 19" and told["by_form"] == {"product_by_two_folds": "2^255 - 19"}
    assert "by_form" in answer(["explain", "vadd", "--modulus-bits", "31", "--target", "avx2"], capsys)


def test_explain_cuts_long_steps_unless_all_are_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    args = ["explain", "mulmod", "--bits", "128", "--target", "c64"]
    short, whole = text(args, capsys), text([*args, "--all"], capsys)
    assert "more lines" in short and "more lines" not in whole and len(whole) > 2 * len(short)


@pytest.mark.parametrize("command", ["rules show 22", "ntt --help", "explain add", "blas vadd --bits 64 --json"])
def test_a_locale_without_the_letters(command: str) -> None:
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    line = [sys.executable, "-m", "momagen", *command.split()]
    done = subprocess.run(line, env=environment, capture_output=True, text=True, encoding="ascii", check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_overview_and_version(capsys: pytest.CaptureFixture[str]) -> None:
    shown = text([], capsys)
    assert all(
        command in shown
        for command in ("ntt", "blas", "polymul", "targets", "rules", "explain", "verify", "bench", "tune", "regen")
    )
    with pytest.raises(SystemExit) as stopped:
        main(["--version"])
    assert stopped.value.code == 0 and capsys.readouterr().out.startswith("momagen ")


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout whose standard set has two kernels; gives its generated folder."""
    generated = tmp_path / "generated"
    generated.mkdir()
    (tmp_path / "pyproject.toml").touch()
    (generated / "README.md").write_text("kept")
    (generated / "manifest.toml").write_text('[[set]]\nkind = ["vadd", "vsub"]\nbits = [64]\ntarget = ["c"]\n')
    monkeypatch.setattr(regen, "folder", lambda name: generated)
    return generated


def test_regen_writes_what_check_demands(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert text(["regen", "--check"], capsys, code=1).count("missing: ") == 6
    assert text(["regen"], capsys).count("written: ") == 6
    assert "is up to date" in text(["regen", "--check"], capsys)
    (checkout / "vadd_60b_c.h").write_text("mine")
    (checkout / "vsub_60b_c.c").unlink()
    (checkout / "old.c").touch()
    said = text(["regen", "--check"], capsys, code=1)
    for fault in (f"changed: {checkout}/vadd_60b_c.h", f"missing: {checkout}/vsub_60b_c.c", f"stale: {checkout}/old.c"):
        assert fault in said
    assert "to fix this, run `momagen regen`" in said
    assert text(["regen"], capsys).splitlines()[-1] == f"removed: {checkout}/old.c"
    assert "is up to date" in text(["regen", "--check"], capsys)
    assert (checkout / "README.md").read_text() == "kept"


def test_regen_keeps_certificates_of_the_kernels_that_are_listed_as_proven(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("pycparser")
    manifest, certificate = checkout / "manifest.toml", checkout / "proofs" / "vsub_60b_c.proof.json.gz"
    sets = manifest.read_text()
    manifest.write_text('proven = ["vsub_60b_c"]\n' + sets)
    assert f"written: {certificate}" in text(["regen"], capsys)
    assert "is up to date" in text(["regen", "--check"], capsys)
    certificate.write_bytes(b"")
    assert f"not proven: {certificate}: " in text(["regen", "--check"], capsys, code=1)
    assert f"written: {certificate}" in text(["regen"], capsys)
    manifest.write_text(sets)
    assert f"stale: {certificate}" in text(["regen", "--check"], capsys, code=1)
    assert f"removed: {certificate}" in text(["regen"], capsys)


@pytest.mark.parametrize(("names", "said"), [('["x"]', "names of kernels of this manifest, got 'x'"), ("3", "a list")])
def test_regen_refuses_an_unknown_name_of_a_proven_kernel(
    names: str, said: str, checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest = checkout / "manifest.toml"
    manifest.write_text(f"proven = {names}\n" + manifest.read_text())
    assert main(["regen"]) == 2
    assert said in capsys.readouterr().err


def test_regen_elsewhere(checkout: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    text(["regen", "--output", str(tmp_path / "copy")], capsys)
    assert len(list((tmp_path / "copy").iterdir())) == 6
    assert "is up to date" in text(["regen", "--check", "--output", str(tmp_path / "copy")], capsys)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((), "regen: this installed package has no folder of generated kernels; "
             "specify --output DIR, a folder with a manifest.toml"),
        (("--output", "empty"), "empty: the folder has no manifest.toml; copy the one in generated/ of a"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("check", [(), ("--check",)])
def test_regen_without_a_checkout(
    given: tuple[str, ...], check: tuple[str, ...], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """An installed package has no ``generated/``."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(regen, "folder", lambda name: tmp_path / "site-packages" / name)
    assert main(["regen", *check, *given]) == 2
    assert said in " ".join(capsys.readouterr().err.split())
    assert not list(tmp_path.rglob("*.*"))


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ('kind = ["vadd"]', "manifest.toml, set 1: expected the keys target, got kind"),
        (
            'kind = ["vadd"]\ntarget = ["c"]\nsize = 3',
            "manifest.toml, set 1, size: expected only the parameters of vadd: ",
        ),
        ('kind = ["ntt"]\nn = 12\nbits = [64]\ntarget = ["c"]', "manifest.toml, set 1, n: expected a power of two"),
        (
            'kind = ["vadd", "vadd"]\nbits = [64]\ntarget = ["c"]',
            "manifest.toml: expected kernels with different names, got two with the name vadd",
        ),
        ("kind = [", "{folder}/manifest.toml: expected a manifest with tables [[set]], got "),
    ],
)
def test_wrong_manifest(row: str, message: str, checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (checkout / "manifest.toml").write_text(f"[[set]]\n{row}\n")
    assert main(["regen"]) == 2
    assert capsys.readouterr().err.startswith(f"momagen: {message.format(folder=checkout)}")
    assert {path.name for path in checkout.iterdir()} == {"README.md", "manifest.toml"}


@pytest.mark.thorough
def test_same_bytes_in_any_process(tmp_path: Path) -> None:
    """Neither hash seeds, nor the current folder, nor what was made before changes a byte."""
    script = "import sys; from momagen.cli import main; sys.exit(main(sys.argv[1:]))"
    args = [*SMALL, "--target", "avx512", "--no-verify", "--no-bench", "--json", "--output"]
    for seed in "12":
        where = tmp_path / seed
        where.mkdir()
        env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(regen.__file__).parents[2])}
        subprocess.run(
            [sys.executable, "-c", script, "ntt", *args, "out"], cwd=where, env=env, check=True, capture_output=True
        )
    first = {path.name: path.read_bytes() for path in (tmp_path / "1" / "out").iterdir()}
    assert first == {path.name: path.read_bytes() for path in (tmp_path / "2" / "out").iterdir()}
    here = regen.files(resolved("ntt", n=16, bits=64, target="avx512"))
    assert {name: content.encode() for name, content in here.items()} == first


def test_prove_says_what_is_proven_and_what_is_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for kind, bits in (("vsub", "128"), ("vinv", "64")):
        options = ["--bits", bits, "--output", str(tmp_path / kind), "--no-bench", "--no-verify"]
        answer(["blas", kind, *options], capsys)
    report = answer(["prove", str(tmp_path / "vsub")], capsys)[0]
    assert report["proven"] and "1 < q < 2^124" in report["claim"] and report["elements"] > 0
    report = answer(["prove", str(tmp_path / "vinv")], capsys, code=1)[0]
    assert not report["proven"] and "no claim for vinv kernels" in report["problem"]
    assert "kernels: 1 proven, 0 not proven" in text(["prove", str(tmp_path / "vsub" / "vsub_124b_c.c")], capsys)
    assert main(["prove", str(tmp_path)]) == 2
    assert "saved kernels" in capsys.readouterr().err


def test_prove_writes_and_checks_certificates(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pycparser")
    kernel, folder = tmp_path / "vneg", tmp_path / "proofs"
    options = ["--modulus-bits", "20", "--target", "c", "--output", str(kernel), "--no-bench", "--no-verify"]
    answer(["blas", "vneg", *options], capsys)
    assert answer(["prove", str(kernel), "--output", str(folder)], capsys)[0]["method"] == "search"
    assert [path.name for path in folder.iterdir()] == ["vneg_20b_c.proof.json.gz"]
    for given in folder, folder / "vneg_20b_c.proof.json.gz":
        report = answer(["prove", str(kernel), "--check", str(given)], capsys)[0]
        assert report["proven"] and report["method"] == "certificate"
    assert main(["prove", str(kernel), "--check", str(kernel)]) == 2
    assert "vneg_20b_c.proof.json.gz (" in capsys.readouterr().err
    assert main(["prove", str(kernel), "--check", str(folder), "--output", str(folder)]) == 2
    one = folder / "vneg_20b_c.proof.json.gz"
    assert main(["prove", str(kernel), str(kernel), "--check", str(one)]) == 2
    assert "expected a folder with a certificate of each of the 2 kernels" in capsys.readouterr().err


def test_prove_rejects_a_wrong_kernel(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer(["blas", "vadd", "--modulus-bits", "60", "--output", str(tmp_path), "--no-bench", "--no-verify"], capsys)
    path = tmp_path / "vadd_60b_c.c"
    right = path.read_text(encoding="utf-8")
    wrong = right.replace("z++", "z += 2")
    assert wrong != right
    path.write_text(wrong, encoding="utf-8")
    assert not answer(["prove", str(path)], capsys, code=1)[0]["proven"]


@pytest.mark.parametrize("name", ["vadd_60b_c.json", "vadd_60b_c.c"])
def test_prove_refuses_what_it_cannot_read(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer(["blas", "vadd", "--modulus-bits", "60", "--output", str(tmp_path), "--no-bench", "--no-verify"], capsys)
    if name.endswith(".json"):
        (tmp_path / name).write_text("{", encoding="utf-8")
    else:
        (tmp_path / name).unlink()
    assert main(["prove", str(tmp_path)]) == 2
    assert name in capsys.readouterr().err
