"""Formulas: linear transforms over Z_q as products of sparse factors.

A formula is a square matrix; it acts on a column vector, so the rightmost factor acts first. Here are the operators;
permutations and diagonals are in `atoms`, transforms in `transforms`.
Notation: Püschel et al., "SPIRAL: Code Generation for DSP Transforms", Proc. IEEE 93(2), 2005.
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
            raise MomagenError(
                "factors of equal size", f"sizes {[part.size for part in self.parts]}", f"product {self}"
            )

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
