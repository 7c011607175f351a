"""The studies of ``momagen mqx`` as measurements of the MQX paper's tables and figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import cache
from typing import Any

from momagen.bench.measure.machine import cpu, machine
from momagen.bench.measure.sample import spread
from momagen.isa.compare.workload import Asked, Measured, cases, compare, floor_name, quantities, targets_named
from momagen.isa.cores.cpus import load_core, load_cpu, load_cpus
from momagen.isa.pressure import pressure_change
from momagen.papers.series import ResultSeries, parse_measured
from momagen.runtime import find_compiler
from momagen.screen.progress import Report

from .figures.figures import figure_4, figure_5
from .figures.products import products
from .figures.races import BITS, Request
from .outcomes import convert
from .sol.papers import load_papers
from .sol.report import speeds_of_light
from .sol.speed_of_light import in_cycles
from .studies import sensitivity, validate

SIZES = (1024, 4096, 16384)
"""The numbers of points of transforms, which are smaller than the paper's so that OpenFHE and GMP end within
minutes."""
RPU_SIZES = (1024, 16384, 65536)
"""The numbers of points for which the RPU paper prints times."""
CORES = ("sunny-cove", "zen4")
PROJECTED = ("xeon-6980p", "epyc-9965s")
TARGETS = ("avx512dq", "avx512ifma", "mqx")
RPU_RATIO, ON_PAR = 2.5, 48
"""The time of the RPU over the time of MQX-SOL on the EPYC 9965S, and a cautious speed-up by all of its cores
(Section 6)."""
NUMBER_BYTES, MIB = 16, 1 << 20


def _floors() -> dict[str, Any]:
    return {name: load_core(name).floor for name in CORES}


def _request() -> Request:
    return Request(cpus=_floors(), bits=BITS, compiler=find_compiler(None))


def _asked(targets: Sequence[str]) -> Asked:
    return Asked(targets_named(targets), (), _floors(), True, find_compiler(None))


def _vectors(progress: Report) -> dict[str, Any]:
    return {"figures": [figure_4(_request(), progress).data()]}


def _transforms(progress: Report) -> dict[str, Any]:
    return {"figures": [figure_5(_request(), SIZES, progress).data()]}


def _products(progress: Report) -> dict[str, Any]:
    return {"figures": [each.data() for each in products(_request(), sizes=SIZES[1:2], progress=progress)]}


def _proxies(progress: Report) -> dict[str, Any]:
    asked = _asked([pair.truth for pair in validate.PAIRS])
    return {"pairs": [each.data() for each in validate.validate(asked, validate.POINTS, progress)]}


def _parts(progress: Report) -> dict[str, Any]:
    targets = tuple(sensitivity.VARIANTS)
    found = compare(_asked(targets)._replace(cases=sensitivity.workloads(SIZES, ())), progress)
    rows = sensitivity.normalised(found, targets[0])
    return {"normalised": [{**vars(row), "title": row.title} for row in rows]}


def _whole_cpus(progress: Report) -> dict[str, Any]:
    cpus = [each for name in PROJECTED for each in load_cpus(name)]
    floors = {each.name: each.core.floor for each in cpus if each.core}
    asked = Asked(targets_named(TARGETS), cases(("ntt",), (BITS,), RPU_SIZES), floors, True, find_compiler(None))
    counted = compare(asked, progress)
    found = []
    for each in cpus:
        series = [in_cycles(target, {row.case.n: _cycles(row, each.name) for row in counted if row.target == target})
                  for target in TARGETS]  # fmt: skip
        found.append(speeds_of_light(series, [each], load_papers()).to_dict())
    return {"projected": found}


def _cycles(row: Measured, cpu_name: str) -> float:
    known = quantities(row)
    return spread(known.get("cycles", known[floor_name(cpu_name)])).median


def _listing(progress: Report) -> dict[str, Any]:
    before, after = targets_named(("avx512dq", "mqx:proxy"))
    return pressure_change(before, after, "addmod", BITS).to_dict()


STUDIES: Mapping[str, Callable[[Report], dict[str, Any]]] = {
    "figure-4": _vectors, "figure-5": _transforms, "section-5.5": _products, "table-6": _proxies, "figure-6": _parts,
    "figure-7": _whole_cpus, "listing-4": _listing,
}  # fmt: skip
"""The functions that run the studies, by exhibit."""


def measure(exhibit: str, progress: Report) -> list[ResultSeries]:
    """Return the results of the study behind an exhibit, including the results for other exhibits.

    Args:
        exhibit: The name of the exhibit.
        progress: A function that reports progress.
    """
    told = convert({"machine": machine(), **STUDIES[exhibit](progress)})
    source = f"{cpu()}, {date.today().isoformat()}: momagen paper mqx {exhibit} --measure"
    return [parse_measured(row, source, exhibit) for row in told["series"]]


@cache
def model() -> tuple[ResultSeries, ...]:
    """Return the results that follow from the paper's other numbers, and from the target file of MQX."""
    cores = load_cpu("epyc-9965s").cores
    steps: dict[str, dict[Any, Any]] = {
        "figure-7": {"speed-up by all cores that matches RPU, EPYC 9965S": cores / RPU_RATIO,
                     "RPU's speed over 48 times one core, EPYC 9965S": cores / RPU_RATIO / ON_PAR},
        "table-4": {f"data of a stage of 2^{log} points": 2 * (NUMBER_BYTES << log) / MIB for log in (15, 16)},
    }  # fmt: skip
    (mqx,) = targets_named(["mqx"])
    names = {row.mnemonic for row in mqx.instructions.values()}
    targets: dict[str, dict[Any, Any]] = {"table-1": {"instructions with MQX": 1},
                                          "table-2": {"new instructions": len(names)}}  # fmt: skip
    return tuple(
        ResultSeries(what, "", points, exhibit, source)
        for what, source, found in (("arithmetic", "the paper's other numbers, by arithmetic", steps),
                                    ("targets", "targets/mqx.toml", targets))
        for exhibit, points in found.items()
    )  # fmt: skip
