"""Formulas: linear transforms over Z_q as products of sparse factors.

A formula is a square matrix; it acts on a column vector, so the rightmost factor acts first. Here: permutations,
diagonals, and the operators that join formulas; transforms are in `transform`, entries in `matrix`, e(t) in `roots`.
Notation: Püschel et al., "SPIRAL: Code Generation for DSP Transforms", Proc. IEEE 93(2), 2005.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod
from typing import ClassVar, Protocol

from momagen.errors import MomagenError
from momagen.kernels.roots import check_power_of_two, digit_reversal


class Formula(ABC):
    """A square matrix over Z_q."""

    @property
    @abstractmethod
    def size(self) -> int:
        """Rows, and columns."""


class Leaf(Formula):
    """A formula with no formula inside; prints as in a rule file: name, then the fields in ``shown``."""

    n: int
    shown: ClassVar[tuple[str, ...]] = ("n",)

    @property
    def size(self) -> int:
        return self.n

    def __str__(self) -> str:
        prefix = "i" * getattr(self, "inverse", False)
        return f"{prefix}{type(self).__name__}({', '.join(str(getattr(self, name)) for name in self.shown)})"


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
        power = 1
        while self.radix > 1 and power < self.n:
            power *= self.radix
        if power != self.n:
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


class Turns(Protocol):
    """A finite sequence of turns: a tuple, or a rule that computes each turn when it is asked for."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> Fraction: ...


@dataclass(frozen=True)
class D(Diagonal):
    """diag(e(turns[0]), e(turns[1]), …)."""

    turns: Turns
    n: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", len(self.turns))

    def angle(self, index: int) -> Fraction:
        return self.turns[index]

    def __str__(self) -> str:
        shown = ", ".join(str(self.turns[i]) for i in range(min(self.n, 8)))
        return f"D({shown})" if self.n <= 8 else f"D({shown}, … {self.n} turns)"


@dataclass(frozen=True, init=False)
class Join(Formula):
    """Several formulas under one associative operator; a part under the same operator is taken apart."""

    parts: tuple[Formula, ...]
    symbol: ClassVar[str]

    def __init__(self, *parts: Formula) -> None:
        flat = (inner for part in parts for inner in (part.parts if isinstance(part, type(self)) else (part,)))
        object.__setattr__(self, "parts", tuple(flat))
        if not parts:
            raise MomagenError("at least one part", "none", f"formula with {self.symbol}")

    def __str__(self) -> str:
        return f" {self.symbol} ".join(f"({p})" if isinstance(p, Join) else str(p) for p in self.parts)


class Compose(Join):
    """A · B · …: the last part acts first."""

    symbol = "·"

    def __init__(self, *parts: Formula) -> None:
        super().__init__(*parts)
        if len({part.size for part in self.parts}) > 1:
            raise MomagenError("factors of one size", f"sizes {[part.size for part in self.parts]}", f"product {self}")

    @property
    def size(self) -> int:
        return self.parts[0].size


class Tensor(Join):
    """A ⊗ B ⊗ …: the Kronecker product; A ⊗ I(s) acts at stride s, I(m) ⊗ B on m consecutive blocks."""

    symbol = "⊗"

    @property
    def size(self) -> int:
        return prod(part.size for part in self.parts)


class DirectSum(Join):
    """A ⊕ B ⊕ …: block diagonal."""

    symbol = "⊕"

    @property
    def size(self) -> int:
        return sum(part.size for part in self.parts)


def _check_divides(k: int, n: int, where: str) -> None:
    if k < 1 or n % k:
        raise MomagenError(f"a divisor of {n}", k, where)
