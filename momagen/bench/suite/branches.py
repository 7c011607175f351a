"""The check that no branch depends on data, for every compiler.

There must be no such branch in the machine code of any kind of kernel at any class of width. Single-stepped
kernels must execute the same instructions for all data, and random data must not take longer than zeros.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from momagen.bench.measure.built import build
from momagen.bench.measure.kernel import buffers, calls_per_sample, default_batch, kernel_call, sampler, units
from momagen.bench.measure.machine import families
from momagen.bench.measure.sample import interleave, ratio
from momagen.bench.report.figure import Figure, failure, spread_figure
from momagen.bench.x86.assembly import disassembler
from momagen.bench.x86.single_step import obstacle, walks
from momagen.errors import MomagenError
from momagen.kinds.modular.make_spec import make_spec
from momagen.runtime import Compiler, missing_features
from momagen.runtime.native import in_c

from .matrix import KINDS, LEVELS, cases, compilers, inspected, moduli, title

SECTION = "branches"
SCALAR = ("c", "c64", "c32")
"""The targets whose kernels are inspected at every class of width, for every compiler at every optimisation
level. For all other targets, one compiler of each family is used."""
VECTOR = ("50 bits", "64 bits", "124 bits", "252 bits")
"""The classes of width at which the kernels of all other targets are inspected."""
POINTS: dict[str, object] = {"n": 256}
WALKED: Sequence[tuple[str, int, dict[str, object]]] = (
    *(("ntt", bits, POINTS) for bits in (54, 64, 128, 256)), ("ntt", 128, {**POINTS, "inverse": True}),
    ("ntt", 128, {**POINTS, "order": "natural"}), ("polymul", 128, {"n": 64}),
    *((kind, bits, {}) for kind in ("vmul", "axpy", "cmpadd") for bits in (54, 64, 128)),
)  # fmt: skip
"""The kernels that are single-stepped for c and for every target with several lanes that this CPU supports:
kind, bits and options."""
ELEMENTS = 77
"""The number of elements in a single-stepped call of an element-wise kernel."""
GOLDILOCKS = 2**64 - 2**32 + 1
SLOWER = 1.1
"""The threshold: the largest ratio of the time on random data to the time on zeros."""


def branches() -> Iterator[Figure]:
    """Yield the figures of the section: the inspection of machine code, single-stepped calls, and times."""
    yield from _seen()
    yield from _walked()
    yield from _timed()


def _walked() -> Iterator[Figure]:
    """Yield the number of additional instruction sequences that other data cause, by kernel, target and compiler."""
    if reason := obstacle():
        yield Figure(SECTION, "instructions that depend on data", None, note=reason)
        return
    for target, (family, compiler), (kind, bits, more) in product(["c", *able()], families().items(), WALKED):
        spec = make_spec(kind, bits=bits, target=target, **more)  # type: ignore[arg-type]
        label = f"{spec.name}, {family}"
        try:
            found = walks(build(spec, compiler), 1 if spec.n else ELEMENTS)
        except MomagenError as error:
            yield failure(SECTION, label, error)
            continue
        note = f"{found[0].instructions} instructions, {len(found)} pairs of vectors"
        yield Figure(SECTION, label, len(set(found)) - 1, "", 0, note=note)


def able() -> list[str]:
    """Return the targets with several lanes that this CPU supports."""
    return [str(row) for row in in_c() if row.lanes > 1 and not missing_features(row.features)]


def _seen() -> Iterator[Figure]:
    """Yield the number of conditional jumps on data by target, compiler and level, over all kinds and widths."""
    if not disassembler():
        yield Figure(SECTION, "data-dependent branches", None, note="neither objdump nor llvm-objdump")
        return
    looked = 0
    for target in map(str, in_c()):
        scalar = target in SCALAR
        chosen = compilers() if scalar else list(families().values())
        for compiler, level in product(chosen, LEVELS if scalar else LEVELS[-1:]):
            figure, count = _matrix(target, compiler, level)
            looked += count
            yield figure
    size = f"{len(KINDS)} kinds of kernel, {len(moduli())} classes of width, {len(compilers())} compilers"
    yield Figure(SECTION, "kernels inspected", looked, note=size)


def _matrix(target: str, compiler: Compiler, level: str) -> tuple[Figure, int]:
    """Return the figure of all kernels of one target from one compiler, and the number of inspected kernels."""
    label = f"{target}, {title(compiler)} {level}"
    found, loops, faults = 0, 0, list[str]()
    rows = cases(target, [compiler], [level], tuple(moduli()) if target in SCALAR else VECTOR)
    for case, report in inspected(rows):
        if isinstance(report, Exception):
            return failure(SECTION, f"{case}", report), 0
        found, loops = found + report.branches, loops + report.loops
        faults += [f"{case.kind}, {case.width}"] * bool(report.branches)
    note = "; ".join(faults) or f"{len(rows)} kernels, {loops} innermost loops"
    return Figure(SECTION, label, found, "", 0, note=note), len(rows)


def _timed() -> Iterator[Figure]:
    """Yield the time on random data divided by the time on zeros, for a modulus that fills its word.

    The kernels are transforms in place, each of the results of the previous one.
    """
    for compiler, inverse in product(compilers(), (False, True)):
        name = f"{'inverse ' * inverse}ntt, goldilocks, c, {title(compiler)}: random data / zeros"
        try:
            built = build(make_spec("ntt", n=4096, modulus=GOLDILOCKS, inverse=inverse), compiler)
        except MomagenError as error:
            yield failure(SECTION, name, error)
            continue
        batch = default_batch(built.spec)
        random, zeros = (buffers(built.spec, GOLDILOCKS, batch) for _ in range(2))
        for words in zeros:
            words[...] = np.zeros_like(words)
        calls = [kernel_call(built, batch, in_place=True, given=given) for given in (random, zeros)]
        count = calls_per_sample(calls[0])
        runs = {key: sampler(call, units(built.spec, batch), count) for key, call in zip("rz", calls, strict=True)}
        times = {key: [r.ns for r in rows] for key, rows in interleave(runs, repetitions=41, seconds=2).items()}
        yield spread_figure(SECTION, name, ratio(times["r"], times["z"]), "", SLOWER)
