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
Factors = str | tuple[int, ...]
"""Numbers, or a text as "128x512"."""
Switch = bool | Literal["no", "yes"] | None


class RuleOptions(TypedDict, total=False):
    """Alternatives of the rule table, on words."""

    multiply: Literal["schoolbook", "karatsuba", "karatsuba_words"] | None
    compare: Literal["borrow", "less"] | None
    carry: Literal["unsigned", "signed"] | None
    borrow: Literal["comparison", "top"] | None
    product: Literal["words", "halves", "convolution"] | None


class CommonOptions(RuleOptions, total=False):
    """What every kernel has; threads: how many do a call together, if more than one may."""

    bake: Switch
    unroll: Literal[1, 2, 4, 8] | None
    output_factor: Literal[1, 2, 4, 8, 16] | None
    threads: int | None


class MatrixOptions(TypedDict, total=False):
    """Those of a transform by matrices: points of one at most, or of each; the engine that multiplies them, whether one
    kernel makes digits, sums and residues, and how sums become residues."""

    dense: Literal[2, 4, 8, 16, 32, 64, 128, 256, 512, 1024] | None
    factors: Factors | None
    engine: Engine | None
    fused: Switch
    sums: Sums | None


class FormOptions(TypedDict, total=False):
    """Those of kernels that multiply residues: whether these are in Montgomery form x·R mod q, and k of R = 2^k."""

    form: Literal["plain", "montgomery"] | None
    form_bits: int | None


class PolynomialOptions(CommonOptions, MatrixOptions, total=False):
    """Those of a transform, and of a product by transforms."""

    radix: Literal[2, 4, 8, 16] | None
    quotients: Literal["table", "computed"] | None
    reduction: Literal["approximate", "lazy", "tight", "montgomery"] | None
    input_factor: Literal[1, 2, 4, 8, 16] | None


class BaseProductOptions(CommonOptions, total=False):
    """Options of :func:`momagen.basemul`."""

    quotients: Literal["table", "computed"] | None
    reduction: Literal["approximate", "lazy", "tight", "montgomery"] | None
    input_factor: Literal[1, 2, 4, 8, 16] | None


class ProductOptions(PolynomialOptions, FormOptions, total=False):
    """Options of :func:`momagen.polymul`."""


class TilingOptions(TypedDict, total=False):
    """Those of a transform in tiles: the most levels of a pass, blocks processed together, two interleaved butterflies,
    where a butterfly reads its constants, the longest chain of multiply-adds, how tables hold per-lane twiddles, how
    residues are stored between two passes over columns, and whether the last of these prefetches the table of the
    rows."""

    levels: Literal[2, 3, 4, 5, 6] | None
    interleave_blocks: Literal[1, 2, 4, 8] | None
    interleave_butterflies: Switch
    constants: Literal["registers", "memory"] | None
    chain: Literal[8, 16, 32, 64] | None
    twiddles: Literal["whole", "packed"] | None
    storage: Literal["limbs", "words"] | None
    prefetch: Switch


class TransformOptions(PolynomialOptions, TilingOptions, total=False):
    """Options of :func:`momagen.ntt`."""

    algorithm: Algorithm
    limbs: Literal["full", "reduced"] | None


class ExtensionOptions(CommonOptions, TilingOptions, total=False):
    """Options of :func:`momagen.lde`."""

    radix: Literal[2, 4, 8, 16] | None
    quotients: Literal["table", "computed"] | None
    reduction: Literal["approximate", "lazy", "tight", "montgomery"] | None
    limbs: Literal["full", "reduced"] | None
    input_factor: Literal[1, 2, 4, 8, 16] | None


class ElementwiseOptions(CommonOptions, FormOptions, total=False):
    """Options of :func:`momagen.blas`."""

    reduction: Literal["approximate", "lazy", "tight", "wide", "special", "montgomery", "barrett", "folded"] | None
    limbs: Literal["full", "reduced"] | None
    interleave: Literal[1, 2, 3, 4, 6, 8] | None
    cmp: Literal["eq", "lt", "le", "ne", "nlt", "nle", "true", "false"] | None
    input_factor: Literal[1, 2, 4, 8, 16, "any"] | None


class AnyOptions(ElementwiseOptions, TilingOptions, MatrixOptions, total=False):
    """Options of :func:`momagen.tune`: those of the kind that is tuned."""

    algorithm: Algorithm
    radix: Literal[2, 4, 8, 16] | None
    quotients: Literal["table", "computed"] | None


RULES, TILING = tuple(RuleOptions.__annotations__), tuple(TilingOptions.__annotations__)
MATRICES, FORM = tuple(MatrixOptions.__annotations__), tuple(FormOptions.__annotations__)


def written(value: object) -> str:
    """An option's value as the tables write it."""
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


@cache
def listed(options: type) -> dict[str, tuple[str, ...]]:
    """The options of a TypedDict of this file, each with its values as the tables write them; () where no list has
    them."""
    return {
        name: tuple(
            written(value) for part in get_args(hint) if get_origin(part) is Literal for value in get_args(part)
        )
        for name, hint in get_type_hints(options).items()
    }
