"""The options of kernels modulo q, declared once: choices between implementations, and ranges of operands."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cache, partial
from typing import Annotated, Literal, get_args, get_type_hints

from momagen.files import text_of
from momagen.kinds.modular import typed
from momagen.kinds.parameter import FILE, Param, ParameterRole
from momagen.kinds.titles import CODE, TUNING

TRANSFORMS = ("ntt", "polymul")
BUTTERFLIES = (*TRANSFORMS, "lde")
TWIDDLES = (*BUTTERFLIES, "basemul")
PASSES = ("ntt", "lde")
BLAS = ("blas",)
LIMBS, FORMS = (*PASSES, *BLAS), ("polymul", *BLAS)
"""The commands that have an option, for the options that not all commands have."""
BY_TARGET = "set by the target"
tuning = partial(Param, group=TUNING, role=ParameterRole.CODE)
"""The declaration of an option that only affects speed, which ``momagen tune`` may search."""


class OptionGroup(Enum):
    """The groups of options that apply to one part of the generator."""

    RULES = "alternatives of the rule table for operations on words"
    WORDS = "kernels on full-radix limbs"
    MODULUS = "the modulus of the build"
    FORM = "the form of residues"
    LIMBS = "the kind of limbs, and products on reduced-radix limbs"
    TILING = "transforms in cache-blocked passes over reduced-radix limbs"
    MATRICES = "transforms by matrix products"
    SCHEDULE = "the steps of a transform"


@dataclass(frozen=True, slots=True)
class OptionFields:
    """The options of a request; None means that an option is not set."""

    multiply: Annotated[Literal["schoolbook", "karatsuba", "karatsuba_words"] | None, tuning(
        "algorithm for whole products of multi-word numbers", default="schoolbook",
        notes={"karatsuba": "down to two words", "karatsuba_words": "down to one word"},
    ), OptionGroup.RULES] = None  # fmt: skip
    compare: Annotated[Literal["borrow", "less"] | None, tuning(
        "how multi-word numbers are compared", default="borrow",
        notes={"borrow": "by the borrow of their difference", "less": "limb by limb, from the highest"},
    ), OptionGroup.RULES] = None  # fmt: skip
    carry: Annotated[Literal["unsigned", "signed"] | None, tuning(
        "comparison that computes the carry of an addition", default=BY_TARGET,
    ), OptionGroup.RULES] = None  # fmt: skip
    borrow: Annotated[Literal["comparison", "top"] | None, tuning(
        "how the borrow of a subtraction is computed", default=BY_TARGET,
        notes={"top": "from the top bit"},
    ), OptionGroup.RULES] = None  # fmt: skip
    product: Annotated[Literal["words", "halves", "convolution"] | None, tuning(
        "how products of two words are computed", default=BY_TARGET,
        notes={"halves": "from half words", "convolution": "from quarter words, by a convolution"},
    ), OptionGroup.RULES] = None  # fmt: skip
    bake: Annotated[bool | None, Param(
        "compile the modulus in and exploit its form",
        group=CODE, role=ParameterRole.CODE, default="no", accepts=typed.Switch,
    ), OptionGroup.MODULUS] = None  # fmt: skip
    unroll: Annotated[Literal[1, 2, 4, 8] | None, tuning(
        "number of copies of a loop's body", default="set by the target, or left to the C compiler",
    ), OptionGroup.WORDS] = None  # fmt: skip
    output_factor: Annotated[int | None, Param(
        "allow outputs below F·q (lazy range)",
        default="1", choices=get_args(typed.Multiple), accepts=typed.Multiple | None,
    )] = None  # fmt: skip
    threads: Annotated[int | None, Param(
        "use up to K threads per call", group=CODE, role=ParameterRole.RUN, metavar="K", default="1", samples=(4,),
    )] = None  # fmt: skip
    form: Annotated[Literal["plain", "montgomery"] | None, Param(
        "residues as they are, or in Montgomery form x·R mod q", default="plain", applies_to=FORMS,
    ), OptionGroup.FORM] = None  # fmt: skip
    form_bits: Annotated[int | None, Param(
        "exponent k of R = 2^k, at least the bits of the modulus",
        metavar="K", default="the bits of the words that hold a residue", applies_to=FORMS,
        samples=({"form": "montgomery", "form_bits": 64},),
    ), OptionGroup.FORM] = None  # fmt: skip
    reduction: Annotated[typed.Reduction | None, tuning(
        "how products are reduced modulo q", default="chosen by width",
        notes={
            "approximate": "Shoup's method with a truncated quotient",
            "lazy": "Shoup's method on lazy ranges",
            "tight": "Shoup's method on reduced summands",
            "wide": "Shoup's method for a modulus that fills its words",
            "special": "folding at the power of two next to a baked-in modulus",
            "folded": "folding by a matrix engine",
        },
    ), OptionGroup.WORDS] = None  # fmt: skip
    limbs: Annotated[Literal["full", "reduced"] | None, tuning(
        "limbs of residues during the computation", default="chosen by target and width", applies_to=LIMBS,
        notes={
            "full": "full-radix limbs with carries",
            "reduced": "reduced-radix limbs with spare bits, integer or floating-point",
        },
    ), OptionGroup.LIMBS] = None  # fmt: skip
    interleave: Annotated[Literal[1, 2, 3, 4, 6, 8] | None, tuning(
        "number of vectors whose instructions are interleaved", default="chosen by target and width", applies_to=BLAS,
    ), OptionGroup.LIMBS] = None  # fmt: skip
    cmp: Annotated[Literal["eq", "lt", "le", "ne", "nlt", "nle", "true", "false"] | None, Param(
        "comparison of an element with the bound, for cmpadd and cmpsub",
        default="nle, that is, greater", applies_to=BLAS,
    )] = None  # fmt: skip
    input_factor: Annotated[int | Literal["any"] | None, Param(
        "accept inputs below F·q (lazy range)",
        default="any for reduce and cmpadd, else 1", choices=get_args(typed.InputMultiple),
        accepts=typed.InputMultiple | None,
        notes={"any": "any value of the words"},
    )] = None  # fmt: skip
    levels: Annotated[Literal[2, 3, 4, 5, 6] | None, tuning(
        "most butterfly levels per pass over columns", default="what registers and caches hold", applies_to=PASSES,
    ), OptionGroup.TILING] = None  # fmt: skip
    interleave_blocks: Annotated[Literal[1, 2, 4, 8] | None, tuning(
        "number of blocks whose instructions the last pass interleaves",
        default="chosen by target and width", applies_to=PASSES,
    ), OptionGroup.TILING] = None  # fmt: skip
    interleave_butterflies: Annotated[bool | None, tuning(
        "interleave the instructions of two butterflies on reduced-radix limbs",
        default="yes if they fit the registers", applies_to=PASSES, accepts=typed.Switch,
    ), OptionGroup.TILING] = None  # fmt: skip
    constants: Annotated[Literal["registers", "memory"] | None, tuning(
        "where butterflies on reduced-radix limbs keep their constants",
        default="registers, if they fit", applies_to=PASSES,
    ), OptionGroup.TILING] = None  # fmt: skip
    chain: Annotated[Literal[8, 16, 32, 64] | None, tuning(
        "most products in one chain of integer multiply-adds on reduced-radix limbs",
        default=BY_TARGET, applies_to=PASSES,
    ), OptionGroup.TILING] = None  # fmt: skip
    twiddles: Annotated[Literal["whole", "packed"] | None, tuning(
        "format of twiddles that differ from lane to lane", default="chosen by size of the table", applies_to=PASSES,
        notes={"whole": "limbs with Shoup quotients", "packed": "words, unpacked at use"},
    ), OptionGroup.TILING] = None  # fmt: skip
    storage: Annotated[Literal["limbs", "words"] | None, tuning(
        "format of residues between passes over columns", default="chosen by size", applies_to=PASSES,
    ), OptionGroup.TILING] = None  # fmt: skip
    prefetch: Annotated[bool | None, tuning(
        "prefetch the twiddles of the last pass during the pass before it",
        default="chosen by size of the tables", applies_to=PASSES, accepts=typed.Switch,
    ), OptionGroup.TILING] = None  # fmt: skip
    dense: Annotated[Literal[2, 4, 8, 16, 32, 64, 128, 256, 512, 1024] | None, tuning(
        "largest transform computed as one matrix product, on targets with matrix engines",
        default=BY_TARGET, applies_to=TRANSFORMS,
    ), OptionGroup.MATRICES] = None  # fmt: skip
    factors: Annotated[tuple[int, ...] | None, tuning(
        "sizes of the transforms computed as matrix products, powers of two from 2 to 1024 whose product is n;"
        " 128x512 transforms columns of 128, then rows of 512",
        metavar="RxC…", default="chosen by --dense", applies_to=TRANSFORMS, accepts=typed.Factors | None,
        samples=("64x64",),
    ), OptionGroup.MATRICES] = None  # fmt: skip
    engine: Annotated[typed.Engine | None, tuning(
        "number format of matrix products", default="the cheapest that the target has and that is exact",
        applies_to=TRANSFORMS,
    ), OptionGroup.MATRICES] = None  # fmt: skip
    fused: Annotated[bool | None, tuning(
        "split residues, multiply by the matrix and reduce in one kernel, on targets that process matrices in"
        " blocks", default="no", applies_to=TRANSFORMS, accepts=typed.Switch,
    ), OptionGroup.MATRICES] = None  # fmt: skip
    sums: Annotated[typed.Sums | None, tuning(
        "how the sums of a matrix product are reduced modulo q", default="montgomery", applies_to=TRANSFORMS,
        notes={"folded": "the engine folds the upper parts of the sums"},
    ), OptionGroup.MATRICES] = None  # fmt: skip
    algorithm: Annotated[typed.Algorithm, tuning(
        "order of the butterflies", default="ring for --order bitrev, stockham for natural", applies_to=("ntt",),
        notes={"ring": "split x^n ± 1 recursively into factors, in place"},
    ), OptionGroup.WORDS] = None  # fmt: skip
    radix: Annotated[Literal[2, 4, 8, 16] | None, tuning(
        "largest radix of the butterflies in one pass", default="chosen by width", applies_to=BUTTERFLIES,
    ), OptionGroup.WORDS] = None  # fmt: skip
    schedule: Annotated[str | None, Param(
        "JSON file with the schedule, as `momagen explain ntt --schedule` prints it", group=TUNING,
        role=ParameterRole.CODE, metavar=FILE, default="planned for the target", applies_to=("ntt",),
        read=partial(text_of, expected="a JSON file with a schedule"),
    ), OptionGroup.SCHEDULE] = None  # fmt: skip
    quotients: Annotated[Literal["table", "computed"] | None, tuning(
        "how products with twiddles are reduced", default="chosen by target, width and size", applies_to=TWIDDLES,
        notes={
            "table": "Shoup's method with stored quotients",
            "computed": "Montgomery's method, or folding on reduced-radix limbs",
        },
    )] = None  # fmt: skip


@cache
def names_of(*groups: OptionGroup) -> tuple[str, ...]:
    """Return the names of the options in `groups`, group by group."""
    hints = get_type_hints(OptionFields, include_extras=True)
    return tuple(
        name for group in groups for name, hint in hints.items() if group in getattr(hint, "__metadata__", ())
    )
