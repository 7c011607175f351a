"""Kernels and every maker's options as types: editors complete them, type checkers check them, ``help`` shows them.

Nothing else says which values an option has, but of those that no list has. No table is imported; None stands for an
option not given.
"""

from __future__ import annotations

from functools import cache
from typing import Literal, TypedDict, get_args, get_origin, get_type_hints

Algorithm = (
    Literal["ring", "cooley_tukey", "gentleman_sande", "pease", "korn_lambiotte", "korn_lambiotte_dif", "pease_dif",
            "stockham", "stockham_dif"] | None
)  # fmt: skip
Elementwise = Literal[
    "vadd", "vsub", "vmul", "vmuladd", "axpy", "scal", "vadds", "vsubs", "vneg", "reduce", "cmpadd", "cmpsub", "tomont",
    "frommont", "vinv", "dot",
]  # fmt: skip
Order = Literal["bitrev", "natural"]
PresetName = Literal["ml-kem", "ml-dsa", "falcon-512", "falcon-1024"]
Engine = Literal["int8", "int32", "bfloat16", "float32", "float64"]
ProductEngine = Literal["int8", "int32", "words", "bfloat16", "float32", "float64"]
Sums = Literal["montgomery", "barrett", "folded"]
ConversionMethod = Literal["exact", "corrected", "shenoy-kumaresan", "montgomery", "fast"]
DivisionMethod = Literal["exact", "corrected", "fast"]
Multiply = Literal["schoolbook", "karatsuba", "karatsuba_words"]
Compare = Literal["borrow", "less"]
Carry = Literal["unsigned", "signed"]
Borrow = Literal["comparison", "top"]
WordProducts = Literal["words", "halves", "convolution"]
Unroll = Literal[1, 2, 4, 8]
Multiple = Literal[1, 2, 4, 8, 16]
"""The bound of a vector's residues over q."""
InputMultiple = Literal[1, 2, 4, 8, 16, "any"]
ResidueForm = Literal["plain", "montgomery"]
Dense = Literal[2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]
Radix = Literal[2, 4, 8, 16]
Quotients = Literal["table", "computed"]
TransformReduction = Literal["approximate", "lazy", "tight", "montgomery"]
Reduction = Literal["approximate", "lazy", "tight", "wide", "special", "montgomery", "barrett", "folded"]
LimbKind = Literal["full", "reduced"]
Interleave = Literal[1, 2, 3, 4, 6, 8]
Comparison = Literal["eq", "lt", "le", "ne", "nlt", "nle", "true", "false"]
Levels = Literal[2, 3, 4, 5, 6]
BlocksTogether = Literal[1, 2, 4, 8]
ConstantsPlace = Literal["registers", "memory"]
ChainLength = Literal[8, 16, 32, 64]
TwiddleTable = Literal["whole", "packed"]
Storage = Literal["limbs", "words"]
Factors = str | tuple[int, ...]
"""Numbers, or a text as "128x512"."""
Switch = bool | Literal["no", "yes"] | None


class RuleOptions(TypedDict, total=False):
    """Alternatives of the rule table, on words."""

    multiply: Multiply | None
    compare: Compare | None
    carry: Carry | None
    borrow: Borrow | None
    product: WordProducts | None


class CommonOptions(RuleOptions, total=False):
    """What every kernel has; threads: how many do a call together, if more than one may."""

    bake: Switch
    unroll: Unroll | None
    output_factor: Multiple | None
    threads: int | None


class MatrixOptions(TypedDict, total=False):
    """Those of a transform by matrices: points of one at most, or of each; the engine that multiplies them, whether one
    kernel makes digits, sums and residues, and how sums become residues.
    """

    dense: Dense | None
    factors: Factors | None
    engine: Engine | None
    fused: Switch
    sums: Sums | None


class FormOptions(TypedDict, total=False):
    """Those of kernels that multiply residues: whether these are in Montgomery form x·R mod q, and k of R = 2^k."""

    form: ResidueForm | None
    form_bits: int | None


class PolynomialOptions(CommonOptions, MatrixOptions, total=False):
    """Those of a transform, and of a product by transforms."""

    radix: Radix | None
    quotients: Quotients | None
    reduction: TransformReduction | None
    input_factor: Multiple | None


class BaseProductOptions(CommonOptions, total=False):
    """Options of :func:`momagen.basemul`."""

    quotients: Quotients | None
    reduction: TransformReduction | None
    input_factor: Multiple | None


class ProductOptions(PolynomialOptions, FormOptions, total=False):
    """Options of :func:`momagen.polymul`."""


class TilingOptions(TypedDict, total=False):
    """Those of a transform in tiles: the most levels of a pass, blocks processed together, two interleaved butterflies,
    where a butterfly reads its constants, the longest chain of multiply-adds, how tables hold per-lane twiddles, how
    residues are stored between two passes over columns, and whether the last of these prefetches the table of the
    rows.
    """

    levels: Levels | None
    interleave_blocks: BlocksTogether | None
    interleave_butterflies: Switch
    constants: ConstantsPlace | None
    chain: ChainLength | None
    twiddles: TwiddleTable | None
    storage: Storage | None
    prefetch: Switch


class TransformOptions(PolynomialOptions, TilingOptions, total=False):
    """Options of :func:`momagen.ntt`."""

    algorithm: Algorithm
    limbs: LimbKind | None


class ExtensionOptions(CommonOptions, TilingOptions, total=False):
    """Options of :func:`momagen.lde`."""

    radix: Radix | None
    quotients: Quotients | None
    reduction: TransformReduction | None
    limbs: LimbKind | None
    input_factor: Multiple | None


class ElementwiseOptions(CommonOptions, FormOptions, total=False):
    """Options of :func:`momagen.blas`."""

    reduction: Reduction | None
    limbs: LimbKind | None
    interleave: Interleave | None
    cmp: Comparison | None
    input_factor: InputMultiple | None


class AnyOptions(ElementwiseOptions, TilingOptions, MatrixOptions, total=False):
    """Options of :func:`momagen.tune`: those of the kind that is tuned."""

    algorithm: Algorithm
    radix: Radix | None
    quotients: Quotients | None


def written(value: object) -> str:
    """An option's value as the tables write it."""
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


@cache
def listed(options: type) -> dict[str, tuple[str, ...]]:
    """Return the options that a class declares, each with its values as files write them; () if no list has them."""
    hints = get_type_hints(options, include_extras=True)
    return {name: tuple(dict.fromkeys(map(written, listed_values(hint)))) for name, hint in hints.items()}


def listed_values(hint: object) -> tuple[bool | int | str, ...]:
    """Return the values that a type lists, those of annotations first; () if it lists none."""
    if hint is bool:
        return False, True
    if get_origin(hint) is Literal:
        return get_args(hint)
    parts = (*getattr(hint, "__metadata__", ()), *get_args(hint)[: 1 if hasattr(hint, "__metadata__") else None])
    return tuple(dict.fromkeys(value for part in parts for value in listed_values(part)))
