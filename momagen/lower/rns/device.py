"""Programs for a device of kernels on the rows of an RNS basis."""

from __future__ import annotations

from momagen.kernels.matrices.rows import RescaleSpec, RowsSpec, class_of
from momagen.kernels.matrices.spec import ConversionSpec
from momagen.kernels.rns.choice import format_of
from momagen.kernels.rns.format import SumFormat
from momagen.kernels.rns.methods import has_extra_factor
from momagen.kernels.rns.quotients import quotients_of
from momagen.lower.lowered import Lowered
from momagen.lower.names import TABLES, Q, written
from momagen.lower.writer import ProgramWriter
from momagen.program import Function, Name, Type
from momagen.program.device import THREAD, Launch, RowsProgram

from .columns import GOALS, ColumnsOfThread
from .digits import DigitWriter
from .kernels import CONSTANTS, given_of, given_of_sums, write_texts
from .threads import ThreadDivisionWriter

P, STATUS, MODULI = Name("p", Type.INPUT), Name("status", Type.WORDS), Name("moduli")
"""The target moduli; where set-up says whether it serves them; the number of source moduli."""
SETUP, CONVERT, DIVIDE = "set_rows", "convert_rows", "divide_rows"
"""The kernels."""
MAKERS = 32
"""Threads of a block of which one makes a plan."""
MOST_COLUMNS = 4
"""Columns of a thread at most: constants are loaded once for all of them."""
ALL: tuple[str, ...] = ("inverse_of", *CONSTANTS)
SHARES: tuple[str, ...] = ("put_source", "put_sources")
DIGITS: tuple[str, ...] = ("put_factors_of_digits",)
QUOTIENTS = ("put_quotients",)
"""The text functions of all kernels, those of the two ways to make factors, and those of corrected conversions."""
SET_UP_LOOPS = 1
"""Copies of the bodies of loops in set-up, which one thread runs once. NVRTC 13.5 miscompiles the loops of put_sources
if it knows the number of moduli and unrolls them."""


def device_rows(spec: RowsSpec) -> Lowered:
    """Lower a kernel on the rows of an RNS basis to a program for a device, whose plan is a :class:`RowsProgram`.

    Raises:
        MomagenError: as of :func:`momagen.kernels.matrices.rows.class_of`.
    """
    writer = ProgramWriter(class_of(spec))
    form = format_of(writer.target, spec.bits)
    write = _divide if isinstance(spec, RescaleSpec) else _convert
    program, columns = write(writer, form, spec)
    note = f"{columns} column{'s' * (columns > 1)} a thread"
    return Lowered(writer.spec, program, [writer], [note], writer.moduli)


def _convert(writer: ProgramWriter, form: SumFormat, spec: RowsSpec) -> tuple[RowsProgram, int]:
    assert isinstance(spec, ConversionSpec)
    sources, extra = len(spec.moduli), has_extra_factor(spec.method, spec.positive)
    quotients = quotients_of(writer.target, form, spec.positive)
    columns = _columns(writer, spec, (sources + extra) * form.parts)
    functions = DigitWriter(writer, form, sources, columns)
    names, texts = (("set_digit_sums",), DIGITS) if spec.exact else (("set_sums", "set_conversion_by_sums"), SHARES)
    given = given_of(functions, spec.bits) | given_of_sums(spec, quotients)
    texts = (*ALL, *texts, *QUOTIENTS * spec.corrected, "put_factors_of_goals", *names)
    write_texts(writer, texts, 0, spec.exact, loop_copies=SET_UP_LOOPS, **given)
    _write_setup(writer, names[-1], [Q, P, MODULI, GOALS])
    if spec.exact:
        functions.write_exact(CONVERT, spec.positive)
        own = len(functions.of_goal) + extra
        fixed = sources * own + sources * (sources + 1) // 2 * functions.of_term
    else:
        functions.write(CONVERT, quotients if spec.corrected else None)
        fixed = sources * (len(form.of_source) + quotients.words * spec.corrected)
    each = len(functions.of_goal) + (sources + extra) * functions.of_term
    return _program(writer, CONVERT, columns, fixed, each, sources), columns.number


def _divide(writer: ProgramWriter, form: SumFormat, spec: RowsSpec) -> tuple[RowsProgram, int]:
    columns = _columns(writer, spec, form.parts)
    functions = ThreadDivisionWriter(writer, form, columns)
    given = given_of(functions, spec.bits)
    write_texts(writer, (*ALL, "set_division"), 0, 0, loop_copies=SET_UP_LOOPS, **given)
    _write_setup(writer, "set_division", [Q, MODULI])
    functions.write_kernel(DIVIDE)
    return _program(writer, DIVIDE, columns, 2, len(functions.of_row), 0), columns.number


def _columns(writer: ProgramWriter, spec: RowsSpec, factors: int) -> ColumnsOfThread:
    """The columns of a thread, which keeps ``factors`` words for each: as many as its registers hold."""
    target = writer.target
    return ColumnsOfThread(max(1, min(MOST_COLUMNS, target.held // factors)), target.threads, spec.bits)


def _write_setup(writer: ProgramWriter, name: str, given: list[Name]) -> None:
    """The kernel by which one thread makes a plan."""
    f = Function(SETUP, (written(TABLES), STATUS, *given), copies=f"kernel {MAKERS}")
    with f.if_(THREAD.is_(0)):
        f.set(STATUS[0], writer.call(name, written(TABLES), *given))
    writer.put(f)


def _program(
    writer: ProgramWriter, kernel: str, columns: ColumnsOfThread, fixed: int, each: int, sources: int
) -> RowsProgram:
    setup = [Launch(SETUP, MAKERS, 1)]
    run = [Launch(kernel, columns.threads, 1, columns.of_block, operands=("z", "x"))]
    return RowsProgram(
        writer.functions, writer.statics, setup, run, fixed, each, columns.residue, sources, writer.target.word
    )
