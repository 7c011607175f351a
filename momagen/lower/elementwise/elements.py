"""Programs of element-wise kernels: loops over vectors of decreasing width, and their constants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

from momagen.kernels.elementwise.blas import montgomery_product
from momagen.kernels.flow.layouts import USER
from momagen.lower.body.layouts import layout_of
from momagen.lower.names import C, N, Z
from momagen.lower.writer import ProgramWriter
from momagen.program import Expr, Function, Name, Program
from momagen.program.build import word

from .body import Elements, ProductOnDigits, across_lanes, on_words
from .choice import LoopChoice
from .constants import NORMALISED, Constants, Q
from .loops import short_vectors, vector, write_loop

VECTORS, LONG = 6, 8
"""The numbers that determine the size of a part whose operands are shifted.

Half of the first-level cache holds six vectors of a part: operands, their shifted copies, and results. A
residue is assumed to have one word or, if it is longer, eight."""
FULL, SHORT = "full_", "short_"
"""The prefixes of the loops for moduli of the kernel's length and for shorter ones."""


def elements_program(writer: ProgramWriter, choice: LoopChoice) -> Program:
    """Return the program of a kernel with the loops of ``choice``."""
    if writer.arith.words == 1 and not choice.one.multiplies:
        writer.prefer(writer.target.sums)
    lanes = choice.lanes
    loops = {width: _loops(writer, choice, width) for width in sorted({lanes, 1}, reverse=True)}
    bodies = chain.from_iterable(each.values() for each in loops.values())
    constants = Constants(writer, chain.from_iterable(body.constants for body in bodies))
    sizes = sorted({(lanes, choice.turns), (lanes, 1), (1, 1)}, reverse=True)
    for width, turns in sizes:
        fetched, name = width > 1 and (choice.many.multiplies or choice.inner is not None), f"by_{width * turns}"
        # The remaining vectors are few, so one loop serves all moduli there.
        found = {key: body for key, body in loops[width].items() if key != FULL or (width, turns) == sizes[0]}
        copies = "inline" if len(found) == 1 and width > 1 and _has_inline_loops(writer, choice) else "apart"
        for prefix, body in found.items():
            short = short_vectors(writer, body, max(turns, choice.turns), fetched)
            write_loop(writer, prefix * (len(found) > 1) + name, body, constants.at, turns, fetched, short, copies)
        if len(found) > 1:
            first = C[0] < word(choice.least) if choice.longer else C[constants.missing].is_(0)
            _write_either(writer, name, first, [*map(vector, choice.one.vectors)], list(found))
    setup, kept = constants.write_setup()
    passes = writer.spec.shifts and not choice.shifts
    run = _write_run(writer, choice, constants, "product" if passes else "run")
    if passes:
        half, long_ = writer.target.first.bytes // 2, LONG if writer.arith.words > 1 else 1
        added = "w" in choice.one.vectors
        part = max(half // (VECTORS * 8 * long_), lanes * choice.turns)
        run = writer.write("run", part=part, added=added, what="(x·y + w)" if added else "x·y")
    return writer.program(setup=setup, run=run, kept=kept)


def _has_inline_loops(writer: ProgramWriter, choice: LoopChoice) -> bool:
    """Return whether loops over vectors are part of the function that calls them, so that constants stay in registers.

    Short calls for residues of one word gain a few nanoseconds. Interleaved vectors need all registers for themselves.
    """
    return choice.lanes > 1 and choice.turns == 1 and writer.arith.words == 1 and writer.target.vector


def _write_either(
    writer: ProgramWriter, name: str, first: Expr, vectors: Sequence[Name], prefixes: Sequence[str]
) -> None:  # fmt: skip
    """Write the function ``name``, which calls the loop with the first prefix if ``first`` holds, else the other."""
    one, other = (f"{prefix}{name}" for prefix in prefixes)
    args = (Z, *vectors, C, N)
    f = Function(name, args)
    with f.if_(first) as found:
        f.do(writer.call(one, *args))
    with f.otherwise(found):
        f.do(writer.call(other, *args))
    writer.put(f)


def _loops(writer: ProgramWriter, choice: LoopChoice, width: int) -> Mapping[str, Elements]:
    """Return the bodies of loops over vectors of ``width`` residues, by the prefix of the loop.

    There are two if some moduli take fewer instructions than others.
    """
    body = _body(writer, choice, width)
    if choice.longer and width > 1:
        return {"any_": body, "longer_": on_words(writer, choice.longer, body.memory)}
    if not choice.shifts or body.floats:
        return {"": body}
    return {FULL: body, SHORT: body.shifting(writer.arith.word)}


def _body(writer: ProgramWriter, choice: LoopChoice, width: int) -> Elements:
    """Return the body of a loop over vectors of ``width`` residues, for moduli of one length if products need that."""
    modulus = NORMALISED if choice.shifts else Q
    if choice.group and width == choice.lanes:
        return across_lanes(writer, choice.many)
    if choice.inner and width > 1:
        return ProductOnDigits(writer, choice.inner, modulus).made()
    memory = layout_of(writer.target, writer.arith.words, width, moves=True)
    return on_words(writer, choice.one if width == 1 else choice.many, memory, modulus)


def write_product(writer: ProgramWriter, m_in: int, m_out: int, lanes: int, layout: str) -> None:
    """Write the function product(z, x, y, c, n) between transforms, which computes x·y/R for n vectors.

    Args:
        writer: The writer of the program.
        m_in: The bound on operands, which are below m_in·q.
        m_out: The bound on results, which are below m_out·q.
        lanes: The number of residues of a vector.
        layout: The layout of points between the transforms.
    """
    codelet = montgomery_product(writer.arith, m_in, m_out)
    body = on_words(writer, codelet, layout_of(writer.target, writer.arith.words, lanes, layout == USER))
    write_loop(writer, "product", body, Constants(writer, body.constants).at, fetched=lanes > 1)


def _write_run(writer: ProgramWriter, choice: LoopChoice, constants: Constants, name: str) -> str:
    """Write the function ``name`` of n elements: interleaved vectors, then vectors, then single elements."""
    ranges = writer.spec.ranges
    scalars, vectors = [*map(vector, ranges.scalars)], [*map(vector, ranges.vectors)]
    inline = _has_inline_loops(writer, choice)
    f = Function(name, (Z, *scalars, *vectors, C, N), vector=inline)
    run_by(writer, f, [choice.lanes * choice.turns, choice.lanes, 1], constants.call(f), vectors, guarded=inline)
    return writer.put(f)


def run_by(
    writer: ProgramWriter, f: Function, sizes: Sequence[int], c: Expr, vectors: Sequence[Name], prefix: str = "",
    *, guarded: bool = False,
) -> None:  # fmt: skip
    """Append calls of by_SIZE for all ``sizes`` to f(z, vectors …, c, n), each for as many elements as possible.

    Args:
        writer: The writer of the program.
        f: The function.
        sizes: The numbers of elements of one iteration, which include 1.
        c: The address of the constants.
        vectors: The operands.
        prefix: The prefix of the names of the functions.
        guarded: Whether the last call is omitted for 0 elements.
    """
    vectors = [Z, *vectors]
    for size in sorted({*sizes} - {1}, reverse=True):
        whole = f.let(f"whole_{size}", N // size)
        f.do(writer.call(f"{prefix}by_{size}", *vectors, c, whole))
        for pointer in vectors:
            f.step(pointer, whole * size * writer.arith.words)
        f.set(N, N - whole * size)
    last = writer.call(f"{prefix}by_1", *vectors, c, N)
    if not guarded:
        f.do(last)
        return
    with f.if_(N.is_not(0)):
        f.do(last)
