"""Programs of BLAS kernels: loops over vectors as wide as they go, then over what is left, and their constants."""

from __future__ import annotations

from collections.abc import Sequence

from momagen.kernels.flow.layouts import USER
from momagen.lower.names import X, Z
from momagen.lower.writer import ProgramWriter
from momagen.program import Function, Name, Program, Type, least

from .choice import LoopChoice
from .constants import SHIFT, digits_of_call, kept, names, words_of_call, write_setup
from .digit_loops import write_digit_loop
from .lane_spanning import write_across_loop
from .loops import N, vector, write_loop

VECTORS, LONG = 6, 8
"""What half of the first cache holds of a part that is shifted: vectors, their shifted copies and results, residues of
one word or of so many."""


def elements_program(writer: ProgramWriter, choice: LoopChoice) -> Program:
    """The program of the kernel that goes as ``choice`` says."""
    _write_loops(writer, choice)
    setup = write_setup(writer, choice)
    if choice.shifts:
        run = _write_shifted(writer, choice)
    else:
        run = _write_run(writer, choice, _head(writer, "run", names(writer, choice)))
    return writer.program(setup=setup, run=run, kept=kept(writer, choice))


def _write_loops(writer: ProgramWriter, choice: LoopChoice) -> None:
    """The functions by_16, by_4, by_1: so many residues at a time."""
    if writer.arith.words == 1 and not choice.one.multiplies:
        writer.prefer(writer.target.sums)
    lanes = choice.lanes
    for width, turns in sorted({(lanes, choice.turns), (lanes, 1), (1, 1)}, reverse=True):
        name = f"by_{width * turns}"
        if choice.group and width == lanes:
            write_across_loop(writer, name, choice.many)
        elif width == 1:
            write_loop(writer, name, choice.one, width, USER, turns)
        elif choice.digits:
            write_digit_loop(writer, name, choice.digits, turns)
        else:
            write_loop(writer, name, choice.many, width, USER, turns)


def _head(writer: ProgramWriter, name: str, own: Sequence[Name], doc: str = "") -> Function:
    """The function name(z, operands …, own …, n), with nothing in it."""
    ranges = writer.spec.ranges
    return Function(name, (Z, *map(vector, (*ranges.scalars, *ranges.vectors)), *own, N), doc)


def _write_run(writer: ProgramWriter, choice: LoopChoice, f: Function) -> str:
    """The function ``f``, which does n elements."""
    words = words_of_call(writer, f, choice)
    many = digits_of_call(writer, f, choice) if choice.digits else words
    count, lanes, size = writer.arith.words, choice.lanes, choice.lanes * choice.turns
    vectors = [*map(vector, writer.spec.ranges.vectors)]
    if choice.turns > 1:
        done = f.let("done", N // size * size)
        f.do(writer.call(f"by_{size}", Z, *vectors, many, N // size))
        for pointer in (Z, *vectors):
            f.step(pointer, done * count)
        f.set(N, N - done)
    if lanes > 1:
        whole = f.let("whole", N // lanes * lanes)
        w = f.let("w", whole * count)
        f.do(writer.call(f"by_{lanes}", Z, *vectors, many, N // lanes))
        f.do(writer.call("by_1", Z + w, *(pointer + w for pointer in vectors), words, N - whole))
    else:
        f.do(writer.call("by_1", Z, *vectors, words, N))
    return writer.put(f)


def _write_shifted(writer: ProgramWriter, choice: LoopChoice) -> str:
    """2^s x·y modulo 2^s q, part by part, for a modulus q that is s bits too short."""
    own, y, count = names(writer, choice), vector("y"), writer.arith.words
    constants = [name for name in own if name.text != SHIFT.text]
    doc = f"z = x·y where q has {writer.arith.bits} bits."
    _write_run(writer, choice, _head(writer, "product", constants, doc))
    f = _head(writer, "run", own)
    half, long_ = writer.target.first.bytes // 2, LONG if count > 1 else 1
    part, s = half // (VECTORS * 8 * long_), f.let("s", SHIFT[0], Type.COUNT)
    with f.if_(s.is_(0)) as long:
        f.do(writer.call("product", Z, X, y, *constants, N))
    with f.otherwise(long):
        t = f.array("t", part * count)
        with f.while_(N.is_not(0)):
            m = f.let("m", least(N, part))
            f.do(writer.call("shift_up", t, X, m, s))
            f.do(writer.call("product", t, t, y, *constants, m))
            f.do(writer.call("shift_down", Z, t, m, s))
            for pointer in (Z, X, y):
                f.step(pointer, m * count)
            f.set(N, N - m)
    return writer.put(f)
