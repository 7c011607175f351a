"""Programs on the rows of a basis, around the program of one term: tables of all moduli, and the rows of a result."""

from __future__ import annotations

from dataclasses import replace

from momagen.kernels.matrices.flags import chosen, exceeds
from momagen.kernels.matrices.rows import RescaleSpec, RowsSpec, term_of
from momagen.program import Field, Function, Name, Type

from .body.layouts import layout_of
from .elementwise.body import on_words
from .elementwise.elements import run_by
from .elementwise.loops import vector, write_loop
from .kernels import Lowered, lowered
from .names import A, C, N, Q, X, Z, written
from .writer import ProgramWriter

BLOCK = 512
"""Columns that go together: some rows of so many stay in the first cache."""
SHARED = ("times", "inverse_of", "near_enough", "put_terms", "first_column", "useful_parts")
EXACT = ("put_sorted", "put_digit_factors", "put_digits", "put_above_half")
"""What all kernels on rows call, and exact conversions."""


def rows_kernel(spec: RowsSpec) -> Lowered:
    """The kernel of one term, and around it the program of all rows.

    Its functions take numbers of moduli, … : how many there are, and for conversions how many goals. ``setup`` is
    (tables, q, …) with the moduli p of the goals behind q, ``run`` (z, x, tables, t, …, n, part, parts);
    useful_parts(n, most) says how many parts are worth a thread. Fields are as long as their functions say of ….

    Raises:
        MomagenError: as of :func:`momagen.kernels.matrices.rows.term_of`.
    """
    made, exact = lowered(term_of(spec)), int(getattr(spec, "exact", 0))
    writer, kept = made.writer, _write_term(made)
    factor = int(made.spec.options.get("input_factor", 1))
    kind, names = (
        ("rescale", ()) if isinstance(spec, RescaleSpec) else ("conversion", ("put_goal_factors", "put_goals"))
    )
    if exact:
        _write_flags(writer)
    own = EXACT if exact else ("put_shares",) if names else ()
    for name in (*SHARED, *own, *names, f"{kind}_words", f"{kind}_room", f"set_{kind}", f"run_{kind}"):
        writer.write(name, kept=kept, block=BLOCK, factor=factor, exact=exact)
    tables, room = Field("tables", 0, long=True, sized=f"{kind}_words"), Field("t", 0, sized=f"{kind}_room")
    program = replace(
        made.host_program,
        functions=writer.functions,
        setup=f"set_{kind}",
        run=f"run_{kind}",
        kept=[tables],
        room=[room],
    )
    return replace(made, program=program)


def _write_term(made: Lowered) -> int:
    """The functions term and put_term, of which a modulus has one array of constants; its words."""
    program, writer, y = made.host_program, made.writer, Name("y", Type.INPUT)
    assert not program.beside and not program.room and not any(field.long for field in program.kept)
    places = [sum(field.words for field in program.kept[:i]) for i in range(len(program.kept))]
    put = Function("put_term", (written(C), Q), "What a plan keeps of one modulus.")
    put.do(writer.call(program.setup, *(written(C) + at for at in places), Q))
    term = Function("term", (Z, A, X, y, C, N), "z = a·x + y modulo the modulus of c.")
    with term.rounded(program.rounds):
        term.do(writer.call(program.run, Z, A, X, y, *(C + at for at in places), N))
    for function in (put, term):
        writer.put(function)
    return sum(field.words for field in program.kept)


def _write_flags(writer: ProgramWriter) -> None:
    """The functions exceeds(z, x, y, c, n) and chosen(z, x, c, n), where c holds the number that all elements share."""
    for codelet, name in [(exceeds(writer.arith), "exceeds"), (chosen(writer.arith), "chosen")]:
        widths = sorted({writer.target.lanes, 1}, reverse=True)
        for width in widths:
            body = on_words(writer, codelet, layout_of(writer.target, 1, width))
            write_loop(writer, f"{name}_by_{width}", body, dict.fromkeys(body.constants, 0))
        vectors = [*map(vector, codelet.vectors)]
        f = Function(name, (Z, *vectors, C, N))
        run_by(writer, f, widths, C, vectors, f"{name}_")
        writer.put(f)
