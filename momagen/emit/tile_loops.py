"""The loop bodies of a transform in tiles: a lowered codelet with its loads, its stores and what moves between them."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

from momagen.ir import Block, Builder, Instr, Value, const
from momagen.kernels import packed
from momagen.kernels.free import FreeArith
from momagen.kernels.lanes import Wanted, move
from momagen.lower import lower_digits
from momagen.rewrite import unmasked

from .body import Body, Grid, Move, bare_body, moved_body
from .c import BodyText, Place
from .digits import to_digits, to_words
from .source import Writer
from .turns import share, woven
from .unpacked import unpacked

Lines = dict[str, list[str]]
"""The statements of one loop: ``constants`` before it, ``twiddles`` before its inner loop, ``lines`` inside."""
PAIRED = 3
"""Digits up to which two butterflies in turns hide each other's latency; beyond, one fills the machine, and its
registers."""


class TileLoops(Writer):
    """Prints codelets on digits; ``inner`` says how they hold residues."""

    inner: FreeArith

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
        """Where c has q, μ, -1/q, and ν or the bias, behind what scalar functions need."""
        start, count = 4 * self.arith.words, self.inner.words
        behind = start + count
        offsets = {"q": start, "mu": behind, "qn": behind + 1, "nu": behind + 2, "bias": behind + 2}
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
            name = f"{key}{table[2:]}" if key in "vu" else key
            found["twiddles" if key in "vu" else "constants"] += text.load(
                name, [v if id(v) in read else const(0) for v in body.others[key]], places[key]
            )  # fmt: skip
        return found

    def level(self, lowered: Block, shared: bool) -> Lines:
        """A butterfly on vectors of digits from x and y to X and Y; ``pair``: a second one from z and w, statement by
        statement in turns; ``two``: the same with the next twiddle for the second; ``four``: two levels at once."""
        body, made = bare_body(lowered, "xy", "XY", self.inner.words, self.inner.word), Block()
        if self.inner.packed and not shared:
            quotient = self.lowered(packed.quotient(self.inner))
            parts = unpacked(body, quotient, self.inner, Builder(self.target.ops.__contains__))
            body, made = parts.body, parts.made
        text, twin, next_ = (BodyText(self.target, self.chains, letter) for letter in "tsr")
        lines = self._twiddle(text, body, made, shared)
        share([text, twin])
        one = self._butterfly(text, body, "xy")
        if self.fused:
            return {**lines, "lines": one, **self._two_levels(body, shared)}
        if not self.paired:
            return {**lines, "lines": one}
        other = self._twiddle(next_, body, made, shared, "tw2")
        two, three = (self._butterfly(t, body, "zw") for t in (twin, next_))
        return {**lines, "lines": one, "pair": woven(one, two), "two": other["twiddles"] + woven(one, three)}

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

    def _two_levels(self, body: Body, shared: bool) -> Lines:
        """Two levels on four vectors from x, y, z and w to X, Y, Z and W: butterflies of vectors 0 to 3 by the twiddles
        at tw, tw2 and tw3, each pair of them in turns."""
        first, second = (((0, 2), (1, 3)), ((0, 1), (2, 3)))
        halves = (second, first) if self.spec.inverse else (first, second)
        tables = ("tw", "tw2", "tw3", "tw3") if self.spec.inverse else ("tw", "tw", "tw2", "tw3")
        texts = [BodyText(self.target, self.chains, letter) for letter in "tsrp"]
        three = [self._others(t, body, shared, table)["twiddles"] for t, table in zip(texts, tables, strict=True)]
        held, moves = [f"{leg}_0" for leg in "xyzw"], self.target.moves
        lines = [f"const {self.target.types['word']} {leg}_0 = {moves['load'].format(p=leg, i=0)};" for leg in "xyzw"]
        for legs, both in zip(halves, (texts[:2], texts[2:]), strict=True):
            for text, pair in zip(both, legs, strict=True):
                for (value,), at in zip(body.loads, pair, strict=True):
                    text.alias(value, held[at])
            lines += woven(*(text.instructions(body.block) for text in both))
            for text, pair in zip(both, legs, strict=True):
                for (value,), at in zip(body.stores, pair, strict=True):
                    held[at] = text.name(value)
        lines += [moves["store"].format(p=leg, i=0, a=name) for leg, name in zip("XYZW", held, strict=True)]
        return {"three": list(dict.fromkeys(chain.from_iterable(three))), "four": lines}

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
