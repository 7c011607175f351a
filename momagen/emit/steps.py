"""The files of a transform in tiles whose residues fit one digit: several levels at a time in registers.

A word of the user is a digit as it is, so nothing is converted, and passes work where the result goes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from momagen.ir import Block, Builder, Value, dead_code, words
from momagen.ir.schedule import schedule
from momagen.kernels.lanes import Wanted, move
from momagen.kernels.near import OneDigit
from momagen.kernels.options import TILING
from momagen.kernels.spec import Spec
from momagen.kernels.steps import Chain, Placed, chain, radix_levels
from momagen.kernels.tiles import LARGEST, Tiles, fits, tiles
from momagen.lower import lower_digits
from momagen.rewrite.accumulate import LATENCY
from momagen.targets import load_target

from .c import BodyText, Place, by_heap
from .ntt import ends, files, title
from .source import Source, Writer
from .tile_choice import TAKEN
from .tiles import Lines, woven_places

WHOLE = 8
"""Levels of one pass of columns at most, where it leaves the rows alone: its vectors stand near one another."""
SHARED, APART = "v", "w"
"""What constants are called in C: those that lanes share, and those of their own."""
Q, INVERSE, ZEROTH = 0, 4, 5
"""Where the plan has q, 1/q modulo a digit, and twiddle 0."""
NEEDS = frozenset({"fmalo", "fmahi", "umin", "umax"})


class StepWriter(Writer):
    """Collects the loop bodies of one transform."""

    def __init__(self, spec: Spec) -> None:
        super().__init__(spec)
        target, ranges = self.target, spec.ranges
        self.inner = OneDigit(self.arith.bits, target.digit)
        above = (spec.n // target.lanes**2).bit_length() - 1
        most = WHOLE if above <= WHOLE else LARGEST
        self.plan: Tiles = tiles(spec.n, target.lanes, target.lanes * target.word // 8, most)
        levels = radix_levels(target.registers, 1)
        self.chain: Chain = chain(
            self.inner, self.plan, levels, inverse=spec.inverse, m_in=ranges.input, m_out=ranges.output
        )
        self.turn = woven_places(1, target.lanes)

    def lowered(self, placed: Placed) -> Block:
        lowered = lower_digits(placed.step.block, self.target, self.trace)
        self.operations += lowered.counts()
        return lowered

    def step(self, placed: Placed) -> Lines:
        """The body of a step on legs at x and y, ``x_leg`` and ``y_leg`` words apart."""
        return self._body([placed], [], ("x + {} * x_leg", "y + {} * y_leg"))

    def rows(self) -> Lines:
        """The body of a tile of rows: both steps, each on the side of the turn where its legs are vectors."""
        order = self.chain.rows[:: -1 if self.spec.inverse else 1]
        return self._body(order, self.turn, ("x + {} * LANES", "y + {} * LANES"))

    def _body(self, order: Sequence[Placed], turn: Wanted, pointers: tuple[str, str]) -> Lines:
        text, b, legs = BodyText(self.target, self.chains), Builder(), range(order[0].radix)
        regs = raw = [b.input(f"x{i}", 0, (1 << self.target.word) - 1) for i in legs]
        lines: Lines = {"constants": [], "lines": []}
        for placed in order:
            block = self.lowered(placed)
            regs = move(b, regs, turn) if placed.apart else regs
            regs = _through(b, block, regs)
            regs = move(b, regs, turn) if placed.apart else regs
            self._constants(text, block, placed, lines)
        b.block.outputs = {str(i): value for i, value in enumerate(regs)}
        for i, value in enumerate(raw):
            lines["lines"] += text.load(f"x{i}", [value], Place(pointers[0].format(i), 0))
        lines["lines"] += text.instructions(schedule(dead_code(b.block), LATENCY, 2))
        for i, value in enumerate(regs):
            lines["lines"] += text.store([value], Place(pointers[1].format(i), 0))
        return lines

    def _constants(self, text: BodyText, block: Block, placed: Placed, lines: Lines) -> None:
        """What depends on q alone comes in front of the loop, twiddles in it: they are factors in memory."""
        letter, lanes = (APART, self.target.lanes) if placed.apart else (SHARED, 1)
        start = self.shared if placed.apart else 0
        read = {id(a) for instr in block.instrs for a in instr.args}
        known = {"q": Place("c", Q), "qi": Place("c", INVERSE), "v0": Place("c", ZEROTH), "u0": Place("c", ZEROTH + 1)}
        for name in sorted(block.inputs, key=by_heap):
            value = block.inputs[name]
            if name[0] == "x" or id(value) not in read:
                continue
            if name in known:
                new = text.load(name, [value], replace(known[name], broadcast=True))
                lines["constants"] += [line for line in new if line not in lines["constants"]]
                continue
            at = (int(name[1:]) - 1) * (1 + placed.pairs) + (name[0] == "u")
            place = Place("tw", start + at * lanes, broadcast=not placed.apart)
            lines["lines"] += text.load(f"{letter}{name}", [value], place)

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


@dataclass(frozen=True)
class StepTransforms:
    """What the templates ask of a transform in steps."""

    writer: StepWriter

    def needs(self) -> list[str]:
        return ["mont", "add", "newton", *["half"] * self.writer.spec.inverse]

    def numbers(self) -> dict[str, object]:
        """What the templates ask for."""
        spec, plan = self.writer.spec, self.writer.plan
        log_n = spec.n.bit_length() - 1
        columns, offset = self._columns()
        last = {
            "offset": offset, "blocks": plan.rows.blocks, "depth": plan.rows.depth, "words": self.writer.per_tile,
            "shared": self.writer.shared, "pairs": self.writer.chain.rows[1].pairs,
        }  # fmt: skip
        bodies = {f"step_{at}_{i}": self.writer.step(placed) for at, row in enumerate(self.writer.chain.columns)
                  for i, placed in enumerate(row)}  # fmt: skip
        return {
            "n": spec.n, "log_n": log_n, "inverse": spec.inverse, "powers": spec.order_of_root // 2,
            "exponent": f"reversed({'nodes + ' * spec.negacyclic}number, {log_n - 1 + spec.negacyclic})",
            "log_order": log_n + spec.negacyclic, "order_of_root": spec.order_of_root,
            "ring": f"x^{spec.n} {'+' if spec.negacyclic else '-'} 1", "entry": 0, "transforms": [],
            "lanes": plan.lanes, "log_lanes": plan.lanes.bit_length() - 1, "digit": self.writer.target.digit,
            "columns": columns, "last": last, "table_words": offset + plan.rows.blocks * self.writer.per_tile,
            "most_rows": max((one.rows for one in plan.columns), default=1), "bodies": bodies,
            "rows": self.writer.rows(), "ranges": spec.ranges,
        }  # fmt: skip

    def _columns(self) -> tuple[list[dict[str, object]], int]:
        """Every column pass with its steps, in the order in which they run, and where its tables begin."""
        offset, columns, lanes = 0, [], self.writer.plan.lanes
        for at, (one, row) in enumerate(zip(self.writer.plan.columns, self.writer.chain.columns, strict=True)):
            words = 2 * (one.rows - 1)
            steps = [
                {
                    "name": f"step_{at}_{i}", "offset": 2 * (p.blocks - 1), "blocks": p.blocks, "radix": p.radix,
                    "inner": one.rows >> p.depth + p.levels, "depth": one.depth + p.depth, "levels": p.levels,
                }
                for i, p in enumerate(row)
            ]  # fmt: skip
            columns.append({
                "depth": one.depth, "levels": one.levels, "blocks": one.blocks, "rows": one.rows,
                "stride": one.stride, "offset": offset, "words": words, "steps": steps,
            })  # fmt: skip
            offset += one.blocks * words
        return columns, padded(offset, lanes)


def able(spec: Spec) -> bool:
    """Whether transforms go by steps on the target, where residues fit one digit: nothing else may be asked for."""
    target, options = load_target(spec.target), spec.options
    free = not {*TAKEN, *TILING} & set(options) and options.get("digits") != "full"
    has = target.legal_digit("mulhi", target.digit) and target.ops.keys() >= NEEDS
    return has and free and spec.order == "bitrev" and fits(spec.n, target.lanes)


def stepped(spec: Spec) -> bool:
    """Whether the transform goes by steps."""
    return able(spec) and spec.width <= load_target(spec.target).digit


def stepped_source(spec: Spec) -> Source:
    """The C file and header of the transform that ``spec`` asks for, on one digit."""
    writer = StepWriter(spec)
    source = files("steps", title(spec), StepTransforms(writer), writer.target.lanes, ends(spec))
    passes = len(writer.plan.columns) + 1
    across = f"data crosses memory {passes} time{'s' * (passes > 1)}"
    source.notes.append(f"inside, one digit of {writer.target.digit} bits with slack; {across}")
    return source
