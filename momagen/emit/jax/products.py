"""The modules of products with constant matrices, and of conversions between bases."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from momagen import __version__
from momagen.kernels.matrices import whole_words
from momagen.kernels.matrices.overflow import fraction_bits
from momagen.kinds.matmul import MatmulSpec
from momagen.kinds.rns.conversion import ConversionSpec
from momagen.lower.arrays.codelets import DerivedConstant
from momagen.lower.arrays.products import ProductProgram, conversion_program, matmul_program
from momagen.templates import templates

from ..claim import numbers_claim
from ..source import Source, wrapped
from .bases import column, inverses, radices, shares
from .file import codelet_lines, compiler_options
from .imports import imports_of
from .numbers import CUTS, packed, plain_text, spread, unpacked, words
from .parts import Stored, Tables, kept, made_of, shapes
from .reductions import fold_tables, reduced, table_type

BAD_MODULI, BAD_SHAPE = "an odd modulus is too long, or one is not odd", "another shape"
"""The messages of errors in generated modules."""
TABLES: list[Callable[..., Any]] = [words, packed, unpacked]
"""The functions that build tables."""
LEAST = 512
"""The smallest number of columns of a block. Products with fewer columns are not worth a separate call."""


def matmul_source(spec: MatmulSpec) -> Source:
    """Return the module of a product with a matrix.

    Raises:
        MomagenError: No engine computes the sums of the rows exactly.
    """
    of = matmul_program(spec)
    what = f"Product of a constant {spec.rows} × {spec.inner} matrix with columns, modulo q below 2^{spec.bits}."
    assert of.reduction is not None, "rows of digits"
    lifted, folds = f"1 << {of.reduction.lifted}", fold_tables([of.reduction])
    constants = dict.fromkeys(one for each in of.reduction.codelets for one in each.constants)
    lines, split = [*reduced(of.reduction, "z")], _split(of, "x", "")
    return _module(of, what, "jax/matmul.py.j2", spec.rows, spec.inner, [*CUTS, *[spread] * spec.sparse],
                   [*kept(constants), *folds, _matrix(of, lifted, spec.sparse)], split=split,
                   least=of.reduction.least, sums=of.reduction.count, reduced=lines, folds=bool(folds))  # fmt: skip


def _matrix(of: ProductProgram, factor: str, sparse: bool) -> str:
    """Return the line of ``create`` that splits a matrix into digits."""
    digits, kind = of.choice.digits, f"np.{table_type(of.choice.engine)}"
    return f't["m"] = {"spread" if sparse else "cut"}(matrix % q, q, {factor}, {digits.size}, {digits.count}, {kind})'


def conversion_source(spec: ConversionSpec) -> Source:
    """Return the module of a conversion between bases.

    Raises:
        MomagenError: There are too many moduli for an engine to compute their sums exactly.
    """
    of = conversion_program(spec)
    rows, inner = len(spec.goals), len(spec.moduli)
    off = f"plus u times the product of the source moduli, 0 <= u < {inner}"
    how = "exact, of numbers around 0" if spec.exact else off
    what = f"Conversion of residues from {inner} moduli to {rows}, all below 2^{spec.bits}, {how}."
    functions: list[Callable[..., Any]] = [*CUTS, column, shares, inverses]
    functions += [radices] if spec.exact else []
    return _module(of, what, "jax/conversion.py.j2", rows, inner, functions, [*_conversion_tables(of, spec)],
                   split=_split(of, "y", "q."),
                   scaled=_call(of, "scaled", "q.", "x"), merged=_call(of, "merged", "p.", "*sums"), folds=False,
                   exact=spec.exact,
                   fractions=of.fractions,
                   turned=[f"i.{one.input}" for one in _turned(of)],
                   corrected=_call(of, "corrected", "p.", "*sums", "v", 't["p.n"]') if spec.exact else "")  # fmt: skip


def _module(
    of: ProductProgram, what: str, body: str, rows: int, inner: int, functions: Sequence[Callable[..., Any]],
    lines: Tables, **more: object,
) -> Source:  # fmt: skip
    """Return the source of a module that multiplies by a matrix.

    Args:
        of: The program.
        what: The first line of the module's docstring.
        body: The template of the functions that multiply.
        rows: The number of rows of the matrix.
        inner: The number of columns of the matrix.
        functions: The functions on the host whose text the module contains, besides those for all tables.
        lines: The lines of ``create`` that compute tables.
        more: Additional values for the template.
    """
    codelets, choice = of.codelets, of.choice
    arith, digits = codelets.arith, choice.digits
    materialised = codelets.target.materialised > 0
    text = templates().get_template("jax/product.py.j2").render(
        head="\n".join(_head(of, what)), word=codelets.target.word, materialised=materialised, words=arith.words,
        options=compiler_options(codelets),
        whole_products=not codelets.target.half_products,
        helpers=[plain_text(each) for each in [*TABLES, *functions]],
        lines=lines, shapes=shapes(lines),
        codelets=[codelet_lines(each, codelets) for each in codelets.found.values()],
        body=body, rows=rows, inner=inner, bits=arith.bits, held=arith.held, size=digits.size, count=digits.count,
        by_words=choice.engine.words, takes=choice.engine.takes, gives=choice.engine.gives,
        ends=f"shape[-2:-1] != ({inner},)", shape=f"(…, {inner}, columns)",
        bad_modulus=BAD_MODULI, bad_shape=BAD_SHAPE, block=_block(of, rows),
        imports=imports_of(codelets, materialised=materialised), fused=False, **more,
    )  # fmt: skip
    return Source(of.spec, of.spec.name, text, "", codelets.trace.rules_applied, codelets.operations)


def _head(of: ProductProgram, what: str) -> Iterator[str]:
    """Yield the lines of the module's docstring."""
    yield from (what, "", f"Generated by momagen {__version__}; do not edit. Command:", f"  {of.spec.command()}")
    yield from (f"Target: {of.spec.target}; engine: {of.choice}.", str(numbers_claim()), "Rewrite rules applied:")
    yield from (f"  {line}" for line in wrapped(of.codelets.trace.rules_applied))
    yield from ("", "SPDX-License-Identifier: CC0-1.0 (generated output is free of conditions)")


def _block(of: ProductProgram, rows: int) -> int:
    """Return the number of columns whose sums fill the second memory, a power of two."""
    held = of.codelets.target.second.bytes
    return max(LEAST, 1 << (held // (rows * of.choice.digits.count * of.choice.engine.held // 8)).bit_length() - 1)


def _split(of: ProductProgram, operand: str, side: str) -> str:
    """Return the call that splits an operand into digits; empty for an engine that multiplies words."""
    return "" if of.choice.engine.words else _call(of, "split", side, operand)


def _call(of: ProductProgram, name: str, side: str, *operands: str) -> str:
    """Return a call of a codelet.

    Args:
        of: The program.
        name: The name of the codelet.
        side: The prefix of the names of its constants in the tables: "q." for source moduli, "p." for goals,
            "" for products with matrices.
        operands: The operands.
    """
    codelet = of.codelets.found[name]
    constants = [f't["{side}{one.input}"]' for one in codelet.constants]
    return f"{name}({', '.join([*operands, *constants])})"


def _conversion_tables(of: ProductProgram, spec: ConversionSpec) -> Iterator[str | Stored]:
    """Yield the lines that compute tables t from the columns of source moduli q and goal moduli p."""
    found = of.codelets.found
    inner, rows = len(spec.moduli), len(spec.goals)
    yield "whole, parts, a = shares(q)"
    own = dict.fromkeys(one for name in ("scaled", "split") if name in found for one in found[name].constants)
    yield from (_stored(f"q.{one.input}", made_of(one, one.of), (inner, 1), one.words) for one in own)
    for one in found["merged"].constants:
        text = {"": "p", "inverse": f"inverses(p, 1 << {one.k})"}[one.op]
        yield _stored(f"p.{one.input}", text, (rows, 1), one.words)
    yield _cut("m", of, "parts.T % p", "p", f"1 << {of.codelets.arith.held}", f"{rows}, {inner}")
    if of.fractions:
        yield from _exact_tables(of, inner, rows)


def _stored(name: str, text: str, shape: tuple[int, ...], count: int) -> Stored:
    """Return a line that stores the integers of an array."""
    return Stored(name, f"({text}).reshape(-1)", shape, count)


def _cut(name: str, of: ProductProgram, matrix: str, q: str, factor: str, shape: str, count: int = 0) -> str:
    """Return a line that stores factor · matrix modulo q as digits, or as words if the engine multiplies words.

    Args:
        name: The name of the table.
        of: The program.
        matrix: The expression of the matrix.
        q: The expression of the modulus, or of a column of moduli.
        factor: The expression of the factor.
        shape: The shape of the matrix, as text.
        count: The number of digits of each entry; 0 means the number of digits of a residue.
    """
    if of.choice.engine.words:
        return f't["{name}"] = words(({matrix} * ({factor}) % ({q})).reshape(-1), ({shape}), {1 + (name == "f")})'
    digits, kind = of.choice.digits, f"np.{table_type(of.choice.engine)}"
    return f't["{name}"] = cut({matrix}, {q}, {factor}, {digits.size}, {count or digits.count}, {kind}, {digits.count})'


def _exact_tables(of: ProductProgram, inner: int, rows: int) -> Iterator[str | Stored]:
    """Yield the lines that compute the additional tables of an exact conversion."""
    arith = of.codelets.arith
    yield _stored("p.n", f"-(whole << {arith.held}) % p", (rows, 1), arith.words)
    e = whole_words.fraction_bits(arith, inner) if of.choice.engine.words else fraction_bits(arith)
    bound = f"1 << {max(64, of.fractions * of.choice.digits.size)}"
    yield _cut("f", of, f"(1 << {e}) // q.T", bound, "1", f"1, {inner}", of.fractions)
    yield "weights, middle, a = radices(q)"
    yield _cut("w", of, "weights.T % p", "p", f"1 << {arith.held}", f"{rows}, {inner}")
    yield Stored("c", "middle", (inner,), arith.words)
    yield from (_stored(f"i.{one.input}", made_of(one, "a"), (inner, inner, 1), one.words) for one in _turned(of))


def _turned(of: ProductProgram) -> list[DerivedConstant]:
    """Return the constants of products by a constant that are derived from the constant instead of the modulus."""
    return [one for one in of.codelets.found["scaled"].constants if one.of == "a"]
