"""The loop body of register-blocked passes on residues of one limb or one word: several codelets in registers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import cycle, pairwise, zip_longest

from momagen.ir import Block, Builder, Instr, Value, dead_code, renewed, words
from momagen.ir.order.schedule import schedule
from momagen.kernels.flow.index_bits import Order
from momagen.kernels.flow.lane_levels import natural, rearranged
from momagen.kernels.flow.permutation_network import Cost, move
from momagen.kernels.residues.single_digit import OneDigit
from momagen.kernels.residues.single_double import OneDouble
from momagen.lower.body.movement import with_args
from momagen.lower.names import C
from momagen.lower.phases import HIGH_SLOTS, REAL_LATENCY, WORD_LATENCY, within_registers
from momagen.lower.words.passes import TW, by_heap
from momagen.plan.schedule.placed import Kept, Placed
from momagen.program import Expr, Load, Run, Statement, Store
from momagen.targets import Target

from .words import Words


@dataclass
class StepBody:
    """Straight-line code on vectors.

    Attributes:
        block: The code.
        xs: The registers that are loaded.
        ys: The registers that are stored.
        fixed: The loads of constants that only depend on q, by name; they precede the loop.
        twiddles: The loads of all other constants, which are factors in memory.
        come: The target's move that loads ``xs``, or "".
        go: The target's moves that store ``ys``, in turn.
    """

    block: Block = field(default_factory=Block)
    xs: list[Value] = field(default_factory=list)
    ys: list[Value] = field(default_factory=list)
    fixed: dict[str, Load] = field(default_factory=dict)
    twiddles: list[Load] = field(default_factory=list)
    come: str = ""
    go: tuple[str, ...] = ("store",)

    def statements(self, legs: Sequence[Expr], goals: Sequence[Expr]) -> list[Statement]:
        """Return the code with its loads and stores.

        Args:
            legs: The addresses of the loads.
            goals: The addresses of the stores.
        """
        come = enumerate(zip(self.xs, legs, strict=True))
        loads = [Load(f"x{i}", [value], leg, how=self.come) for i, (value, leg) in come]
        went = zip(self.ys, goals, cycle(self.go), strict=False)
        stores = [Store([value], goal, how=how) for value, goal, how in went]
        return [*self.twiddles, *loads, Run(self.block), *stores]


@lru_cache(maxsize=64)
def step_body(
    target: Target, inner: OneDigit | OneDouble, kept: Kept, order: tuple[Placed, ...], blocks: tuple[Block, ...],
    copies: int = 1, turned: tuple[bool, bool] = (False, False), back: bool = False, user: Words | None = None,
) -> StepBody:  # fmt: skip
    """Return the body of a loop. Equal ones are built once, because transforms of several sizes share them.

    Args:
        target: The target.
        inner: The representation of residues.
        kept: The offsets of plan constants.
        order: The steps, the first one first. Steps whose constants differ by lane work on transposed
            vectors.
        blocks: The lowered codelet of each step.
        copies: The number of interleaved tiles.
        turned: Whether vectors are transposed when they are loaded, and when they are stored.
        back: Whether the transform is an inverse one.
        user: The conversion of the user's words if lanes are longer than these words, or None.
    """
    come, go = user.moves if user else ("", ("store",))
    made, b, full = StepBody(come=come, go=go), Builder(), (1 << target.word) - 1
    radix = max(placed.step.radix for placed in order)
    size, first = max(each.end for each in order), words(blocks[0].inputs["x0"], inner.lane, 1)[0]
    least = max(min(first.lo, 0), -(full + 1) // 2)
    plain = natural(target.lanes.bit_length() - 1, radix.bit_length() - 1)
    across = sorted((each.across for each in order if each.across), key=lambda each: each.done)
    orders, ends = [plain, *(each.order for each in across)], [0]
    for copy in range(copies):
        count = radix >> (user is not None and user.splits)
        regs = [b.input(f"x{count * copy + i}", least, full + least) for i in range(count)]
        made.xs += regs
        stand = int(turned[0])
        if user and user.splits:
            regs, stand = user.split(b, regs, orders[-1]), len(orders) - 1
        for placed, block in zip(order, blocks, strict=True):
            wanted = orders.index(placed.across.order) if placed.across else 0
            regs, stand = _moved(b, regs, orders, stand, wanted, target.cost), wanted
            apart = len(regs) // placed.step.radix
            for part in range(apart):
                own = regs[part::apart]
                name = f"{placed.across.done}_" if placed.across and placed.across.done else ""
                name += f"{copy * apart + part or ''}"
                at = copy * size + part * placed.words * target.lanes
                regs[part::apart] = _step(made, b, inner, placed, renewed(block), own, name, target, at, kept)
        if user and user.go:
            made.ys += user.gone(b, regs, orders[stand], made.fixed)
        else:
            made.ys += _moved(b, regs, orders, stand, int(turned[1]), target.cost)
        ends.append(len(b.block.instrs))
    b.block.outputs = {str(i): value for i, value in enumerate(made.ys)}
    parts = (_pieces(b.block.instrs[first:end], target.word) for first, end in pairwise(ends))
    b.block.instrs = [instr for each in zip_longest(*parts, fillvalue=()) for piece in each for instr in piece]
    done = dead_code(b.block)
    made.block = _ordered(done, inner, target, back)
    return made


def _pieces(instrs: Sequence[Instr], word: int) -> Iterator[Sequence[Instr]]:
    """Yield ``instrs`` in the pieces by which tiles are interleaved.

    A piece is a butterfly if a product consists of several instructions, because it occupies the machine by
    itself and fewer values are then live. Otherwise each instruction is a piece.
    """
    long = HIGH_SLOTS.get(word, {}).keys() & {instr.op for instr in instrs}
    begin = 0
    for end, instr in enumerate(instrs, 1):
        if end == len(instrs) or not long or instr.op in long:
            yield instrs[begin:end]
            begin = end


def _ordered(block: Block, inner: OneDigit | OneDouble, target: Target, back: bool) -> Block:
    """Return ``block`` in an order that suits the latency of its products and the registers of the target.

    In inverse transforms, products come last in butterflies, and the sums of the next ones already separate
    them.
    """
    if target.many_registers:
        return schedule(block, REAL_LATENCY if isinstance(inner, OneDouble) else WORD_LATENCY, 2)
    short = isinstance(inner, OneDigit) and inner.high
    return within_registers(block, target) if short and not back else block


def _moved(b: Builder, regs: list[Value], orders: Sequence[Order], old: int, new: int, cost: Cost) -> list[Value]:
    """Return the registers rearranged from order number ``old`` to order number ``new``.

    They pass through the orders in between, since consecutive orders only exchange pairs of bits.
    """
    step, lanes = (1 if new > old else -1), len(orders[0]) - (len(regs).bit_length() - 1)
    for at in range(old, new, step):
        regs = move(b, regs, rearranged(orders[at], orders[at + step], lanes), cost)
    return regs


def _step(
    made: StepBody, b: Builder, inner: OneDigit | OneDouble, placed: Placed, block: Block, regs: Sequence[Value],
    name: str, target: Target, at: int, kept: Kept,
) -> list[Value]:  # fmt: skip
    """Append one step on ``regs``, and return its results.

    Args:
        made: The loop body.
        b: The builder of its code.
        inner: The representation of residues.
        placed: The step.
        block: The lowered codelet of the step.
        regs: The registers of its inputs.
        name: A part of the names of its constants.
        target: The target.
        at: The offset of its constants.
        kept: The offsets of plan constants.
    """
    swap = _constants(made, inner, placed, block, name, target, at, kept)
    swap |= {id(words(block.inputs[f"x{i}"], inner.lane, 1)[0]): reg for i, reg in enumerate(regs)}
    b.block.instrs += [with_args(instr, swap) for instr in block.instrs]
    results = (words(value, inner.lane, 1)[0] for value in block.outputs.values())
    return [swap.get(id(value), value) for value in results]


def _constants(
    made: StepBody, inner: OneDigit | OneDouble, placed: Placed, block: Block, name: str, target: Target, at: int,
    kept: Kept,
) -> dict[int, Value]:  # fmt: skip
    """Append the loads of the constants that ``block`` reads, and return the loaded values by the ids of the inputs.

    Constants that only depend on q are loaded once. See :func:`_step` for the arguments; ``at`` is the
    offset of the table without the words that precede the step in it.
    """
    zeroth = {f"{letter}0": kept.zeroth + i * kept.copies for i, letter in enumerate(inner.letters(True))}
    places, how = {**dict(kept.places), **zeroth}, "broadcast_long" * kept.longer
    read, swap = {id(a) for instr in block.instrs for a in instr.args}, dict[int, Value]()
    letter, step = ("w", target.lanes * placed.copies) if placed.apart else ("v", placed.copies)
    for key in sorted(block.inputs, key=by_heap):
        (value,) = words(block.inputs[key], inner.lane, 1)
        if key[0] == "x" or id(value) not in read:
            continue
        if key in places:
            first = made.fixed.setdefault(key, Load(key, [value], C, places[key], broadcast=True, how=how))
            swap[id(value)] = first.values[0]
            continue
        number, place = int(key[1:]), placed.letters.index(key[0])
        index = (number - 1 - (number > placed.radix)) * len(placed.letters) + place
        place, own, twice = at + placed.begin + index * step, not placed.apart, placed.copies > 1 and not kept.longer
        move = how * own
        made.twiddles.append(Load(f"{letter}{name}{key}", [value], TW, place, 1, own, twice=twice, how=move))
    return swap
