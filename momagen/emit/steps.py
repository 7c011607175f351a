"""The loop bodies of a transform whose residues fit one digit: several levels at a time in registers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from momagen.ir import Block, Builder, Value, dead_code, renewed, words
from momagen.ir.schedule import schedule
from momagen.kernels.lanes import Wanted, move
from momagen.kernels.near import OneDigit
from momagen.kernels.one_word import OneWord, one
from momagen.kernels.spec import Spec
from momagen.kernels.steps import Chain, Placed, chain, passes, radix_levels
from momagen.kernels.tiles import Tiles, tiles
from momagen.lower import WORD_LATENCY, lower_digits, lower_words

from .c import BodyText, Place, by_heap
from .networks import woven_places
from .source import Writer
from .tile_loops import Lines

SHARED, APART = "v", "w"
"""What constants are called in C: those that lanes share, and those of their own."""
Q, INVERSE, ZEROTH = 0, 4, 5
"""Where the plan has q, 1/q modulo a digit, and twiddle 0."""


class StepWriter(Writer):
    """Collects the loop bodies of one transform."""

    def __init__(self, spec: Spec, beside: Writer | None = None) -> None:
        """``beside``: of the product that this transform is a part of; what all use is counted there."""
        super().__init__(spec)
        self.between = beside is not None
        if beside:
            self.trace, self.operations, self.chains = beside.trace, beside.operations, beside.chains
        target, ranges = self.target, spec.ranges
        self.inner: OneDigit = one(self.arith.bits, target.digit)
        above = (spec.n // target.lanes**2).bit_length() - 1
        self.plan: Tiles = tiles(spec.n, target.lanes, target.lanes * target.word // 8, levels=passes(above))
        levels = radix_levels(target.registers, 1)
        asked = spec.options.get("quotients")
        self.chain: Chain = chain(
            self.inner, self.plan, levels, inverse=spec.inverse, m_in=ranges.input, m_out=ranges.output,
            ones=not spec.negacyclic, pairs=asked == "table" if asked else None,
        )  # fmt: skip
        self.turn = woven_places(1, target.lanes)

    @property
    def whole(self) -> bool:
        """Whether residues are whole words."""
        return isinstance(self.inner, OneWord)

    @property
    def digit(self) -> int:
        """Bits of the factors of products."""
        return self.inner.digit if isinstance(self.inner, OneWord) else self.inner.word

    def lowered(self, placed: Placed) -> Block:
        lower = lower_words if self.whole else lower_digits
        lowered = lower(placed.step.block, self.target, self.trace)
        self.operations += lowered.counts()
        return lowered

    def step(self, placed: Placed) -> Lines:
        """The body of a step on legs at x and y, ``x_leg`` and ``y_leg`` words apart."""
        return self._body([placed], [], ("x + {} * x_leg", "y + {} * y_leg"))

    def rows(self) -> Lines:
        """The body of a tile of rows: both steps, each on the side of the turn where its legs are vectors."""
        order = self.chain.rows[:: -1 if self.spec.inverse else 1]
        return self._body(order, self.turn, ("x + {} * LANES", "y + {} * LANES"), self.together)

    @property
    def together(self) -> int:
        """Tiles of rows that go together: two where products are so long that the machine would wait for one's."""
        return min(1 + self.whole, self.plan.rows.blocks)

    def _body(self, order: Sequence[Placed], turn: Wanted, pointers: tuple[str, str], copies: int = 1) -> Lines:
        text, b, radix = BodyText(self.target, self.chains), Builder(), order[0].radix
        lines: Lines = {"constants": [], "lines": []}
        raw, done = list[Value](), list[Value]()
        blocks = [self.lowered(placed) for placed in order]
        for copy in range(copies):
            blocks = list(map(renewed, blocks)) if copy else blocks
            raw += (regs := [b.input(f"x{len(raw) + i}", 0, (1 << self.target.word) - 1) for i in range(radix)])
            for placed, block in zip(order, blocks, strict=True):
                regs = move(b, regs, turn) if placed.apart else regs
                regs = _through(b, block, regs)
                regs = move(b, regs, turn) if placed.apart else regs
                self._constants(text, block, placed, lines, copy)
            done += regs
        b.block.outputs = {str(i): value for i, value in enumerate(done)}
        for i, value in enumerate(raw):
            lines["lines"] += text.load(f"x{i}", [value], Place(pointers[0].format(i), 0))
        lines["lines"] += text.instructions(schedule(dead_code(b.block), WORD_LATENCY, 2))
        for i, value in enumerate(done):
            lines["lines"] += text.store([value], Place(pointers[1].format(i), 0))
        return lines

    def _constants(self, text: BodyText, block: Block, placed: Placed, lines: Lines, copy: int) -> None:
        """What depends on q alone comes in front of the loop, twiddles in it: they are factors in memory."""
        letter, lanes = (APART, self.target.lanes) if placed.apart else (SHARED, 1)
        start = copy * self.per_tile + self.shared if placed.apart else copy * self.per_tile
        read = {id(a) for instr in block.instrs for a in instr.args}
        known = {"q": Place("c", Q), "qi": Place("c", INVERSE)}
        known |= {f"{name}0": Place("c", ZEROTH + i) for i, name in enumerate(self.inner.letters(True))}
        for name in sorted(block.inputs, key=by_heap):
            value = block.inputs[name]
            if name[0] == "x" or id(value) not in read:
                continue
            if name in known:
                new = text.load(name, [value], replace(known[name], broadcast=True))
                lines["constants"] += [line for line in new if line not in lines["constants"]]
                continue
            number = int(name[1:])
            at = (number - 1 - (number > placed.radix)) * len(placed.letters) + placed.letters.index(name[0])
            place = Place("tw", start + at * lanes, broadcast=not placed.apart)
            lines["lines"] += text.load(f"{letter}{copy or ''}{name}", [value], place)

    @property
    def shared(self) -> int:
        """Words of the constants of a tile of rows that lanes share, in whole vectors."""
        return padded(self.chain.rows[0].words(1), self.plan.lanes)

    @property
    def per_tile(self) -> int:
        """Words of all constants of a tile of rows."""
        return self.shared + self.chain.rows[1].words(self.plan.lanes)


def padded(count: int, unit: int) -> int:
    """``count`` made a multiple of ``unit``."""
    return -(-count // unit) * unit


def _through(b: Builder, block: Block, regs: list[Value]) -> list[Value]:
    """Append ``block`` with its inputs x0… in ``regs``; where its outputs are then."""
    swap = {id(leaf): reg for i, reg in enumerate(regs) for leaf in words(block.inputs[f"x{i}"], 64, 1)}
    b.block.instrs += [replace(i, args=tuple(swap.get(id(a), a) for a in i.args)) for i in block.instrs]
    results = [words(value, 64, 1)[0] for value in block.outputs.values()]
    return [swap.get(id(value), value) for value in results]
