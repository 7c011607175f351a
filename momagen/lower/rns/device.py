"""Programs for a device of kernels on the rows of an RNS basis."""

from __future__ import annotations

from collections.abc import Sequence

from momagen.kernels.rns.choice import format_of
from momagen.kernels.rns.methods import has_extra_factor
from momagen.kernels.rns.products import product_format_of
from momagen.kernels.rns.quotients import quotients_of
from momagen.kinds.rns.basis import RowsSpec, SummedSpec
from momagen.kinds.rns.keyswitch import KeySwitchSpec
from momagen.kinds.rns.terms import class_of
from momagen.lower.lowered import Lowered
from momagen.lower.names import TABLES, Q, written
from momagen.lower.writer import ProgramWriter
from momagen.program import Expr, Function, Name, Type
from momagen.program.build import word
from momagen.program.device import THREAD, Launch, RowsProgram

from .columns import GOALS, ColumnsOfThread
from .digits import DigitWriter
from .inner_products import MODULI
from .kernels import CONSTANTS, QUOTIENT, given_of, given_of_products, given_of_sums, texts_of_products, write_texts
from .thread_products import ThreadProductWriter
from .threads import ThreadDivisionWriter

P, S, T = (Name(each, Type.INPUT) for each in ("p", "s", "t"))
"""The target moduli, the factor of the numbers, and the plaintext modulus."""
STATUS = Name("status", Type.WORDS)
"""The word to which the set-up writes whether it supports the moduli."""
SETUP = "set_rows"
"""The name of the kernel that computes a plan."""
MAKERS = 32
"""The number of threads of a block, of which one computes a plan."""
MOST_COLUMNS = 4
"""The largest number of columns of a thread. Constants are loaded once for all of them."""
ALL: tuple[str, ...] = ("inverse_of", *CONSTANTS)
SHARES: tuple[str, ...] = ("put_source", "put_sources")
QUOTIENTS: tuple[str, ...] = ("put_quotients",)
DIGITS: tuple[str, ...] = ("put_factors_of_digits",)
"""The text functions of all kernels, and the text functions of inexact, corrected and exact conversions."""
SET_UP_LOOPS = 1
"""The number of copies of the bodies of loops in the set-up, which one thread executes once.

NVRTC 13.5 miscompiles the loops of put_sources if it knows the number of moduli and unrolls them."""


def device_rows(spec: RowsSpec) -> Lowered:
    """Return the lowered kernel on the rows of an RNS basis for a device, whose program is a :class:`RowsProgram`.

    Raises:
        MomagenError: The function :func:`momagen.kinds.rns.terms.class_of` does not accept the specification.
    """
    writer = ProgramWriter(class_of(spec))
    program = spec.kind.lowering(spec).write_device(writer, spec)
    (run,) = program.run
    columns = run.group // run.threads
    note = f"{columns} column{'s' * (columns > 1)} a thread"
    return Lowered(writer.spec, program, [writer], [note], writer.moduli)


def sum_products(writer: ProgramWriter, spec: SummedSpec) -> RowsProgram:
    """Write a conversion or a division by several moduli, and return its program."""
    form, divides, sources = format_of(writer.target, spec.bits), spec.divides, len(spec.sources)
    extra = has_extra_factor(spec.method, spec.positive)
    terms = sources + extra + divides
    columns = _columns(writer, spec, terms * form.parts)
    functions = DigitWriter(writer, form, sources, columns, divides)
    quotients = quotients_of(writer.target, form, spec.positive)
    factors = "put_factors_of_quotients" if divides else "put_factors_of_goals"
    given = given_of(functions, spec) | given_of_sums(spec, quotients)
    of_sources = DIGITS if spec.exact else SHARES + QUOTIENTS * spec.corrected
    texts = (*ALL, *of_sources, factors, "source_words", "set_sums")
    write_texts(writer, texts, 0, spec.exact, loop_copies=SET_UP_LOOPS, **given)
    if divides:
        arrays = _write_setup(writer, "set_sums", [Q, S, T], Q + GOALS, Q, T[0], S, 1, MODULI - GOALS, GOALS)
    else:
        scales = GOALS if spec.scaled else 0
        arrays = _write_setup(writer, "set_sums", [Q, P], Q, P, word(1), P, scales, MODULI, GOALS)
    kernel = "divide_rows" if divides else "convert_rows"
    if spec.exact:
        functions.write_exact(kernel, spec.positive)
        own = len(functions.of_goal) + extra
        fixed = sources * own + sources * (sources + 1) // 2 * functions.of_term
    else:
        functions.write(kernel, quotients if spec.corrected else None)
        fixed = sources * (len(form.of_source) + quotients.words * spec.corrected)
    each = len(functions.of_goal) + terms * functions.of_term
    return _program(writer, kernel, columns, arrays, fixed, each, sources=sources)


def divide(writer: ProgramWriter, spec: RowsSpec) -> RowsProgram:
    """Write a division by the last modulus, and return its program."""
    form = format_of(writer.target, spec.bits)
    columns = _columns(writer, spec, form.parts)
    functions = ThreadDivisionWriter(writer, form, columns)
    given = given_of(functions, spec)
    texts = ("inverse_of", *QUOTIENT, "put_source", "set_division")
    write_texts(writer, texts, 0, 0, loop_copies=SET_UP_LOOPS, **given)
    arrays = _write_setup(writer, "set_division", [Q], Q, MODULI)
    functions.write_kernel("divide_rows")
    return _program(writer, "divide_rows", columns, arrays, 2, len(functions.of_row))


def switch_keys(writer: ProgramWriter, spec: KeySwitchSpec) -> RowsProgram:
    """Write the inner product of key switching, and return its program."""
    products = product_format_of(writer.target, spec.bits, spec.input_factor)
    columns = ColumnsOfThread(1, writer.target.threads, (spec.input_factor << spec.bits) - 1)
    functions = ThreadProductWriter(writer, products, spec.outputs, columns)
    texts = (*texts_of_products(products), "set_keyswitch")
    write_texts(writer, texts, 0, 0, loop_copies=SET_UP_LOOPS, **given_of_products(functions, spec))
    arrays = _write_setup(writer, "set_keyswitch", [Q], Q, MODULI, 0)
    functions.write_kernel("switch_rows")
    operands, numbers = ("z", "d", "k", "order"), ("digits", "goals")
    return _program(writer, "switch_rows", columns, arrays, 0, functions.of_modulus, operands, numbers, shares=False)


def _columns(writer: ProgramWriter, spec: RowsSpec, factors: int) -> ColumnsOfThread:
    """Return the columns of a thread, as many as its registers hold if each column has ``factors`` words."""
    target = writer.target
    return ColumnsOfThread(max(1, min(MOST_COLUMNS, target.held // factors)), target.threads, (1 << spec.bits) - 1)


def _write_setup(writer: ProgramWriter, name: str, arrays: Sequence[Name], *given: Expr | int) -> Sequence[str]:
    """Write the kernel in which one thread computes a plan.

    Args:
        writer: The writer of the program.
        name: The name of the function that computes the constants.
        arrays: The arrays that the kernel reads.
        given: The arguments of the function after the tables.

    Returns:
        The names of the arrays.
    """
    f = Function(SETUP, (written(TABLES), STATUS, *arrays, MODULI, GOALS), copies=f"kernel {MAKERS}")
    with f.if_(THREAD.is_(0)):
        f.set(STATUS[0], writer.call(name, written(TABLES), *given))
    writer.put(f)
    return [array.text for array in arrays]


def _program(
    writer: ProgramWriter, kernel: str, columns: ColumnsOfThread, arrays: Sequence[str], fixed: int, each: int,
    operands: Sequence[str] = ("z", "x"), numbers: Sequence[str] = ("goals",), sources: int = 0, shares: bool = True,
) -> RowsProgram:  # fmt: skip
    """Return the program of the kernels that were written; see :class:`RowsProgram` for the arguments."""
    setup = [Launch(SETUP, MAKERS, 1)]
    run = [Launch(kernel, columns.threads, 1, columns.of_block, operands=(*operands,))]
    return RowsProgram(
        writer.functions, writer.statics, setup, arrays, run, numbers, shares, fixed, each, columns.residue, sources,
        writer.target.word,
    )  # fmt: skip
