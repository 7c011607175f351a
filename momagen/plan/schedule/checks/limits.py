"""What a schedule must agree with: the request and the machine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from momagen.kernels.residues.arith import FULL_LIMBS, Arith
from momagen.plan.schedule.types import Breakdown

Problems = Iterator[tuple[str, str]]
"""The place of each problem in the schedule, and a sentence about it."""


@dataclass(frozen=True)
class ScheduleLimits:
    """What a schedule on full-radix limbs, or on words modulo q, must agree with.

    Attributes:
        breakdown: The transform that was requested. Its radix, and which columns are index bits, are not compared.
        arith: The arithmetic on residues.
        columns: The number of columns.
        operand: The operands are below ``operand``·q.
        result: The results must be below ``result``·q.
        lanes: The number of lanes of a vector of the target.
        room: The capacity of the shared memory of a block, in residues, or the largest number of vectors of a
            rectangle.
        residues: The value that the field ``residues`` must have.
    """

    breakdown: Breakdown
    arith: Arith
    columns: int
    operand: int
    result: int
    lanes: int = 1
    room: int = 0
    residues: str = FULL_LIMBS
