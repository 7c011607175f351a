"""Functions of sums Σ y_i·c_i modulo p: the factors of a source modulus, and one sum for each column of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext

from momagen.ir import Block, Builder, Value, const
from momagen.kernels.rns.format import WORD, SumFormat
from momagen.lower.names import C, N, X, Z
from momagen.lower.writer import ProgramWriter
from momagen.program import Function, Name, least

from .groups import STRIDE, TERMS, TURNS, GroupWriter, Y, numbered

START = "start"
"""The constant with which a sum begins, shifted as p is. It follows the other constants of a target modulus."""
CENTRE = ("m", "limit")
"""The names of the constants of the function centre."""
LONGEST = 65
"""The largest number of factors that are added before a sum is folded."""


class SumWriter(GroupWriter):
    """A writer of the functions share, split, centre and sum_products of one format.

    Attributes:
        starts: Whether every sum begins with a constant, which is an additional constant of a target modulus.
            Sums in doubles begin with 0, since they would otherwise hold fewer products.
    """

    def __init__(self, writer: ProgramWriter, form: SumFormat, turns: int = TURNS, starts: bool = False) -> None:
        super().__init__(writer, form, turns)
        assert not (starts and form.real)
        self.starts = starts

    def write_share(self) -> None:
        """Write the function share(z, x, c, stride, n), which computes factors z = x·a modulo q from constants c."""
        self._write_factors("share", self.shares(), self.form.of_source)

    def shares(self) -> Block:
        """Return the block that computes the factor of a source for every vector."""
        b, form = Builder(), self.form
        known = self.known_of_source(b)
        factors = [form.share(b, b.input(f"x{i}", 0, form.top - 1), known) for i in self.turns]
        return self._as_factors(b, [form.cut(b, y) for y in factors])

    def write_split(self) -> None:
        """Write the function split(z, x, c, stride, n), which converts residues x to factors z without constants."""
        self._write_factors("split", self.parts(), ())

    def parts(self) -> Block:
        """Return the block that converts a residue of every vector to a factor."""
        b, form = Builder(), self.form
        return self._as_factors(b, [form.convert(b, b.input(f"x{i}", 0, form.top)) for i in self.turns])

    def write_centre(self) -> None:
        """Write the function centre(z, x, c, stride, n), which converts residues modulo m to factors.

        The factors are doubles with a sign. Residues from c[1] on become x - m, where c[0] is m.
        """
        self._write_factors("centre", self._centred(), CENTRE)

    def _centred(self) -> Block:
        """Return the block that converts a residue of every vector to a double with a sign."""
        b, w, found = Builder(), self.form.word, list[list[Value]]()
        m, limit = (b.input(name, 0, WORD) for name in CENTRE)
        for i in self.turns:
            (x,) = self.form.convert(b, b.input(f"x{i}", 0, self.form.top))
            below = b.one("rsub", w, x, limit)
            found.append([b.one("select_top", w, below, x, b.one("rsub", w, x, m))])
        return self._as_factors(b, found)

    def _as_factors(self, b: Builder, factors: Sequence[Sequence[Value]]) -> Block:
        """Return the block whose outputs are the parts of the ``factors`` of all vectors."""
        for i, parts in enumerate(factors):
            b.block.outputs |= numbered(f"y{i}", parts)
        self._registers.clear()
        return self.lower(b)

    def _write_factors(self, name: str, block: Block, constants: Sequence[str]) -> None:
        with self.groups(name, (Z, X), (STRIDE,), constants, block) as f:
            self.load_group(f, block, [f"x{i}" for i in self.turns], X)
            f.run(block)
            self.store_rows(f, block)

    def write_sums(self) -> None:
        """Write the function sum_products(z, y, c, terms, stride, n), which sums factors y times constants modulo p.

        The array c contains the constants of p, then the constant with which sums begin, if there is one,
        then the constants of the products.
        """
        form = self.form
        assert form.most > 0, "a sum that holds no product"
        self._registers.clear()
        sums = self._all_sums()
        begin, product, fold, finish = self._begin(), self._product(), self._fold(), self._finish()
        known = [*self.of_goal, *[START] * self.starts]
        f = Function("sum_products", (Z, Y, C, TERMS, STRIDE, N), vector=self.target.vector, copies="apart")
        self.load_constants(f, {**begin.inputs, **fold.inputs, **finish.inputs}, known, C)
        f.run(begin)
        with f.each("i", N):
            self.begin_sums(f, sums, [*begin.outputs.values()])
            row, constant = f.variable("row", Y), f.variable("constant", C + len(known))
            left, fitting = f.variable("left", TERMS), f.variable("fitting", min(form.most_at_first, LONGEST))
            with f.while_(left > 0):
                count = f.let("count", least(left, fitting))
                with f.each("k", count, unroll=1):
                    self._load_factors(f, product, row, constant)
                    self.run_sums(f, product, sums)
                    f.step(row, STRIDE * form.parts)
                    f.step(constant, self.of_term)
                f.set(left, left - count)
                f.set(fitting, min(form.most, LONGEST))
                with nullcontext() if form.ends_folded else f.if_(left > 0):
                    self.run_sums(f, fold, sums)
            f.run(finish)
            self.store_group(f, finish, [f"z{i}" for i in self.turns], Z)
            f.step(Y, self.group)
            f.step(Z, self.group)
        self.writer.put(f)

    def _load_factors(self, f: Function, block: Block, row: Name, constant: Name) -> None:
        for at in range(self.of_term):
            f.load(f"c{at}", [block.inputs[f"c{at}"]], constant, at, 1, self.target.vector)
        self.load_rows(f, block, row)

    def _all_sums(self) -> list[Value]:
        """Return the registers that hold the sums of all vectors."""
        return [self.register(f"s{i}_{at}") for i in self.turns for at in range(self.form.columns)]

    def _begin(self) -> Block:
        """Return the block that computes the words with which a sum begins."""
        b, form = Builder(), self.form
        columns = form.begun(b, b.input(START, 0, form.top)) if self.starts else [*form.first]
        columns += [const(0)] * (form.columns - len(columns))
        b.block.outputs |= numbered("begin", columns)
        return self.lower(b)

    def _product(self) -> Block:
        """Return the block that adds one product to the sum of every vector."""
        b, form = Builder(), self.form
        c = [b.input(f"c{at}", 0, form.constant_tops[at % form.limbs]) for at in range(self.of_term)]
        for i in self.turns:
            tops = form.tops(form.most - 1)
            names = [f"s{i}"] if form.wide else [f"s{i}_{at}" for at in range(form.columns)]
            sums = [b.input(name, 0, top) for name, top in zip(names, tops, strict=True)]
            for part in range(form.parts):
                y = b.input(f"y{i}_{part}", 0, form.factor_top)
                sums = form.add(b, sums, y, c[part * form.limbs : (part + 1) * form.limbs])
            b.block.outputs |= dict(zip(names, sums, strict=True))
        return self.lower(b)

    def _fold(self) -> Block:
        """Return the block that reduces the sum of every vector to a smaller one."""
        b, form = Builder(), self.form
        known = self.known(b)
        for i in self.turns:
            b.block.outputs |= numbered(f"s{i}", form.fold(b, self.columns(b, i, form.full), known))
        return self.lower(b)

    def _finish(self) -> Block:
        """Return the block that reduces the sum of every vector to a residue and shifts it back."""
        b, form = Builder(), self.form
        known, tops = self.known(b), [*form.starts, 0][: form.columns] if form.ends_folded else form.full
        for i in self.turns:
            z = form.finish(b, self.columns(b, i, tops), known)
            b.output(f"z{i}", form.shift_back(b, z, known))
        return self.lower(b)
