"""Transforms in tiles: how residues are held inside, by which passes they go, and how codelets become operations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from momagen.errors import MomagenError
from momagen.ir import Block, Builder, Value
from momagen.kernels.flow.cache_blocking import LARGEST, Tiles, tiles
from momagen.kernels.residues import on_the_fly_quotient as packed
from momagen.kernels.residues.balanced_digits import centred
from momagen.kernels.residues.double_digits import LONGEST
from momagen.kernels.residues.lazy_digits import FreeArith
from momagen.kernels.spec.options import KERNEL_OPTIONS
from momagen.kernels.spec.spec import Spec
from momagen.lower.body.radix import to_digits
from momagen.lower.part_writer import PartWriter
from momagen.lower.phases import lower_digits
from momagen.lower.writer import ProgramWriter
from momagen.program import Expr, Number
from momagen.targets import Target

SPARE = 8
"""Bits for the multiples of q that rough quotients lack."""
PAIRED = 3
"""Digits up to which two butterflies in turns hide each other's latency; beyond, one fills the machine, and its
registers."""
WISHES = {
    "quotients": ("quotients", {"table": LONGEST, "computed": 0}),
    "constants": ("operands", {"memory": 1, "registers": 0}),
    "chain": ("longest", {length: int(length) for length in KERNEL_OPTIONS["chain"]}),
}
"""The key of a target for which an option speaks, and what it says."""


def wished(target: Target, options: Mapping[str, str]) -> Target:
    """``target`` with what the options of one kernel say for its keys."""
    said = {key: values[options[option]] for option, (key, values) in WISHES.items() if option in options}
    return replace(target, **said)  # type: ignore[arg-type]


class TileWriter(PartWriter):
    """Writes one transform; vectors hold digits, the scalar functions words.

    Attributes:
        inner: how digits hold residues. plan: the passes. between: another transform takes or gives the points.
    """

    inner: FreeArith

    def __init__(self, spec: Spec, beside: ProgramWriter, name: str = "") -> None:
        super().__init__(spec, beside, name)
        self.between = bool(name)
        self.target = wished(self.target, spec.options)
        levels = spec.n.bit_length() - 1
        self.inner = self.digits(levels)
        self.plan = self._passes()
        if self.rests:
            self.inner = self.digits(levels, rests=True)
            self.plan = self._passes()

    def _passes(self) -> Tiles:
        """The passes of digits as they are held."""
        options, target, run = self.spec.options, self.target, self.inner.run
        levels, group = (int(options.get(option, 0)) for option in ("levels", "group"))
        rest = {"": target.rests, "words": 1, "digits": 0}[options.get("storage", "")]
        vector = self.inner.words * target.lanes * target.word // 8
        opening = min(levels or LARGEST, self.inner.opening)
        found = tiles(self.spec.n, target, vector, min(levels or run, run), group, rest, opening=opening)
        if options.get("storage") == "words" and found.room == found.n:
            raise MomagenError("two passes over columns, to store residues between", f"{found.n} points", "storage")
        return found

    def digits(self, levels: int, rests: bool = False) -> FreeArith:
        """How residues are held between levels; ``rests``: some of the time in words."""
        target, ranges = self.target, self.spec.ranges
        given = FreeArith(
            self.arith.bits, target.digit, lane=target.word, levels=levels, doubling=self.spec.inverse,
            m_in=ranges.input, m_out=ranges.output, over=levels * (self.spec.inverse and not self.between),
            folds=self.spec.options.get("quotients") == "computed",
            rests=rests,
        )  # fmt: skip
        if self.spec.options.get("twiddles") == "packed":
            return self._packed(given)
        held = centred(given, target.lanes.bit_length() - 1, not self.spec.negacyclic)
        if held.words < given.words and 8 * self.spec.n * held.apart_words <= target.saved:
            return held
        return replace(given, packed=True) if self._packs(given) else held

    def _packs(self, a: FreeArith) -> bool:
        """Whether twiddles that differ by lane come as words: where the table is long, unless the options say.

        What a quotient costs grows with the square of its digits, and so does what a table may take.
        """
        told = {"twiddles", "quotients"} & self.spec.options.keys()
        long = 0 < self.target.packed * a.words**2 <= 8 * self.spec.n * a.apart_words
        return long and not told and packed.near_enough(a)

    def _packed(self, given: FreeArith) -> FreeArith:
        """With twiddles as words, and with a digit more where they leave no room for rough quotients."""
        found = given if packed.near_enough(given) else replace(given, spare=SPARE)
        assert packed.near_enough(found)
        return replace(found, packed=True)

    @property
    def plain(self) -> bool:
        """Whether there are no more digits than words: they rest as they are."""
        return self.inner.words == self.arith.words

    @property
    def rests(self) -> bool:
        """Whether residues rest in words between some passes, and are digits again after."""
        return self.plan.room < self.spec.n and not self.plain

    @property
    def moduli(self) -> str:
        return f"every odd q from 2^{self.inner.cut + 1} to 2^{self.inner.bits}"

    def fits(self, q: Expr) -> Expr:
        at, offset = divmod(self.inner.cut + 1, 64)
        longer: Expr = q[at] >> offset
        for i in range(at + 1, self.arith.words):
            longer = longer | q[i]
        whole = super().fits(q)
        return longer.is_not(0) if isinstance(whole, Number) else whole.both(longer.is_not(0))

    @property
    def again(self) -> bool:
        """Whether a butterfly reads its constants from memory where it uses them: there are more than registers."""
        return not self.paired and 0 < self.target.operands <= self.inner.words

    @property
    def paired(self) -> bool:
        """Whether two butterflies go in turns: where they fit the registers, or nearly, unless the options say."""
        asked = self.spec.options.get("paired")
        if asked or self.spec.options.get("constants") == "memory":
            return asked == "yes"
        return self.inner.words <= PAIRED and self.target.registers >= 32

    @property
    def fused(self) -> bool:
        """Whether a loop does two levels at once: where the registers hold four residues and three twiddles."""
        return self.inner.single and not self.paired and self.spec.options.get("constants") != "memory"

    @property
    def opened(self) -> int:
        """Levels that go with the conversion of what comes in; on the way back, of results."""
        rows, fit = self.plan.columns[0].rows if self.plan.columns else self.target.lanes, self.inner.sums_first
        return 2 if not self.spec.negacyclic and rows >= 4 and (fit or self.spec.inverse) else 1

    @property
    def step(self) -> int:
        """Words of a vector of residues, digit after digit."""
        return self.inner.words * self.target.lanes

    @property
    def wide(self) -> int:
        """Words of the user's, of as many residues."""
        return self.arith.words * self.target.lanes

    def lowered(self, block: Block) -> Block:
        """``block`` as the target does it on digits."""
        return self.counted(lower_digits(block, self.target, self.trace))

    def reduced(self, block: Block) -> Block:
        """The same of a block whose result is to be below q."""
        return self.lowered(block)

    def counted(self, block: Block) -> Block:
        self.operations += block.counts()
        return block

    def arrived(self, b: Builder, words: list[Value]) -> list[Value]:
        """Words as the digits that codelets take."""
        return to_digits(b, words, self.target.word, self.inner.word, self.inner.words)
