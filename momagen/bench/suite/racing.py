"""Transforms against each other in one interleaved run: generated kernels, the hand-written scalar one, GMP."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from momagen.bench.measure.baselines import Baseline
from momagen.bench.measure.built import build
from momagen.bench.measure.clock import Reading, TimedCall
from momagen.bench.measure.kernel import calls_per_sample, random_residues, sampler, timed_call, units
from momagen.bench.measure.machine import families
from momagen.bench.measure.sample import interleave, ratio, spread
from momagen.bench.report.figure import Figure, spread_figure
from momagen.errors import MomagenError, build_error
from momagen.kinds.modular.make_spec import make_spec
from momagen.kinds.modular.spec import Spec
from momagen.params.words import Words
from momagen.runtime import Compiler, missing_features

HAND, GCC = 1.1, 1.3
"""The bars: c over the hand-written transform, c by gcc over c by clang."""
VECTORS = {"avx2": 1.0, "avx512": 1.5}
"""The bars of c over a vector target."""
N, BITS = 4096, 128
TARGETS = ("c", *VECTORS)
SECTION = "race"


@dataclass(frozen=True)
class RaceEntry:
    """A contestant: its call, and what it makes of the common input."""

    call: TimedCall
    output: Words


def race(repetitions: int, seconds: float) -> Iterator[Figure]:
    """The section: time of every contestant, then the ratios with their bars."""
    spec = make_spec("ntt", n=N, bits=BITS)
    entries, missing = contestants(spec)
    yield agreement({name: entry.output for name, entry in entries.items()})
    runs = {name: prepared(entry.call, spec) for name, entry in entries.items()}
    readings = interleave(runs, repetitions=repetitions, seconds=seconds)
    unit, times = comparable(readings)
    for name, values in times.items():
        yield spread_figure(SECTION, name, spread(values), f"{unit}/butterfly")
    yield from ratios(times)
    yield from missing


def contestants(spec: Spec) -> tuple[dict[str, RaceEntry], list[Figure]]:
    """Everything that can run here, by name ("c, clang"), and a figure without value for what cannot."""
    found = families()
    makers: dict[str, Callable[[], RaceEntry]] = {}
    for family, compiler in found.items():
        makers[f"hand-written, {family}"] = partial(baseline, "scalar_shoup", spec, compiler)
        for target in TARGETS:
            makers[f"{target}, {family}"] = partial(generated, target, spec, compiler)
    native = next((compiler for family, compiler in found.items() if family != "zig"), None)
    makers["GMP mpz"] = partial(baseline, "gmp_mpz", spec, native)
    entries, missing = {}, []
    for name, make in makers.items():
        try:
            entries[name] = make()
        except MomagenError as error:
            missing.append(Figure(SECTION, name, None, note=str(error)))
    return entries, missing


def generated(target: str, spec: Spec, compiler: Compiler) -> RaceEntry:
    """The kernel of ``spec`` on ``target``, in place as the baselines are."""
    own = make_spec("ntt", n=spec.n, modulus=spec.modulus, root=spec.root, target=target)
    if lacking := missing_features(own.target.features):
        raise build_error(f"this CPU lacks {', '.join(lacking)}, which the target needs", f"target {target}")
    kernel = build(own, compiler)
    output = residues(spec)
    kernel.tables.execute(output, output, count=1)
    return RaceEntry(timed_call(kernel, 1, in_place=True), output)


def baseline(name: str, spec: Spec, compiler: Compiler | None) -> RaceEntry:
    """A hand-written transform."""
    transform, output = Baseline(name, spec, compiler), residues(spec)
    transform.transform(output)
    return RaceEntry(transform.call({"x": residues(spec)}), output)


def residues(spec: Spec) -> Words:
    """The common input."""
    return random_residues(spec, spec.modulus, 1, 1)


def prepared(call: TimedCall, spec: Spec) -> Callable[[], Reading]:
    """A sampler per butterfly."""
    return sampler(call, units(spec, 1), calls_per_sample(call))


def comparable(readings: dict[str, list[Reading]]) -> tuple[str, dict[str, list[float]]]:
    """The samples in cycles where they are known, else in nanoseconds, and the unit's name."""
    cycles = {name: [r.cycles for r in rows if r.cycles is not None] for name, rows in readings.items()}
    if all(cycles.values()):
        return "cycles", cycles
    return "ns", {name: [r.ns for r in rows] for name, rows in readings.items()}


def agreement(outputs: dict[str, Words]) -> Figure:
    """How many contestants differ from the first one's output."""
    first = next(iter(outputs.values()))
    wrong = [name for name, output in outputs.items() if not np.array_equal(output, first)]
    return Figure(SECTION, "different outputs", len(wrong), limit=0, note=", ".join(wrong) or f"{len(outputs)} agree")


def pairs(names: list[str]) -> Iterator[tuple[str, str, float | None, bool]]:
    """What is divided by what, the bar, and whether it is a lower one."""
    for family in (name.removeprefix("c, ") for name in names if name.startswith("c, ")):
        yield f"c, {family}", f"hand-written, {family}", HAND if family in ("clang", "zig") else None, False
        for target, limit in VECTORS.items():
            yield f"c, {family}", f"{target}, {family}", limit, True
        yield "GMP mpz", f"c, {family}", None, False
    yield "c, gcc", "c, clang" if "c, clang" in names else "c, zig", GCC, False


def ratios(times: dict[str, list[float]]) -> Iterator[Figure]:
    """The ratio of every pair that took part, round by round."""
    for above, below, limit, at_least in pairs(list(times)):
        if above in times and below in times:
            yield spread_figure(SECTION, f"{above} / {below}", ratio(times[above], times[below]), "", limit, at_least)
