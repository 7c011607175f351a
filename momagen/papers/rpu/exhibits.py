"""The numbers of momagen that are compared with the RPU paper, from momagen's models and simulator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

from momagen.bench.measure.machine import cpu
from momagen.papers.series import Place, ResultSeries, Value
from momagen.rpu.isa.table import b512
from momagen.rpu.machine.design import load_design
from momagen.screen.progress import Report

from .explore.areas import area_figures
from .explore.measures import SIZES, Studied, off_chip, own_figures, study_figures
from .explore.pool import jobs_of
from .explore.report import AREA, OWN, make_report
from .explore.stated import exhibits, others
from .explore.studies import BANKS, RpuStudy
from .explore.trial import RpuTrial, run_trial
from .model.area import area_model
from .model.energy import PARTS

MACHINES = ("rpu-paper", "rpu-late")
"""The machines of a report."""
BEST = ("rpu-best", "strided", "timed")
"""The machine, the data flow and the schedule of the fastest transform of 64K points."""
ISA, BASELINE = "momagen", "OpenFHE here"
"""The names of two series: the instruction set, and speed-ups over OpenFHE on this CPU."""
COMMAND = "momagen paper rpu --measure"
MIB, KIB = 1 << 20, 1 << 10
_simulated: list[ResultSeries] = []
"""The results that :func:`measure` has found in this process. One simulation serves all exhibits."""


def model() -> list[ResultSeries]:
    """Return the results that follow from the area model, the instruction set, and the paper's own numbers."""
    sources = {
        AREA: (_areas(), "momagen/papers/rpu/model/area.toml"),
        OWN: (_own(), "the paper's other numbers, by arithmetic"),
        ISA: (_instructions(), "momagen/rpu/isa/isa.toml"),
    }
    return [row for name, (found, source) in sources.items() for row in series_of(name, found, source)]


def series_of(name: str, found: Mapping[str, Value], source: str) -> list[ResultSeries]:
    """Return a series for every exhibit that states a number whose key is in ``found``."""
    rows: list[ResultSeries] = []
    for exhibit in exhibits():
        keys = {at: row.key for row in exhibit.stated for at in row.points if row.ours == name or row.key in found}
        points: dict[Place, Value] = {at: found[key] for at, key in keys.items() if key in found}
        rows += [ResultSeries(name, "", points, exhibit.name, source)] if points else []
    return rows


def _areas() -> dict[str, float]:
    macros = {size: 1e6 * area_model().macro(size) for size in (256, 512)}
    densities = {f"memory.density_{size}": 1e3 * size / area for size, area in macros.items()}
    found = area_figures()
    return {**found, **{f"memory.macro_{size}": area for size, area in macros.items()}, **densities,
            "rpu.mm2": found["area_hple"]}  # fmt: skip


def _own() -> dict[str, float]:
    """Return the paper's numbers that follow from others; an HPLE starts a butterfly in every cycle."""
    largest = SIZES["64"]
    ghz = load_design(MACHINES[0]).having(banks=BANKS).clock
    least = largest // 2 * (largest.bit_length() - 1) / (BANKS * ghz) / 1e3
    gap = others()["rpu"]["nanoseconds"] / 1e3 - off_chip(SIZES["16"])
    return {**own_figures(), "own.hbm_gap": gap, "own.theoretical_64": least}


def _instructions() -> dict[str, float]:
    sizes = b512().machine
    return {"isa.instructions": len(b512().opcodes), "isa.lanes": sizes["lanes"], "isa.registers": sizes["registers"],
            "isa.vdm_mib": sizes["vdm_bytes"] / MIB, "isa.sdm_mib": sizes["sdm_bytes"] / MIB,
            "isa.im_kib": sizes["im_bytes"] / KIB}  # fmt: skip


def measure(progress: Report) -> Sequence[ResultSeries]:
    """Return the simulator's results for all exhibits; later calls in a process return the same ones."""
    if not _simulated:
        found = make_report([RpuStudy(load_design(name)) for name in MACHINES], jobs_of(None), progress=progress)
        source = f"{cpu()}, {date.today().isoformat()}: {COMMAND}"
        _simulated.extend(results(found.studied, found.target, source))
    return _simulated


def results(studied: Sequence[Studied], target: str, source: str) -> list[ResultSeries]:
    """Return the series of simulated machines, and the times of momagen's kernel on this CPU."""
    rows = [row for each in studied for row in series_of(each.study.machine.name, figures(each), source)]
    first = studied[0]
    runtimes: dict[Place, Value] = {n: first.microseconds(n) for n in first.study.sizes}
    kernel: dict[Place, Value] = {n: ns / 1e3 for n, ns in first.cpu.items()}
    machine, flow, schedule = BEST
    best = run_trial(RpuTrial("best", load_design(machine), SIZES["64"], flow, schedule)).microseconds
    return [
        *rows,
        ResultSeries(f"{machine}, {flow}", "µs", {"(128,128), 64K points": best}, "figure-9", source),
        ResultSeries(f"{first.study.machine.name}, µs", "µs", runtimes, "figure-10", source),
        ResultSeries(f"momagen, {target}, one core, µs", "µs", kernel, "figure-10", source),
    ]


def figures(of: Studied) -> dict[str, float]:
    """Return the numbers of one machine by key, including the parts of the energy that only the paper's page shows."""
    found = study_figures(of)
    shares = {f"energy.{part}": 100 * of.own.joules[part] / of.own.microjoules for part in PARTS}
    return {**found, **shares, "rpu.nanoseconds": 1e3 * found["us_16"]}


def derive(known: Sequence[ResultSeries]) -> list[ResultSeries]:
    """Return the speed-ups of the simulated RPU over OpenFHE on this CPU, if both are known."""
    named = {each.what: each for each in known if each.exhibit == "figure-10"}
    machine = named.get(f"{MACHINES[0]}, µs")
    found: dict[str, Value] = {}
    keys = {"OpenFHE, 128 bits, µs": ("cpu_least", "cpu_most"),
            "OpenFHE, 64 bits, µs": ("cpu_64.least", "cpu_64.most")}  # fmt: skip
    for what, ends in keys.items():
        if machine and what in named:
            ratios = [float(value) / float(machine.points[at]) for at, value in named[what].points.items()]  # type: ignore[arg-type]
            found |= dict(zip(ends, (min(ratios), max(ratios)), strict=True))
    source = f"OpenFHE's times over those of {MACHINES[0]}"
    return series_of(BASELINE, found, source) if found else []
