"""Reductions of an engine's sums to residues: Montgomery's, Barrett's, or another product on the engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from momagen.errors import MomagenError, among
from momagen.ir import Block
from momagen.kernels.matrices.engines import FOLDED, MONTGOMERY, SUMS, fold_on
from momagen.kernels.matrices.folds import Fold, check_room, folded, product_parted, sums_parted
from momagen.kernels.matrices.merge import least_modulus, merge, merge_by_quotient
from momagen.kernels.matrices.sums import DigitSums
from momagen.targets import Engine

from .codelets import ArrayCodelet, ArrayCodelets


@dataclass(frozen=True)
class FoldStep:
    """The first part of a reduction by an engine.

    Attributes:
        fold: The digits of the high parts, which the engine multiplies by the digits of powers of two modulo
            q.
        engine: The engine.
        parted: The codelet that returns low parts, and digits of high parts.
    """

    fold: Fold
    engine: Engine
    parted: ArrayCodelet


@dataclass(frozen=True)
class Reduction:
    """A reduction of sums to residues.

    Attributes:
        count: The number of its operands.
        merged: The codelet that computes residues, from sums or, after a ``fold``, from low parts and the
            fold's sums.
        lifted: The matrix must be multiplied by 2^lifted.
        least: The smallest modulus that it supports.
        fold: The first part of a reduction by an engine, or None.
    """

    count: int
    merged: ArrayCodelet
    lifted: int = 0
    least: int = 3
    fold: FoldStep | None = None

    @property
    def codelets(self) -> list[ArrayCodelet]:
        """The codelets in the order in which they run."""
        return [self.fold.parted, self.merged] if self.fold else [self.merged]


def reduction(codelets: ArrayCodelets, sums: DigitSums, way: str, m: int, engine: str, name: str = "") -> Reduction:
    """Return the reduction of ``sums`` to residues below m·q.

    Args:
        codelets: The codelets of the kernel, to which the codelets of the reduction are added.
        sums: The sums.
        way: The method, one of ``SUMS``.
        m: The bound on results.
        engine: The name of the engine for a fold, or "" for the cheapest one.
        name: A suffix that distinguishes its codelets from others of the kernel.

    Raises:
        MomagenError: The method is unknown, or does not support the moduli.
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
    """Return the reduction by folding of x·y modulo q, for x and y below m_in·q.

    Raises:
        MomagenError: The modulus nearly fills its words, or the target has no engines.
    """
    top = (m_in * codelets.arith.top) ** 2
    return _folded(codelets, top, "", lambda fold: product_parted(fold, m_in), ["x", "y"], m_out)


def _folded(
    codelets: ArrayCodelets, top: int, asked: str, parted: Callable[[Fold], Block], operands: Sequence[str], m: int,
    name: str = "",
) -> Reduction:  # fmt: skip
    """Return the reduction by folding of numbers below ``top``.

    Args:
        codelets: The codelets of the kernel.
        top: The bound on the numbers.
        asked: The name of the engine, or "" for the cheapest one.
        parted: A function of the fold that returns the block for low parts and for digits of high parts.
        operands: The names of the operands of this block.
        m: The bound on results, which are below m·q.
        name: A suffix of the name of this block.
    """
    check_room(codelets.arith)
    engine, fold = fold_on(codelets.target.engine, codelets.arith, top, asked)
    parts = ["low", *(f"d{at}" for at in range(fold.digits.count))]
    first = codelets.shared(f"parted{name}", parted(fold), operands, parts)
    last = f"folded_{fold.digits.count}_{fold.size}_{m}"
    merged = codelets.shared(last, folded(fold, m), ["low", *fold.sums.names], ["z"])
    return Reduction(len(operands), merged, fold=FoldStep(fold, engine, first))
