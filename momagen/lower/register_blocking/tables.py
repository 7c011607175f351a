"""The tables of transforms in steps: under every block of a pass the nodes of the tree of factors, level by level."""

from __future__ import annotations

from momagen.lower.names import (
    AT_SQUARE,
    CONSTANTS,
    ENTRY,
    FILLED,
    ONE,
    POWERS,
    ROOT,
    SQUARE,
    STEP,
    C,
    R,
    literal_one,
    written,
)
from momagen.lower.writer import ProgramWriter
from momagen.plan.step_plan import INVERSE, RADIX, ZEROTH, StepPlan, starts
from momagen.plan.steps import Placed
from momagen.program import Expr, Function, Name, Type
from momagen.program.build import word
from momagen.program.expressions import Operand

WORDS, NODE, FIRST, END, LANES = (Name(name) for name in ("words", "node", "first", "end", "lanes"))


def write_put(writer: ProgramWriter, part: StepPlan) -> None:
    """What tables of all transforms like ``part`` are filled with."""
    if not part.whole:
        writer.put(_put_constants(writer, part.digit))
    writer.put((_put_quotients if part.whole else _put_product)(writer, part))
    writer.put(_put_step(writer))


def put_tables(writer: ProgramWriter, part: StepPlan) -> Function:
    """What fills the tables of ``part``, whose place and inputs are its arguments."""
    return _Tables(writer, part).function()


def _below(digit: int) -> Expr:
    return word((1 << digit) - 1)


def _put_constants(writer: ProgramWriter, digit: int) -> Function:
    """What a plan has once."""
    doc = f"After q, 1/q and R^2: 2^{digit} * R mod q and 1/q mod 2^{digit}."
    f, c = Function("put_constants", (CONSTANTS, ONE), doc), CONSTANTS
    f.copy(c + RADIX, ONE, 1)
    with f.each("i", digit):
        f.do(writer.call("add", c + RADIX, c + RADIX, c + RADIX, c))
    f.set(c[INVERSE], c[1] & _below(digit))
    return f


def _put_product(writer: ProgramWriter, part: StepPlan) -> Function:
    """A constant of Montgomery's product by a digit."""
    digit = part.digit
    doc = (
        f"The constant v as Montgomery's product by it wants it, v * 2^{digit} mod q, and where ``words`` is 2 that"
        f" by q modulo 2^{digit}. r = v * R mod q."
    )
    f = Function("put_constant", (ENTRY, STEP, WORDS, R, C), doc)
    v = f.array("v", 1)
    f.do(writer.call("mont", v, R, C + RADIX, C))
    f.do(writer.call("mont", ENTRY, v, writer.static(literal_one(1)), C))
    with f.if_(WORDS > 1):
        f.set(ENTRY[STEP], ENTRY[0] * C[INVERSE] & _below(digit))
    return f


def _put_quotients(writer: ProgramWriter, part: StepPlan) -> Function:
    """A constant of Shoup's product whose quotient digits make."""
    digit, rests = part.digit, part.entry > 3
    doc = (
        f"The constant v; below it, words of its quotient by q: the first {digit} bits, the {digit} behind the first"
        " 32, and where ``words`` is 4 those first 32. r = v * R mod q."
    )
    f = Function("put_constant", (ENTRY, STEP, WORDS, R, C), doc)
    high = f.array("high", 1)
    f.do(writer.call("mont", ENTRY, R, writer.static(literal_one(1)), C))
    f.do(writer.call("quot", high, R, R, C))
    f.set(ENTRY[STEP], high[0] >> 64 - digit)
    if not rests:
        f.set(ENTRY[STEP * 2], high[0] & _below(32))
        return f
    low, rest = f.array("low", 1), f.array("rest", 1)
    f.do(writer.call("mont", rest, R, C + AT_SQUARE, C))
    f.do(writer.call("quot", low, rest, rest, C))
    f.set(ENTRY[STEP * 2], (high[0] << digit - 32 | low[0] >> 96 - digit) & _below(digit))
    with f.if_(WORDS > 3):
        f.set(ENTRY[STEP * 3], high[0] >> 32)
    return f


def _put_step(writer: ProgramWriter) -> Function:
    """The constants of one step under one block, or under one for every lane."""
    doc = (
        "The nodes of levels ``first`` to ``end`` - 1 under ``lanes`` nodes from ``node`` on, level by level, lane by"
        " lane; so many words of each."
    )
    f = Function("put_step", (ENTRY, POWERS, C, NODE, FIRST, END, LANES, WORDS), doc)
    with f.each("l", END, FIRST) as level, f.each("i", 1 << level) as i:
        with f.each("lane", LANES) as lane:
            r = POWERS + ((NODE + lane << level) + i)
            f.do(writer.call("put_constant", ENTRY + lane, LANES, WORDS, r, C))
        f.step(ENTRY, LANES * WORDS)
    return f


class _Tables:
    """Writes the function that fills the tables of one transform."""

    def __init__(self, writer: ProgramWriter, part: StepPlan) -> None:
        doc = f"Constants and tables. Returns 0 where the order of root is not {part.spec.order_of_root}."
        self.writer, self.part = writer, part
        params = (FILLED, written(POWERS), ROOT, ONE, SQUARE, CONSTANTS)
        self.f = Function("put_tables", params, doc, Type.COUNT)
        self.scale: Expr = ONE

    def function(self) -> Function:
        """Constants, powers of the root, then pass by pass."""
        f, part, c = self.f, self.part, CONSTANTS
        log_order = part.spec.order_of_root.bit_length() - 1
        if not part.whole:
            self._do("put_constants", c, ONE)
        g = f.array("g", 1)
        self._do("mont", g, ROOT, SQUARE, c)
        if part.spec.inverse:
            self._do("invert_root", g, ONE, c, log_order)
            self._scale()
        self._do("put_constant", c + ZEROTH, 1, part.entry, self.scale, c)
        with f.if_(self.writer.call("put_powers", written(POWERS), g, ONE, c, log_order - 1).is_(0)):
            f.give(0)
        self._columns()
        self._rows()
        f.give(1)
        return f

    def _do(self, name: str, *args: Operand) -> None:
        self.f.do(self.writer.call(name, *args))

    def _scale(self) -> None:
        """1/n, and what products lack."""
        c, self.scale = CONSTANTS, self.f.array("scale", 1)
        self._do("inverse_of_n", self.scale, ONE, SQUARE, c, self.part.spec.n.bit_length() - 1)
        if self.part.product:
            self._do("mont", self.scale, self.scale, SQUARE, c)

    def _columns(self) -> None:
        plan, chain, offsets = self.part.tiles, self.part.chain, self.part.offsets
        for one, row, offset in zip(plan.columns, chain.columns, offsets, strict=False):
            with self.f.each("b", one.blocks) as b:
                *begins, size = starts(row)
                for placed, begin in zip(row, begins, strict=True):
                    with self.f.each("i", placed.blocks) as i:
                        at = FILLED + (b * size + i * placed.words(1) + (offset + begin))
                        self._step(placed, at, one.depth, b * placed.blocks + i)

    def _rows(self) -> None:
        part, plan, (first, second) = self.part, self.part.tiles, self.part.chain.rows
        with self.f.each("b", plan.rows.blocks) as b:
            at = FILLED + (b * part.row_words + part.offsets[-1])
            self._step(first, at, plan.rows.depth, b)
            self._step(second, at + part.shared, plan.rows.depth, b * plan.lanes)

    def _step(self, placed: Placed, at: Expr, depth: int, block: Expr) -> None:
        """The constants of one step. Where they are scaled, the nodes of its last level carry 1/n; behind them stand
        all the others once more, with 1/n."""
        f, last, words = self.f, placed.levels - 1, len(placed.letters)
        node = block + (self.part.spec.negacyclic << depth + placed.depth)
        lanes = self.part.tiles.lanes if placed.apart else 1

        def put(start: int, powers: Expr, first: int, end: int) -> None:
            self._do("put_step", at + start * words, powers, C, node, first, end, lanes, words)

        if not placed.scaled:
            put(0, POWERS, 0, placed.levels)
            return
        count = placed.radix // 2 << self.part.spec.negacyclic
        scaled = f.array("scaled", count)
        with f.each("k", count) as k:
            self._do("mont", scaled + k, POWERS + k, self.scale, C)
        put(0, POWERS, 0, last)
        put(placed.radix // 2 - 1, scaled, last, placed.levels)
        put(placed.radix - 1, scaled, 0, last)
