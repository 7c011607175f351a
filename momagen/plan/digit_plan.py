"""Plans of transforms on reduced-radix limbs: the representation of residues, the passes and their loops."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from momagen.errors import build_error
from momagen.kernels.flow.layouts import LANES
from momagen.kernels.residues import on_the_fly_quotient as packed
from momagen.kernels.residues.double_digits import LONGEST, doubles, one_double
from momagen.kernels.residues.integer_digits import balanced, lazy
from momagen.kernels.residues.reduced_radix import ReducedRadix
from momagen.kinds.modular.options.record import KernelOptions
from momagen.plan.tiles import LARGEST, Tiles, tiles
from momagen.targets import Target

from .depth_first import DepthFirstPlan

SPARE = 8
"""The number of bits that values leave free for the multiples of q by which computed quotients are too small."""
PAIRED = 3
"""The largest number of limbs for which two butterflies are interleaved by default, so that one of them
proceeds while the other one waits. With more limbs, one butterfly occupies the machine and its registers."""
MANY = 32
"""The number of registers from which on scheduled code with early loads is faster. With fewer registers it
spills."""
QUOTIENTS: Mapping[str | None, int] = {"table": LONGEST, "computed": 0}
OPERANDS: Mapping[str | None, int] = {"memory": 1, "registers": 0}
"""The values of keys of a target that options replace, by the value of the option; ``QUOTIENTS`` is the same
for quotients."""


def wished(target: Target, options: KernelOptions) -> Target:
    """Return the target with the values of the keys that the options of a kernel replace."""
    return replace(
        target, quotients=QUOTIENTS.get(options.quotients, target.quotients),
        operands=OPERANDS.get(options.constants, target.operands), longest=options.chain or target.longest,
    )  # fmt: skip


@dataclass(frozen=True)
class DigitPlan(DepthFirstPlan):
    """A plan of one transform on reduced-radix limbs."""

    inside = "limbs"
    layout = LANES

    @property
    def shortest(self) -> int:
        """The number of bits that every modulus exceeds."""
        return self.inner.cut + 1

    @cached_property
    def target(self) -> Target:
        """The target with the values that options replace."""
        return wished(self.spec.target, self.spec.options)

    @cached_property
    def inner(self) -> ReducedRadix:
        """The representation of residues in limbs between levels.

        If residues are stored as words between some passes, it has headroom for their conversion.
        """
        found = self.digits()
        rests = self.rests(self._passes(found)) and found.words != self.spec.arith.words
        return self.digits(rests=True) if rests else found

    @cached_property
    def tiles(self) -> Tiles:
        """The passes over memory."""
        return self._passes(self.inner)

    @staticmethod
    def rests(found: Tiles) -> bool:
        """Return whether residues are stored as words between some passes."""
        return any(one.rests for one in found.columns)

    @property
    def kind(self) -> str:
        """A description of the limbs of a residue."""
        kind, count = "floating-point limb" if self.inner.real else "integer limb", self.inner.words
        return f"{count} {kind}{'s' * (count > 1)} of radix 2^{self.inner.word}"

    @property
    def row(self) -> int:
        """The number of residues of a row of the matrix between passes, or 0 without a matrix.

        Rows are padded to whole vectors.
        """
        return -(-self.spec.columns // self.lanes) * self.lanes * (self.spec.columns > 1)

    def steps(self, at: int) -> list[int]:
        """Return the numbers of levels between a load and a store of pass ``at``: one for each level."""
        if at < 0 and self.row:
            return []
        one = self.tiles.passes[at]
        return [1] * (one.levels + one.across)

    def block_words(self, at: int) -> int:
        """Return the number of words of the constants of one block of pass ``at``."""
        if at < 0 and self.row:
            return 0
        one, inner = self.tiles.passes[at], self.inner
        return (one.rows - 1) * (inner.shared_words + self.lanes * inner.apart_words * (one.across > 0))

    def _passes(self, inner: ReducedRadix) -> Tiles:
        """Return the passes for residues in this representation.

        Raises:
            MomagenError: The option ``storage`` requests words between passes, and the transform has no two
                passes over columns.
        """
        options, target, run = self.spec.options, self.target, inner.run
        levels, group = options.levels or 0, options.interleave_blocks or 0
        rest = {None: target.word_storage_from, "words": 1, "limbs": 0}[options.storage]
        vector = inner.words * target.lanes * target.word // 8
        opening, row = min(levels or LARGEST, inner.opening), self.row
        rest = 0 if row > self.spec.columns else rest
        found = tiles(self.spec.n, target, vector, min(levels or run, run), group, rest, opening=opening, row=row)
        if options.storage == "words" and not self.rests(found):
            problem = '`storage="words"` requires two passes over columns, between which residues are stored as words'
            remedy = f"omit `storage`, because a transform of {found.n} points has fewer"
            raise build_error(problem, "storage", remedy)
        return found

    def digits(self, rests: bool = False) -> ReducedRadix:
        """Return the representation of residues in limbs.

        Args:
            rests: Whether residues are stored as words between some passes.
        """
        spec, target, levels = self.spec, self.target, self.spec.n.bit_length() - 1
        asked = ReducedRadix(
            spec.arith.bits, target.digit, lane=target.word, levels=levels, doubling=spec.inverse,
            m_in=spec.ranges.input, m_out=spec.ranges.output,
            over=levels * (spec.inverse and not self.product and spec.divisor_bits == levels),
            folds=spec.options.quotients == "computed", rests=rests,
        )  # fmt: skip
        log_lanes = 0 if self.row else target.lanes.bit_length() - 1
        if target.real:
            return one_double(asked) or doubles(asked, target.real, target.quotients, 2 * max(log_lanes, 1))
        given = lazy(asked)
        if spec.options.twiddles == "packed":  # with one more limb if computed quotients lack headroom
            found = next(a for a in (given, lazy(asked, SPARE)) if packed.near_enough(a))
            return replace(found, packed=True)
        held = balanced(asked, log_lanes, not spec.splits)
        if held.words < given.words and 8 * spec.n * held.apart_words <= target.saved:
            return held
        return replace(given, packed=True) if self._packs(given) else held

    def _packs(self, a: ReducedRadix) -> bool:
        """Return whether twiddles that differ by lane are stored packed, as words, although no option requests it.

        They are if their table is long. Since the cost of computing a quotient grows with the square of the
        number of limbs, so does the size from which on a table is long.
        """
        told = self.spec.options.twiddles or self.spec.options.quotients
        long = 0 < self.target.packed * a.words**2 <= 8 * self.spec.n * a.apart_words
        return long and not told and packed.near_enough(a)

    @property
    def plain(self) -> bool:
        """Whether limbs are stored unchanged between passes, because a residue has the same number of words."""
        return self.inner.words == self.spec.arith.words

    @property
    def again(self) -> bool:
        """Whether every butterfly reads its constants from memory, because they do not fit the registers."""
        return not self.paired and 0 < self.target.operands <= self.inner.words

    @property
    def paired(self) -> bool:
        """Whether the instructions of two butterflies are interleaved.

        By default they are if two butterflies nearly fit the registers. They are never interleaved if a pass
        has only one butterfly for each broadcast twiddle.
        """
        asked = self.spec.options.interleave_butterflies
        if any(one.rows == 2 for one in self.tiles.columns[min(self.opened, 1) :]):
            return False
        if asked is not None or self.spec.options.constants == "memory":
            return bool(asked)
        return self.inner.words <= PAIRED and self.target.registers >= MANY

    @property
    def fused(self) -> bool:
        """Whether a loop computes two levels at once, because the registers hold four residues and three twiddles."""
        return self.inner.single and not self.paired and self.spec.options.constants != "memory"

    @property
    def opened(self) -> int:
        """The number of levels that are fused with the conversion of the input.

        In inverse transforms it is the number of levels that are fused with the conversion of the results, or
        0 if the results are scaled.
        """
        if self.spec.inverse and not self.inner.over:
            return 0
        rows, fit = self.tiles.columns[0].rows if self.tiles.columns else self.target.lanes, self.inner.sums_first
        return 2 if not self.spec.splits and rows >= 4 and (fit or self.spec.inverse) else 1
