"""Proposed instructions: emulations, kernels of both builds, proxies in the object code, and what is found wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from momagen.bench.x86.assembly import disassembler
from momagen.cli import main
from momagen.errors import MomagenError
from momagen.isa.compare.workload import KERNELS, Asked, Workload, compare, targets_named
from momagen.isa.cores.cpus import load_core
from momagen.isa.soundness import proxies
from momagen.isa.soundness.sound import sound
from momagen.kinds.modular.make_spec import make_spec
from momagen.lower.kernels import lowered
from momagen.papers.mqx.studies.validate import PAIRS, Pair, errors
from momagen.program.expressions import Call, Expr
from momagen.program.statements import Statement
from momagen.runtime import Compiler, list_compilers
from momagen.targets import load_target, names

PROPOSALS = [name for name in names() if load_target(name).instructions]
MQX = [name for name in PROPOSALS if name.startswith("mqx")]
WIDTHS = (124, 252, 381, 753)
COMPILERS = list_compilers()
needs_objdump = pytest.mark.skipif(not disassembler(), reason="no objdump")


@pytest.mark.thorough
@pytest.mark.sampled(40)
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize("name", MQX)
def test_kernels_are_verified_and_keep_their_proxies(name: str, bits: int, kernel: str) -> None:
    told = {each.what: each.found for each in sound(load_target(name), [Workload(kernel, bits, 64)])}
    found = next(text for what, text in told.items() if what.startswith(f"{kernel}, ") and "proxies" not in what)
    assert found.startswith("verified against gmpy2")


@needs_objdump
@pytest.mark.parametrize("compiler", COMPILERS, ids=str)
@pytest.mark.parametrize("name", ["mqx", "mqx_mcp", "mqx4"])
def test_every_compiler_keeps_every_proxy(name: str, compiler: Compiler) -> None:
    for kernel in ("ntt", "vsub"):
        spec = Workload(kernel, 124, 64).spec(load_target(f"{name}:proxy"))
        counts = {each.op: each for each in proxies.check(spec, compiler)}
        assert counts and all(each.kept and each.asked > 0 for each in counts.values())
    assert ("addcif" in counts) == (name == "mqx_mcp")


@pytest.mark.thorough
@needs_objdump
def test_a_lost_proxy_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = proxies.operations

    def one_more(spec: object, batch: int) -> object:
        found = asked(spec, batch)  # type: ignore[arg-type]
        found["addc"] += 1
        return found

    monkeypatch.setattr(proxies, "operations", one_more)
    with pytest.raises(MomagenError, match=r"every proxy to be executed \(addc") as caught:
        list(sound(load_target("mqx"), [Workload("vmul", 124, 64)]))
    assert "mqx, vmul, 124 bits" in str(caught.value)


def test_addresses_of_a_section() -> None:
    listing = "\nlib.so:     file format elf64\n\nContents of section momagen_proxy_mul:\n" \
              " 0000 10200000 00000000 ff200000 00000000  . ...... ......\n"  # fmt: skip
    assert proxies.addresses(listing) == [0x2010, 0x20FF]


# What is found wrong -------------------------------------------------------------------------------------------------

CARRYLESS = """\
inherits = "mqx"
name = "carryless"
title = "a sum that forgets a carry"

[instructions.addc]
emulation = "{r0} = mqx_adc(&{r1}, {a}, {b}, 0)"
proxy = "vpaddq {b}, {a}, {r1}"
"""


@pytest.mark.thorough
def test_an_emulation_that_is_wrong_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "carryless.toml"
    path.write_text(CARRYLESS, encoding="utf-8")
    assert main(["isa", "check", str(path), "--bits", "124"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "carryless.toml, the row of addc, for the inputs 0x" in line
    assert ": expected [c0:1, c1] = a + b + δ = 0x" in line


@pytest.mark.parametrize("header, named", [("static int f( {\n", "bad.h:1"), ("", "bad.toml, [instructions] add")])
def test_c_that_does_not_compile_is_named(header: str, named: str, tmp_path: Path,
                                          capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    (tmp_path / "bad.h").write_text(header, encoding="utf-8")
    text = CARRYLESS.replace("carryless", "bad").replace("addc]", "add]").replace("mqx_adc(", "missing_function(&")
    (tmp_path / "bad.toml").write_text(text.replace("\n\n", '\nheader = "bad.h"\n\n', 1), encoding="utf-8")
    assert main(["isa", "check", str(tmp_path / "bad.toml"), "--bits", "124"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert named in line and "error" in line


@pytest.mark.thorough
def test_a_rule_that_is_wrong_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "wrong.toml"
    rule = '[[rule]]\nname = "off"\nfrom = "c = a + b + δ:1"\nto = "c = a + b"\nwhen = "w = word"\nwhy = "never"\n'
    path.write_text(f'inherits = "mqx"\nname = "wrong"\ntitle = "a test"\n{rule}', encoding="utf-8")
    assert main(["isa", "check", str(path), "--bits", "124"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "[[rule]]" in line and "rule off" in line


@pytest.mark.parametrize("command", [
    "isa check c --cpu none", "isa compare c none", "isa run c", "isa check", "isa ports c", "mqx nothing",
    "isa compare c --timed x", "isa compare c --kernel x", "isa compare c --plot png", "isa compare c --cpu z80",
    "isa check mqx:proxy", "isa compare c --n 3 --kernel ntt --no-verify", "isa compare c --bits x",
])  # fmt: skip
def test_bad_input_is_one_line(command: str, capsys: pytest.CaptureFixture[str], tmp_path: Path,
                               monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert main(command.split()) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1 and not list(tmp_path.iterdir())


# Comparisons ---------------------------------------------------------------------------------------------------------


@pytest.mark.thorough
@needs_objdump
def test_mqx_takes_half_as_long_by_the_port_floor() -> None:
    floors = {name: load_core(name).floor for name in ("sunny-cove", "zen4")}
    cases = [Workload("ntt", 124, 256), Workload("vmul", 124, 256)]
    found = compare(Asked(targets_named(("avx512dq", "mqx")), cases, floors, False))
    for base, own in zip(found[::2], found[1::2], strict=True):
        assert own.projected and not base.projected
        for core in floors:
            assert (base.floors[core].cycles or 0) >= 1.8 * (own.floors[core].cycles or 0) > 0


@needs_objdump
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.target)
def test_a_pair_counts_about_alike(pair: Pair) -> None:
    asked = Asked(targets_named((pair.truth, pair.target)), [Workload("ntt", 124, 256)], timed=False)
    truth, proxy = compare(asked)
    assert abs(errors(truth, proxy)["instructions"].median) < 10
    assert load_target(f"{pair.target}:proxy").proxy and make_spec("vadd", bits=64, target=pair.target)


def test_timing_needs_a_cpu_that_can(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("MOMAGEN_DISABLE", "avx512f")
    for command in ("isa compare mqx", "mqx validate", "mqx sensitivity", "mqx sol", "mqx compare"):
        assert main([*command.split(), "--timed", "yes"]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert "a CPU with avx512f" in line


def _called(part: object) -> set[str]:
    """The functions that a part of a program calls."""
    own = {part.name} if isinstance(part, Call) else set()
    inside = vars(part).values() if isinstance(part, Expr | Statement) else part
    return own.union(*map(_called, inside)) if isinstance(part, Expr | Statement | list | tuple) else own


@pytest.mark.parametrize("name", PROPOSALS)
def test_no_table_is_made_by_a_proxy(name: str) -> None:
    """Plans of proxy builds are made on words, one at a time: else their checks would refuse them on hardware."""
    for kernel, bits in (("ntt", 60), ("intt", 124), ("axpy", 252), ("vmul", 381)):
        program = lowered(Workload(kernel, bits, 256).spec(load_target(f"{name}:proxy"))).program
        reached, waiting = set[str](), [program.setup, "modulus_fits"]
        while waiting:
            function = program.functions.get(waiting.pop())
            if function is not None and function.name not in reached:
                reached.add(function.name)
                assert not function.vector
                waiting += sorted(_called(function.body))
        assert reached


@pytest.mark.parametrize("command, named", [
    ("mqx sensitivity --kernel ntt", "no option --kernel"), ("mqx validate --bits 60", "no option --bits"),
    ("mqx compare --codelet ct", "no option --codelet"), ("isa check mqx --cpu zen4", "no option --cpu"),
    ("isa ports c mqx --kernel ntt", "no option --kernel"), ("isa check mqx --no-verify", "no option --no-verify"),
    ("mqx ports --timed no", "no option --timed"), ("mqx sol --bits 60,124", "one value, got 60, 124"),
    ("mqx validate --n 64,128", "one value, got 64, 128"),
])  # fmt: skip
def test_an_option_that_does_nothing_is_refused(command: str, named: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(command.split()) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert named in line


@pytest.mark.thorough
def test_what_was_checked_is_written(tmp_path: Path) -> None:
    assert main(["isa", "check", "mqx", "--bits", "124", "--kernel", "vadd", "--output", str(tmp_path / "new")]) == 0
    assert "emulation of addc" in (tmp_path / "new" / "check.txt").read_text(encoding="utf-8")
    assert '"checked": "emulation of addc"' in (tmp_path / "new" / "check.json").read_text(encoding="utf-8")
