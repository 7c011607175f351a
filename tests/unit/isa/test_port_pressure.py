"""Port pressure of one codelet: what analyzers print and how it is read, and the codelets that they are given."""

from __future__ import annotations

import ctypes
import json
import random
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from momagen.errors import MomagenError
from momagen.isa.pressure import (
    ANALYZERS,
    CODELETS,
    PressureChange,
    codelet_text,
    find_analyzer,
    llvm_mca,
    osaca,
    port_pressure,
    pressure_change,
    uica,
)
from momagen.isa.pressure.body import MachineLine, body, moves, normal
from momagen.isa.pressure.codelet import BEGIN, END
from momagen.isa.pressure.table import best_spread
from momagen.params.words import from_words, to_words
from momagen.runtime import Compiler, compile_shared, find_compiler, list_compilers, load, missing_features
from momagen.runtime.assembly import assemble, compile_assembly
from momagen.targets import load_target

pytestmark = pytest.mark.study

x86 = pytest.mark.skipif(bool(missing_features(["x86_64"])), reason="no x86-64")
analyzed = pytest.mark.skipif(
    not any(shutil.which(program) for program in ANALYZERS[0].programs) or bool(missing_features(["x86_64"])),
    reason="no llvm-mca, or no x86-64",
)
each_compiler = pytest.mark.parametrize("compiler", list_compilers(), ids=lambda found: " ".join(found.command[-2:]))

# What analyzers print


def _mca(cpu: str, resources: list[str], pressures: list[tuple[int, int, float]]) -> str:
    """As llvm-mca --json prints three instructions; ``pressures``: instruction, resource, cycles."""
    texts = ["vpaddq\t%zmm2, %zmm3, %zmm3", "vpcmpltuq\t%zmm2, %zmm3, %k1", "vpmovq2m\t%zmm3, %k1"]
    info = [dict(zip(("InstructionIndex", "ResourceIndex", "ResourceUsage"), row, strict=True)) for row in pressures]
    summary = {"BlockRThroughput": 1, "DispatchWidth": 6, "Iterations": 100, "TotalCycles": 107, "TotaluOps": 300}
    region = {"Instructions": texts, "ResourcePressureView": {"ResourcePressureInfo": info}, "SummaryView": summary}
    return json.dumps({"CodeRegions": [region], "TargetInfo": {"CPUName": cpu, "Resources": resources}})


ICX = ["ICXDivider", "ICXFPDivider", *(f"ICXPort{i}" for i in range(10))]
SIMULATED = [(0, 3, 0.99), (0, 7, 0.01), (1, 7, 1), (2, 2, 1), (3, 2, 1), (3, 3, 0.99), (3, 7, 1.01)]
EVENLY = [(0, 2, 1 / 3), (0, 3, 1 / 3), (0, 7, 1 / 3), (1, 7, 1), (2, 2, 1)]
"""As llvm-mca 14 says of Ice Lake, simulated and by -instruction-tables."""


def test_llvm_mca_is_read() -> None:
    found = llvm_mca.parse(*(_mca("icelake-server", ICX, rows) for rows in (SIMULATED, EVENLY)))
    assert found.ports[:4] == ("Divider", "FPDivider", "0", "1") and found.model == "ICX"
    assert [row.text for row in found.rows] == [
        "vpaddq %zmm2, %zmm3, %zmm3", "vpcmpltuq %zmm2, %zmm3, %k1", "vpmovq2m %zmm3, %k1"
    ]  # fmt: skip
    assert [row.ports for row in found.rows] == [{"1": 0.99, "5": 0.01}, {"5": 1}, {"0": 1}]
    assert found.totals == {"0": 1, "1": 0.99, "5": 1.01}
    assert (found.uops, found.bound, found.throughput) == (3.0, 1, 1.0)


@pytest.mark.parametrize(
    ("resources", "model", "expected"),
    [
        (["SPRPort00", "SPRPort01", "SPRPort10", "SPRPortInvalid"], "SPR", ["0", "1", "10", "PortInvalid"]),
        (["Zn4AGU0", "Zn4FP45.\0", "Zn4FP45.\1", "Zn4FPSt"], "Zn4", ["AGU0", "FP45.0", "FP45.1", "FPSt"]),
    ],
)
def test_ports_have_the_names_that_cpus_give_them(resources: list[str], model: str, expected: list[str]) -> None:
    assert llvm_mca.labels(resources) == (model, expected)


def test_other_output_of_llvm_mca_is_refused() -> None:
    for text in ("", "{}", '{"CodeRegions": []}', "[]"):
        with pytest.raises(MomagenError, match="the JSON of llvm-mca 14 or newer"):
            llvm_mca.parse(text, text)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([], 0.0),
        ([{"0": 0.5, "5": 0.5}], 0.5),
        ([{"0": 0.5, "5": 0.5}, {"5": 1}], 1.0),  # the first goes to port 0
        ([{"0": 0.5, "5": 0.5}] * 3 + [{"5": 1}], 2.0),
        ([{"0": 1 / 3, "1": 1 / 3, "5": 1 / 3}] * 3 + [{"0": 0.5, "5": 0.5}] * 4, 7 / 3),
        ([{"0": 1 / 3, "1": 1 / 3, "5": 1 / 3}] + [{"0": 0.5, "5": 0.5}] * 4, 2.0),
        ([{"0": 1.5, "5": 0.5}], 1.5),  # two uops, one of which may take port 0 alone
        ([{"2": 0.5, "3": 0.5, "5": 1}], 1.0),  # a load, and what is done with it
    ],
)
def test_uops_take_the_ports_that_suit_all_best(rows: list[dict[str, float]], expected: float) -> None:
    assert best_spread(rows) == pytest.approx(expected)


OSACA = """\
Open Source Architecture Code Analyzer (OSACA) - 0.7.1
Architecture:       SKX

 X - No throughput/latency information for this instruction in data file

Combined Analysis Report
------------------------
                                     Port pressure in cycles                                     
     |  0   - 0DV  |  1   |  2   -  2D  |  3   -  3D  |  4   |  5   |  6   |  7   ||  CP  | LCD  |
--------------------------------------------------------------------------------------------------
   1 | 0.50        |      |             |             |      | 0.50 |      |      ||      |  1.0 |   vpaddq %zmm2, %zmm3, %zmm3
   2 |             |      |             |             |      | 1.00 |      |      ||  4.0 |      |   vpcmpuq $1, %zmm2, %zmm3, %k1
   3 | 0.00        |      | 0.50   0.50 | 0.50   0.50 |      |      |      |      ||      |      | X vmovdqa64 8(%rsi), %zmm3{%k1}

       1.50                                                    1.50                   4.0    1.0  

Loop-Carried Dependencies Analysis Report
-----------------------------------------
   1 |  1.0 | vpaddq	%zmm2, %zmm3, %zmm3          | [1]
"""  # noqa: E501


def test_osaca_is_read() -> None:
    found = osaca.parse(OSACA)
    assert found.ports == ("0", "0DV", "1", "2", "2D", "3", "3D", "4", "5", "6", "7")
    assert [row.ports for row in found.rows] == [
        {"0": 0.5, "5": 0.5}, {"5": 1.0}, {"2": 0.5, "2D": 0.5, "3": 0.5, "3D": 0.5}
    ]  # fmt: skip
    assert [row.known for row in found.rows] == [True, True, False]
    assert found.rows[2].text == "vmovdqa64 8(%rsi), %zmm3 {%k1}"
    assert (found.totals["5"], found.throughput, found.uops) == (1.5, 1.5, None)


def test_other_output_of_osaca_is_refused() -> None:
    with pytest.raises(MomagenError, match="expected OSACA's table of port pressures, got no such file"):
        osaca.parse("no such file")


def _link(name: str, text: str) -> str:
    return f"\x1b]8;;https://www.uops.info/html-instr/{name}.html\a{text}\x1b]8;;\a"


UICA = f"""\
Throughput (in cycles per iteration): 4.00
Bottleneck: Dependencies

The following throughputs could be achieved if the given property were the only bottleneck:

  - Issue: 0.60
  - Ports: 1.50
  - Dependencies: 4.00

┌───────────────────────┬────────┬───────┬───────────────────────────────────────────────────────────┬───────┐
│ MITE   MS   DSB   LSD │ Issued │ Exec. │ Port 0   Port 1   Port 2   Port 3   Port 4   Port 5 │ Notes │
├───────────────────────┼────────┼───────┼───────────────────────────────────────────────────────────┼───────┤
│                    1  │   1    │   1   │  0.75                                         0.25  │       │ {_link("A", "vpaddq zmm3, zmm3, zmm2")}
│                    1  │   1    │   1   │                                                1    │       │ {_link("B", "vpcmpuq k1, zmm3, zmm2, 0x1")}
│                    1  │   1    │   1   │   1                                                 │       │ <Register Merge Uop>
│                    1  │   1    │       │                                                     │   X   │ vpadcq zmm1, zmm3
├───────────────────────┼────────┼───────┼───────────────────────────────────────────────────────────┼───────┤
│                    4  │   4    │   3   │  1.75                                         1.25  │       │ Total
└───────────────────────┴────────┴───────┴───────────────────────────────────────────────────────────┴───────┘
"""  # noqa: E501
"""As uiCA's printUopsTable writes it."""


def test_uica_is_read() -> None:
    found = uica.parse(UICA)
    assert found.ports == ("0", "1", "2", "3", "4", "5")
    assert [(row.text, row.ports) for row in found.rows] == [
        ("vpaddq zmm3, zmm3, zmm2", {"0": 0.75, "5": 0.25}), ("vpcmpuq k1, zmm3, zmm2, 0x1", {"5": 1.0}),
        ("vpadcq zmm1, zmm3", {}),
    ]  # fmt: skip
    assert [row.known for row in found.rows] == [True, True, False]
    assert found.totals == {"0": 1.75, "5": 1.25}
    assert (found.throughput, found.bound, found.uops) == (1.5, 0.6, 4.0)


def test_other_output_of_uica_is_refused() -> None:
    with pytest.raises(MomagenError, match="expected uiCA's table of uops, got Unsupported microarchitecture"):
        uica.parse("Unsupported microarchitecture\n")


# Which analyzer


@pytest.fixture
def nothing_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def _program(place: Path, name: str, text: str) -> None:
    (place / name).write_text(f"#!/bin/sh\n{text}\n")
    (place / name).chmod(0o755)


def test_without_an_analyzer_every_one_is_told_with_its_installation(nothing_installed: Path) -> None:
    with pytest.raises(MomagenError) as error:
        find_analyzer()
    for text in ("apt install llvm", "pip install osaca", "git clone https://github.com/andreas-abel/uiCA"):
        assert text in error.value.hint
    with pytest.raises(MomagenError, match=r"osaca was not found on the PATH; install it \(osaca: python3") as error:
        find_analyzer("osaca")
    assert "llvm" not in error.value.hint


@pytest.mark.parametrize("name", ["llvm-objdump", "/nowhere/llvm-mca", "gdb"])
def test_no_other_program_is_an_analyzer(nothing_installed: Path, name: str) -> None:
    with pytest.raises(MomagenError, match="analyzer: expected the path of an analyzer, or one of the analyzers"):
        find_analyzer(name)


LISTED = "Available CPUs for this target:\n\n  icelake-server - Select the icelake-server processor.\n  {}\n"


def test_the_first_program_that_knows_the_cpu_is_taken(nothing_installed: Path) -> None:
    for name, cpu in (("llvm-mca", "znver3"), ("llvm-mca-18", "znver4")):
        told = LISTED.format(f"{cpu}         - Select the {cpu} processor.")
        _program(nothing_installed, name, f"printf '%s' '{told}' >&2")
    assert find_analyzer(cpu="icelake-server").program == "llvm-mca"
    assert find_analyzer(cpu="znver4").program == "llvm-mca-18"
    by_path = find_analyzer(str(nothing_installed / "llvm-mca-18"), "znver4")
    assert by_path.row is ANALYZERS[0]
    with pytest.raises(MomagenError) as error:
        find_analyzer(cpu="znver5")
    assert "? Expected a CPU that llvm-mca knows: icelake-server, znver3, got znver5" in str(error.value)


def test_names_of_cpus_are_those_of_llvm(nothing_installed: Path) -> None:
    _program(nothing_installed, "osaca", "echo osaca 0.7.1")
    assert find_analyzer(cpu="sapphirerapids").known()["sapphirerapids"] == "SPR"
    assert find_analyzer(cpu="znver4").version == "osaca 0.7.1"
    with pytest.raises(MomagenError, match=r"a CPU that osaca 0\.7\.1 knows: icelake-server, .* and \d others"):
        find_analyzer(cpu="znver5")


# The codelet


def test_instructions_are_those_between_the_marks() -> None:
    text = f"""
        pushq %rbx
    #APP
    # 12 "x.c" 1
        # {BEGIN}
    # 0 "" 2
    #NO_APP
        vpaddq\t%zmm1, %zmm4,%zmm1
        .p2align 4
        vpternlogd $255, %zmm4, %zmm4, %zmm4 # zmm4 = -1
    #APP
        # proxy of addc
        vpsubq %zmm6, %zmm0, %zmm0{{%k1}}{{z}}
        vpaddq %zmm6, %zmm0, %zmm0
    #NO_APP
        vmovdqu64 %zmm0, 64(%rdi)
        # {END}
        popq %rbx
    """
    assert body(text, "x") == (
        MachineLine("vpaddq %zmm1, %zmm4, %zmm1"),
        MachineLine("vpternlogd $255, %zmm4, %zmm4, %zmm4", "zmm4 = -1"),
        MachineLine("vpsubq %zmm6, %zmm0, %zmm0 {%k1} {z}", "proxy of addc"),
        MachineLine("vpaddq %zmm6, %zmm0, %zmm0", "proxy of addc"),
        MachineLine("vmovdqu64 %zmm0, 64(%rdi)"),
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nothing", "x: the compiler's assembly lacks the markers around the codelet"),
        (f"# {BEGIN}\n# {END}\n", "x: the assembly has no instructions between the markers of the codelet"),
        (f"# {BEGIN}\n\tjne .L3\n# {END}\n", r"x: expected straight-line code without jumps and calls, got jne \.L3"),
        (f"# {BEGIN}\n\tcall mul_0\n# {END}\n", "x: expected straight-line code without jumps and calls, got call"),
        (f"# {BEGIN}\n.L3:\n\tnop\n# {END}\n", r"x: expected straight-line code without jumps and calls, got \.L3:"),
    ],
)
def test_code_that_is_not_straight_line_is_refused(text: str, message: str) -> None:
    with pytest.raises(MomagenError, match=message):
        body(text, "x")


def test_blanks_around_operands_do_not_matter() -> None:
    assert normal("vpaddq\t%zmm1,  %zmm2,%zmm3{%k1}{z}") == "vpaddq %zmm1, %zmm2, %zmm3 {%k1} {z}"
    assert normal("vpmuludq 64(%rsi,%rax,8){1to8}, %zmm2,%zmm3") == "vpmuludq 64(%rsi, %rax, 8){1to8}, %zmm2, %zmm3"


def test_loads_stores_and_spills_are_counted() -> None:
    texts = ("vpaddq (%rsi), %ymm1, %ymm2", "vmovdqu %ymm1, (%rdi)", "vmovdqa %ymm1, 32(%rsp)", "vpaddq %ymm1, %ymm1")
    assert moves(map(MachineLine, texts)) == {"load": 1, "store": 2, "spill": 1}


MEANINGS: dict[str, Callable[[int, int, int, int], int]] = {
    "addmod": lambda a, b, q, k: (a + b) % q, "submod": lambda a, b, q, k: (a - b) % q,
    "mulmod": lambda a, b, q, k: a * b % q,
}  # fmt: skip


@pytest.mark.parametrize("target", ["c", "c64", "avx2"])
@pytest.mark.parametrize("bits", [60, 124, 252])
@pytest.mark.parametrize("op", MEANINGS)
def test_a_codelet_computes_what_it_is_called(op: str, bits: int, target: str) -> None:
    found = load_target(target)
    if missing := missing_features(found.features):
        pytest.skip(f"this CPU has no {', '.join(missing)}")
    made, lanes = codelet_text(load_target(target), op, bits), found.lanes
    function = load(compile_shared(made.source, name=made.name, flags=["-std=c99", *found.flags]))[made.name]
    count, rng = -(-bits // 64), random.Random(bits)
    q = (1 << bits) - rng.randrange(1, 1 << bits - 2, 2)
    operands = [[rng.choice([0, q - 1, rng.randrange(q)]) for _ in range(2 * lanes)] for _ in "ab"]
    shared = {"q": q, "mu": (1 << 2 * bits + 3) // q}
    given = {"in": np.zeros(0, np.uint64), "c": np.zeros(0, np.uint64)}
    for turn in range(2):
        for name, place in made.inputs.items():
            letter, _, at = name.rpartition("_")
            vectors = operands["ab".index(letter)] if place == "in" else [shared[letter]] * 2 * lanes
            numbers = vectors[turn * lanes :][:lanes]
            words = to_words(numbers, int(at) + 9)[:, int(at)]
            if place == "in" or not turn:
                given[place] = np.concatenate([given[place], words])
    out = np.zeros((2, count, lanes), np.uint64)
    call = [ctypes.c_void_p(array.ctypes.data) for array in (out, given["in"], given["c"])]
    function(*call, ctypes.c_size_t(2))
    expected = [MEANINGS[op](a, b, q, bits) for a, b in zip(*operands, strict=True)]
    assert from_words(np.ascontiguousarray(out.transpose(0, 2, 1).reshape(-1, count))) == expected


@x86
@each_compiler
def test_every_proxy_of_a_proposal_is_told_from_other_instructions(compiler: Compiler) -> None:
    made = codelet_text(load_target("mqx:proxy"), "mulmod", 124)
    text = compile_assembly(made.source, name=made.name, flags=["-std=c99", *made.target.flags], compiler=compiler)
    found = Counter(line.comment for line in body(text, made.name) if line.comment.startswith("proxy of"))
    proposed = made.target.instructions
    assert found == {f"proxy of {op}": count for op, count in made.operations.items() if op in proposed}


@x86
@pytest.mark.parametrize("op", CODELETS)
@pytest.mark.parametrize("target", ["avx512", "avx2", "mqx:proxy"])
@each_compiler
def test_every_codelet_compiles_without_the_cpu(compiler: Compiler, target: str, op: str) -> None:
    made = codelet_text(load_target(target), op, 124)
    text = compile_assembly(made.source, name=made.name, flags=["-std=c99", *made.target.flags], compiler=compiler)
    lines = body(text, made.name)
    found = moves(lines)
    assert len(lines) > 5
    if made.in_registers and target != "avx2":  # which has too few registers for some
        assert not found["store"] and not found["load"]


def test_operands_that_are_too_many_stand_in_memory() -> None:
    avx2 = load_target("avx2")
    assert codelet_text(avx2, "addmod", 124).in_registers
    assert not codelet_text(avx2, "addmod", 252).in_registers  # twelve words where there are sixteen registers
    assert codelet_text(load_target("avx512"), "addmod", 252).in_registers


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"op": "addmo"}, r"codelet: did you mean addmod\? Expected one of the codelets addmod, submod, mulmod, ct"),
        ({"modulus_bits": 124, "bits": 124, "op": "mulmod"}, "modulus_bits: expected between 2 and 120 bits"),
        ({"op": "ct", "options": {"reduction": "nothing"}}, "reduction: expected one of"),
    ],
)
def test_codelets_that_cannot_be_are_refused(given: dict[str, object], message: str) -> None:
    with pytest.raises(MomagenError, match=message):
        codelet_text(load_target("avx2"), **{"op": "addmod", "modulus_bits": 124, **given})  # type: ignore[arg-type]


def test_assembly_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MomagenError, match=r"that .* can compile"):
        assemble("\tvpadcq %nothing\n", tmp_path / "x.o", name="x")


# Analyzed in fact


@analyzed
@each_compiler
def test_every_uop_is_on_one_port(compiler: Compiler) -> None:
    avx2 = load_target("avx2")
    found = port_pressure(avx2, "addmod", 124, cpu="icelake-server", analyzer="llvm-mca", compiler=compiler)
    assert found.codelet.in_registers and not moves(found.lines)["load"] and not moves(found.lines)["store"]
    assert len(found.table.rows) == len(found.lines) and set(found.used) <= {"0", "1", "5"}
    assert sum(found.table.totals.values()) == pytest.approx(found.table.uops, abs=0.1)
    assert found.table.uops / 3 - 0.1 <= found.table.throughput <= max(found.table.totals.values()) + 0.1
    assert len(found.lines) == found.to_dict()["instructions"]


@analyzed
def test_two_listings_are_one_under_the_other_or_side_by_side() -> None:
    change = pressure_change(load_target("avx2"), load_target("avx512"), "submod", 124, proposed={"vpsubq": "vpsbbq"})
    under, beside = change.text().splitlines(), change.text(beside=True).splitlines()
    assert under[0] == "avx2, submod modulo 124 bits - resource pressure by instruction:"
    assert under[1].split() == [*(f"[{port}]" for port in change.before.used), "Instructions:"]
    assert beside[0].split("    ")[-1].strip().startswith("avx512, submod") and beside[-1] == under[-1]
    assert any(line.startswith(" -   ") for line in under)
    starred = [line for line in under if "*vpsbbq" in line]
    assert len(starred) == sum("vpsubq" in line.text for line in change.after.lines) > 0
    assert not any("*" in line for line in under[: len(change.before.lines)])
    assert change.instruction_ratio == 2 * len(change.before.lines) / len(change.after.lines)
    assert f"{change.ratio:.2f} × in block throughput" in under[-1]
    assert isinstance(change, PressureChange) and json.dumps(change.to_dict())


@analyzed
def test_proxies_are_shown_under_the_proposed_names() -> None:
    change = pressure_change(load_target("avx512dq"), load_target("mqx:proxy"), "addmod", 124)
    assert change.ratio > 1 and change.instruction_ratio > 1 and not change.before.names
    operations = change.after.codelet.operations
    proposed = {op: row.mnemonic for op, row in change.after.codelet.target.instructions.items()}
    expected = Counter(mnemonic for op, mnemonic in proposed.items() for _ in range(operations[op]))
    assert Counter(change.after.names.values()) == expected
    text = change.after.text()
    assert text.count("*vpadcq %zmm") == expected["vpadcq"] > 0 and text.count("*vpsbbq %zmm") == expected["vpsbbq"]
    assert any(span.style == "bold red" for span in change.after.rendered().spans)


@analyzed
def test_a_codelet_is_the_same_as_itself() -> None:
    change = pressure_change(load_target("avx512"), load_target("avx512"), "addmod", 124)
    assert (change.ratio, change.instruction_ratio) == (1.0, 1.0)


@analyzed
def test_operands_in_memory_are_said_to_be() -> None:
    found = port_pressure(load_target("avx2"), "addmod", 252, compiler=find_compiler())
    assert moves(found.lines)["load"] >= 12 - 4 and moves(found.lines)["store"] >= 4
    assert "operands and results in memory; loads" in found.text()


@analyzed
def test_instructions_that_a_cpu_lacks_are_named() -> None:
    with pytest.raises(MomagenError, match="cpu: according to llvm-mca, the CPU znver3 lacks instructions of"):
        port_pressure(load_target("avx512"), "addmod", 124, cpu="znver3", analyzer="llvm-mca")


@analyzed
@pytest.mark.parametrize(
    ("given", "message"),
    [({"cpu": "pdp11"}, "a CPU that llvm-mca .* knows"), ({"proposed": {"(": "x"}}, "expected a valid regular")],
)
def test_bad_input_is_one_line(given: dict[str, object], message: str) -> None:
    with pytest.raises(MomagenError, match=message) as error:
        port_pressure(load_target("avx2"), "addmod", 124, **given)  # type: ignore[arg-type]
    assert "\n" not in str(error.value)
