"""The tables of twiddles: of every pass an entry for each twiddle of each butterfly, in the order of their use.

Twiddle t of butterfly o is the root to an exponent that is affine in the bits of o: from o to o + 1, k bits carry, and
the exponent grows by a number that k alone decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from momagen.kernels.flow.index_bits import Phase
from momagen.kernels.flow.ntt_flow import Flow
from momagen.kernels.flow.passes import Pass
from momagen.lower.names import ENTRY, POWERS, SCALE, STEP, C, R, literal_one, literal_zero, written
from momagen.lower.writer import ProgramWriter
from momagen.program import Expr, Function, Name, Number, Type

PASS = Name("pass_", Type.COUNTS)
COLUMNS = {"": "the constant", "over": "its Shoup quotient", "scaled": "the constant (none in Montgomery form)"}
"""What a table holds of a twiddle, by the operation that derives it."""
HEAD = 8
"""Numbers that describe a pass, in front of those by which exponents grow."""


@dataclass(frozen=True)
class Exponents:
    """The exponents of the twiddles of a transform, of a root of order ``order``.

    They count bits of the index of the power, where powers stand in bit-reversed order, if no two of them carry: the
    twiddles of ring splitting and of its inverse, with the inverse of the root.
    """

    flow: Flow
    order: int

    @property
    def passes(self) -> list[Pass]:
        """The passes with twiddles."""
        return [step for step in self.flow.steps if isinstance(step, Pass)]

    @cached_property
    def direct(self) -> bool:
        """Whether twiddles are read where the bits of the butterfly say."""
        return all(self._direct(done) for done in self.passes)

    def _direct(self, done: Pass) -> bool:
        form, bits = self._form(done, done.shape.heap), 0
        for part in form:
            at = self._index(done, part)
            if at < 0 or at & bits:
                return False
            bits |= at
        return not done.shape.weighted and not done.shape.common

    def _form(self, done: Pass, form: Phase) -> list[int]:
        """What ``form`` is without any bit, then what every table bit adds: exponents."""
        terms = [frozenset[int](), *(frozenset({b}) for b in done.shape.table_bits)]
        return [int(form.get(term, 0) * self.order) for term in terms]

    def _index(self, done: Pass, exponent: int) -> int:
        """The index of the power by which twiddle 1 is reached, of exponents of one bit; -1 for others."""
        e = done.radix // 2 * (-exponent if self.flow.inverse else exponent) % self.order
        if e & (e - 1) or 4 * e > self.order:
            return -1
        return self.order // 4 // e if e else 0

    def numbers(self, done: Pass) -> list[int]:
        """What describes a pass: radix, bits, first and last twiddle + 1, log2 of lanes, three forms at butterfly 0,
        then by how much they grow from one butterfly to the next, by the bits that carry."""
        shape = done.shape
        forms = [self._form(done, form) for form in (shape.heap, shape.common, shape.weights)]
        if self.direct:
            forms[0] = [self._index(done, part) for part in forms[0]]
        steps = [list(self._grown(form)) for form in forms]
        head = [done.radix, len(shape.table_bits), 1 - done.scaled, done.radix * (1 + shape.weighted)]
        starts, grown = [form[0] for form in forms], [n for each in zip(*steps, strict=True) for n in each]
        return [*head, shape.table_lanes.bit_length() - 1, *starts, *grown]

    @property
    def steady(self) -> bool:
        """Whether indices grow by as much from every butterfly to the next, whatever carries."""
        forms = [[self._index(done, part) for part in self._form(done, done.shape.heap)] for done in self.passes]
        return self.direct and all(len(set([*self._grown(form)][:-1])) < 2 for form in forms)

    def _grown(self, form: Sequence[int]) -> Iterator[int]:
        """What k + 1 bits that carry add: one bit more, all below it no more."""
        for k, part in enumerate(form[1:]):
            step = part - sum(form[1 : k + 1])
            yield step if self.direct else step % self.order
        yield 0


def put_entry(writer: ProgramWriter) -> Function:
    """One table entry."""
    count, columns = writer.arith.words, writer.arith.columns
    what = " and ".join(COLUMNS[column] for column in columns)
    f = Function("put_entry", (ENTRY, STEP, R, C), f"A table entry: {what}; r is the constant times R mod q.")
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


def put_twiddle(writer: ProgramWriter, direct: bool) -> Function:
    """One twiddle."""
    count, e, scaled = writer.arith.words, Name("e"), Name("scaled")
    what = "The power that stands at index e" if direct else "g^e"
    doc = f"{what}, times ``scale`` where it is ``scaled``, as a table entry."
    f = Function("put_twiddle", (ENTRY, STEP, POWERS, e, C, SCALE, scaled), doc, copies="inline")
    product = f.array("product", count)
    r: Expr = f.variable("r", POWERS + e * count, Type.INPUT) if direct else product
    if not direct:
        f.do(writer.call("put_power", product, POWERS, e, C))
    with f.if_(scaled):
        f.do(writer.call("mont", product, r, SCALE, C))
        if direct:
            f.set(r, product)
    f.do(writer.call("put_entry", ENTRY, STEP, r, C))
    return f


def put_twiddles(writer: ProgramWriter, exponents: Exponents) -> Function:
    """The table of one pass."""
    order, direct, entry = exponents.order, exponents.direct, writer.arith.twiddle_words
    sign = "-" if exponents.flow.inverse else "+"
    exponent = f"the exponent N (radix heap {sign} rev(b)) / 2m, N = {order}"
    form = "the index (heap << log2 m) + b" if direct else exponent
    doc = (
        "The table of one pass, lanes side by side. Twiddle t = m + b, m a power of two, splits factor b of m: "
        f"{form}. From radix on, twiddles weight results; twiddles 0 and 1, where there is a 0, and weights carry the"
        " factor that all results share, and ``scale`` where it is ``scaled``."
    )
    table, scaled = Name("table", Type.WORDS), Name("scaled")
    f = Function("put_twiddles", (table, POWERS, C, PASS, SCALE, scaled), doc)
    names = ("radix", "bits", "first", "end", "log_lanes")
    alone = all(done.shape.table_lanes == 1 for done in exponents.passes)
    found = [f.let(name, PASS[i]) for i, name in enumerate(names[: 5 - alone])]
    radix, bits, first, end = found[:4]
    log_lanes = found[-1]
    lanes: Expr = Number(1) if alone else f.let("lanes", Number(1) << log_lanes)
    heap = f.variable("heap", PASS[5])
    shared = [] if direct else [f.variable(name, PASS[6 + i]) for i, name in enumerate(("common", "weight"))]
    common, weight = shared or (None, None)
    with f.each("o", Number(1) << bits) as o:
        group = o if alone else o >> log_lanes
        start = table + group * (end - first) * (lanes * entry)
        at = f.variable("at", start if alone else start + (o & lanes - 1))

        def put(e: Expr, carries: Expr | None) -> None:
            if not direct and carries is not None:
                assert common is not None
                e = e + carries * common
            scale = Number(0) if carries is None else carries * scaled
            f.do(writer.call("put_twiddle", at, lanes, POWERS, e, C, SCALE, scale))
            f.step(at, lanes * entry)

        with f.if_(first.is_(0)):
            put(Number(0), Number(1))
        level, m = f.variable("level", 0), f.variable("m", 1)
        with f.while_(m < radix):
            carries = f.let("carries", (first + level).is_(0))
            with f.each("b", m) as b:
                if direct:
                    put((heap << level) + b, carries)
                else:
                    turn = writer.call("reversed", b, level) * (Number(order // 2) // m)
                    own = radix // (m * 2) * heap
                    put(own - turn if exponents.flow.inverse else own + turn, carries)
            f.step(level, 1)
            f.set(m, m * 2)
        if not direct:
            assert weight is not None
            with f.each("t", end, first=radix) as t:
                put((t - radix) * weight, Number(1))
        k = Number(0) if exponents.steady else f.variable("k", 0)
        if not exponents.steady:
            with f.while_(o >> k & 1):
                f.step(k, 1)
        f.step(heap, PASS[k * 3 + HEAD])
        if common is not None and weight is not None:
            f.step(common, PASS[k * 3 + HEAD + 1])
            f.step(weight, PASS[k * 3 + HEAD + 2])
    return f


def write_twiddles(writer: ProgramWriter, exponents: Exponents) -> None:
    """The functions that fill tables."""
    writer.put(put_entry(writer))
    if not exponents.direct:
        writer.put(put_power(writer, exponents.order))
    writer.put(put_twiddle(writer, exponents.direct))
    writer.put(put_twiddles(writer, exponents))

