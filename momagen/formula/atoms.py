"""The leaves of formulas that are not transforms: permutations, and diagonal matrices of powers of the root.

The notation e(t) for roots of unity is defined in :mod:`momagen.formula.transforms`.
"""

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
    """A permutation matrix P, which maps x to y with y[i] = x[source(i)]."""

    @abstractmethod
    def source(self, index: int) -> int:
        """Return the index of the input that becomes output ``index``."""


@dataclass(frozen=True)
class L(Permutation):
    """The stride permutation y[i·(n/k) + j] = x[j·k + i], which reads its input at stride k.

    For example, L(8, 2) reads the elements 0 2 4 6 1 3 5 7.
    """

    n: int
    k: int
    shown = ("n", "k")

    def __post_init__(self) -> None:
        _check_divides(self.k, self.n, "L(n, k)")

    def source(self, index: int) -> int:
        """Return the index of the input that becomes output ``index``."""
        i, j = divmod(index, self.n // self.k)
        return j * self.k + i


@dataclass(frozen=True)
class R(Permutation):
    """The reversal of the digits of each index in base ``radix``, by default the bit reversal.

    The size n is a power of the radix. The matrix is its own inverse.
    """

    n: int
    radix: int = 2
    shown = ("n", "radix")

    def __post_init__(self) -> None:
        if self.radix < 2 or self.n < 1 or leftover(self.n, self.radix) > 1:
            raise MomagenError(f"a size that is a power of {self.radix}", self.n, "R(n, radix)")

    def source(self, index: int) -> int:
        """Return the index of the input that becomes output ``index``."""
        return digit_reversal(index, self.n, self.radix)


@dataclass(frozen=True)
class Scale(Leaf):
    """The matrix (1/n)·I(n), which turns an unscaled inverse transform into the inverse."""

    n: int


class Diagonal(Leaf):
    """A diagonal matrix with the entries e(angle(0)), e(angle(1)), …."""

    @abstractmethod
    def angle(self, index: int) -> Fraction:
        """Return the turn of entry ``index``, which is e(turn)."""


@dataclass(frozen=True)
class I(Diagonal):  # noqa: E742 (the identity's name in every paper)
    """The identity matrix of n rows."""

    n: int

    def angle(self, index: int) -> Fraction:
        """Return the turn 0, since every entry is 1."""
        return Fraction(0)


@dataclass(frozen=True)
class T(Diagonal):
    """The diagonal matrix of the twiddles of a Cooley–Tukey step.

    Entry i·k + j, for 0 ≤ j < k, is e(i·j/n); it is e(−i·j/n) if ``inverse`` is set.
    """

    n: int
    k: int
    inverse: bool = False
    shown = ("n", "k")

    def __post_init__(self) -> None:
        check_power_of_two(self.n, "T(n, k)")
        _check_divides(self.k, self.n, "T(n, k)")

    def angle(self, index: int) -> Fraction:
        """Return the turn of entry ``index``."""
        i, j = divmod(index, self.k)
        return Fraction(-i * j if self.inverse else i * j, self.n)


@dataclass(frozen=True)
class D(Diagonal):
    """A diagonal matrix of n entries, which are e(turn) for name = low, low + 1, ….

    The entries are computed when they are used, so that even a large matrix takes no memory.

    Attributes:
        turn: The turn of an entry, in which ``name`` may occur.
        name: The name of the index.
        low: The index of the first entry.
        n: The number of entries.
        bindings: The values of the other names in ``turn``.
    """

    turn: Term
    name: str
    low: int
    n: int
    bindings: tuple[tuple[str, Exact], ...] = ()

    @cached_property
    def known(self) -> dict[str, Exact]:
        """The bindings by name, with integral values as int."""
        return {name: whole(value) for name, value in self.bindings}

    def angle(self, index: int) -> Fraction:
        """Return the turn of entry ``index``."""
        return self.turn.value({**self.known, self.name: self.low + index})

    def __str__(self) -> str:
        shown = ", ".join(str(self.angle(i)) for i in range(min(self.n, 8)))
        return f"D({shown})" if self.n <= 8 else f"D({shown}, … {self.n} turns)"


def _check_divides(k: int, n: int, where: str) -> None:
    if k < 1 or n % k:
        raise MomagenError(f"a divisor of {n}", k, where)
