"""The loop body of steps on residues of one digit: their codelets one after another, loads and stores around them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache

from momagen.ir import Block, Builder, Value, dead_code, renewed, words
from momagen.ir.schedule import schedule
from momagen.kernels.lanes import move
from momagen.kernels.near import OneDigit
from momagen.kernels.steps import Placed
from momagen.lower import WORD_LATENCY
from momagen.targets import Target

from .c import BodyText, ChainSet, Place, by_heap
from .networks import woven_places
from .tile_loops import Lines

SHARED, APART = "v", "w"
"""What constants are called in C: those that lanes share, and those of their own."""
Q, INVERSE, ZEROTH = 0, 4, 5
"""Where the plan has q, 1/q modulo a digit, and twiddle 0."""


@dataclass(frozen=True)
class StepBody:
    """What a loop does: transforms of several sizes have the same.

    Attributes:
        order: steps, the first one first; where lanes have constants of their own, on turned vectors.
        blocks: what each is on the target. pointers: where leg {} is loaded and stored.
        copies: tiles that go together. shared, per_tile: words of one tile's constants that lanes share, and of all.
    """

    target: Target
    inner: OneDigit
    order: tuple[Placed, ...]
    blocks: tuple[Block, ...]
    pointers: tuple[str, str]
    copies: int = 1
    shared: int = 0
    per_tile: int = 0
    lines: Lines = field(default_factory=lambda: {"constants": [], "lines": []}, compare=False, init=False)
    chains: ChainSet = field(default_factory=set, compare=False, init=False)

    def print(self) -> StepBody:
        """Fill ``lines``, and ``chains`` with the carry chains in them."""
        text, b, radix = BodyText(self.target, self.chains), Builder(), self.order[0].radix
        turn = woven_places(1, self.target.lanes)
        raw, done = list[Value](), list[Value]()
        for copy in range(self.copies):
            raw += (regs := [b.input(f"x{len(raw) + i}", 0, (1 << self.target.word) - 1) for i in range(radix)])
            for placed, block in zip(self.order, map(renewed, self.blocks), strict=True):
                regs = move(b, regs, turn) if placed.apart else regs
                regs = _through(b, block, regs)
                regs = move(b, regs, turn) if placed.apart else regs
                self._constants(text, block, placed, copy)
            done += regs
        b.block.outputs = {str(i): value for i, value in enumerate(done)}
        lines = self.lines["lines"]
        for i, value in enumerate(raw):
            lines += text.load(f"x{i}", [value], Place(self.pointers[0].format(i), 0))
        lines += text.instructions(schedule(dead_code(b.block), WORD_LATENCY, 2))
        for i, value in enumerate(done):
            lines += text.store([value], Place(self.pointers[1].format(i), 0))
        return self

    def _constants(self, text: BodyText, block: Block, placed: Placed, copy: int) -> None:
        """What depends on q alone comes in front of the loop, twiddles in it: they are factors in memory."""
        letter, lanes = (APART, self.target.lanes) if placed.apart else (SHARED, 1)
        start = copy * self.per_tile + (self.shared if placed.apart else 0)
        read = {id(a) for instr in block.instrs for a in instr.args}
        known = {"q": Place("c", Q), "qi": Place("c", INVERSE)}
        known |= {f"{name}0": Place("c", ZEROTH + i) for i, name in enumerate(self.inner.letters(True))}
        for name in sorted(block.inputs, key=by_heap):
            value = block.inputs[name]
            if name[0] == "x" or id(value) not in read:
                continue
            if name in known:
                new = text.load(name, [value], replace(known[name], broadcast=True))
                self.lines["constants"] += [line for line in new if line not in self.lines["constants"]]
                continue
            number = int(name[1:])
            at = (number - 1 - (number > placed.radix)) * len(placed.letters) + placed.letters.index(name[0])
            place = Place("tw", start + at * lanes, broadcast=not placed.apart)
            self.lines["lines"] += text.load(f"{letter}{copy or ''}{name}", [value], place)


@lru_cache(maxsize=64)
def printed(body: StepBody) -> StepBody:
    """``body`` with its text, which is printed once."""
    return body.print()


def _through(b: Builder, block: Block, regs: list[Value]) -> list[Value]:
    """Append ``block`` with its inputs x0… in ``regs``; where its outputs are then."""
    swap = {id(leaf): reg for i, reg in enumerate(regs) for leaf in words(block.inputs[f"x{i}"], 64, 1)}
    b.block.instrs += [replace(i, args=tuple(swap.get(id(a), a) for a in i.args)) for i in block.instrs]
    results = [words(value, 64, 1)[0] for value in block.outputs.values()]
    return [swap.get(id(value), value) for value in results]
