"""From what an engine sums up to residues: by Montgomery's or Barrett's reduction, or by the engine once more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from momagen.errors import MomagenError, among
from momagen.ir import Block
from momagen.kernels.matrices.folds import Fold, check_room, folded, product_parted, sums_parted
from momagen.kernels.matrices.merge import least_modulus, merge, merge_by_quotient
from momagen.kernels.matrices.sums import DigitSums
from momagen.plan.engines import FOLDED, MONTGOMERY, SUMS, fold_on
from momagen.targets import Engine

from .codelets import ArrayCodelet, ArrayCodelets


@dataclass(frozen=True)
class FoldStep:
    """``parted`` gives low parts, and digits of high parts that the engine multiplies by those of powers of two."""

    fold: Fold
    engine: Engine
    parted: ArrayCodelet


@dataclass(frozen=True)
class Reduction:
    """Residues of sums.

    Attributes:
        count: of what it takes. merged: of sums; behind a ``fold`` of low parts and of its sums. lifted: the matrix is
            times 2^lifted. least: the smallest modulus that it serves.
    """

    count: int
    merged: ArrayCodelet
    lifted: int = 0
    least: int = 3
    fold: FoldStep | None = None

    @property
    def codelets(self) -> list[ArrayCodelet]:
        """In the order in which they run."""
        return [self.fold.parted, self.merged] if self.fold else [self.merged]


def reduction(codelets: ArrayCodelets, sums: DigitSums, way: str, m: int, engine: str, name: str = "") -> Reduction:
    """That of ``sums`` to residues below m·q, one of ``SUMS``; ``engine``: of a fold. ``name``: of others of a kernel.

    Raises:
        MomagenError: an unknown way, or a modulus that it does not serve.
    """
    if way not in SUMS:
        raise among("one of the reductions", SUMS, way, "sums")
    if way == FOLDED:
        return _folding(codelets, sums, m, engine, name)
    made = merge(sums, m) if way == MONTGOMERY else merge_by_quotient(_served(sums), m)
    merged = codelets.shared(f"merged{name}", made, sums.names, ["z"])
    lifted, least = (sums.radix, 3) if way == MONTGOMERY else (0, least_modulus(sums))
    return Reduction(sums.count, merged, lifted, least)


def _served(sums: DigitSums) -> DigitSums:
    if (least := least_modulus(sums)) >> sums.arith.bits - 1 > 1:
        raise MomagenError(f"a modulus of at least {least.bit_length()} bits", f"{sums.arith.bits} bits", "sums")
    return sums


def _folding(codelets: ArrayCodelets, sums: DigitSums, m: int, asked: str, name: str) -> Reduction:
    top = (codelets.arith.top << sums.gain() + 1) + 1
    return _folded(codelets, top, asked, lambda fold: sums_parted(sums, fold), sums.names, m, name)


def product_reduction(codelets: ArrayCodelets, m_in: int, m_out: int) -> Reduction:
    """x·y modulo q for x and y below m_in·q, folded.

    Raises:
        MomagenError: a modulus that nearly fills its words, or a target without engines.
    """
    top = (m_in * codelets.arith.top) ** 2
    return _folded(codelets, top, "", lambda fold: product_parted(fold, m_in), ["x", "y"], m_out)


def _folded(
    codelets: ArrayCodelets, top: int, asked: str, parted: Callable[[Fold], Block], operands: Sequence[str], m: int,
    name: str = "",
) -> Reduction:  # fmt: skip
    """Of numbers below ``top``, of which ``parted`` makes low parts and digits of high parts."""
    check_room(codelets.arith)
    engine, fold = fold_on(codelets.target.engine, codelets.arith, top, asked)
    parts = ["low", *(f"d{at}" for at in range(fold.digits.count))]
    first = codelets.shared(f"parted{name}", parted(fold), operands, parts)
    last = f"folded_{fold.digits.count}_{m}"
    merged = codelets.shared(last, folded(fold, m), ["low", *fold.sums.names], ["z"])
    return Reduction(len(operands), merged, fold=FoldStep(fold, engine, first))
