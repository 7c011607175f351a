"""The interleaved timing of kernels, including proxy builds, on this CPU."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from momagen.bench.measure.built import planned
from momagen.bench.measure.clock import Reading
from momagen.bench.measure.kernel import calls_per_sample, sampler, timed_call, units
from momagen.bench.measure.sample import interleave
from momagen.emit import Source
from momagen.runtime import Compiler, missing_features
from momagen.runtime.call import compile_kernel
from momagen.targets import Target

REPETITIONS, SECONDS = 51, 5.0


def runs_here(target: Target) -> bool:
    """Return whether this CPU has all features that the target needs."""
    return not missing_features(target.features)


def side_by_side(sources: Mapping[str, Source], compiler: Compiler | None, batch: int) -> dict[str, list[float]]:
    """Return the cycles per butterfly or element of each kernel in every round.

    Kernels that this CPU cannot run are left out. If the clock frequency cannot be measured, the values are
    nanoseconds.

    Args:
        sources: The kernels by name.
        compiler: The compiler, or None for the default one.
        batch: The number of transforms, products or elements in a call.
    """
    runs = {name: _run(source, compiler, batch) for name, source in sources.items() if runs_here(source.spec.target)}
    if not runs:
        return {}
    readings = interleave(runs, repetitions=REPETITIONS, seconds=SECONDS)
    return {name: [row.cycles or row.ns for row in rows] for name, rows in readings.items()}


def _run(source: Source, compiler: Compiler | None, batch: int) -> Callable[[], Reading]:
    call = timed_call(planned(compile_kernel(source, compiler)), batch)
    return sampler(call, units(source.spec, batch), calls_per_sample(call))
