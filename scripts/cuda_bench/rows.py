"""What is measured: one row for each kernel, in the order in which they run, so that a short run has the most of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

GOLDILOCKS = 2**64 - 2**32 + 1
WIDTHS: dict[int, dict[str, Any]] = {
    128: {"bits": 128}, 256: {"bits": 256}, 64: {"modulus": GOLDILOCKS}, 384: {"bits": 384}, 60: {"modulus_bits": 60},
    31: {"modulus_bits": 31}, 768: {"bits": 768},
}  # fmt: skip
"""By its name, what a maker is told of a modulus: the paper's widths have moduli of 4 bits less."""
SIZES = (16, 12, 10, 20, 8, 14, 22, 18, 9, 11, 13, 15, 17, 19, 21, 23, 24)
"""log2 of n: what the paper discusses first."""
BLAS = ("vadd", "vsub", "vmul", "axpy")
BLAS_BITS = (128, 256, 512, 1024)
SWEEP, SWEPT = 4096, range(64, 1025, 64)
PRODUCTS, PRODUCT_BITS = ("schoolbook", "karatsuba"), (128, 256, 384, 768)
WHOLE = {"target": "cuda_words64", "reduction": "montgomery"}
"""The options of kernels whose butterflies have a whole product of 64-bit words, to which Karatsuba's method applies.
The usual kernels reduce by Shoup's method, which has none, and add products of 32-bit words in carry chains."""
BAKED = (1 << 16, 1 << 12)
"""Sizes that also have kernels for one modulus, which then stands in the code."""
DEFAULTS, OF_WIDTH = {"multiply": "schoolbook"}, ("bits", "modulus_bits")
"""What a maker does where a row says nothing, and its options of how wide a modulus is."""
DRY = ("ntt-31-2^8", "ntt-128-2^8", "blas-128-vmul", "blas-128-axpy")
"""Rows that a dry run has."""


@dataclass(frozen=True)
class BenchRow:
    """A kernel to measure.

    Attributes:
        section: "ntt", "baked", "blas", "sweep" or "products". kind: "ntt" or an element-wise kernel.
        n: points; 0: elements. bits: the name of its width. options: of its maker.
    """

    section: str
    kind: str
    n: int
    bits: int
    options: dict[str, Any] = field(default_factory=dict)
    label: str = ""

    @property
    def alike(self) -> tuple[Any, ...]:
        """The options, without the width of the modulus: transforms of one width that are alike have one butterfly.

        A modulus that is named is among them, since Goldilocks has rules of its own.
        """
        given = {name: value for name, value in (DEFAULTS | self.options).items() if name not in OF_WIDTH}
        return tuple(sorted(given.items()))

    @property
    def name(self) -> str:
        size = f"2^{self.n.bit_length() - 1}" if self.n else self.kind
        return f"{self.section}-{self.bits}-{size}{self.label and '-' + self.label}"


def rows() -> Iterator[BenchRow]:
    """All rows, the most telling ones first."""
    for size in SIZES[:2]:
        yield from (BenchRow("ntt", "ntt", 1 << size, bits, given) for bits, given in WIDTHS.items())
    yield from (
        BenchRow("baked", "ntt", n, bits, {**given, "bake": True})
        for n in BAKED for bits, given in WIDTHS.items() if "modulus" not in given
    )  # fmt: skip
    yield from (BenchRow("blas", kind, 0, bits, {"bits": bits}) for bits in BLAS_BITS for kind in BLAS)
    yield from (
        BenchRow("products", "ntt", SWEEP, bits, {"bits": bits, "multiply": _product(name, bits), **WHOLE}, name)
        for bits in PRODUCT_BITS for name in PRODUCTS
    )  # fmt: skip
    yield from (BenchRow("sweep", "ntt", SWEEP, bits, {"bits": bits}) for bits in SWEPT)
    for size in SIZES[2:]:
        yield from (BenchRow("ntt", "ntt", 1 << size, bits, given) for bits, given in WIDTHS.items())


def _product(name: str, bits: int) -> str:
    """Return the value of ``multiply``: Karatsuba's method needs halves of one word if there are two words."""
    return f"{name}_words" if name != PRODUCTS[0] and bits == 128 else name


def dry_rows() -> list[BenchRow]:
    """The few that a run without a GPU has."""
    return [row for row in rows() if row.name in DRY]
