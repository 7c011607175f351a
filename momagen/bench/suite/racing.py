"""A race of transforms in one interleaved run: generated kernels, a hand-written scalar transform, and GMP."""

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
"""The thresholds: the largest ratio of c to the hand-written transform, and of c compiled by gcc to c
compiled by clang."""
VECTORS = {"avx2": 1.0, "avx512": 1.5}
"""The thresholds of vector targets: the least ratio of the time of c to theirs."""
N, BITS = 4096, 128
TARGETS = ("c", *VECTORS)
SECTION = "race"


@dataclass(frozen=True)
class RaceEntry:
    """A contestant of the race.

    Attributes:
        call: Its call, ready to be timed.
        output: Its result on the common input.
    """

    call: TimedCall
    output: Words


def race(repetitions: int, seconds: float) -> Iterator[Figure]:
    """Yield the figures of the section: the time of every contestant, then the ratios with their thresholds."""
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
    """Return the contestants that can run on this CPU, and figures without values for the others.

    Returns:
        The contestants by name, such as "c, clang", and the figures.
    """
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
    """Return the kernel of ``spec`` for ``target``. It works in place, as the baselines do.

    Raises:
        MomagenError: This CPU lacks features of the target, or the kernel cannot be compiled.
    """
    own = make_spec("ntt", n=spec.n, modulus=spec.modulus, root=spec.root, target=target)
    if lacking := missing_features(own.target.features):
        raise build_error(f"this CPU lacks {', '.join(lacking)}, which the target needs", f"target {target}")
    kernel = build(own, compiler)
    output = residues(spec)
    kernel.tables.execute(output, output, count=1)
    return RaceEntry(timed_call(kernel, 1, in_place=True), output)


def baseline(name: str, spec: Spec, compiler: Compiler | None) -> RaceEntry:
    """Return a baseline as a contestant."""
    transform, output = Baseline(name, spec, compiler), residues(spec)
    transform.transform(output)
    return RaceEntry(transform.call({"x": residues(spec)}), output)


def residues(spec: Spec) -> Words:
    """Return the common input."""
    return random_residues(spec, spec.modulus, 1, 1)


def prepared(call: TimedCall, spec: Spec) -> Callable[[], Reading]:
    """Return a function that takes a sample of a call and returns the reading per butterfly."""
    return sampler(call, units(spec, 1), calls_per_sample(call))


def comparable(readings: dict[str, list[Reading]]) -> tuple[str, dict[str, list[float]]]:
    """Return the unit and the samples, in cycles if they are known for all contestants, otherwise in nanoseconds."""
    cycles = {name: [r.cycles for r in rows if r.cycles is not None] for name, rows in readings.items()}
    if all(cycles.values()):
        return "cycles", cycles
    return "ns", {name: [r.ns for r in rows] for name, rows in readings.items()}


def agreement(outputs: dict[str, Words]) -> Figure:
    """Return the figure that counts the contestants whose output differs from the output of the first one."""
    first = next(iter(outputs.values()))
    wrong = [name for name, output in outputs.items() if not np.array_equal(output, first)]
    return Figure(SECTION, "different outputs", len(wrong), limit=0, note=", ".join(wrong) or f"{len(outputs)} agree")


def pairs(names: list[str]) -> Iterator[tuple[str, str, float | None, bool]]:
    """Yield the ratios to compute: numerator, denominator, threshold, and whether the threshold is a lower bound."""
    for family in (name.removeprefix("c, ") for name in names if name.startswith("c, ")):
        yield f"c, {family}", f"hand-written, {family}", HAND if family in ("clang", "zig") else None, False
        for target, limit in VECTORS.items():
            yield f"c, {family}", f"{target}, {family}", limit, True
        yield "GMP mpz", f"c, {family}", None, False
    yield "c, gcc", "c, clang" if "c, clang" in names else "c, zig", GCC, False


def ratios(times: dict[str, list[float]]) -> Iterator[Figure]:
    """Yield the ratio of every pair of contestants that took part, from the ratios of all rounds."""
    for above, below, limit, at_least in pairs(list(times)):
        if above in times and below in times:
            yield spread_figure(SECTION, f"{above} / {below}", ratio(times[above], times[below]), "", limit, at_least)
