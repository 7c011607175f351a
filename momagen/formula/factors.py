"""The normal form of an expanded formula: stages, each one loop over a permutation, a diagonal or a kernel."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from momagen.errors import MomagenError

from .atoms import Diagonal, I, Permutation, Scale
from .expression import Compose, Formula, Leaf, Tensor
from .transforms import KERNELS, RADICES, Transform


class Stage(NamedTuple):
    """I(left) ⊗ core ⊗ I(right).

    Where core is a kernel, NTT(r) or Ring(r, t) or Rings(m, r, t), it is butterflies of radix r at stride ``right``:
    (l, b, s), l < left, b < m, s < right, acts on positions ((l·m + b)·r + j)·right + s for j < r. The roots of rings
    depend on b; an NTT has one block.
    """

    left: int
    core: Leaf
    right: int


def stages(formula: Formula, *, dense: bool = False) -> list[Stage]:
    """The stages of ``formula`` in the order in which they act: its rightmost factor first.

    Laws: A ⊗ B = (A ⊗ I)·(I ⊗ B); (A·B) ⊗ I = (A ⊗ I)·(B ⊗ I); I(m) ⊗ I(n) = I(m·n).
    Identities I(n) are left out.
    Raises MomagenError for transforms that are not kernels, unless they may be ``dense``, and for direct sums: one
    stage of rings is Rings(m, n, t).
    """
    return [Stage(formula.size // (core.size * right), core, right) for core, right in _stages(formula, 1, dense)]


def _stages(formula: Formula, right: int, dense: bool) -> Iterator[tuple[Leaf, int]]:
    match formula:
        case Compose(parts=parts):
            for part in reversed(parts):
                yield from _stages(part, right, dense)
        case Tensor(parts=parts):
            for part in reversed(parts):
                yield from _stages(part, right, dense)
                right *= part.size
        case I():
            return
        case Permutation() | Diagonal() | Scale():
            yield formula, right
        case Transform() if dense or formula.n in RADICES:
            yield formula, right
        case _:
            raise MomagenError(f"kernels of size {KERNELS}", formula, "stages", "expand the formula first")
