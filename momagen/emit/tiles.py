"""The files of a transform in tiles: digits with slack inside, words of the user outside."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from momagen.ir import Block, Builder, Instr, Value, const
from momagen.kernels import packed
from momagen.kernels.free import FreeArith
from momagen.kernels.lanes import Wanted, move
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
from momagen.kernels.tiles import Tiles, tiles
from momagen.lower import lower_digits
from momagen.rewrite import unmasked

from .body import Body, Grid, Move, bare_body, moved_body
from .c import BodyText, Place
from .digits import to_digits, to_words
from .networks import WOVEN, Network, woven_places
from .source import Writer
from .tile_choice import wished
from .unpacked import unpacked

Lines = dict[str, list[str]]
"""The statements of one loop: ``constants`` before it, ``twiddles`` before its inner loop, ``lines`` inside."""
SPARE = 8
"""Bits for the multiples of q that rough quotients lack."""
PAIRED = 3
"""Digits up to which two butterflies in turns hide each other's latency; beyond, one fills the machine, and its
registers."""


class TileWriter(Writer):
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
        rest = {"": target.rests, "words": 1, "digits": 0}[options.get("rests", "")]
        vector = self.inner.words * target.lanes * target.word // 8
        return tiles(self.spec.n, target.lanes, vector, min(levels or run, run), group, rest)

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
        return replace(given, packed=self._packs(given))

    def _packs(self, a: FreeArith) -> bool:
        """Whether twiddles that differ by lane come as words: where the table is long, unless the options say."""
        told = {"twiddles", "quotients"} & self.spec.options.keys()
        long = 0 < self.target.packed <= 8 * self.spec.n * a.apart_words
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
        return f"every odd prime q from 2^{self.inner.cut + 1} to 2^{self.inner.bits}"

    def top_check(self) -> str:
        at, offset = divmod(self.inner.cut + 1, 64)
        longer = " || ".join([f"q[{at}] >> {offset}", *(f"q[{i}]" for i in range(at + 1, self.arith.words))])
        return f"{super().top_check()} && ({longer})"

    @property
    def paired(self) -> bool:
        """Whether two butterflies go in turns: where they fit the registers, or nearly, unless the options say."""
        asked = self.spec.options.get("paired")
        if asked or self.spec.options.get("constants") == "memory":
            return asked == "yes"
        return self.inner.words <= PAIRED and self.target.registers >= 32

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

    def constant_places(self) -> dict[str, Place]:
        """Where c has q, μ, -1/q and ν, behind what scalar functions need."""
        start, count = 4 * self.arith.words, self.inner.words
        offsets = {"q": start, "mu": start + count, "qn": start + count + 1, "nu": start + count + 2}
        return {name: Place("c", offset, 1, True) for name, offset in offsets.items()}

    def _others(self, text: BodyText, body: Body, shared: bool, table: str = "tw") -> Lines:
        """q and µ from c; the twiddle from ``table``, one for all lanes where it is ``shared``."""
        step = 1 if shared else self.target.lanes
        places = {
            **self.constant_places(),
            "v": Place(table, 0, step, shared), "u": Place(table, self.inner.quotient_at * step, step, shared),
        }  # fmt: skip
        found: Lines = {"constants": [], "twiddles": []}
        read = {id(a) for instr in body.block.instrs for a in instr.args}
        for key in sorted(body.others):
            name = key if table == "tw" or key not in "vu" else f"{key}2"
            found["twiddles" if key in "vu" else "constants"] += text.load(
                name, [v if id(v) in read else const(0) for v in body.others[key]], places[key]
            )  # fmt: skip
        return found

    def level(self, lowered: Block, shared: bool) -> Lines:
        """A butterfly on vectors of digits from x and y to X and Y; ``pair``: a second one from z and w, statement by
        statement in turns; ``two``: the same with the next twiddle for the second."""
        body, made = bare_body(lowered, "xy", "XY", self.inner.words, self.inner.word), Block()
        if self.inner.packed and not shared:
            quotient = self.lowered(packed.quotient(self.inner))
            parts = unpacked(body, quotient, self.inner, Builder(self.target.ops.__contains__))
            body, made = parts.body, parts.made
        text, twin, next_ = (BodyText(self.target, self.chains, letter) for letter in "tsr")
        lines = self._twiddle(text, body, made, shared)
        twin.printer.names.update(text.printer.names)
        other = self._twiddle(next_, body, made, shared, "tw2")
        one, two, three = (self._butterfly(t, body, legs) for t, legs in ((text, "xy"), (twin, "zw"), (next_, "zw")))
        if not self.paired:
            return {**lines, "lines": one}
        return {**lines, "lines": one, "pair": _turns(one, two), "two": other["twiddles"] + _turns(one, three)}

    def _twiddle(self, text: BodyText, body: Body, made: Block, shared: bool, table: str = "tw") -> Lines:
        """Constants, and a twiddle with what is ``made`` of it."""
        used = replace(body, block=replace(body.block, instrs=made.instrs + body.block.instrs))
        lines = self._others(text, used, shared, table)
        lines["twiddles"] += text.instructions(made)
        return lines

    def _butterfly(self, text: BodyText, body: Body, legs: str) -> list[str]:
        pairs, lanes = list(zip(legs, body.loads, body.stores, strict=True)), self.target.lanes
        lines = [line for leg, row, _ in pairs for line in text.load(leg, row, Place(leg, 0, lanes))]
        for block, (leg, _, row) in zip(self._parts(body), pairs, strict=True):
            lines += [*text.instructions(block), *text.store(row, Place(leg.upper(), 0, lanes))]
        return lines

    def _parts(self, body: Body) -> tuple[Block, Block]:
        """What the first result needs, and the rest: few digits of a sum are stored before a product asks for
        registers. More of them were slower than those that wait in memory."""
        if not self.spec.inverse or self.inner.words > PAIRED:
            return body.block, Block()
        known = {id(value) for value in body.stores[0]}
        parts: tuple[list[Instr], list[Instr]] = [], []
        for instr in reversed(body.block.instrs):
            late = not known & {id(result) for result in instr.results}
            known |= set() if late else {id(arg) for arg in instr.args}
            parts[late].append(instr)
        first, second = (Block({}, part[::-1], _results(part)) for part in parts)
        return first, second

    def begin(self, lowered: Block, places: Wanted | None, legs: int = 1) -> Lines:
        """Words at x, laid out as ``places`` say, to lifted digits at y; several ``legs``, x_leg and y_leg apart, to
        their first levels."""

        def arrive(b: Builder, grid: Grid) -> Grid:
            rows = [move(b, row, places) for row in grid] if places and len(places) > 1 else grid
            return [self.arrived(b, row) for row in rows]

        return self._moved(lowered, arrive, lambda b, grid: grid, self.arith.words, legs)

    def end(self, lowered: Block, places: Wanted | None, words: bool = True, legs: int = 1) -> Lines:
        """Digits at x to reduced words at y, laid out as ``places`` say; or to digits where not ``words``. Of several
        ``legs`` digits are 2^over times what comes out."""
        target, count = self.target, self.arith.words
        if not words:
            return self._moved(lowered, lambda b, grid: grid, lambda b, grid: grid, self.inner.words)

        def leave(b: Builder, grid: Grid) -> Grid:
            shift = self.inner.over if legs > 1 else 0
            rows = [to_words(b, row, target.word, self.inner.word, count, shift) for row in grid]
            return [move(b, row, places) for row in rows] if places and len(places) > 1 else rows

        return self._moved(lowered, lambda b, grid: grid, leave, self.inner.words, legs)

    def _moved(self, lowered: Block, arrive: Move, leave: Move, count: int, legs: int = 1) -> Lines:
        text, lanes, names = BodyText(self.target, self.chains), self.target.lanes, _numbered(legs)
        bare = bare_body(lowered, [f"x{i}" for i in names], [f"X{i}" for i in names], self.inner.words, self.inner.word)
        body = moved_body(bare, self.target.word, arrive, leave, count, self.target.ops.__contains__)
        body = replace(body, block=unmasked(body.block, self.inner.word))
        lines = self._others(text, body, shared=True)
        lines["lines"] = []
        for i, row in zip(names, body.loads, strict=True):
            lines["lines"] += text.load(f"x{i}", row, Place(_leg("x", i), 0, lanes))
        lines["lines"] += text.instructions(body.block)
        for i, row in zip(names, body.stores, strict=True):
            lines["lines"] += text.store(row, Place(_leg("y", i), 0, lanes))
        return lines


def _results(instrs: list[Instr]) -> dict[str, Value]:
    """All of them, as outputs."""
    return {f"{i}": value for i, value in enumerate(value for instr in instrs for value in instr.results)}


def _numbered(legs: int) -> list[str]:
    """The numbers of several legs; one has none."""
    return [str(i) for i in range(legs)] if legs > 1 else [""]


def _leg(pointer: str, number: str) -> str:
    return f"{pointer} + {number} * {pointer}_leg" if number else pointer


def _turns(one: list[str], other: list[str]) -> list[str]:
    return [line for two in zip(one, other, strict=True) for line in two]
