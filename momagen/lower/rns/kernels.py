"""Programs of kernels on the rows of a basis: conversions, divisions, and inner products of key switching."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from momagen.kernels.rns.choice import format_of, format_of_constants
from momagen.kernels.rns.methods import AUXILIARY, MONTGOMERY, SHENOY_KUMARESAN, has_extra_factor, radix_of
from momagen.kernels.rns.product_format import ProductFormat
from momagen.kernels.rns.products import product_format_of
from momagen.kernels.rns.quotients import FRACTION, MOST_MODULI, QuotientFormat, quotients_of
from momagen.kinds.rns.basis import RowsSpec, SummedSpec
from momagen.kinds.rns.keyswitch import KeySwitchSpec
from momagen.kinds.rns.rows import EntryPoints, RowsLowering
from momagen.kinds.rns.terms import class_of, term_of
from momagen.lower.kernels import Lowered, lowered
from momagen.lower.writer import ProgramWriter
from momagen.program import Field

from .comparisons import ComparisonWriter
from .division import DivisionWriter
from .groups import TURNS, GroupWriter
from .inner_products import InnerProductWriter
from .quotients import QuotientWriter
from .sums import SumWriter
from .terms import write_flags, write_term

BLOCK = 512
"""The number of columns to a multiple of which the parts of threads are rounded.

Kernels that reduce every product also process blocks of this size."""
COLUMNS = 128
"""The least number of columns of a block, which holds whole groups. Factors of 16 rows then fill half of a first-level
cache of 32 KiB."""
KINDS = ("one_word", "two_words", "two_words_near", "one_limb", "two_limbs", "one_double")
"""The reductions of sums, as formats name them."""
SHARED = ("inverse_of", "first_column", "useful_parts", "source_row", "result_row")
"""The text functions that all kernels on rows need."""
TERMS = (*SHARED, "times", "near_enough", "put_terms")
"""The text functions of kernels that reduce every product."""
EXACT = ("put_sorted", "put_digits", "put_above_half", "put_digit_factors")
"""The text functions of exact conversions that reduce every product."""
SUMS = ("source_words", "sums_words", "scratch_rows", "sums_room", "put_sums", "set_sums", "run_sums_of_rows")
"""The text functions of conversions that sum products."""
QUOTIENT = ("high_product", "divided")
"""The text functions for the quotient of a two-word number by a word."""
CONSTANTS = (*QUOTIENT, "product_modulo", "put_goal", "put_factor")
"""The text functions that compute the constants of sums."""
FACTORS = ("put_source", "put_sources", "put_quotients", "put_shared")
DIGITS = ("put_factors_of_digits", "put_digit_sums")
"""The text functions that compute the factors of inexact conversions, and those of exact conversions."""
MULTIPLES = ("put_multiples", "put_multiples_of_block")
"""The text functions of methods with an auxiliary modulus."""


def rows_kernel(spec: RowsSpec) -> Lowered:
    """Return the lowered kernel on the rows of an RNS basis.

    A division has the functions setup(tables, q, moduli) and run(z, z_rows, x, x_rows, tables, t, moduli, n,
    part, parts). A conversion also takes the target moduli p after q, and their number ``goals`` after
    ``moduli``. The functions that :class:`EntryPoints` names return the lengths of the tables and of the
    scratch array t. The function useful_parts(n, most) returns the number of parts for which separate threads
    are worthwhile.

    Raises:
        MomagenError: The function :func:`momagen.kinds.rns.terms.term_of` does not accept the specification.
    """
    lowering: RowsLowering = spec.kind.lowering(spec)
    made, names = lowering.write(spec, lowering.names), lowering.names
    tables, room = Field("tables", 0, long=True, sized=names.tables), Field("t", 0, sized=names.room)
    scheduled = str(spec.kind) in made.target.scheduled and not made.host_program.in_order
    program = replace(
        made.host_program, functions=made.writer.functions, setup=names.setup, run=names.run, kept=[tables],
        room=[room], scheduled=scheduled,
    )  # fmt: skip
    return replace(made, program=program)


def rescale_by_terms(spec: RowsSpec, names: EntryPoints) -> Lowered:
    """Return a division whose products are reduced one by one."""
    made = lowered(term_of(spec))
    write_texts(made.writer, [*TERMS, *names], write_term(made), exact=0, **spec.constants)
    return made


def convert_by_terms(spec: SummedSpec, names: EntryPoints) -> Lowered:
    """Return a conversion whose products are reduced one by one."""
    made, exact = lowered(term_of(spec)), int(spec.exact)
    kept, own = write_term(made), EXACT if exact else ["put_shares"]
    if exact:
        write_flags(made.writer)
    write_texts(made.writer, [*TERMS, *own, "put_goal_factors", "put_goals", *names], kept, exact)
    return made


def convert_by_sums(spec: SummedSpec, names: EntryPoints) -> Lowered:
    """Return a conversion, or a division by several moduli, whose products are summed before they are reduced."""
    exact, divides = int(spec.exact), spec.divides
    made = _empty(spec)
    form = format_of(made.writer.target, spec.bits)
    auxiliary = spec.method in AUXILIARY
    functions = SumWriter(made.writer, form, starts=auxiliary and not form.real)
    quotients = quotients_of(functions.target, form, spec.positive)
    functions.write_sums()
    if not exact:
        functions.write_share()
    elif not spec.positive:
        ComparisonWriter(made.writer, form).write()
    if auxiliary and form.real:
        functions.write_centre()
    elif form.splits and (exact or divides or auxiliary):
        functions.write_split()
    if spec.corrected:
        QuotientWriter(made.writer, quotients).write()
    given = given_of(functions, spec) | given_of_sums(spec, quotients)
    factors = "put_factors_of_quotients" if divides else "put_factors_of_goals"
    own = [*(DIGITS if exact else FACTORS), *MULTIPLES * auxiliary]
    texts = [*SHARED, *CONSTANTS, *own, factors, *SUMS, *names]
    write_texts(made.writer, [*dict.fromkeys(texts)], 0, exact, **given)
    return made


def divide_by_sums(spec: RowsSpec, names: EntryPoints) -> Lowered:
    """Return a division by the last modulus, with a sum and a product by a constant for each of the other moduli."""
    made = _empty(spec)
    functions = DivisionWriter(made.writer, format_of_constants(made.writer.target, spec.bits))
    functions.write()
    texts = [*SHARED, *QUOTIENT, "put_source", *names]
    write_texts(made.writer, texts, 0, 0, **given_of(functions, spec))
    return made


def inner_products_of(spec: KeySwitchSpec, writer: ProgramWriter) -> InnerProductWriter:
    """Return the writer of the functions of an inner product."""
    products = product_format_of(writer.target, spec.bits, spec.input_factor)
    registers = writer.target.registers
    turns = _turns(spec.outputs * products.columns, products.sum_registers(registers), registers)
    turns = 1 if spec.digits <= products.few_digits else turns
    return InnerProductWriter(writer, products, spec.outputs, turns)


def _turns(columns: int, of_sums: int, registers: int) -> int:
    """Return the number of vectors of a group, whose sums have ``columns`` registers each.

    Args:
        columns: The number of registers for the sums of one vector.
        of_sums: The number of registers that all sums may occupy.
        registers: The number of registers of the target.
    """
    if TURNS * columns <= of_sums:
        return TURNS
    return 2 if 2 * columns <= registers else 1


def given_of_products(functions: InnerProductWriter, spec: KeySwitchSpec) -> dict[str, object]:
    """Return the values that the texts of an inner product use, by name."""
    products = functions.products
    return given_of(functions, spec) | {
        "outputs": spec.outputs, "shifts": int(products.shifts), "cut": products.cut,
        "of_modulus": functions.of_modulus, "gathers": int(functions.target.lanes == 1),
    }  # fmt: skip


def texts_of_products(products: ProductFormat) -> list[str]:
    """Return the text functions that compute the constants of an inner product."""
    return [*CONSTANTS[:-1], *["power_of_two", "put_factor"] * bool(products.extra)]


def add_inner_products(spec: KeySwitchSpec, names: EntryPoints) -> Lowered:
    """Return the inner product of key switching."""
    made = _empty(spec)
    functions = inner_products_of(spec, made.writer)
    made.writer.write("source_row")
    made.writer.write("result_row")
    functions.write()
    texts = ["first_column", "useful_parts", *texts_of_products(functions.products)]
    texts += ["gather_digits", "put_last_products", "put_inner_products", *names]
    write_texts(made.writer, texts, 0, 0, **given_of_products(functions, spec))
    in_order = functions.products.in_order and len(functions.turns) > 1
    return replace(made, program=replace(made.host_program, in_order=in_order))


def _empty(spec: RowsSpec) -> Lowered:
    """Return a kernel without functions."""
    writer = ProgramWriter(class_of(spec))
    return Lowered(writer.spec, writer.program(setup="", run="", kept=[]), [writer], [], writer.moduli)


def given_of_sums(spec: SummedSpec, quotients: QuotientFormat) -> dict[str, object]:
    """Return the values that the texts of a conversion use of its method and of its ``quotients``, by name."""
    auxiliary = spec.method in AUXILIARY
    return {
        "corrected": int(spec.corrected), "extra": int(has_extra_factor(spec.method, spec.positive)),
        "of_quotient": quotients.words * spec.corrected, "quotients_in_doubles": int(quotients.real),
        "fraction": FRACTION, "most_corrected": MOST_MODULI, "divides": int(spec.divides),
        "auxiliary": int(auxiliary), "starts": int(auxiliary and not quotients.form.real),
        "centres": 2 * (auxiliary and quotients.form.real), "redundant": int(spec.method == SHENOY_KUMARESAN),
        "positive": int(spec.positive), "scaled": int(spec.scaled),
        "radix": radix_of(spec.bits) if spec.method == MONTGOMERY else 0,
    }  # fmt: skip


def given_of(functions: GroupWriter, spec: RowsSpec) -> dict[str, object]:
    """Return the values that texts use of a format and of a request, by name."""
    form = functions.form
    return {
        "group": functions.group, "parts": form.parts, "limbs": form.limbs, "limb": form.limb, "part_bits": form.part,
        "quotient_bits": form.quotient, "full_quotient": int(form.quotient == form.word), "bits": form.bits,
        "served": spec.bits, **spec.constants,
        "of_source": len(form.of_source), "of_goal": len(functions.of_goal), "digit": form.digit,
        "splits": int(form.splits), "shifts": int(form.shifts), "unit": form.unit,
        "block_columns": max(COLUMNS, functions.group),
        **{kind: int(form.kind == kind) for kind in KINDS},
    }  # fmt: skip


def write_texts(writer: ProgramWriter, names: Sequence[str], kept: int, exact: int, **given: object) -> None:
    """Write functions that are written as text, in this order.

    Args:
        writer: The writer of the program.
        names: The names of the functions.
        kept: The number of words of plan constants for each modulus, or 0.
        exact: Whether the kernel is an exact conversion.
        given: The other values that the texts use.
    """
    factor = writer.spec.ranges.input
    for name in names:
        writer.write(name, "", kept=kept, block=BLOCK, factor=factor, exact=exact, **given)
