"""The ranges of a kernel's operands and results: below q, below a multiple of q, or all numbers that the words hold.

Vectors that are not fully reduced let a chain of kernels skip reductions. The options ``input_factor`` and
``output_factor`` of every kernel correspond to HEXL's input and output mod factors (Intel HEXL, WAHC 2021,
Listing 3).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from momagen.errors import MomagenError
from momagen.kernels.elementwise.blas import VECTORS
from momagen.kernels.residues.arith import Arith

from .options.record import NO_OPTIONS, KernelOptions

OPTIONS = ("input_factor", "output_factor")
"""The options of ranges."""
ANY = "any"
"""The value of the option for all numbers that the words hold."""


class Ranges(NamedTuple):
    """The ranges of one kernel, as factors: m means numbers below m·q, and 0 means all numbers that the words hold.

    Attributes:
        operands: The factors of the operands by name: scalars first, then vectors.
        input: The factor of the vectors.
        output: The factor of the result.
        held: The number of bits of the words.
        result: The name of the result in C.
    """

    operands: Mapping[str, int]
    input: int
    output: int
    held: int
    result: str = "z"

    @property
    def vectors(self) -> tuple[str, ...]:
        """The operands that are vectors."""
        return tuple(name for name in self.operands if name in VECTORS)

    @property
    def scalars(self) -> tuple[str, ...]:
        """The operands that are single numbers."""
        return tuple(name for name in self.operands if name not in VECTORS)

    def top(self, factor: int, q: int) -> int:
        """Return the smallest number above a range."""
        return factor * q if factor else 1 << self.held

    def bound(self, factor: int) -> str:
        """Return the smallest number above a range as a text, such as "4q"."""
        return f"{factor if factor > 1 else ''}q" if factor else f"2^{self.held}"

    def __str__(self) -> str:
        """Return all ranges as a text, such as "a < q; x, y < 4q; z < q"."""
        named: dict[str, list[str]] = {}
        for name, factor in self.operands.items():
            named.setdefault(self.bound(factor), []).append(name)
        rows = [*named.items(), (self.bound(self.output), [self.result])]
        return "; ".join(f"{', '.join(names)} < {bound}" for bound, names in rows)


def factors_for(usual: tuple[int, int], options: KernelOptions = NO_OPTIONS) -> tuple[int, int]:
    """Return the factors of the operands and of the result: those that are requested, or the ``usual`` ones."""
    given, output = options.input_factor, options.output_factor
    asked = 0 if given == "any" else given
    return usual[0] if asked is None else asked, usual[1] if output is None else output


def range_parts(usual: tuple[int, int], options: KernelOptions) -> list[str]:
    """Return the parts of a kernel's name for ranges other than the defaults of its kind."""
    ends = zip(("in", "out"), factors_for(usual, options), usual, strict=True)
    return [f"{end}{m or ANY}" for end, m, own in ends if m != own]


def check_ranges(ranges: Ranges, arith: Arith) -> None:
    """Check that the words hold the multiples of q that the options request.

    Raises:
        MomagenError: A factor is too large; the message names the option.
    """
    for option, m in zip(OPTIONS, (ranges.input, ranges.output), strict=True):
        if m > arith.room:
            words = f"{arith.words} word{'s' * (arith.words > 1)}"
            why = f"a modulus of {arith.bits} bits in {words}"
            raise MomagenError(f"a factor of at most {arith.room} for {why}", m, option)
