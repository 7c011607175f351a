"""The loop body of steps on residues of one digit or one word: their codelets one after another, in registers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from momagen.ir import Block, Builder, Value, dead_code, renewed, words
from momagen.ir.order.schedule import schedule
from momagen.kernels.flow.permutation_network import move
from momagen.kernels.residues.single_digit import OneDigit
from momagen.lower.body.movement import with_args
from momagen.lower.names import C
from momagen.lower.phases import WORD_LATENCY
from momagen.lower.words.passes import TW, by_heap
from momagen.plan.step_plan import INVERSE, ZEROTH
from momagen.plan.steps import Placed
from momagen.program import Expr, Load, Run, Statement, Store
from momagen.targets import Target

SHARED, APART = "v", "w"
"""The names of broadcast constants and of per-lane ones."""


@dataclass
class StepBody:
    """Straight-line code on vectors.

    Attributes:
        inner: what residues are. block: the code, when all is there. xs, ys: what is loaded and stored.
        fixed: loads of what depends on q alone, in front of a loop. twiddles: of the others, within it: they are
            factors in memory.
    """

    inner: OneDigit
    block: Block = field(default_factory=Block)
    xs: list[Value] = field(default_factory=list)
    ys: list[Value] = field(default_factory=list)
    fixed: dict[str, Load] = field(default_factory=dict)
    twiddles: list[Load] = field(default_factory=list)
    builder: Builder = field(default_factory=Builder)

    def statements(self, legs: Sequence[Expr], goals: Sequence[Expr]) -> list[Statement]:
        """The code with its loads and stores."""
        loads = [Load(f"x{i}", [value], leg) for i, (value, leg) in enumerate(zip(self.xs, legs, strict=True))]
        return [
            *self.twiddles, *loads, Run(self.block),
            *(Store([value], goal) for value, goal in zip(self.ys, goals, strict=True)),
        ]  # fmt: skip

    def finish(self) -> StepBody:
        """Schedule the complete code for the machine."""
        self.builder.block.outputs = {str(i): value for i, value in enumerate(self.ys)}
        self.block = schedule(dead_code(self.builder.block), WORD_LATENCY, 2)
        return self

    def come(self, radix: int, word: int) -> list[Value]:
        """New registers, to be loaded."""
        count = len(self.xs)
        self.xs += (new := [self.builder.input(f"x{count + i}", 0, (1 << word) - 1) for i in range(radix)])
        return new

    def through(self, block: Block, regs: list[Value], placed: Placed, letter: str, at: int, lanes: int) -> list[Value]:
        """Append ``block`` with its inputs x0… in ``regs``, and its constants from word ``at`` of a table; where its
        outputs are then."""
        swap = {id(leaf): reg for i, reg in enumerate(regs) for leaf in words(block.inputs[f"x{i}"], 64, 1)}
        read = {id(a) for instr in block.instrs for a in instr.args}
        for name in sorted(block.inputs, key=by_heap):
            value = block.inputs[name]
            if name[0] != "x" and id(value) in read:
                swap[id(value)] = self._constant(name, value, placed, letter, at, lanes)
        self.builder.block.instrs += [with_args(instr, swap) for instr in block.instrs]
        results = [words(value, 64, 1)[0] for value in block.outputs.values()]
        return [swap.get(id(value), value) for value in results]

    def _constant(self, name: str, value: Value, placed: Placed, letter: str, at: int, lanes: int) -> Value:
        """``value`` from memory; constants of q alone are loaded once."""
        zeroth = {f"{letter}0": ZEROTH + i for i, letter in enumerate(self.inner.letters(True))}
        known = {"q": 0, "qi": INVERSE, **zeroth}
        if name in known:
            return self.fixed.setdefault(name, Load(name, [value], C, known[name], broadcast=True)).values[0]
        number = int(name[1:])
        index = (number - 1 - (number > placed.radix)) * len(placed.letters) + placed.letters.index(name[0])
        self.twiddles.append(Load(letter + name, [value], TW, at + index * lanes, broadcast=lanes == 1))
        return value


@lru_cache(maxsize=64)
def step_body(
    target: Target, inner: OneDigit, order: tuple[Placed, ...], blocks: tuple[Block, ...], copies: int = 1,
    shared: int = 0, per_tile: int = 0,
) -> StepBody:  # fmt: skip
    """What a loop does, made once: transforms of several sizes have the same.

    Args:
        order: steps, the first one first; where lanes have constants of their own, on turned vectors.
        blocks: what each is on the target. copies: tiles that go together. shared, per_tile: words of one tile's
            constants that lanes share, and of all.
    """
    turn = [[(lane, j) for lane in range(target.lanes)] for j in range(target.lanes)]
    body = StepBody(inner)
    for copy in range(copies):
        regs = body.come(order[0].radix, target.word)
        for placed, block in zip(order, map(renewed, blocks), strict=True):
            letter, lanes = (APART, target.lanes) if placed.apart else (SHARED, 1)
            at = copy * per_tile + shared * placed.apart
            regs = move(body.builder, regs, turn) if placed.apart else regs
            regs = body.through(block, regs, placed, f"{letter}{copy or ''}", at, lanes)
            regs = move(body.builder, regs, turn) if placed.apart else regs
        body.ys += regs
    return body.finish()
