"""Programs of BLAS kernels: loops over vectors as wide as they go, then over what is left, and their constants."""

from __future__ import annotations

from collections.abc import Sequence

from momagen.kernels.elementwise.elements import montgomery_product
from momagen.kernels.flow.layouts import USER
from momagen.lower.body.layouts import layout_of
from momagen.lower.names import X, Z
from momagen.lower.writer import ProgramWriter
from momagen.program import Function, Name, Program, Type, least

from .body import across_lanes, on_digits, on_words
from .choice import LoopChoice
from .constants import constants_of, write_setup
from .loops import N, vector, write_loop
from .shifts import SHIFT

VECTORS, LONG = 6, 8
"""What half of the first cache holds of a part that is shifted: vectors, their shifted copies and results, residues of
one word or of so many."""


def elements_program(writer: ProgramWriter, choice: LoopChoice) -> Program:
    """The program of the kernel that goes as ``choice`` says."""
    if writer.arith.words == 1 and not choice.one.multiplies:
        writer.prefer(writer.target.sums)
    lanes = choice.lanes
    for width, turns in sorted({(lanes, choice.turns), (lanes, 1), (1, 1)}, reverse=True):
        _write_loop(writer, choice, width, turns)
    setup, kept = write_setup(writer, choice)
    write_run = _write_shifted if choice.shifts else _write_run
    run = write_run(writer, choice, [Name(field.name, Type.INPUT) for field in kept])
    return writer.program(setup=setup, run=run, kept=kept)


def _write_loop(writer: ProgramWriter, choice: LoopChoice, width: int, turns: int) -> None:
    """The function by_n for ``turns`` vectors of ``width`` residues."""
    words, codelet = writer.arith.words, choice.one if width == 1 else choice.many
    memory, at = layout_of(writer.target, words, width, moves=True), choice.one.at
    if choice.group and width == choice.lanes:
        body, memory = across_lanes(writer, choice.many)
    elif choice.inner and width > 1:
        memory, at = layout_of(writer.target, words, width), choice.inner.at
        body = on_digits(writer, choice.inner, choice.outer)
    else:
        body = on_words(writer, codelet, memory)
    fetched = width > 1 and (codelet.multiplies or choice.inner is not None)
    write_loop(writer, f"by_{width * turns}", body, memory, at, turns, fetched)


def write_product(writer: ProgramWriter, m_in: int, m_out: int, lanes: int, layout: str) -> None:
    """The function product(z, x, y, c, n) between transforms: x·y/R below m_out·q, for n vectors below m_in·q."""
    codelet = montgomery_product(writer.arith, m_in, m_out)
    memory = layout_of(writer.target, writer.arith.words, lanes, layout == USER)
    write_loop(writer, "product", on_words(writer, codelet, memory), memory, codelet.at, fetched=lanes > 1)


def _head(writer: ProgramWriter, name: str, own: Sequence[Name], doc: str = "") -> Function:
    """The function name(z, operands …, own …, n), with nothing in it."""
    ranges = writer.spec.ranges
    return Function(name, (Z, *map(vector, (*ranges.scalars, *ranges.vectors)), *own, N), doc)


def _write_run(writer: ProgramWriter, choice: LoopChoice, own: Sequence[Name], name: str = "run", doc: str = "") -> str:
    """The function ``name``, which does n elements: vectors that are interleaved, vectors, then one at a time."""
    f = _head(writer, name, own, doc)
    words, *digits = [constants.given(f) for constants in constants_of(writer, choice)]
    many = digits[0] if digits else words
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


def _write_shifted(writer: ProgramWriter, choice: LoopChoice, own: Sequence[Name]) -> str:
    """2^s x·y modulo 2^s q, part by part, for a modulus q that is s bits too short."""
    y, count = vector("y"), writer.arith.words
    constants = [name for name in own if name.text != SHIFT.text]
    _write_run(writer, choice, constants, "product", f"z = x·y where q has {writer.arith.bits} bits.")
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
