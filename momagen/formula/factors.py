"""The normal form of an expanded formula: stages, each one loop over a permutation, a diagonal or a kernel."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from momagen.errors import MomagenError

from .atoms import Diagonal, I, L, Permutation, R, Scale, T
from .expression import Compose, Formula, Tensor
from .transforms import KERNELS, RADICES, Transform


@dataclass(frozen=True)
class Stage:
    """I(left) ⊗ core ⊗ I(right)."""

    left: int
    core: Formula
    right: int

    @property
    def formula(self) -> Formula:
        """The stage as one factor."""
        return Tensor(I(self.left), self.core, I(self.right))


@dataclass(frozen=True)
class KernelStage(Stage):
    """core = NTT(r) or Ring(r, t) or Rings(m, r, t): butterflies of radix r at stride ``right``.

    Butterfly (l, b, s), l < left, b < blocks, s < right, acts on positions ((l·blocks + b)·r + j)·right + s for j < r;
    the roots of a Ring depend on b, an NTT has one block.
    """

    core: Transform


def stages(formula: Formula) -> list[Stage]:
    """The stages of ``formula`` in the order in which they act: its rightmost factor first.

    Laws: A ⊗ B = (A ⊗ I)·(I ⊗ B); (A·B) ⊗ I = (A ⊗ I)·(B ⊗ I); I(m) ⊗ I(n) = I(m·n).
    Identities are left out: L(n, 1), L(n, n), T(n, 1), T(n, n), R(r, r).
    Raises MomagenError for transforms that are not kernels, and for direct sums: one stage of rings is Rings(m, n, t).
    """
    return list(_stages(formula, 1, 1))


def _stages(formula: Formula, left: int, right: int) -> Iterator[Stage]:
    match formula:
        case Compose(parts=parts):
            for part in reversed(parts):
                yield from _stages(part, left, right)
        case Tensor(parts=parts):
            sizes = [part.size for part in parts]
            for at in reversed(range(len(parts))):
                yield from _stages(parts[at], left * prod(sizes[:at]), right * prod(sizes[at + 1 :]))
        case Permutation() | Diagonal() | Scale():
            if not _is_identity(formula):
                yield Stage(left, formula, right)
        case Transform() if formula.n in RADICES:
            yield KernelStage(left, formula, right)
        case _:
            raise MomagenError(f"kernels of size {KERNELS}", formula, "stages", "expand the formula first")


def _is_identity(leaf: Formula) -> bool:
    """I, and the permutations and twiddles that move and change nothing."""
    match leaf:
        case L(n, k) | T(n, k):
            return k in (1, n)
        case R(n, radix):
            return n <= radix
    return isinstance(leaf, I)
