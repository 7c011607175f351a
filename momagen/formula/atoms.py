"""Formulas with no formula inside: permutations, and diagonals of powers of the root, e(t) as in `transforms`."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from momagen.errors import MomagenError

from .expression import Leaf
from .term import Exact, Term, whole
from .transforms import check_power_of_two, digit_reversal, leftover


class Permutation(Leaf):
    """y[i] = x[source(i)]."""

    @abstractmethod
    def source(self, index: int) -> int:
        """Where output ``index`` is read from."""


@dataclass(frozen=True)
class L(Permutation):
    """Stride permutation, reads at stride k: y[i·(n/k) + j] = x[j·k + i]. L(8, 2) reads 0 2 4 6 1 3 5 7."""

    n: int
    k: int
    shown = ("n", "k")

    def __post_init__(self) -> None:
        _check_divides(self.k, self.n, "L(n, k)")

    def source(self, index: int) -> int:
        i, j = divmod(index, self.n // self.k)
        return j * self.k + i


@dataclass(frozen=True)
class R(Permutation):
    """Digit reversal in base ``radix`` (bit reversal by default), n a power of the radix; its own inverse."""

    n: int
    radix: int = 2
    shown = ("n", "radix")

    def __post_init__(self) -> None:
        if self.radix < 2 or self.n < 1 or leftover(self.n, self.radix) > 1:
            raise MomagenError(f"a size that is a power of {self.radix}", self.n, "R(n, radix)")

    def source(self, index: int) -> int:
        return digit_reversal(index, self.n, self.radix)


@dataclass(frozen=True)
class Scale(Leaf):
    """(1/n)·I(n): what an unscaled inverse transform lacks."""

    n: int


class Diagonal(Leaf):
    """diag(e(angle(0)), e(angle(1)), …)."""

    @abstractmethod
    def angle(self, index: int) -> Fraction:
        """The turn of entry ``index``."""


@dataclass(frozen=True)
class I(Diagonal):  # noqa: E742 (the identity's name in every paper)
    """Identity."""

    n: int

    def angle(self, index: int) -> Fraction:
        return Fraction(0)


@dataclass(frozen=True)
class T(Diagonal):
    """Cooley–Tukey twiddles: entry i·k + j (0 ≤ j < k) is e(i·j/n), or e(−i·j/n) for the inverse."""

    n: int
    k: int
    inverse: bool = False
    shown = ("n", "k")

    def __post_init__(self) -> None:
        check_power_of_two(self.n, "T(n, k)")
        _check_divides(self.k, self.n, "T(n, k)")

    def angle(self, index: int) -> Fraction:
        i, j = divmod(index, self.k)
        return Fraction(-i * j if self.inverse else i * j, self.n)


@dataclass(frozen=True)
class D(Diagonal):
    """diag(e(turn) for name = low, low + 1, …), n of them, each computed when asked for: a table in no space.

    ``bindings``: the values of the other names in ``turn``.
    """

    turn: Term
    name: str
    low: int
    n: int
    bindings: tuple[tuple[str, Exact], ...] = ()

    @cached_property
    def known(self) -> dict[str, Exact]:
        """The bindings by name, whole numbers as int."""
        return {name: whole(value) for name, value in self.bindings}

    def angle(self, index: int) -> Fraction:
        return self.turn.value({**self.known, self.name: self.low + index})

    def __str__(self) -> str:
        shown = ", ".join(str(self.angle(i)) for i in range(min(self.n, 8)))
        return f"D({shown})" if self.n <= 8 else f"D({shown}, … {self.n} turns)"


def _check_divides(k: int, n: int, where: str) -> None:
    if k < 1 or n % k:
        raise MomagenError(f"a divisor of {n}", k, where)
