"""The tables of twiddles: of every pass an entry for each twiddle of each butterfly, in the order of their use."""

from __future__ import annotations

from collections.abc import Sequence

from momagen.lower.names import ENTRY, POWERS, SCALE, STEP, C, R, literal_one, literal_zero, written
from momagen.lower.writer import ProgramWriter
from momagen.program import Expr, Function, Name, Number, Type

from .exponents import HEAD, HEAP, Exponents

PASS, SCALED = Name("pass_", Type.COUNTS), Name("scaled")
COLUMNS = {"": "the constant", "over": "its Shoup quotient", "scaled": "the constant (none in Montgomery form)"}
"""What a table holds of a twiddle, by the operation that derives it."""


def put_entry(writer: ProgramWriter) -> Function:
    """One table entry."""
    count, columns = writer.arith.words, writer.arith.columns
    what = " and ".join(COLUMNS[column] for column in columns)
    doc = f"A table entry: {what}; r is the constant times R mod q."
    f = Function("put_entry", (ENTRY, STEP, R, C), doc, copies="inline")
    parts = {column: R if column == "scaled" else f.array("u" if column else "v", count) for column in columns}
    if "" in parts:
        f.do(writer.call("mont", parts[""], R, writer.static(literal_one(count)), C))
    if "over" in parts:
        f.do(writer.call("quot", parts["over"], R, R, C))
    with f.each("w", count) as w:
        for at, part in enumerate(parts.values()):
            f.set(ENTRY[(at * count + w) * STEP] if at else ENTRY[w * STEP], part[w])
    return f


def put_power(writer: ProgramWriter, order: int) -> Function:
    """A power of the root."""
    count, r, e = writer.arith.words, written(R), Name("e")
    doc = "r = g^e, from the powers below half the order of g, which stand in bit-reversed order."
    f, bits = Function("put_power", (r, POWERS, e, C), doc), (order // 2).bit_length() - 1
    at = f.let("at", POWERS + writer.call("reversed", e & order // 2 - 1, bits) * count)
    with f.if_((e & order // 2).is_(0)) as found:
        f.copy(r, at, count)
    with f.otherwise(found):
        f.do(writer.call("sub", r, writer.static(literal_zero(count)), at, C))
    return f


def put_twiddle(writer: ProgramWriter) -> Function:
    """One twiddle."""
    e = Name("e")
    doc = "g^e, times ``scale`` where it is ``scaled``, as a table entry."
    f = Function("put_twiddle", (ENTRY, STEP, POWERS, e, C, SCALE, SCALED), doc, copies="inline")
    r = f.array("r", writer.arith.words)
    f.do(writer.call("put_power", r, POWERS, e, C))
    with f.if_(SCALED):
        f.do(writer.call("mont", r, r, SCALE, C))
    f.do(writer.call("put_entry", ENTRY, STEP, r, C))
    return f


def put_twiddles(writer: ProgramWriter, exponents: Exponents) -> Function:
    """The table of one pass."""
    sign, order = "-" if exponents.flow.inverse else "+", exponents.order
    splits = "Twiddle t = m + b, m a power of two, splits factor b of m: "
    if exponents.direct:
        doc = f"{splits}the index (heap << log2 m) + b. A twiddle 0 stands in front of the table."
        table = _Table(writer, exponents, "put_twiddles", (), doc)
        table.by_index()
        return table.f
    doc = (
        f"{splits}the exponent N (radix heap {sign} rev(b)) / 2m, N = {order}. From radix on, twiddles weight results;"
        " twiddles 0 and 1, where there is a 0, and weights carry the factor that all results share, and ``scale``"
        " where it is ``scaled``."
    )
    table = _Table(writer, exponents, "put_twiddles", (SCALE, SCALED), doc)
    table.by_exponent()
    return table.f


def put_scaled(writer: ProgramWriter, exponents: Exponents) -> Function:
    """Twiddles that bring a factor of all results."""
    table = _Table(writer, exponents, "put_scaled", (SCALE,), "Twiddles 0 and 1 of all butterflies, times ``scale``.")
    table.scaled_ones()
    return table.f


class _Table:
    """Writes what fills the table of one pass."""

    def __init__(
        self, writer: ProgramWriter, exponents: Exponents, name: str, more: Sequence[Name], doc: str
    ) -> None:
        self.writer, self.exponents, self.table = writer, exponents, Name("table", Type.WORDS)
        doc = f"The table of one pass, lanes side by side. {doc}"
        self.f = f = Function(name, (self.table, POWERS, C, PASS, *more), doc)
        self.alone = all(done.shape.table_lanes == 1 for done in exponents.passes)
        names = ("bits", "first", "end", "log_lanes")
        found = [f.let(name, PASS[1 + i]) for i, name in enumerate(names[: 4 - self.alone])]
        self.bits, self.first, self.end = found[:3]
        self.log_lanes = found[-1]
        self.lanes: Expr = Number(1) if self.alone else f.let("lanes", Number(1) << self.log_lanes)
        self.entry = self.lanes * writer.arith.twiddle_words

    def by_index(self) -> None:
        """Of powers where they stand: a level's are next to one another."""
        f, count = self.f, self.writer.arith.words
        radix, heap = f.let("radix", PASS[0]), f.variable("heap", PASS[HEAP])
        with f.each("o", Number(1) << self.bits) as o:
            at = f.variable("at", self._at(o))
            level, m = f.variable("level", 0), f.variable("m", 1)
            with f.each("t", radix, first=1) as t:
                with f.if_(t.is_(m * 2)):
                    f.step(level, 1)
                    f.set(m, t)
                r = POWERS + ((heap << level) + (t - m)) * count
                f.do(self.writer.call("put_entry", at, self.lanes, r, C))
                f.step(at, self.entry)
            self._grow(o, heap)

    def scaled_ones(self) -> None:
        """Of every butterfly."""
        f, count = self.f, self.writer.arith.words
        heap, product = f.variable("heap", PASS[HEAP]), f.array("product", count)
        with f.each("o", Number(1) << self.bits) as o:
            at = f.let("at", self._at(o))
            with f.each("t", 2) as t:
                f.do(self.writer.call("mont", product, POWERS + t * heap * count, SCALE, C))
                f.do(self.writer.call("put_entry", at + t * self.entry, self.lanes, product, C))
            self._grow(o, heap)

    def by_exponent(self) -> None:
        """Of powers that are looked up."""
        f, inverse, half = self.f, self.exponents.flow.inverse, Number(self.exponents.order // 2)
        radix = f.let("radix", PASS[0])
        heap, common, weight = (f.variable(name, PASS[HEAP + i]) for i, name in enumerate(("heap", "common", "weight")))
        with f.each("o", Number(1) << self.bits) as o:
            at = f.variable("at", self._at(o))

            def put(e: Expr, carries: Expr) -> None:
                e, scaled = e + carries * common, carries * SCALED
                f.do(self.writer.call("put_twiddle", at, self.lanes, POWERS, e, C, SCALE, scaled))
                f.step(at, self.entry)

            with f.if_(self.first.is_(0)):
                put(Number(0), Number(1))
            level, m = f.variable("level", 0), f.variable("m", 1)
            with f.while_(m < radix):
                carries = f.let("carries", (self.first + level).is_(0))
                with f.each("b", m) as b:
                    turn = self.writer.call("reversed", b, level) * (half // m)
                    own = radix // (m * 2) * heap
                    put(own - turn if inverse else own + turn, carries)
                f.step(level, 1)
                f.set(m, m * 2)
            with f.each("t", self.end, first=radix) as t:
                put((t - radix) * weight, Number(1))
            self._grow(o, heap, common, weight)

    def _at(self, o: Expr) -> Expr:
        """The first twiddle of butterfly o."""
        group = self.table + (o if self.alone else o >> self.log_lanes) * (self.end - self.first) * self.entry
        return group if self.alone else group + (o & self.lanes - 1)

    def _grow(self, o: Expr, *forms: Expr) -> None:
        """From butterfly o to the next."""
        k: Expr = Number(0)
        if not self.exponents.steady:
            k = self.f.variable("k", 0)
            with self.f.while_(o >> k & 1):
                self.f.step(k, 1)
        for at, form in enumerate(forms):
            self.f.step(form, PASS[k * 3 + HEAD + at])


def write_twiddles(writer: ProgramWriter, exponents: Exponents, *, scaled: bool) -> None:
    """The functions that fill tables; ``scaled``: of twiddles that bring a factor of all results, too."""
    writer.put(put_entry(writer))
    if not exponents.direct:
        writer.put(put_power(writer, exponents.order))
        writer.put(put_twiddle(writer))
    writer.put(put_twiddles(writer, exponents))
    if exponents.direct and scaled:
        writer.put(put_scaled(writer, exponents))

