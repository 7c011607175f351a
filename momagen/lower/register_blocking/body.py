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
from momagen.plan.step_plan import INVERSE, ZEROTH, Placed
from momagen.program import Expr, Load, Run, Statement, Store
from momagen.targets import Target


@dataclass
class StepBody:
    """Straight-line code on vectors.

    Attributes:
        block: the code. xs, ys: what is loaded and stored. fixed: loads of what depends on q alone, in front of a loop.
        twiddles: of the others, within it: they are factors in memory.
    """

    block: Block = field(default_factory=Block)
    xs: list[Value] = field(default_factory=list)
    ys: list[Value] = field(default_factory=list)
    fixed: dict[str, Load] = field(default_factory=dict)
    twiddles: list[Load] = field(default_factory=list)

    def statements(self, legs: Sequence[Expr], goals: Sequence[Expr]) -> list[Statement]:
        """The code with its loads and stores."""
        loads = [Load(f"x{i}", [value], leg) for i, (value, leg) in enumerate(zip(self.xs, legs, strict=True))]
        stores = [Store([value], goal) for value, goal in zip(self.ys, goals, strict=True)]
        return [*self.twiddles, *loads, Run(self.block), *stores]


@lru_cache(maxsize=64)
def step_body(
    target: Target, inner: OneDigit, order: tuple[Placed, ...], blocks: tuple[Block, ...], copies: int = 1
) -> StepBody:
    """What a loop does, made once: transforms of several sizes have the same.

    Args:
        order: steps, the first one first; where lanes have constants of their own, on turned vectors.
        blocks: what each is on the target. copies: tiles that go together.
    """
    turn = [[(lane, j) for lane in range(target.lanes)] for j in range(target.lanes)]
    made, b, full, radix = StepBody(), Builder(), (1 << target.word) - 1, order[0].radix
    for copy in range(copies):
        regs = [b.input(f"x{radix * copy + i}", 0, full) for i in range(radix)]
        made.xs += regs
        for placed, block in zip(order, map(renewed, blocks), strict=True):
            swap = _constants(made, inner, placed, block, copy, target.lanes, copy * max(each.end for each in order))
            regs = move(b, regs, turn) if placed.apart else regs
            swap |= {id(words(block.inputs[f"x{i}"], inner.lane, 1)[0]): reg for i, reg in enumerate(regs)}
            b.block.instrs += [with_args(instr, swap) for instr in block.instrs]
            results = (words(value, inner.lane, 1)[0] for value in block.outputs.values())
            regs = [swap.get(id(value), value) for value in results]
            regs = move(b, regs, turn) if placed.apart else regs
        made.ys += regs
    b.block.outputs = {str(i): value for i, value in enumerate(made.ys)}
    made.block = schedule(dead_code(b.block), WORD_LATENCY, 2)
    return made


def _constants(
    made: StepBody, inner: OneDigit, placed: Placed, block: Block, copy: int, lanes: int, at: int
) -> dict[int, Value]:
    """Loads what ``block`` reads of constants, those of q alone once: what stands for them; ``at``: where the table of
    the tile begins."""
    kept = {"q": 0, "qi": INVERSE, **{f"{letter}0": ZEROTH + i for i, letter in enumerate(inner.letters(True))}}
    read, swap = {id(a) for instr in block.instrs for a in instr.args}, dict[int, Value]()
    letter, step = ("w", lanes) if placed.apart else ("v", 1)
    for name in sorted(block.inputs, key=by_heap):
        value = block.inputs[name]
        if name[0] == "x" or id(value) not in read:
            continue
        if name in kept:
            first = made.fixed.setdefault(name, Load(name, [value], C, kept[name], broadcast=True))
            swap[id(value)] = first.values[0]
            continue
        number, place = int(name[1:]), placed.letters.index(name[0])
        index = (number - 1 - (number > placed.radix)) * len(placed.letters) + place
        made.twiddles.append(
            Load(f"{letter}{copy or ''}{name}", [value], TW, at + placed.begin + index * step, broadcast=step == 1)
        )
    return swap
