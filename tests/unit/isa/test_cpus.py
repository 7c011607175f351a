"""CPUs as data: ports and what they let through, published throughputs, floors without the hardware, files of users."""

from __future__ import annotations

import math
import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from momagen.bench.x86 import assembly, issue
from momagen.bench.x86.floor import floor
from momagen.bench.x86.rates import Rates
from momagen.bench.x86.uops import classes
from momagen.bench.x86.work import Work, work
from momagen.emit import generate
from momagen.errors import MomagenError
from momagen.isa.cores.core import Core, deviations
from momagen.isa.cores.cpus import core_names, cpu_names, load_core, load_cpu, load_cpus
from momagen.isa.cores.ports import Uops, bottleneck, read_uops, spelled
from momagen.kinds.modular.make_spec import make_spec
from momagen.runtime import missing_features

# Ports


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("p05", [(1, "p0 p5")]),
        ("3*p05 + p1", [(3, "p0 p5"), (1, "p1")]),
        ("1.5*ALU1", [(1.5, "ALU1")]),
        ("1*p23A+2*p49", [(1, "p2 p3 pA"), (2, "p4 p9")]),
    ],
)
def test_the_notation_of_ports(text: str, expected: list[tuple[float, str]]) -> None:
    assert read_uops(text, "here") == tuple(Uops(cycles, frozenset(ports.split())) for cycles, ports in expected)


@pytest.mark.parametrize("text", ["", "p", "05", "0*p05", "p05 +", "p05, p1", "-1*p0", "p0 p1", 5])
def test_what_is_no_port_is_refused(text: object) -> None:
    with pytest.raises(MomagenError, match=r"x\.toml, row: expected uops in the notation of uops\.info, such as"):
        read_uops(text, "x.toml, row")


def _fits(work: list[Uops], slots: int) -> bool:
    """Whether whole cycles of work can be handed to ports with so many slots each: a matching, by augmenting paths."""
    items = [sorted(uops.ports) for uops in work for _ in range(int(uops.cycles))]
    taken: dict[tuple[str, int], int] = {}

    def place(item: int, tried: set[tuple[str, int]]) -> bool:
        for slot in ((port, at) for port in items[item] for at in range(slots)):
            if slot not in tried:
                tried.add(slot)
                if slot not in taken or place(taken[slot], tried):
                    taken[slot] = item
                    return True
        return False

    return all(place(item, set()) for item in range(len(items)))


@pytest.mark.parametrize("seed", range(12))
def test_the_bottleneck_is_the_least_time_in_which_the_work_fits(seed: int) -> None:
    chosen = random.Random(seed)
    sets = [frozenset(chosen.sample(["p0", "p1", "p2", "p5"], chosen.randint(1, 3))) for _ in range(4)]
    work = [Uops(chosen.randint(1, 4), ports) for ports in sets]
    cycles, busy = bottleneck(work)
    times = math.lcm(*range(1, 5))  # so often repeated, it takes a whole number of cycles
    many = [Uops(uops.cycles * times, uops.ports) for uops in work]
    assert cycles * times == pytest.approx(round(cycles * times)) and busy <= frozenset[str]().union(*sets)
    assert _fits(many, round(cycles * times)) and not _fits(many, round(cycles * times) - 1)


def test_no_work_takes_no_time_and_ports_are_spelled_as_they_are_read() -> None:
    assert bottleneck([]) == (0.0, frozenset())
    assert spelled(["p5", "p0", "ALU1"]) == "ALU1 p05"


# Streams

CORE = Core("any", "a core", 5, {
    **{(name, "zmm"): read_uops(text, "") for name, text in {
        "vector": "p05", "multiply": "p05", "shift": "p0", "low multiply": "3*p05", "compare to mask": "p5",
        "shuffle": "p5", "mask": "p0",
    }.items()},
    **{(name, "r"): read_uops(text, "") for name, text in {"carry": "p06", "scalar": "p0156"}.items()},
})  # fmt: skip


def test_streams_follow_from_ports() -> None:
    rates = CORE.rates()
    assert rates.streams["alone", "any", "r"] == 5 and rates.cpu == "a core"
    assert rates.streams["alone", "low multiply", "zmm"] == pytest.approx(2 / 3)
    assert rates.streams["mixed", "low multiply", "zmm"] == pytest.approx(5 / 3.5)  # 3 + 4 uops on two ports
    assert rates.streams["mixed", "shift", "zmm"] == 2
    assert rates.streams["group", "shift or multiply", "zmm"] == 2
    assert rates.streams["group", "compare or shuffle", "zmm"] == 1
    assert rates.slots(("low multiply", "zmm")) == 3 and rates.slots(("shift", "zmm")) == 1
    assert rates.streams["alone", "carry", "r"] == 2  # two issue slots with what clears the flag: 2.5 at most
    assert rates.streams["alone", "scalar", "r"] == 4
    assert ("alone", "shift", "ymm") not in rates.streams


def test_all_instructions_together_are_bound_by_the_ports_that_they_share() -> None:
    uses = {("shift", "zmm"): 2.0, ("mask", "zmm"): 2.0, ("vector", "zmm"): 1.0}
    together = CORE.floor(Work(uses, 5.0))
    assert (together.cycles, together.by) == (4.0, "uops on p0")  # shifts and masks; no stream has both
    assert floor(Work(uses, 5.0), CORE.rates()).cycles == 2.5
    assert CORE.floor(Work(uses, 30.0)).by == "instructions 5/cycle"
    unknown = CORE.floor(Work({("shift", "ymm"): 1.0}, 1.0))
    assert (unknown.cycles, unknown.by) == (None, "no rows for shift ymm")


def test_a_measurement_that_contradicts_the_ports_is_told() -> None:
    derived = CORE.rates()
    near = {stream: rate * 0.99 for stream, rate in derived.streams.items()}
    assert deviations(CORE, Rates(near, "measured")) == {}
    other = near | {("alone", "shift", "zmm"): 1.98, ("alone", "shift", "ymm"): 1.0}
    assert deviations(CORE, Rates(other)) == {("alone", "shift", "zmm"): (1, 2), ("alone", "shift", "ymm"): (None, 1)}


# Shipped cores

AVX512 = ("sunny-cove", "golden-cove", "zen4", "zen5")


@pytest.mark.parametrize("name", core_names())
def test_a_shipped_core_knows_all_that_its_instructions_are(name: str) -> None:
    uops = load_core(name).uops
    for row in classes().values():
        for registers in row.widths:
            needs = row.features(registers)
            if needs and (name in AVX512 or not any(need.startswith("avx512") for need in needs)):
                assert (row.name, registers) in uops


PUBLISHED = {
    "sunny-cove": ("0.50 0.50 1.50 0.50 0.50 0.92 1.00 1.00 1.00 1.00 1.00 1.00", "0.35 0.50 1.50 0.50 1.00"),
    "zen4": ("0.50 1.00 1.00 1.00 1.00 1.00 1.00 1.00 1.00 0.73 0.51 2.00", "0.25 0.51 0.51 0.51 0.51"),
    "zen5": ("0.254 0.497 0.498 0.498 0.498 0.498 0.497 0.497 0.497 0.254 0.498 0.995",
             "0.254 0.498 0.497 0.497 0.497"),
}  # fmt: skip
"""Cycles of an instruction by InstLatx64: Xeon Gold 6330, EPYC Genoa, Granite Ridge; 512 bits, then 256."""
ORDER = (
    ("vector", "multiply", "low multiply", "float multiply", "float add", "float round", "shift", "minimum",
     "compare to mask", "shuffle", "mask", "vector store"),
    ("vector", "multiply", "low multiply", "shift", "compare"),
)  # fmt: skip


@pytest.mark.parametrize("name", PUBLISHED)
def test_derived_rates_are_the_published_throughputs(name: str) -> None:
    rates = load_core(name).rates()
    for registers, names, cycles in zip(("zmm", "ymm"), ORDER, PUBLISHED[name], strict=True):
        for row, expected in zip(names, cycles.split(), strict=True):
            assert 1 / rates.streams["alone", row, registers] == pytest.approx(float(expected), rel=0.1), row


KNOWN = {
    ("vector", "zmm"): "LLVM 14 has them on port 1 too, which has no vectors beside 512 bits; two are measured",
    ("float round", "zmm"): "", ("float round", "ymm"): "", ("float round", "xmm"): "",  # two uops, some versions: one
    ("store", "r"): "LLVM 14 has one store a cycle", ("vector store", "ymm"): "the same",
    ("vector store", "xmm"): "the same", ("carry", "r"): "LLVM does not know that clc needs no port",
}  # fmt: skip
"""Where LLVM's model of Ice Lake differs."""


@pytest.mark.skipif(not shutil.which("llvm-mca"), reason="no llvm-mca")
def test_llvm_has_the_same_rates_of_ice_lake() -> None:
    rates = load_core("sunny-cove").rates()
    for (kind, name, registers), rate in rates.streams.items():
        if kind == "alone" and name != "any" and (name, registers) not in KNOWN:
            lines = issue.lines([classes()[name].sample], registers)[:12]
            command = ["llvm-mca", "-mtriple=x86_64", "-mcpu=icelake-server", "-resource-pressure=false"]
            done = subprocess.run(command, input="\n".join(lines), capture_output=True, text=True)
            found = re.search(r"Block RThroughput:\s*([\d.]+)", done.stdout)
            assert found, done.stderr
            assert len(lines) / float(found[1]) == pytest.approx(rate, rel=0.02), (name, registers)


@pytest.mark.compiles
@pytest.mark.skipif(
    bool(missing_features(["x86_64"])) or not assembly.disassembler() or not Path("/proc/self").exists(),
    reason="no x86-64 Linux with objdump",
)
@pytest.mark.parametrize(("target", "cycles", "by"), [("avx512", 2.42, "float add"), ("avx512ifma", 1.46, "multiply")])
def test_the_floor_is_the_one_that_zen_5_itself_gave(target: str, cycles: float, by: str) -> None:
    """The port model gives the floors that docs/reference/performance.md derives from measured rates."""
    done = work(generate(make_spec("ntt", n=4096, bits=128, target=target)), None, batch=1)
    found = floor(done, load_cpu("epyc-9965s").rates)
    assert found.cycles == pytest.approx(cycles, rel=0.03) and found.by == f"{by} 2/cycle"
    together = load_core("zen5").floor(done)
    assert together.cycles and together.cycles >= found.cycles * 0.999


# CPUs


def test_the_cpus_of_the_paper() -> None:
    xeon, epyc = load_cpu("xeon-6980p"), load_cpu("epyc-9965s")
    assert (xeon.cores, xeon.boost, xeon.l3_mb) == (128, 3.2, 504)  # Section 6
    assert (epyc.cores, epyc.boost, epyc.l3_mb) == (192, 3.35, 384)
    assert [(cpu.base_ghz, cpu.max_ghz, cpu.l3_mb) for cpu in map(load_cpu, ("xeon-8352y", "epyc-9654"))] == [
        (2.2, 3.4, 48), (2.4, 3.7, 384),
    ]  # fmt: skip
    assert load_cpu("epyc-7502").rates.streams == {} and xeon.rates.streams
    assert all(load_cpu(name).row()["name"] == name for name in cpu_names())


def test_a_cpu_without_a_common_clock_says_so() -> None:
    with pytest.raises(MomagenError, match=r"cpus\.toml, \[cpu\.xeon-8352y\]: the key `all_core_ghz`, the boost"):
        _ = load_cpu("xeon-8352y").boost


MINE = """
[cpu.mine]
title = "My CPU"
core = "wide"
cores = 8
all_core_ghz = 4.0
sources = { "core cores all_core_ghz" = "me" }

[core.wide]
title = "Wide"
issue = 10
source = "me"
[core.wide."zmm ymm"]
vector = "p0123"
"""


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(MINE)
    mine = load_cpu(str(path))
    assert (mine.name, mine.boost, mine.rates.rate(("vector", "ymm"))) == ("mine", 4.0, 4)
    path.write_text(MINE.replace('"wide"', '"zen5"', 1) + MINE.split("[core")[0].replace("mine", "other"))
    with pytest.raises(MomagenError, match="expected a file with exactly one CPU, got mine, other"):
        load_cpu(str(path))
    assert [cpu.core and cpu.core.name for cpu in load_cpus(str(path))] == ["zen5", "wide"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("cores = 8", "cores = 0", r"mine\.toml, \[cpu\.mine\] cores: expected a number above 0 and at most 65536"),
        ("cores = 8\n", "", r"\[cpu\.mine\]: expected the key “cores”"),
        ("cores = 8", "cores = 8.5", "cores: expected an integer"),
        ("4.0", "4000", "all_core_ghz: expected a number above 0 and at most 16, got 4000"),
        ("4.0", "nan", "all_core_ghz: expected a number above 0"),
        ("4.0", '"4 GHz"', "all_core_ghz: expected a number"),
        ("all_core_ghz = 4.0", "boost = 4.0", "expected only the keys cores, base_ghz, max_ghz, all_core_ghz"),
        ("core cores all_core_ghz", "core cores", r"\[cpu\.mine\]: `sources` must state where the figure for"),
        ('core = "wide"', 'core = "wied"', r"\[cpu\.mine\] core: did you mean wide\? Expected one of the cores"),
        ("issue = 10", "issue = 0", r"\[core\.wide\] issue: expected a number of instructions per cycle above 0 and"),
        ("issue = 10\n", "", r"\[core\.wide\]: expected the key “issue”"),
        ('vector = "p0123"', 'vector = "0123"', r"\[core\.wide\] \[zmm ymm\] vector: expected uops in the notation"),
        ('vector = "p0123"', 'vektor = "p0123"', r"\[zmm ymm\] vektor: did you mean vector\? Expected one of the"),
        ('vector = "p0123"', 'carry = "p0123"', r"\[zmm ymm\] carry: expected one of the instruction classes vector"),
        ('"zmm ymm"', '"zmm tmm"', r"\[core\.wide\]: expected only the keys title, issue, source, and tables for the"),
        ('vector = "p0123"', 'vector = "p0"\n[core.wide.zmm]\nvector = "p1"', "the class vector has two rows for"),
        ("[core.wide]", "[kern.wide]", r"mine\.toml: expected only tables \[cpu\.NAME\] and \[core\.NAME\], got kern"),
        ("[cpu.mine]", "cpu = 5\n[cpus.mine]", r"expected only tables \[cpu\.NAME\] and \[core\.NAME\], got cpus"),
        (MINE, "cpu = 5", r"mine\.toml, cpu: expected a table"),
        (MINE, "", r"the file has no table \[cpu\.NAME\]"),
        (MINE, "[cpu", r"mine\.toml: expected a file of CPUs in TOML"),
    ],
)
def test_a_broken_file_is_refused(old: str, new: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(MINE.replace(old, new, 1))
    with pytest.raises(MomagenError, match=message):
        load_cpu(str(path))


def test_unknown_names_are_told_with_what_there_is() -> None:
    with pytest.raises(MomagenError, match=r"CPU: did you mean epyc-9965s\? Expected one of the CPUs xeon-8352y"):
        load_cpu("epyc-9965")
    with pytest.raises(MomagenError, match=r"the file cannot be read .No such file"):
        load_cpu("/nowhere/mine.toml")
    with pytest.raises(MomagenError, match=r"core: did you mean zen\d\? Expected one of the cores sunny-cove"):
        load_core("zen6")
