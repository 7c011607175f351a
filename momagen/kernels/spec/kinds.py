"""The kinds of kernels, and what may be asked of each: shapes, orders, sizes, and options with their values."""

from __future__ import annotations

from collections.abc import Mapping

from momagen.errors import MomagenError, among
from momagen.formula.breakdown import ALGORITHMS, RING
from momagen.formula.transforms import RADICES
from momagen.kernels.elementwise.blas import COMPARED, KERNELS, PRODUCTS
from momagen.kernels.elementwise.compare import COMPARES
from momagen.kernels.elementwise.products import MULTIPLYING
from momagen.kernels.residues.arith import SCHEMES, WIDE
from momagen.rewrite import DEFAULTS, table
from momagen.targets.check import UNROLLS

from . import ranges

KERNEL_OPTIONS: Mapping[str, tuple[str, ...]] = {
    "algorithm": tuple(ALGORITHMS), "bake": ("no", "yes"), "radix": tuple(map(str, RADICES)), "reduction": (),
    "unroll": UNROLLS,
    "digits": ("full", "slack"), "interleave": ("1", "2", "3", "4", "6", "8"),
    "levels": ("2", "3", "4", "5", "6"), "group": ("1", "2", "4", "8"),
    "paired": ("no", "yes"), "constants": ("registers", "memory"), "chain": ("8", "16", "32", "64"),
    "twiddles": ("whole", "packed"), "storage": ("digits", "words"), "quotients": ("table", "computed"),
    **dict.fromkeys(("cmp", "input_factor", "output_factor"), ()),
}  # fmt: skip
"""Options beside the choices of the rule table, with their values; () where those depend on the kernel."""
TILING = ("levels", "group", "paired", "constants", "chain", "twiddles", "storage")
"""Those of a transform in tiles: the most levels of a pass, blocks processed together, two interleaved butterflies,
where a butterfly reads its constants, the longest chain of multiply-adds, how tables hold per-lane twiddles, and how
residues are stored between two passes over columns."""
MACHINE = ("carry", "borrow", "product")
"""Choices of the rule table that every target makes; given as options, they hold for vector code, not for set-up."""

RULES = ("multiply", "compare", *MACHINE)
"""Options that choose among rules for words."""


def choices() -> dict[str, tuple[str, ...]]:
    """The options of the rule table, each with its values, the default one first."""
    found = {option: [value] for option, value in DEFAULTS.items()}
    for rule in table():
        option, _, value = rule.choice.partition(":")
        if option and value not in found.setdefault(option, []):
            found[option].append(value)
    return {option: tuple(values) for option, values in found.items() if len(values) > 1}


def options() -> dict[str, tuple[str, ...]]:
    """All of them."""
    return {**choices(), **KERNEL_OPTIONS}


def check_option(name: str, value: str) -> str:
    """``value``, or MomagenError where there is no such option, or none of its values."""
    allowed = options()
    if name not in allowed:
        raise among("an option among", sorted(allowed), name, "options")
    if allowed[name] and value not in allowed[name]:
        raise among("one of", allowed[name], value, name)
    return value


BLAS = tuple(KERNELS)
KINDS = ("ntt", "polymul", *BLAS)
CHOICES: dict[str, dict[str, tuple[str, ...]]] = {
    "reduction": {
        **dict.fromkeys(("ntt", "polymul", "reduce"), SCHEMES), **dict.fromkeys(("axpy", "scal"), (*SCHEMES, WIDE)),
        "vmul": PRODUCTS,
    },
    "bake": dict.fromkeys(KINDS, ("no", "yes")),
    "cmp": dict.fromkeys(COMPARED, tuple(COMPARES)),
    **{option: dict.fromkeys(("ntt", "polymul"), KERNEL_OPTIONS[option]) for option in ("radix", "quotients")},
    **{option: {"ntt": KERNEL_OPTIONS[option]} for option in ("algorithm", *TILING)},
    "digits": dict.fromkeys(("ntt", *MULTIPLYING), KERNEL_OPTIONS["digits"]),
    "interleave": dict.fromkeys(MULTIPLYING, KERNEL_OPTIONS["interleave"]),
    **ranges.CHOICES,
}
"""The values of an option, by kind of kernel; a kind that is missing has no choice."""
SHAPES = {"ntt": ("inverse", "negacyclic", "order", "columns"), "polymul": ("negacyclic",)}
"""The shapes of a kind besides the plain one."""
ALGORITHM = {"bitrev": RING, "natural": "stockham"}
"""The fastest data flow for each order: neither has passes that only reorder."""
ORDERS = tuple(ALGORITHM)
LARGEST_N = 1 << 24


def values(kind: str, option: str) -> tuple[str, ...]:
    """The values of an option for that kind of kernel; () where it has no choice."""
    return CHOICES[option].get(kind, ()) if option in CHOICES else options()[option]


def check_shape(kind: str, **asked: bool) -> None:
    """Refuse a shape that the kind does not have."""
    for option, wanted in asked.items():
        if wanted and option not in SHAPES.get(kind, ()):
            raise MomagenError(f"a kernel with the option “{option}”", kind, "kernel")


def check_size(n: int, blas: bool, columns: int = 1) -> None:
    """Refuse numbers of points or columns that no transform has, or that a BLAS kernel is given."""
    if blas and n:
        raise MomagenError("no n: BLAS kernels take any length", n, "n")
    if not blas and (n < 2 or n & (n - 1) or n > LARGEST_N):
        raise MomagenError(f"a power of two from 2 to {LARGEST_N}", n, "n")
    if columns < 1:
        raise MomagenError("at least 1", columns, "columns")
    if columns > 1 and n * columns > LARGEST_N:
        raise MomagenError(f"at most {LARGEST_N // n} columns of {n} residues, {LARGEST_N} in all", columns, "columns")
