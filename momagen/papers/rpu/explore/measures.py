"""The simulated values of the runtimes and energies that the paper states."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from statistics import mean

from momagen.rpu.isa.instruction import COMPUTE, SHUFFLE

from .stated import others
from .studies import BANKS, SLOW, RpuStudy
from .sweep import DesignPoint, label, points_of_sweep, ranked
from .trial import Outcome

WORD = 16
"""The number of bytes of a point."""
VECTORS = 3
"""The number of vectors that a transform transfers from or to off-chip memory: data, twiddles and the result.

The paper does not state it."""
SIZES = {"1": 1024, "16": 16384, "64": 65536}
"""The numbers of points of stated numbers, by the ends of their keys."""


@dataclass(frozen=True)
class Studied:
    """A study with its results.

    Attributes:
        study: The study.
        found: The outcomes of its trials, by label.
        cpu: The nanoseconds of transforms on this CPU, by points.
    """

    study: RpuStudy
    found: Mapping[str, Outcome]
    cpu: Mapping[int, float]

    @cached_property
    def points(self) -> list[DesignPoint]:
        """The designs of its sweep."""
        return points_of_sweep(self.study.grid, self.found)

    @property
    def own(self) -> Outcome:
        """The outcome of the largest transform on the machine with 128 HPLEs and banks."""
        return self.found[label(BANKS, BANKS)]

    def changed(self, change: Mapping[str, int]) -> int:
        """Return the cycles of the program of :attr:`own` on the same machine with ``change``."""
        return self.own.also[self.study.changes.index(dict(change))]

    def microseconds(self, n: int) -> float:
        """Return the simulated time of a transform of n points, in microseconds."""
        return self.found[f"points {n}"].microseconds

    def speedups(self) -> dict[int, float]:
        """Return the speed-ups of the optimised over the naive schedule, by HPLEs."""
        return {h: self.found[f"naive {h}"].cycles / self.found[label(h, BANKS)].cycles
                for h in self.study.grid.hples}  # fmt: skip

    def ratio(self, n: int) -> float:
        """Return the simulated time over the time that the multipliers alone would need."""
        return self.microseconds(n) / theoretical(n, BANKS, self.study.machine.having(banks=BANKS).clock)


def theoretical(n: int, hples: int, ghz: float) -> float:
    """Return n·log2(n)/(HPLEs·f) in microseconds, the lower bound that the paper uses."""
    return n * (n.bit_length() - 1) / (hples * ghz) / 1e3


def off_chip(n: int) -> float:
    """Return the microseconds in which off-chip memory transfers the vectors of a transform."""
    return VECTORS * n * WORD / others()["hbm"]["gigabytes_per_second"] / 1e3


def study_figures(of: Studied) -> dict[str, float]:
    """Return the numbers by their keys in paper.toml, without those for which the study lacks a trial."""
    found = {**_runtimes(of), **_changes(of), **_schedules(of), **_designs(of), **_elsewhere(of)}
    own = of.own
    return {**found, "energy": own.microjoules, "power": own.microjoules / own.microseconds,
            "computes": own.instructions[COMPUTE], "shuffles": own.instructions[SHUFFLE]}  # fmt: skip


def _runtimes(of: Studied) -> dict[str, float]:
    """Return the numbers of Figure 9."""
    known = {end: n for end, n in SIZES.items() if n in of.study.sizes}
    rows = {f"{kind}_{end}": value(n) for end, n in known.items()
            for kind, value in (("us", of.microseconds), ("ratio", of.ratio))}  # fmt: skip
    ratios = [of.ratio(n) for n in of.study.sizes]
    rises = sum(after > before for before, after in pairwise(ratios))
    return {**rows, "ratio_rises": rises}


def _changes(of: Studied) -> dict[str, float]:
    """Return the numbers of Figures 7 and 8, which are increases of cycles in per cent.

    There are those of the same program on both machines, and those of a program that is scheduled for each
    machine.
    """
    found = {"interval_3": of.changed({"interval": 3}) / of.changed({"interval": 2})}
    for key, (name, least, most) in SLOW.items():
        found[f"{key}_same"] = _more(of.changed({name: most}), of.changed({name: least}))
        found[f"{key}_again"] = _more(*(of.found[f"{name} {count}"].cycles for count in (most, least)))
    return found


def _more(after: int, before: int) -> float:
    return 100 * (after / before - 1)


def _schedules(of: Studied) -> dict[str, float]:
    """Return the numbers of Figure 6."""
    found = {"speedup": mean(of.speedups().values())}
    if 256 in of.study.grid.hples:
        waits = {"naive_wait": "naive 256", "placed_wait": label(256, BANKS)}
        found |= {key: of.found[name].waits[SHUFFLE] for key, name in waits.items()}
    return found


RUNTIMES = {
    "runtime_at_4": ((4, 256), (4, 32)), "runtime_at_256": ((256, 32), (256, 256)),
    "more_banks": ((128, 128), (128, 256)), "more_hples": ((128, 128), (256, 128)),
}  # fmt: skip
"""The pairs of designs whose runtimes are divided, by key."""
RANKS = {"rank_128": (128, 128), "rank_64": (64, 64)}


def _designs(of: Studied) -> dict[str, float]:
    """Return the numbers of Figures 3 and 4."""
    by = {(each.hples, each.banks): each for each in of.points}
    found = {key: by[one].microseconds / by[other].microseconds for key, (one, other) in RUNTIMES.items()
             if one in by and other in by}  # fmt: skip
    order = [(each.hples, each.banks) for each in ranked(of.points)]
    best = [each for each in of.points if each.pareto]
    near = sum(each.hples in (each.banks, 2 * each.banks) for each in best) / len(best)
    return {**found, **{key: order.index(one) + 1.0 for key, one in RANKS.items() if one in by}, "pareto_near": near}


def own_figures() -> dict[str, float]:
    """Return the numbers that follow from other numbers of the paper."""
    f1, rpu = others()["f1"], others()["rpu"]
    return {"f1_own": rpu["nanoseconds"] * rpu["mm2"] / (f1["nanoseconds"] * f1["mm2"]),
            "hbm_16": off_chip(SIZES["16"])}  # fmt: skip


def _elsewhere(of: Studied) -> dict[str, float]:
    """Return the numbers of Figure 10 and Section VII."""
    f1, rpu, gpu = (others()[name] for name in ("f1", "rpu", "v100"))
    found = dict[str, float]()
    if SIZES["16"] in of.study.sizes:
        here = 1e3 * of.microseconds(SIZES["16"])
        found["f1_here"] = here * rpu["mm2"] / (f1["nanoseconds"] * f1["mm2"])
    if SIZES["64"] in of.study.sizes:
        found["gpu"] = gpu["microseconds"] / of.microseconds(SIZES["64"])
    if ups := [ns / of.microseconds(n) / 1e3 for n, ns in of.cpu.items() if n in of.study.sizes]:
        found |= {"cpu_least": min(ups), "cpu_most": max(ups)}
    return found
