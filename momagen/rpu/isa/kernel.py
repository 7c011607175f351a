"""Programs for any modulus: their tables contain powers of a root, and modulus and root are inserted before a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from gmpy2 import invert, powmod

from momagen.errors import MomagenError, build_error

from .instruction import RpuInstruction
from .program import Area, RpuProgram
from .table import b512


class Powers(NamedTuple):
    """A table of powers of a root.

    Word i is root^(first + the sum of steps[b] over the bits b that are set in i), divided by n if ``scaled``
    is true.
    """

    first: int
    steps: tuple[int, ...] = ()
    scaled: bool = False

    @property
    def words(self) -> int:
        """The number of words."""
        return 1 << len(self.steps)

    def numbers(self, q: int, root: int, n: int) -> list[int]:
        """Return the words for a modulus q, a root and a number of points n."""
        found = [powmod(root, self.first, q) * (invert(n, q) if self.scaled else 1) % q]
        for step in self.steps:
            turn = powmod(root, step, q)
            found += [each * turn % q for each in found]
        return [int(each) for each in found]


class PowerTable(NamedTuple):
    """Powers of the root of a tower, at a place in the vector memory.

    Attributes:
        tower: The index of the tower.
        begin: The first word.
        powers: The powers.
    """

    tower: int
    begin: int
    powers: Powers


@dataclass(frozen=True)
class RpuKernel:
    """A program without its moduli.

    Attributes:
        instructions: The instructions.
        areas: The named parts of the vector memory.
        towers: The number of moduli, which are the first words of the scalar memory.
        scalars: The names of the scalars, which follow in the scalar memory, with one number for each
            modulus.
        n: The number of points of its transforms, or 0.
        order: The order of their root, or 0.
        tables: The tables of powers in the vector memory.
        rules_applied: The number of applications of each rewrite rule to its blocks, by the label of the
            rule.
    """

    instructions: list[RpuInstruction]
    areas: Mapping[str, Area]
    towers: int = 1
    scalars: tuple[str, ...] = ()
    n: int = 0
    order: int = 0
    tables: Sequence[PowerTable] = field(default=())
    rules_applied: Counter[str] = field(default_factory=Counter, compare=False)

    def __post_init__(self) -> None:
        end = max((table.begin + table.powers.words for table in self.tables), default=0)
        reach = 1 << b512().fields["ADDRESS"].bits
        if end > reach:
            problem = f"vectors and tables need {end} words, and the vector memory has {reach}"
            raise build_error(problem, "program", "use fewer points or moduli, or a smaller batch")
        self._check_points()

    def _check_points(self) -> None:
        """Raise MomagenError if the size, the order of the root or the twiddle tables do not fit a transform."""
        if self.towers < 1:
            raise MomagenError("at least 1 modulus", self.towers, "program, towers")
        if self.n < 0 or self.n & (self.n - 1):
            raise MomagenError("0 or a power of two", self.n, "program, points")
        orders = (self.n, 2 * self.n) if self.n else (0,)
        if self.order not in orders:
            expected = f"a root of order {' or '.join(map(str, orders))} for {self.n} points"
            raise MomagenError(expected, self.order, "program, order")
        for table in self.tables:
            if not self.n:
                raise build_error("twiddle tables need a number of points (`.points`)", "program, table")
            if table.tower >= self.towers:
                expected = f"the number of a modulus from 0 to {self.towers - 1}"
                raise MomagenError(expected, table.tower, "program, table")

    def program(
        self, moduli: Sequence[int], roots: Sequence[int] = (), scalars: Sequence[Sequence[int]] = ()
    ) -> RpuProgram:
        """Return the program for these moduli.

        Args:
            moduli: One modulus for each tower.
            roots: One root of order ``order`` for each modulus; empty if the kernel is not a transform.
            scalars: For each name of ``self.scalars``, one number for each modulus.

        Raises:
            MomagenError: The number of moduli, roots or scalars does not match the kernel.
        """
        given = {"moduli": len(moduli), **({"roots": len(roots)} if self.n else {})}
        given |= {name: len(numbers) for name, numbers in zip(self.scalars, scalars, strict=False)}
        for what, count in given.items():
            if count != self.towers:
                raise MomagenError(f"{self.towers} {what}, one for each modulus of the kernel", count, "program")
        if len(scalars) != len(self.scalars):
            raise MomagenError(f"numbers for {len(self.scalars)} scalars", len(scalars), "program")
        words = {
            begin: powers.numbers(moduli[tower], roots[tower], self.n) for tower, begin, powers in self.tables
        }  # fmt: skip
        numbers = [*moduli, *(number for some in scalars for number in some)]
        return RpuProgram(self.instructions, {0: numbers}, words, self.areas)
