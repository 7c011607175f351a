"""No branch may depend on data, whichever compiler made it: none in the machine code of every kind of kernel at every
class of width, none in what kernels run, instruction after instruction, and random data take no longer than zeros."""

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
"""Targets whose kernels are inspected at every class of width, from every compiler at every level; those of others from
one compiler of each family, at these classes:"""
VECTOR = ("50 bits", "64 bits", "124 bits", "252 bits")
POINTS: dict[str, object] = {"n": 256}
WALKED: Sequence[tuple[str, int, dict[str, object]]] = (
    *(("ntt", bits, POINTS) for bits in (54, 64, 128, 256)), ("ntt", 128, {**POINTS, "inverse": True}),
    ("ntt", 128, {**POINTS, "order": "natural"}), ("polymul", 128, {"n": 64}),
    *((kind, bits, {}) for kind in ("vmul", "axpy", "cmpadd") for bits in (54, 64, 128)),
)  # fmt: skip
"""What is followed on c and on every target with lanes that runs here; of BLAS, so many elements:"""
ELEMENTS = 77
GOLDILOCKS = 2**64 - 2**32 + 1
SLOWER = 1.1
"""Times of zeros that random data may take."""


def branches() -> Iterator[Figure]:
    """The section: what is seen in machine code, what is seen of calls, and what the clock says."""
    yield from _seen()
    yield from _walked()
    yield from _timed()


def _walked() -> Iterator[Figure]:
    """Other instructions than with the first data, by kernel, target and compiler."""
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
    """The targets with lanes that run here."""
    return [str(row) for row in in_c() if row.lanes > 1 and not missing_features(row.features)]


def _seen() -> Iterator[Figure]:
    """Conditional jumps on data, by target, compiler and level: of every kind × class of width."""
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
    """The branches of all kernels of one target from one compiler, and how many kernels these are."""
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
    """Random data over zeros where residues fill their words: transforms in place, each of what the last one left."""
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
