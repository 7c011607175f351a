"""Functions of kernels whose products are reduced one by one: terms a·x + y modulo each modulus, and comparisons."""

from __future__ import annotations

from momagen.kernels.matrices.flags import chosen, exceeds
from momagen.lower.body.layouts import layout_of
from momagen.lower.elementwise.body import on_words
from momagen.lower.elementwise.elements import run_by
from momagen.lower.elementwise.loops import vector, write_loop
from momagen.lower.kernels import Lowered
from momagen.lower.names import A, C, N, Q, X, Z, written
from momagen.lower.writer import ProgramWriter
from momagen.program import Function, Name, Type


def write_term(made: Lowered) -> int:
    """Write the functions term and put_term, and return the number of words of a modulus's constants."""
    program, writer, y = made.host_program, made.writer, Name("y", Type.INPUT)
    assert not program.rounds, "set-up calls term without setting the rounding mode"
    assert not program.beside and not program.room and not any(field.long for field in program.kept)
    places = [sum(field.words for field in program.kept[:i]) for i in range(len(program.kept))]
    put = Function("put_term", (written(C), Q), "Computes the plan constants of one modulus.")
    put.do(writer.call(program.setup, *(written(C) + at for at in places), Q))
    term = Function("term", (Z, A, X, y, C, N), "Computes z = a·x + y modulo the modulus whose constants c contains.")
    term.do(writer.call(program.run, Z, A, X, y, *(C + at for at in places), N))
    for function in (put, term):
        writer.put(function)
    return sum(field.words for field in program.kept)


def write_flags(writer: ProgramWriter) -> None:
    """Write the functions exceeds(z, x, y, c, n) and chosen(z, x, c, n), where c contains a number for all elements."""
    for codelet, name in [(exceeds(writer.arith), "exceeds"), (chosen(writer.arith), "chosen")]:
        widths = sorted({writer.target.lanes, 1}, reverse=True)
        for width in widths:
            body = on_words(writer, codelet, layout_of(writer.target, 1, width))
            write_loop(writer, f"{name}_by_{width}", body, dict.fromkeys(body.constants, 0))
        vectors = [*map(vector, codelet.vectors)]
        f = Function(name, (Z, *vectors, C, N))
        run_by(writer, f, widths, C, vectors, f"{name}_")
        writer.put(f)
