"""The figures of runtimes and energy that the paper states, from what a study simulated."""

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
"""Bytes of a point."""
VECTORS = 3
"""What goes through the memory off chip for a transform: data, twiddles and the result. The paper does not say it."""
SIZES = {"1": 1024, "16": 16384, "64": 65536}
"""Points of stated figures, by what their keys end in."""


@dataclass(frozen=True)
class Studied:
    """A study with the outcomes of its trials, and nanoseconds of this CPU's transforms by their points."""

    study: RpuStudy
    found: Mapping[str, Outcome]
    cpu: Mapping[int, float]

    @cached_property
    def points(self) -> list[DesignPoint]:
        """Its sweep."""
        return points_of_sweep(self.study.grid, self.found)

    @property
    def own(self) -> Outcome:
        """The largest transform on the machine of 128 HPLEs and banks."""
        return self.found[label(BANKS, BANKS)]

    def changed(self, change: Mapping[str, int]) -> int:
        """Cycles of its program on that machine with ``change``."""
        return self.own.also[self.study.changes.index(dict(change))]

    def microseconds(self, n: int) -> float:
        return self.found[f"points {n}"].microseconds

    def speedups(self) -> dict[int, float]:
        """Optimised over naive, by HPLEs."""
        return {h: self.found[f"naive {h}"].cycles / self.found[label(h, BANKS)].cycles
                for h in self.study.grid.hples}  # fmt: skip

    def ratio(self, n: int) -> float:
        """Runtime over what the multipliers would need."""
        return self.microseconds(n) / theoretical(n, BANKS, self.study.machine.having(banks=BANKS).clock)


def theoretical(n: int, hples: int, ghz: float) -> float:
    """Microseconds: n·log2(n)/(HPLEs·f), as the paper has it."""
    return n * (n.bit_length() - 1) / (hples * ghz) / 1e3


def off_chip(n: int) -> float:
    """Microseconds that the vectors of a transform take through the memory off chip."""
    return VECTORS * n * WORD / others()["hbm"]["gigabytes_per_second"] / 1e3


def study_figures(of: Studied) -> dict[str, float]:
    """By key of paper.toml, as far as the study has what they need."""
    found = {**_runtimes(of), **_changes(of), **_schedules(of), **_designs(of), **_elsewhere(of)}
    own = of.own
    return {**found, "energy": own.microjoules, "power": own.microjoules / own.microseconds,
            "computes": own.instructions[COMPUTE], "shuffles": own.instructions[SHUFFLE]}  # fmt: skip


def _runtimes(of: Studied) -> dict[str, float]:
    """Figure 9."""
    known = {end: n for end, n in SIZES.items() if n in of.study.sizes}
    rows = {f"{kind}_{end}": value(n) for end, n in known.items()
            for kind, value in (("us", of.microseconds), ("ratio", of.ratio))}  # fmt: skip
    ratios = [of.ratio(n) for n in of.study.sizes]
    rises = sum(after > before for before, after in pairwise(ratios))
    return {**rows, "ratio_rises": rises}


def _changes(of: Studied) -> dict[str, float]:
    """Figures 7 and 8: more cycles, percent, of the same program and of one that is scheduled for either machine."""
    found = {"interval_3": of.changed({"interval": 3}) / of.changed({"interval": 2})}
    for key, (name, least, most) in SLOW.items():
        found[f"{key}_same"] = _more(of.changed({name: most}), of.changed({name: least}))
        found[f"{key}_again"] = _more(*(of.found[f"{name} {count}"].cycles for count in (most, least)))
    return found


def _more(after: int, before: int) -> float:
    return 100 * (after / before - 1)


def _schedules(of: Studied) -> dict[str, float]:
    """Figure 6."""
    found = {"speedup": mean(of.speedups().values())}
    if 256 in of.study.grid.hples:
        waits = {"naive_wait": "naive 256", "placed_wait": label(256, BANKS)}
        found |= {key: of.found[name].waits[SHUFFLE] for key, name in waits.items()}
    return found


RUNTIMES = {
    "runtime_at_4": ((4, 256), (4, 32)), "runtime_at_256": ((256, 32), (256, 256)),
    "more_banks": ((128, 128), (128, 256)), "more_hples": ((128, 128), (256, 128)),
}  # fmt: skip
"""Ratios of the runtimes of two designs."""
RANKS = {"rank_128": (128, 128), "rank_64": (64, 64)}


def _designs(of: Studied) -> dict[str, float]:
    """Figures 3 and 4."""
    by = {(each.hples, each.banks): each for each in of.points}
    found = {key: by[one].microseconds / by[other].microseconds for key, (one, other) in RUNTIMES.items()
             if one in by and other in by}  # fmt: skip
    order = [(each.hples, each.banks) for each in ranked(of.points)]
    best = [each for each in of.points if each.pareto]
    near = sum(each.hples in (each.banks, 2 * each.banks) for each in best) / len(best)
    return {**found, **{key: order.index(one) + 1.0 for key, one in RANKS.items() if one in by}, "pareto_near": near}


def own_figures() -> dict[str, float]:
    """What follows from other numbers of the paper."""
    f1, rpu = others()["f1"], others()["rpu"]
    return {"f1_own": rpu["nanoseconds"] * rpu["mm2"] / (f1["nanoseconds"] * f1["mm2"]),
            "hbm_16": off_chip(SIZES["16"])}  # fmt: skip


def _elsewhere(of: Studied) -> dict[str, float]:
    """Figure 10 and Section VII."""
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
