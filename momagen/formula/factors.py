"""The normal form of an expanded formula: stages, each one loop over a permutation, a diagonal or a kernel."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import prod

from momagen.errors import MomagenError

from .atoms import Diagonal, I, L, Permutation, R, Scale, T
from .expression import Compose, DirectSum, Formula, Tensor
from .roots import split_turns
from .transforms import RADICES, Ring, Transform


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
class PermuteStage(Stage):
    """core = L or R."""

    core: Permutation


@dataclass(frozen=True)
class ScalingStage(Stage):
    """core = T, D or Scale."""

    core: Diagonal | Scale


@dataclass(frozen=True)
class KernelStage(Stage):
    """core = NTT(r) or Ring(r, t) or Rings(m, r, t): butterflies of radix r at stride ``right``.

    Butterfly (l, b, s), l < left, b < blocks, s < right, acts on positions ((l·blocks + b)·r + j)·right + s for j < r;
    the roots of a Ring depend on b, an NTT has one block.
    """

    core: Transform


def stages(formula: Formula) -> list[Stage]:
    """The stages of ``formula`` in the order in which they act: its rightmost factor first.

    Laws: A ⊗ B = (A ⊗ I)·(I ⊗ B); (A·B) ⊗ I = (A ⊗ I)·(B ⊗ I); I(m) ⊗ I(n) = I(m·n); A·B ⊕ C·D = (A ⊕ C)·(B ⊕ D); the
    direct sum of m equal parts is I(m) ⊗ A, that of Ring(n, t_i) over the factors of x^(m·n) − e(t) is Rings(m, n, t).
    Identities are left out: L(n, 1), L(n, n), T(n, 1), T(n, n), R(r, r).
    Raises MomagenError for transforms that are not kernels, and for direct sums without such a form.
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
        case DirectSum():
            for stage in _aligned(formula):
                yield replace(stage, left=left * stage.left, right=stage.right * right)
        case _:
            yield from _leaf(formula, left, right)


def _leaf(leaf: Formula, left: int, right: int) -> Iterator[Stage]:
    match leaf:
        case _ if _is_identity(leaf):
            return
        case Permutation():
            yield PermuteStage(left, leaf, right)
        case Diagonal() | Scale():
            yield ScalingStage(left, leaf, right)
        case Transform() if leaf.n in RADICES:
            yield KernelStage(left, leaf, right)
        case _:
            sizes = ", ".join(map(str, RADICES))
            raise MomagenError(f"kernels of size {sizes}", leaf, "stages", "expand the formula first")


def _is_identity(leaf: Formula) -> bool:
    """I, and the permutations and twiddles that move and change nothing."""
    match leaf:
        case L(n, k) | T(n, k):
            return k in (1, n)
        case R(n, radix):
            return n <= radix
    return isinstance(leaf, I)


def _aligned(formula: DirectSum) -> list[Stage]:
    """The stages of a direct sum: the first stages of all parts side by side, then the second, …"""
    columns = [stages(part) for part in formula.parts]
    if len(set(map(len, columns))) > 1:
        raise MomagenError("parts with equally many stages", list(map(len, columns)), "stages of a direct sum")
    return [_merged(column) for column in zip(*columns, strict=True)]


def _merged(column: tuple[Stage, ...]) -> Stage:
    first = column[0]
    if all(stage == first for stage in column):
        return replace(first, left=len(column) * first.left)
    if merged := _rings(column):
        return merged
    raise MomagenError("equal parts, or all rings of one split", first.core, "stages of a direct sum")


def _rings(column: tuple[Stage, ...]) -> KernelStage | None:
    """The direct sum of Ring(n, t_i) as one Rings(m, n, t), where the t_i are those of `split_turns`."""
    cores = [stage.core for stage in column if isinstance(stage.core, Ring)]
    shapes = {(stage.left, stage.right) for stage in column} | {(1, column[0].right)}
    if len(cores) < len(column) or len(shapes) > 1 or len({(core.n, core.inverse) for core in cores}) > 1:
        return None
    turns = [turn for core in cores for turn in split_turns(core.turn, core.blocks)]
    turn = turns[0] * len(turns)
    if turn >= 1 or turns != split_turns(turn, len(turns)):
        return None
    return KernelStage(1, replace(cores[0], turn=turn, blocks=len(turns)), column[0].right)
