"""The kinds of kernels, and what may be asked of each: shapes, orders, sizes, and options with their values."""

from __future__ import annotations

from collections.abc import Mapping

from momagen.errors import MomagenError, build_error
from momagen.formula.breakdown import RING
from momagen.kernels.elementwise.blas import ANY, COMPARED, KERNELS
from momagen.kernels.elementwise.forms import CONVERSIONS
from momagen.kernels.elementwise.frame import FOLDED, PRODUCTS
from momagen.kernels.elementwise.inverses import KIND as INVERSE
from momagen.kernels.elementwise.products import MULTIPLYING
from momagen.kernels.elementwise.sums import KIND as SUM
from momagen.kernels.residues.arith import SCHEMES, SPECIAL, WIDE

from .options.record import KernelOptions
from .typed import (
    AnyOptions,
    BaseProductOptions,
    ElementwiseOptions,
    ExtensionOptions,
    ProductOptions,
    TransformOptions,
    listed,
)  # fmt: skip

MACHINE = ("carry", "borrow", "product")
"""Choices of the rule table that every target makes; given as options, they hold for vector code, not for set-up."""
BLAS = tuple(KERNELS)
ANY_MODULUS = tuple(kind for kind in KERNELS if kind not in (*CONVERSIONS, INVERSE, SUM))
"""Those that serve every modulus, odd or even, each element by itself."""
BASEMUL = "basemul"
"""Products of remainders modulo the factors at which an incomplete transform stops."""
KINDS = ("ntt", "polymul", BASEMUL, *BLAS)
LDE = "lde"
MADE = ("ntt", "polymul", BASEMUL, LDE, *BLAS)
"""All kinds; only those of ``KINDS`` are tuned and compared."""
OPTIONS = listed(KernelOptions)
"""All options, each with the values that it has for any kind."""
TYPES = {
    "ntt": TransformOptions, "polymul": ProductOptions, BASEMUL: BaseProductOptions, LDE: ExtensionOptions,
    **dict.fromkeys(BLAS, ElementwiseOptions),
}  # fmt: skip


_FACTORED = [kind for kind, row in KERNELS.items() if row.modular and kind not in (INVERSE, SUM)]
_SINGLE = {kind: OPTIONS["output_factor"] for kind in _FACTORED}
SOME: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "reduction": {
        **dict.fromkeys(("axpy", "scal"), (*SCHEMES, WIDE, SPECIAL)),
        "reduce": (*SCHEMES, SPECIAL),
        "vmul": tuple(PRODUCTS),
        "vmuladd": tuple(name for name in PRODUCTS if name != FOLDED),
    },
    "cmp": dict.fromkeys(COMPARED, OPTIONS["cmp"]),
    **{option: dict.fromkeys(MULTIPLYING, OPTIONS[option]) for option in ("limbs", "interleave")},
    "form": dict.fromkeys((*MULTIPLYING, INVERSE, SUM), OPTIONS["form"]),
    "input_factor": {**_SINGLE, **dict.fromkeys(ANY, OPTIONS["input_factor"])}, "output_factor": _SINGLE,
}  # fmt: skip
"""Options that not all element-wise kernels have, or not with all values, by kind."""
SHAPES = {
    "ntt": ("inverse", "negacyclic", "order", "columns", "depth", "montgomery"), "polymul": ("negacyclic", "depth"),
    BASEMUL: ("negacyclic", "order", "depth", "montgomery"), LDE: ("order", "columns"),
}  # fmt: skip
"""The shapes of a kind besides the plain one."""
ALGORITHM = {"bitrev": RING, "natural": "stockham"}
"""The fastest data flow for each order: neither has passes that only reorder."""
ORDERS = tuple(ALGORITHM)
LARGEST_N = 1 << 26
"""Points of a transform at most."""


def values(kind: str, option: str) -> tuple[str, ...]:
    """The values of an option for that kind of kernel, "" for any; () where it has no choice, or no list has them."""
    if kind in BLAS and option in SOME:
        return SOME[option].get(kind, ())
    return options_of(kind).get(option, ())


def options_of(kind: str) -> dict[str, tuple[str, ...]]:
    """Return the options of a kind of kernel, or all if `kind` is "", each with its values; () if no list has them."""
    return listed(TYPES.get(kind, AnyOptions))


def check_shape(kind: str, **asked: bool) -> None:
    """Refuse a shape that the kind does not have."""
    for option, wanted in asked.items():
        if wanted and option not in SHAPES.get(kind, ()):
            raise build_error(f"`{option}` does not apply to {kind}", option, f"omit `{option}`")


def check_size(n: int, blas: bool, columns: int = 1, most: int = LARGEST_N) -> None:
    """Refuse numbers of points or columns that no transform has, or that a BLAS kernel is given; ``most``: residues of
    all columns.
    """
    if blas and n:
        problem = "`n` does not apply to element-wise kernels, which take vectors of any length"
        raise build_error(problem, "n", "omit `n`")
    if not blas and (n < 2 or n & (n - 1) or n > LARGEST_N):
        raise MomagenError(f"a power of two from 2 to {LARGEST_N}", n, "n")
    if columns < 1:
        raise MomagenError("at least 1", columns, "columns")
    if columns > 1 and n * columns > most:
        raise MomagenError(
            f"at most {most // n} columns of {n} residues, or {most} residues in all", columns, "columns"
        )
