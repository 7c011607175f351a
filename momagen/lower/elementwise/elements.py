"""Programs of BLAS kernels: loops over vectors as wide as they go, then over what is left, and their constants."""

from __future__ import annotations

from collections.abc import Sequence

from momagen.kernels.elementwise.blas import montgomery_product
from momagen.kernels.flow.layouts import USER
from momagen.lower.body.layouts import layout_of
from momagen.lower.names import C, N, Z
from momagen.lower.writer import ProgramWriter
from momagen.program import Expr, Function, Name, Program
from momagen.program.build import word

from .body import Elements, ProductOnDigits, across_lanes, on_words
from .choice import LoopChoice
from .constants import Constants
from .loops import vector, write_loop

VECTORS, LONG = 6, 8
"""What half of the first cache holds of a part that is shifted: vectors, their shifted copies and results, residues of
one word or of so many."""


def elements_program(writer: ProgramWriter, choice: LoopChoice) -> Program:
    """The program of the kernel that goes as ``choice`` says."""
    if writer.arith.words == 1 and not choice.one.multiplies:
        writer.prefer(writer.target.sums)
    lanes = choice.lanes
    bodies = {width: _body(writer, choice, width) for width in sorted({lanes, 1}, reverse=True)}
    longer = [on_words(writer, choice.longer, bodies[lanes].memory)] if choice.longer else []
    constants = Constants(writer, (constant for body in (*bodies.values(), *longer) for constant in body.constants))
    for width, turns in sorted({(lanes, choice.turns), (lanes, 1), (1, 1)}, reverse=True):
        fetched, name = width > 1 and (choice.many.multiplies or choice.inner is not None), f"by_{width * turns}"
        either = longer if width > 1 else []
        for body in either:
            write_loop(writer, f"longer_{name}", body, constants.at, turns, fetched)
        write_loop(writer, f"any_{name}" if either else name, bodies[width], constants.at, turns, fetched)
        if either:
            _write_either(writer, choice, name)
    setup, kept = constants.write_setup()
    run = _write_run(writer, choice, constants, "product" if writer.spec.shifts else "run")
    if writer.spec.shifts:
        half, long_ = writer.target.first.bytes // 2, LONG if writer.arith.words > 1 else 1
        added = "w" in writer.spec.ranges.vectors
        run = writer.write("run", part=half // (VECTORS * 8 * long_), added=added, what="(x·y + w)" if added else "x·y")
    return writer.program(setup=setup, run=run, kept=kept)


def _write_either(writer: ProgramWriter, choice: LoopChoice, name: str) -> None:
    """The function ``name``: the loop for long moduli or the one for all."""
    vectors = [*map(vector, choice.spec.ranges.vectors)]
    f = Function(name, (Z, *vectors, C, N))
    with f.if_(C[0] < word(choice.least)) as short:
        f.do(writer.call(f"any_{name}", Z, *vectors, C, N))
    with f.otherwise(short):
        f.do(writer.call(f"longer_{name}", Z, *vectors, C, N))
    writer.put(f)


def _body(writer: ProgramWriter, choice: LoopChoice, width: int) -> Elements:
    """What a loop over vectors of ``width`` residues does."""
    if choice.group and width == choice.lanes:
        return across_lanes(writer, choice.many)
    if choice.inner and width > 1:
        return ProductOnDigits(writer, choice.inner).made()
    memory = layout_of(writer.target, writer.arith.words, width, moves=True)
    return on_words(writer, choice.one if width == 1 else choice.many, memory)


def write_product(writer: ProgramWriter, m_in: int, m_out: int, lanes: int, layout: str) -> None:
    """The function product(z, x, y, c, n) between transforms: x·y/R below m_out·q, for n vectors below m_in·q."""
    codelet = montgomery_product(writer.arith, m_in, m_out)
    body = on_words(writer, codelet, layout_of(writer.target, writer.arith.words, lanes, layout == USER))
    write_loop(writer, "product", body, Constants(writer, body.constants).at, fetched=lanes > 1)


def _write_run(writer: ProgramWriter, choice: LoopChoice, constants: Constants, name: str) -> str:
    """The function ``name``, which does n elements: vectors that are interleaved, vectors, then one at a time."""
    ranges = writer.spec.ranges
    scalars, vectors = [*map(vector, ranges.scalars)], [*map(vector, ranges.vectors)]
    f = Function(name, (Z, *scalars, *vectors, C, N))
    run_by(writer, f, [choice.lanes * choice.turns, choice.lanes, 1], constants.call(f), vectors)
    return writer.put(f)


def run_by(
    writer: ProgramWriter, f: Function, sizes: Sequence[int], c: Expr, vectors: Sequence[Name], prefix: str = ""
) -> None:
    """Append to f(z, vectors …, c, n) calls of by_SIZE for all ``sizes``, which end in 1: as many vectors of the
    largest as there are, then of the next; names begin with ``prefix``."""
    vectors = [Z, *vectors]
    for size in sorted({*sizes} - {1}, reverse=True):
        whole = f.let(f"whole_{size}", N // size)
        f.do(writer.call(f"{prefix}by_{size}", *vectors, c, whole))
        for pointer in vectors:
            f.step(pointer, whole * size * writer.arith.words)
        f.set(N, N - whole * size)
    f.do(writer.call(f"{prefix}by_1", *vectors, c, N))
