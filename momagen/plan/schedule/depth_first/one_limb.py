"""Register-blocked transforms, whose residues fit one limb, word or double.

A step loads 2^levels vectors into registers. In the order of the transform, each step begins with the range
of values that the previous one leaves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from momagen.kernels.butterflies.codelets import Codelet
from momagen.kernels.butterflies.step_chains import StepChain, step_codelets
from momagen.kernels.flow.lane_levels import LaneLevels, lane_levels
from momagen.kernels.residues.single_digit import OneDigit, one_digit
from momagen.kernels.residues.single_double import OneDouble
from momagen.kernels.residues.single_signed import OneSigned
from momagen.plan.schedule.placed import Kept, Placed
from momagen.plan.schedule.tiles import PassTiles, Tiles
from momagen.plan.schedule.types import DOUBLE, LONG_RING, RING, SIGNED
from momagen.targets import Target

from .choices import RUN, StepChoices
from .transform import DepthFirstTransform

GAPS = 3
"""The number of additional gaps between blocks of rows."""
ENDS = 2
"""The bound, in multiples of q, that results must have before their conversion to words, which reduces them
once more. That reduction uses all lanes of the words."""
Shape = tuple[int, LaneLevels | None]
"""The number of levels of a step, and its levels across lanes, or None if it is on whole vectors."""


@dataclass(frozen=True)
class StepTransform(DepthFirstTransform):
    """A transform in register-blocked passes.

    Attributes:
        choices: The choices that the schedule states, from which everything else follows.
    """

    choices: StepChoices = field(kw_only=True)

    @property
    def whole(self) -> bool:
        """Whether constants that differ by lane have all columns."""
        return self.inner.letters(self.choices.pairs) == self.inner.letters(True)

    @property
    def longer(self) -> bool:
        """Whether values between the loads of operands and the stores of results are limbs in longer lanes.

        These lanes have several words of the target.
        """
        return self.choices.residues == LONG_RING

    @cached_property
    def machine(self) -> Target:
        """The target whose operations the steps use."""
        return self.target.inside_target if self.longer else self.target

    @property
    def has_whole_words(self) -> bool:
        """Whether each residue is one whole word instead of a shorter limb or a double."""
        return not isinstance(self.inner, OneDouble) and self.inner.word == self.target.word

    @property
    def lanes(self) -> int:
        """The number of lanes of a vector."""
        return self.machine.lanes

    @property
    def value_words(self) -> int:
        """The number of words of a value between passes."""
        return self.machine.word // self.target.word

    @property
    def gap(self) -> int:
        """The number of unused words between rows of values between passes.

        Without gaps, rows at a distance of a power of two would share a few sets of the caches.
        """
        return self.line * self.longer

    def reach(self, at: int) -> int:
        """Return the number of words from one row of column pass ``at`` to the next, between passes."""
        columns = self.tiles.columns
        if at in (-1, len(columns) - 1):
            return columns[at].stride * self.value_words + self.gap
        return columns[at + 1].rows * self.reach(at + 1) + GAPS * self.gap

    @cached_property
    def inner(self) -> OneDigit | OneDouble | OneSigned:
        """The representation of residues in a tile."""
        bits, residues, machine = self.spec.arith.bits, self.choices.residues, self.machine
        if residues in (DOUBLE, SIGNED):
            return OneDouble(bits) if residues == DOUBLE else OneSigned(bits)
        ring = residues in (RING, LONG_RING)
        return one_digit(bits, machine.digit, machine.word, ring=ring, rounds="mulhrs" in self.target.ops)

    @property
    def kept(self) -> Kept:
        """The offsets of the numbers that depend only on q; q, 1/q, R^2 and 2^digit·R mod q come first in a plan."""
        own, words = self.inner, self.value_words
        if self.longer:
            return Kept((("q", 4), ("mu", 4 + words)), 4 + 2 * words, words, longer=True)
        return Kept(tuple(own.places.items()), 1 + max(own.places.values()), self.target.copies)

    @property
    def shortest(self) -> int:
        """The number of bits that every modulus exceeds."""
        return self.inner.shortest

    @property
    def digit(self) -> int:
        """The number of bits of the factors of products."""
        return self.inner.digit or self.inner.word

    @property
    def line(self) -> int:
        """The alignment of the tables of the rows, in words: one vector."""
        return self.lanes * self.value_words

    @property
    def kind(self) -> str:
        """A description of the representation of residues."""
        if isinstance(self.inner, OneDouble):
            return f"1 floating-point limb of radix 2^{self.digit}"
        if self.inner.high:
            return f"{self.inner.word}-bit words"
        if self.inner.whole:
            return f"64-bit words, with quotients from {self.digit}-bit products"
        return f"1 integer limb of radix 2^{self.digit}"

    @cached_property
    def tiles(self) -> Tiles:
        """The passes over memory. A row of a matrix is not padded."""
        (whole, across), lanes, depth, columns = self.choices.rows, self.lanes, 0, list[PassTiles]()
        n, row = (self.spec.elements, 0) if across else (self.spec.n, self.spec.columns)
        for levels in map(sum, self.choices.columns):
            stride = (n >> depth + levels) * max(1, row)
            columns.append(PassTiles(depth, levels, stride, left=stride % lanes))
            depth += levels
        group = min(RUN, 1 << depth) if self.looped else self.together
        return Tiles(n, lanes, tuple(columns), PassTiles(depth, whole, lanes, group=group, across=across), row)

    @cached_property
    def chain(self) -> list[list[Placed]]:
        """The steps of each pass over columns, followed by the steps of the rows, from the whole ring down."""
        shapes = self._shapes()
        steps, pairs, found = [each for row in shapes for each in row], self.whole, list[list[Placed]]()
        codelets = self._codelets([(levels, each is not None, pairs or not each) for levels, each in steps])
        for row in shapes:
            depth, begin, placed = 0, 0, list[Placed]()
            for levels, each in row:
                begin = -(-begin // self.line) * self.line if each else begin
                letters, scaled = self.inner.letters(pairs or not each), self.spec.inverse and not found and not depth
                copies = self.value_words if self.longer else 1 if each else self.target.copies
                placed.append(Placed(depth, begin, levels, each, letters, copies, scaled, next(codelets)))
                depth, begin = depth + levels, placed[-1].end
            found.append(placed)
        return found

    def _shapes(self) -> list[list[Shape]]:
        """Return the shapes of the steps of each pass over columns, followed by the shapes of the steps of the rows."""
        vectors, across = self.choices.rows
        lanes = lane_levels(self.lanes.bit_length() - 1, vectors, across) if across else []
        ends = [lanes[-1]._replace(levels=0)] * self.finishes if lanes else []
        rows: list[Shape] = [*[(vectors, None)] * (across > 0), *((each.levels, each) for each in (*lanes, *ends))]
        columns: list[list[Shape]] = [[(levels, None) for levels in row] for row in self.choices.columns]
        return [*columns, rows]

    def _codelets(self, shapes: Sequence[tuple[int, bool, bool]]) -> Iterator[Codelet]:
        """Yield the codelets of steps, from the whole ring down.

        They are generated in the order of the transform, which is the opposite order for an inverse
        transform.

        Args:
            shapes: For each step, the number of levels, whether constants differ by lane, and whether they
                come with quotients.
        """
        spec, turn = self.spec, slice(None, None, -1 if self.spec.inverse else 1)
        last = max(spec.ranges.output, ENDS) if self.longer else spec.ranges.output
        ones, apart = not spec.splits, self.lanes * self.finishes
        chain = StepChain(tuple(shapes[turn]), spec.inverse, spec.ranges.input, last, ones, apart)
        return iter(step_codelets(self.inner, chain)[turn])

    @property
    def looped(self) -> bool:
        """Whether each step of the rows has a separate loop, because products of doubles have a long latency.

        These loops leave tiles in one of two orders, so that all levels across lanes must be one step.
        """
        vectors, across = self.choices.rows
        return isinstance(self.inner, OneDouble) and 0 < across <= vectors

    @property
    def together(self) -> int:
        """The number of interleaved tiles of rows."""
        return self.choices.together

    @property
    def finishes(self) -> bool:
        """Whether the conversion of the results from doubles to words is a separate step without levels."""
        return self.looped and not self.spec.inverse

    def block_words(self, at: int) -> int:
        """Return the number of words of the constants of one block of pass ``at``."""
        return max((placed.end for placed in self.chain[at]), default=0)
