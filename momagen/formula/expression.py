"""Formulas, which write linear transforms over Z_q as products of sparse matrices, and their operators.

A formula is a square matrix. It is applied to a column vector, so the rightmost factor acts first. This
module contains the operators; permutations and diagonal matrices are in :mod:`momagen.formula.atoms`,
transforms in :mod:`momagen.formula.transforms`. The notation follows Püschel et al., "SPIRAL: Code
Generation for DSP Transforms", Proc. IEEE 93(2), 2005.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import prod
from typing import ClassVar

from momagen.errors import MomagenError


class Formula(ABC):
    """A square matrix over Z_q."""

    @property
    @abstractmethod
    def size(self) -> int:
        """The number of rows, which is also the number of columns."""


class Leaf(Formula):
    """A formula that contains no other formula.

    It prints as in a rule file: its name, then the values of the fields that ``shown`` lists.

    Attributes:
        n: The number of rows.
        shown: The names of the fields that are printed.
    """

    n: int
    shown: ClassVar[tuple[str, ...]] = ("n",)

    @property
    def size(self) -> int:
        """The number of rows."""
        return self.n

    def __str__(self) -> str:
        prefix = "i" * getattr(self, "inverse", False)
        return f"{prefix}{type(self).__name__}({', '.join(str(getattr(self, name)) for name in self.shown)})"


@dataclass(frozen=True, init=False)
class Join(Formula):
    """Several formulas that one associative operator joins.

    A part that the same operator joins is replaced by its own parts, so that operators of one kind are not
    nested.

    Attributes:
        parts: The formulas, from left to right.
        symbol: The operator, as it is written.
    """

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
    """The matrix product A · B · …, whose last part acts first.

    Raises:
        MomagenError: The parts have different sizes.
    """

    symbol = "·"

    def __init__(self, *parts: Formula) -> None:
        super().__init__(*parts)
        if len({part.size for part in self.parts}) > 1:
            raise MomagenError(
                "factors of equal size", f"sizes {[part.size for part in self.parts]}", f"product {self}"
            )

    @property
    def size(self) -> int:
        """The number of rows, which is equal for all parts."""
        return self.parts[0].size


class Tensor(Join):
    """The Kronecker product A ⊗ B ⊗ ….

    A ⊗ I(s) applies A to elements at stride s; I(m) ⊗ B applies B to each of m consecutive blocks.
    """

    symbol = "⊗"

    @property
    def size(self) -> int:
        """The number of rows: the product of the sizes of the parts."""
        return prod(part.size for part in self.parts)


class DirectSum(Join):
    """The direct sum A ⊕ B ⊕ …: the block diagonal matrix of its parts."""

    symbol = "⊕"

    @property
    def size(self) -> int:
        """The number of rows: the sum of the sizes of the parts."""
        return sum(part.size for part in self.parts)
