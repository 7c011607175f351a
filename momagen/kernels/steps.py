"""A transform in tiles whose levels go several at a time: a *step* takes 2^levels vectors through registers.

The ranges of the values pass from step to step, in the order in which the transform takes them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .one_digit import OneDigit, Range, Step, forward, inverse
from .tiles import Tiles, parts

SHARE = 2
"""Of the registers, one in so many holds values; the others are for products and constants."""


@dataclass(frozen=True)
class Placed:
    """A step under every block of one pass.

    Attributes:
        depth: levels of its pass above it. apart: whether its constants differ by lane.
    """

    depth: int
    levels: int
    apart: bool
    step: Step

    @property
    def radix(self) -> int:
        return 1 << self.levels

    @property
    def blocks(self) -> int:
        """Blocks of the step under one block of its pass."""
        return 1 << self.depth


@dataclass(frozen=True)
class Chain:
    """All steps of one transform: by column pass, and of the rows, from the whole ring down."""

    columns: tuple[tuple[Placed, ...], ...]
    rows: tuple[Placed, ...]


def radix_levels(registers: int, digits: int) -> int:
    """Levels of a step: their values fill the share of the registers that is theirs."""
    return (registers // SHARE // digits).bit_length() - 1


def chain(arith: OneDigit, plan: Tiles, levels: int, *, inverse: bool, m_in: int, m_out: int) -> Chain:
    """The steps of ``levels`` levels at most, from values below m_in·q to values below m_out·q."""
    log = plan.lanes.bit_length() - 1
    shapes = [[(n, False) for n in parts(one.levels, levels)] for one in plan.columns]
    shapes.append([(log, False), (log, True)])
    order = [(at, place) for at, row in enumerate(shapes) for place in range(len(row))]
    made = list(_steps(arith, [shapes[at][place] for at, place in order], inverse, m_in, m_out))
    found = dict(zip(order, made, strict=True))

    def placed(at: int) -> tuple[Placed, ...]:
        row = shapes[at]
        return tuple(
            Placed(sum(n for n, _ in row[:i]), n, apart, found[at, i]) for i, (n, apart) in enumerate(row)
        )

    return Chain(tuple(placed(at) for at in range(len(plan.columns))), placed(len(plan.columns)))


def _steps(arith: OneDigit, shapes: list[tuple[int, bool]], back: bool, m_in: int, m_out: int) -> Iterator[Step]:
    """Steps from the whole ring down; made in the order of the transform, which may go up."""
    lift = sum(n for n, _ in shapes)
    lift = 0 if m_in + 2 * lift > arith.room else lift
    made, given = list[Step](), (0, m_in)
    for at, (levels, apart) in enumerate(reversed(shapes) if back else shapes):
        made.append(_step(arith, levels, apart, given, back, 0 if at else lift, m_out * (at == len(shapes) - 1)))
        given = made[-1].out
    return reversed(made) if back else iter(made)


def _step(arith: OneDigit, levels: int, apart: bool, given: Range, back: bool, lift: int, last: int) -> Step:
    if back:
        return inverse(arith, 1 << levels, given, apart=apart, last=last)
    return forward(arith, 1 << levels, given, apart=apart, lift=lift, last=last)
