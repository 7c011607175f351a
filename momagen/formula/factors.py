"""The normal form of an expanded formula: a list of stages, each of which is one loop over the vector."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from momagen.errors import MomagenError

from .atoms import Diagonal, I, Permutation, Scale
from .expression import Compose, Formula, Leaf, Tensor
from .transforms import KERNELS, RADICES, Transform


class Stage(NamedTuple):
    """The matrix I(left) ⊗ core ⊗ I(right), where the core is a permutation, a diagonal matrix or a kernel.

    If the core is a kernel, which is NTT(r), Ring(r, t) or Rings(m, r, t), the stage consists of butterflies
    of radix r at stride ``right``. Butterfly (l, b, s), for l < left, b < m and s < right, acts on the
    elements ((l·m + b)·r + j)·right + s for j < r. The roots of Rings depend on b; an NTT has a single block,
    b = 0.

    Attributes:
        left: The number of repetitions of the core on consecutive parts of the vector.
        core: The matrix that is applied.
        right: The stride between the elements to which one application of the core refers.
    """

    left: int
    core: Leaf
    right: int


def stages(formula: Formula, *, dense: bool = False) -> list[Stage]:
    """Return the stages of a formula in the order in which they act, that is, its rightmost factor first.

    The laws A ⊗ B = (A ⊗ I)·(I ⊗ B), (A·B) ⊗ I = (A ⊗ I)·(B ⊗ I) and I(m) ⊗ I(n) = I(m·n) split the formula.
    Identity matrices I(n) are left out.

    Args:
        formula: The formula.
        dense: Whether transforms of any size may be kernels.

    Raises:
        MomagenError: The formula contains a transform that is no kernel, or a direct sum. One stage for
            several rings is Rings(m, n, t).
    """
    return [Stage(formula.size // (core.size * right), core, right) for core, right in _stages(formula, 1, dense)]


def _stages(formula: Formula, right: int, dense: bool) -> Iterator[tuple[Leaf, int]]:
    """Yield the core and the stride of each stage of ``formula`` ⊗ I(right), the first one to act first."""
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
