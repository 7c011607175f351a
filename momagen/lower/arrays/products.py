"""Products with constant matrices and conversions between bases, as codelets around an engine."""

from __future__ import annotations

from dataclasses import dataclass, replace

from momagen.kernels.elementwise.blas import KERNELS, elementwise
from momagen.kernels.matrices.digits import split
from momagen.kernels.matrices.engines import MONTGOMERY, EngineChoice, engine_for, room_of
from momagen.kernels.matrices.merge import merge
from momagen.kernels.matrices.overflow import above, digits_of_fractions, overflow
from momagen.kernels.matrices.sums import DigitSums
from momagen.kernels.matrices.whole_words import merge_words, overflow_words
from momagen.kinds.matmul import MatmulSpec
from momagen.kinds.request import DeclaredRequest
from momagen.kinds.rns.conversion import ConversionSpec

from .codelets import ArrayCodelets
from .reductions import Reduction, reduction


@dataclass(frozen=True)
class ProductProgram:
    """A product with a matrix, or a conversion.

    Attributes:
        spec: The request.
        codelets: The codelets: "split" and "merged"; "scaled" for conversions; and "corrected", "overflow",
            "minus" and "above" for exact conversions.
        choice: The engine and its digits.
        reduction: The reduction of sums, or None if the engine multiplies vectors of words.
        fractions: The number of digits of the fractions of an exact conversion, or 0.
    """

    spec: DeclaredRequest
    codelets: ArrayCodelets
    choice: EngineChoice
    reduction: Reduction | None = None
    fractions: int = 0


def matmul_program(spec: MatmulSpec) -> ProductProgram:
    """Return the program of a product with a matrix.

    Raises:
        MomagenError: The rows are so long that no engine computes their sums exactly.
    """
    return _program(spec, spec.engine, spec.rows, spec.inner, spec.sums, sparse=spec.sparse)


def conversion_program(spec: ConversionSpec) -> ProductProgram:
    """Return the program of a conversion.

    Raises:
        MomagenError: There are so many moduli that no engine computes their sums exactly.
    """
    terms = len(spec.moduli)
    made = _program(spec, spec.engine, len(spec.goals), terms, MONTGOMERY, whole=True)
    arith, codelets, digits = spec.arith, made.codelets, made.choice.digits
    codelets.add("scaled", elementwise(KERNELS["scal"], arith).block, ["x"], ["z"])
    if not spec.exact:
        return made
    sums, count = [f"s{at}" for at in range(digits.count)], 1
    if made.choice.engine.words:
        exact, rounded = merge_words(arith, terms, terms + 1), overflow_words(arith, terms)
    else:
        count = digits_of_fractions(arith, digits).count
        exact = merge(DigitSums(arith, digits, digits, terms, made.choice.engine.held), 1, terms + 1)
        rounded = overflow(arith, digits, terms, made.choice.engine.held)
    codelets.add("corrected", exact, [*sums, "v", "n"], ["z"])
    codelets.add("overflow", rounded, [f"s{at}" for at in range(count)], ["v", "u"], 1)
    codelets.add("minus", elementwise(KERNELS["vsub"], arith).block, ["x", "y"], ["z"])
    codelets.add("above", above(arith), ["v", "c", "g"], ["z"], 1)
    return replace(made, fractions=count)


def _program(
    spec: DeclaredRequest, engine: str, rows: int, terms: int, way: str, *, sparse: bool = False, whole: bool = False
) -> ProductProgram:
    """Return the codelets of a product with a matrix.

    Args:
        spec: The request.
        engine: The name of the engine, or empty for the cheapest one.
        rows: The number of rows of the matrix.
        terms: The number of its columns.
        way: The method of the reduction of sums to residues.
        sparse: Whether the digits of an element are stored in a banded matrix.
        whole: Whether the summands of a sum are products of numbers instead of residues.
    """
    target, arith = spec.target, spec.arith
    choice = engine_for(target.engine, arith, rows, terms, engine, whole=whole, room=room_of(way, arith))
    codelets = ArrayCodelets(target, arith)
    if choice.engine.words:
        codelets.add("merged", merge_words(arith, terms), ["s0"], ["z"])
        return ProductProgram(spec, codelets, choice)
    head = split(arith, choice.digits, 1)
    codelets.add("split", head, ["x"], [*head.outputs], 1)
    sums = DigitSums(arith, choice.digits, choice.digits, terms, choice.engine.held, sparse)
    return ProductProgram(spec, codelets, choice, reduction(codelets, sums, way, 1, engine))
