"""The files of a transform in tiles: digits with slack inside, words of the user outside."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from momagen.errors import MomagenError
from momagen.kernels import packed
from momagen.kernels.centred import centred
from momagen.kernels.free import FreeArith
from momagen.kernels.last import last, last_two
from momagen.kernels.levels import (
    cooley_tukey,
    finish,
    first,
    first_two,
    gentleman_sande,
    lift,
    rest,
    resume,
    scaled,
    settle,
)
from momagen.kernels.spec import Spec
from momagen.kernels.stage import inverse_places, user_places
from momagen.kernels.tiles import LARGEST, Tiles, tiles

from .networks import WOVEN, Network, woven_places
from .source import Writer
from .tile_choice import wished
from .tile_loops import Lines, TileLoops

SPARE = 8
"""Bits for the multiples of q that rough quotients lack."""


class TileWriter(TileLoops):
    """Collects the loop bodies of one transform; vectors hold digits, the scalar functions words."""

    def __init__(self, spec: Spec, beside: Writer | None = None) -> None:
        """``beside``: of a transform between which and another one stands; what both use is counted there."""
        super().__init__(spec)
        self.between = beside is not None
        if beside:
            self.trace, self.operations, self.chains = beside.trace, beside.operations, beside.chains
        self.target = wished(self.target, spec.options)
        levels = spec.n.bit_length() - 1
        self.inner = self.digits(levels)
        self.plan = self._passes()
        if self.plan.room < spec.n and not self.plain:
            self.inner = self.digits(levels, rests=True)
            self.plan = self._passes()

    def _passes(self) -> Tiles:
        """The passes of digits as they are held."""
        options, target, run = self.spec.options, self.target, self.inner.run
        levels, group = (int(options.get(option, 0)) for option in ("levels", "group"))
        rest = {"": target.rests, "words": 1, "digits": 0}[options.get("storage", "")]
        vector = self.inner.words * target.lanes * target.word // 8
        opening = min(levels or LARGEST, self.inner.opening)
        found = tiles(self.spec.n, target.lanes, vector, min(levels or run, run), group, rest, opening=opening)
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
    def moduli(self) -> str:
        return f"every odd q from 2^{self.inner.cut + 1} to 2^{self.inner.bits}"

    def top_check(self) -> str:
        at, offset = divmod(self.inner.cut + 1, 64)
        longer = " || ".join([f"q[{at}] >> {offset}", *(f"q[{i}]" for i in range(at + 1, self.arith.words))])
        return f"{super().top_check()} && ({longer})"

    @property
    def again(self) -> bool:
        """Whether a butterfly reads its constants from memory where it uses them: there are more than registers."""
        return not self.paired and 0 < self.target.operands <= self.inner.words

    @property
    def opened(self) -> int:
        """Levels that go with the conversion of what comes in; on the way back, of results."""
        rows, fit = self.plan.columns[0].rows if self.plan.columns else self.target.lanes, self.inner.sums_first
        return 2 if not self.spec.negacyclic and rows >= 4 and (fit or self.spec.inverse) else 1

    @property
    def woven(self) -> bool:
        """Whether a whole tile goes through one network."""
        return self.arith.words <= WOVEN and self.arith.words & (self.arith.words - 1) == 0

    def reals(self) -> dict[str, list[str]]:
        """The units of digits that are held in doubles, as C numbers; none where digits are integers."""
        return {}

    def bodies(self) -> dict[str, Lines]:
        """All bodies that the template puts into loops."""
        a, inverse, words = self.inner, self.spec.inverse, self.arith.words
        level = gentleman_sande if inverse else cooley_tukey
        user = user_places(words, self.target.lanes)
        woven = woven_places(words if self.woven else 1, self.target.lanes)
        row, other, network = "x + {} * LANES", "y + {} * LANES", partial(Network, self.target, self.chains)
        found = {
            "shared": self.level(self.lowered(level(a, True)), True),
            "apart": self.level(self.lowered(level(a, False)), False),
            "turn": network(woven_places(1, self.target.lanes), "x + {} * step").lines(),
            "weave": network(inverse_places(woven), row).lines(), "unweave": network(woven, row, other).lines(),
            "lay": network(inverse_places(user), row).lines(), "unlay": network(user, row, other).lines(),
        }  # fmt: skip
        if a.pace > 1:
            found["shared_open"] = self.level(self.lowered(gentleman_sande(a, True, False)), True)
            found["apart_open"] = self.level(self.lowered(gentleman_sande(a, False, False)), False)
        if inverse:
            found["begin_turned"] = self.begin(self.lowered(lift(a)), None)
        if inverse and a.over:
            block = self.reduced((last, last_two)[self.opened - 1](a))
            found["last"] = self.end(block, inverse_places(user), legs=1 << self.opened)
        elif inverse:
            found["end_scaled"] = self.end(self.reduced(scaled(a)), inverse_places(user))
            found["end"] = self.end(self.reduced(finish(a)), inverse_places(user))
        else:
            found["end_turned"] = self.end(self.reduced(finish(a)), None)
            found["first"] = self.begin(self.lowered((first, first_two)[self.opened - 1](a)), user, 1 << self.opened)
        if self.plan.room < self.spec.n and not self.plain:
            found["rest"] = self.end(self.reduced(rest(a)), None)
            found["resume"] = self.begin(self.lowered(resume(a)), None)
        if a.settles_between:
            found["settle"] = self.end(self.lowered(settle(a)), None, False)
        return found
