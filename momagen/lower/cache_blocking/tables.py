"""The tables of a transform in tiles: under every block of a pass the constants of its levels, in the order of use."""

from __future__ import annotations

from momagen.lower.digits.constants import places
from momagen.lower.digits.writer import TileWriter
from momagen.lower.names import CONSTANTS, ENTRY, FILLED, ONE, POWERS, ROOT, SCALE, SQUARE, STEP, C, written
from momagen.plan.digit_passes import DigitPasses
from momagen.program import Expr, Function, Name, Number, Type, choice

AT = Name("at", Type.WORDS)
NODES, NUMBER = Name("nodes"), Name("number")
DEPTH, LEVELS, BLOCK, COUNT, LANES = (Name(name) for name in ("depth", "levels", "block", "count", "lanes"))


class TablesWriter:
    """Writes put_tables(tables, powers, root, one, square, c), which returns 0 where the order of the root is another.

    Attributes:
        scale: the factor of all results, which the last twiddle of half of them brings; none where they are divided.
    """

    def __init__(self, writer: TileWriter, passes: DigitPasses) -> None:
        self.writer, self.passes, self.count = writer, passes, writer.arith.words
        self.inverse = writer.spec.inverse
        self.scale = [SCALE] * (self.inverse and not writer.inner.over)

    def write(self) -> None:
        """The functions."""
        for function in (self._node, self._tree, self._tables):
            self.writer.put(function())

    def _node(self) -> Function:
        call, a = self.writer.call, self.writer.inner
        more = "; the root also brings 1/n" * len(self.scale)
        doc = f"The twiddle that splits factor ``number`` of ``nodes``{more}."
        f = Function("put_node", (ENTRY, STEP, POWERS, C, NODES, NUMBER, *self.scale), doc)
        number = NODES + NUMBER if self.writer.spec.negacyclic else NUMBER
        r = f.variable("r", POWERS + number * self.count, Type.INPUT)
        if self.scale:
            product = f.array("product", self.count)
            with f.if_(NODES.is_(1)):
                f.do(call("mont", product, r, SCALE, C))
                f.set(r, product)
        folded = call("put_folded", ENTRY, STEP, r, C)
        if a.folds:
            f.do(folded)
        else:
            with f.if_(STEP > 1) as apart:
                f.do(call("put_words" if a.packed else "put_pair", ENTRY, STEP, r, C))
            with f.otherwise(apart):
                f.do(folded)
        return f

    def _tree(self) -> Function:
        a, way = self.writer.inner, ", upwards" * self.inverse
        doc = (
            f"The nodes of ``levels`` levels under ``count`` blocks of depth ``depth``, level by level{way}; lane by"
            " lane under ``lanes`` blocks at a time. Returns the end."
        )
        params = (AT, POWERS, C, DEPTH, LEVELS, BLOCK, COUNT, LANES, *self.scale)
        f = Function("put_tree", params, doc, Type.WORDS)
        with f.each("l", LEVELS, down=self.inverse) as level, f.each("b", COUNT << level) as b:
            with f.each("lane", LANES) as lane:
                block = BLOCK + (b >> level) * LANES + lane
                number = block << level | (b & (Number(1) << level) - 1)
                nodes = Number(1) << DEPTH + level
                f.do(self.writer.call("put_node", AT + lane, LANES, POWERS, C, nodes, number, *self.scale))
            f.step(AT, choice(LANES > 1, LANES * a.apart_words, a.shared_words))
        f.give(AT)
        return f

    def _tables(self) -> Function:
        call, spec, count = self.writer.call, self.writer.spec, self.count
        doc = f"Constants and tables. Returns 0 where the order of root is not {spec.order_of_root}."
        f = Function("put_tables", (FILLED, written(POWERS), ROOT, ONE, SQUARE, CONSTANTS), doc, Type.COUNT)
        g, at = f.array("g", count), f.variable("at", FILLED)
        f.do(call("put_constants", CONSTANTS, ONE))
        f.do(call("mont", g, ROOT, SQUARE, CONSTANTS))
        if self.inverse:
            f.do(call("invert_root", g, ONE, CONSTANTS, spec.order_of_root.bit_length() - 1))
        if self.scale:
            self._scale(f)
        with f.if_(call("put_powers", written(POWERS), g, ONE, CONSTANTS, spec.order_of_root.bit_length() - 2).is_(0)):
            f.give(0)
        for one in self.writer.plan.tiles.columns:
            with f.each("b", one.blocks) as b:
                self._put(f, at, one.depth, one.levels, b, 1, 1)
        rows, lanes = self.writer.plan.tiles.rows, self.writer.plan.tiles.lanes
        levels = lanes.bit_length() - 1
        with f.each("b", rows.blocks, step=rows.group) as b:
            ways = [(rows.depth, b, 1), (rows.depth + levels, b * lanes, lanes)]
            for depth, block, together in reversed(ways) if self.inverse else ways:
                self._put(f, at, depth, levels, block, rows.group, together)
        f.give(1)
        return f

    def _scale(self, f: Function) -> None:
        """The factor 1/n; and R, which the products before a transform lack."""
        call, scale = self.writer.call, f.array("scale", self.count)
        f.do(call("inverse_of_n", scale, ONE, SQUARE, CONSTANTS, self.writer.spec.n.bit_length() - 1))
        if self.writer.plan.product:
            f.do(call("mont", scale, scale, SQUARE, CONSTANTS))
        f.do(call("put_folded", CONSTANTS + places(self.writer)["scale"], 1, scale, CONSTANTS))

    def _put(self, f: Function, at: Expr, depth: int, levels: int, block: Expr, count: int, lanes: int) -> None:
        f.set(at, self.writer.call("put_tree", at, POWERS, CONSTANTS, depth, levels, block, count, lanes, *self.scale))
