"""The time and memory of generating and compiling kernels, each in a new process."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from statistics import median

from momagen.bench.measure.child import measure
from momagen.bench.measure.machine import families
from momagen.bench.report.figure import Figure, failure
from momagen.errors import MomagenError
from momagen.kinds.modular.lists import BLAS

SMALL, LARGE, COMPILE, MEMORY = 1.0, 10.0, 15.0, 1000.0
"""The thresholds: seconds to generate a 128-bit NTT, seconds to generate any 1024-bit kernel, seconds to
compile it, and MB of memory."""
TARGETS = ("c", "c64", "avx2", "avx512", "avx512ifma")
REPETITIONS = 3
N = 4096
SHAPES: dict[str, dict[str, object]] = {
    "ntt": {"kind": "ntt", "n": N},
    "inverse ntt": {"kind": "ntt", "n": N, "inverse": True},
    "negacyclic ntt": {"kind": "ntt", "n": N, "negacyclic": True},
    "negacyclic inverse ntt": {"kind": "ntt", "n": N, "negacyclic": True, "inverse": True},
    "natural ntt": {"kind": "ntt", "n": N, "order": "natural"},
    "polymul": {"kind": "polymul", "n": N},
    "negacyclic polymul": {"kind": "polymul", "n": N, "negacyclic": True},
    **{kind: {"kind": kind} for kind in BLAS},
}
"""Every kind of kernel, as arguments of :func:`make_spec`."""
COMPILED = {"ntt": None, "inverse ntt": 1, "polymul": None, "vmul": None, "axpy": 1}
"""The number of compiler families that compile a kernel; None means all families. Negacyclic transforms and
natural order are omitted, because they differ from these kernels only in their tables."""
STAGES = (11, 22)
"""The numbers of butterfly levels whose generation times are compared."""
LINEAR = 1.2
"""The largest factor by which generation may grow faster than the number of levels."""

Request = dict[str, object]
figure = partial(Figure, "generation")


def generation() -> Iterator[Figure]:
    """Yield the figures of the section: 128-bit transforms, all kernels at 1024 bits, and growth with the levels."""
    for target in TARGETS:
        yield small(target)
    for target in TARGETS:
        details = [detail for name in SHAPES for detail in kernel(name, target)]
        yield from details
        yield from summaries(target, details)
    for target in TARGETS:
        yield growth(target)


def small(target: str) -> Figure:
    """Return the generation time of a 128-bit transform."""
    name = f"generate 128-bit ntt, {target}"
    return repeated(name, [{**SHAPES["ntt"], "bits": 128, "target": target}], "s", SMALL)


def growth(target: str) -> Figure:
    """Return the generation time at 2^22 points divided by that at 2^11 points, which has half as many levels."""
    name = f"generate {STAGES[1]} stages over {STAGES[0]}, {target}"
    requests: list[Request] = [{"kind": "ntt", "n": 1 << s, "bits": 128, "target": target} for s in reversed(STAGES)]
    return repeated(name, requests, "", LINEAR * STAGES[1] / STAGES[0])


def repeated(name: str, requests: list[Request], unit: str, limit: float) -> Figure:
    """Return the median generation time of one request, or the ratio of the times of two requests."""
    try:
        runs = [[measure(request)["generate"] for request in requests] for _ in range(REPETITIONS)]
    except MomagenError as error:
        return failure("generation", name, error)
    values = [run[0] / run[1] if len(run) > 1 else run[0] for run in runs]
    return figure(name, median(values), unit, limit, low=min(values), high=max(values), samples=REPETITIONS)


def kernel(name: str, target: str) -> Iterator[Figure]:
    """Yield the generation time, the peak memory and the compilation times of one 1024-bit kernel."""
    chosen = dict([*families().items()][: COMPILED.get(name, 0)])
    try:
        run = measure({**SHAPES[name], "bits": 1024, "target": target}, compilers=chosen)
    except MomagenError as error:
        yield failure("generation", f"1024-bit {name}, {target}", error)
        return
    note = f"{run['lines']:.0f} lines"
    for key, unit, limit in [("generate", "s", LARGE), ("memory", "MB", MEMORY)]:
        yield figure(f"{key} 1024-bit {name}, {target}", run[key], unit, limit, note=note, detail=True)
    for family in chosen:
        label = f"compile 1024-bit {name}, {target}, {family}"
        yield figure(label, run[f"compile {family}"], "s", COMPILE, note=note, detail=True)


def summaries(target: str, details: list[Figure]) -> Iterator[Figure]:
    """Yield the largest generation time, memory and compilation time of a target."""
    for start in ("generate", "memory", *(f"compile {family}" for family in families())):
        verb, _, family = start.partition(" ")
        rows = [d for d in details if d.value is not None and d.name.startswith(verb) and d.name.endswith(family)]
        if rows:
            worst = max(rows, key=lambda row: row.value or 0.0)
            what = "most memory" if verb == "memory" else f"slowest to {verb}"
            name = f"1024 bits, {what}, {target}" + (f", {family}" if family else "")
            yield figure(name, worst.value, worst.unit, worst.limit, note=f"of {len(rows)}: {worst.name}")
