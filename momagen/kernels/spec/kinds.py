"""The kinds of kernels, and what may be asked of each: shapes, orders, sizes, options."""

from __future__ import annotations

from momagen.errors import MomagenError
from momagen.formula.algorithms import RING
from momagen.kernels.elementwise.blas import COMPARED, KERNELS, PRODUCTS
from momagen.kernels.elementwise.compare import COMPARES
from momagen.kernels.elementwise.products import MULTIPLYING
from momagen.kernels.residues.arith import SCHEMES, WIDE

from . import ranges
from .options import KERNEL_OPTIONS, TILING, options

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
    **{option: {"ntt": KERNEL_OPTIONS[option]} for option in TILING},
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
    if option == "algorithm" and kind != "ntt":
        return ()
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
