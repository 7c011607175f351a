"""The costs of the drop-in replacement for HEXL, and of kernels that serve any size.

The figures of the replacement are its generation, its size and the time of short calls.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from momagen.bench.measure.built import Built, build, planned
from momagen.bench.measure.kernel import calls_per_sample, sampler, timed_call, units
from momagen.bench.measure.sample import interleave, ratio, spread
from momagen.bench.report.figure import Figure, failure, spread_figure
from momagen.emit import generate
from momagen.errors import MomagenError
from momagen.kinds.modular.derived.inner import of_size
from momagen.kinds.modular.make_spec import make_spec
from momagen.kinds.modular.spec import Spec
from momagen.runtime.call import compile_kernel
from momagen.runtime.native import candidates

from .everyday import python

SECTION = "hexl"
MAKING = {
    "generate": ("generation of all kernels", "s", 30.0), "compile": ("compilation on two cores", "s", 120.0),
    "size": ("the library", "MB", 4.0),
}  # fmt: skip
"""The figures of the library: the name, the unit and the threshold of each."""
CALL, CREATE = 6.0, 100.0
"""The thresholds of a call on one element in ns, and of the creation of a transform of 4096 points in µs."""
SIZED = 1.03
"""The threshold: the largest ratio of the times of a kernel for any size and a kernel for one size."""
N, MAX_N, ROUNDS, SECONDS = 4096, 1 << 13, 201, 3.0
figure = partial(Figure, SECTION)


def standin() -> Iterator[Figure]:
    """Yield the figures of the section."""
    try:
        told: dict[str, Any] = json.loads(python(["-m", "momagen.hexl.measure"]))
    except MomagenError as error:
        yield failure(SECTION, "the library", error)
    else:
        yield from _making(told)
        yield from _calls(told.get("calls", {}))
    for bits in (50, 62):
        for inverse in (False, True):
            yield _sized(make_spec("ntt", n=MAX_N, modulus_bits=bits, negacyclic=True, inverse=inverse,
                                   target=candidates()[0], sized=True))  # fmt: skip


def _making(told: Mapping[str, Any]) -> Iterator[Figure]:
    for key, (name, unit, limit) in MAKING.items():
        note = "" if key in told else "no cmake, or no C++ compiler"
        yield figure(name, told.get(key), unit, limit, note=note)


def _calls(calls: Mapping[str, list[float]]) -> Iterator[Figure]:
    for name, samples in calls.items():
        if name == "NTT":
            created = spread([ns / 1e3 for ns in samples])
            yield spread_figure(SECTION, f"creation of an NTT of {N} points", created, "µs", CREATE)
        else:
            yield spread_figure(SECTION, f"{name} of one element", spread(samples), "ns", CALL)


def _sized(spec: Spec) -> Figure:
    """Return the ratio of the times of a kernel for any size and a kernel for one size, as a median over rounds."""
    small = of_size(spec, N)
    sized = planned(compile_kernel(generate(spec)).at(small))
    runs = {name: _sampler(kernel) for name, kernel in {"any": sized, "fixed": build(small)}.items()}
    readings = interleave(runs, repetitions=ROUNDS, seconds=SECONDS)
    times = [[reading.ns for reading in readings[name]] for name in ("any", "fixed")]
    way = "inverse" if spec.inverse else "forward"
    return spread_figure(SECTION, f"any size / {N} points only, {spec.width} bits, {way}", ratio(*times), "", SIZED)


def _sampler(kernel: Built) -> Any:
    call = timed_call(kernel, 1)
    return sampler(call, units(kernel.spec, 1), calls_per_sample(call))
