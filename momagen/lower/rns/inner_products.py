"""Functions of the inner product of key switching: words of digits, and sums of products of digits and keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from momagen.ir import Block, Builder, Value
from momagen.kernels.rns.format import WORD
from momagen.kernels.rns.products import LONGEST, ProductFormat
from momagen.lower.names import C, N, X, Z
from momagen.lower.writer import ProgramWriter
from momagen.program import Become, Begin, Expr, Function, Name, Type, least

from .groups import STRIDE, GroupWriter, Y

KEY, KEY_ROWS, Z_ROWS = Name("k", Type.INPUT), Name("k_rows", Type.INPUT_ROWS), Name("z_rows", Type.ROWS)
"""The keys and the results: their first words, or pointers to their rows."""
DIGITS, MODULI, ROW, AT = Name("digits"), Name("moduli"), Name("row"), Name("at")
"""The number of digits; the number of rows of a group, the row of this modulus in each, and the first column."""
LENGTH = Name("n")
"""The number of words of a row."""
GROUPS = Name("groups")


class InnerProductWriter(GroupWriter):
    """Writes the functions put_digit and inner_products."""

    def __init__(self, writer: ProgramWriter, products: ProductFormat, outputs: int, turns: int) -> None:
        super().__init__(writer, products.form, turns)
        self.products, self.outputs = products, range(outputs)

    @property
    def constants(self) -> Sequence[str]:
        """The names of the constants of a modulus, as a plan has them."""
        return [*self.of_goal, *self.products.extra]

    @property
    def of_modulus(self) -> int:
        """Words of the constants of a modulus in a plan."""
        return len(self.of_goal) + bool(self.products.extra) * self.of_term

    def write(self) -> None:
        """Write both functions."""
        self._write_digit()
        self._write_inner_products()

    def _write_digit(self) -> None:
        """Write put_digit(z, x, c, n): the words of digits x modulo p, with the constants c of p."""
        b, form = Builder(), self.form
        for i, digit in zip(self.turns, self._shifted(b, "x"), strict=True):
            b.output(f"z{i}", digit)
        self._registers.clear()
        block = self.lower(b)
        f = Function("put_digit", (Z, X, C, N), vector=self.target.vector, copies="apart")
        self.load_constants(f, block.inputs, self.constants, C)
        with f.rounded(form.rounds), f.each("i", N):
            for i in self.turns:
                f.load(f"x{i}", [block.inputs[f"x{i}"]], X, i * self.target.lanes)
            f.run(block)
            for i in self.turns:
                f.store([block.outputs[f"z{i}"]], Z, i * self.target.lanes)
            for pointer in (X, Z):
                f.step(pointer, self.group)
        self.writer.put(f)

    def _write_inner_products(self) -> None:
        """Write inner_products(z, z_rows, y, k, k_rows, c, digits, moduli, row, n, stride, at, groups).

        The function computes the sums of digits y_j times keys k_{j,o} modulo p for all outputs o, from column ``at``
        on, with the constants c of p.
        """
        form, products = self.form, self.products
        assert products.most > 0, "a sum that holds no product"
        self._registers.clear()
        sums = [self.register(name) for name in self._words()]
        product, fold, finish = self._product(), self._fold(), self._finish()
        arguments = (Z, Z_ROWS, Y, KEY, KEY_ROWS, C, DIGITS, MODULI, ROW, LENGTH, STRIDE, AT, GROUPS)
        f = Function("inner_products", arguments, vector=self.target.vector, copies="apart")
        self.load_constants(f, {**fold.inputs, **finish.inputs}, self.constants, C)
        first = [*products.first] * (len(self.turns) * len(self.outputs))
        results = [f.variable(f"z{o}", self._row(Z, Z_ROWS, ROW + MODULI * o) + AT, Type.WORDS) for o in self.outputs]
        with f.rounded(form.rounds), f.each("i", GROUPS):
            f.add(Begin("s", sums), Become(sums, first))
            digit, key = f.variable("digit", Y), f.variable("key", ROW)
            left = f.variable("left", DIGITS)
            with f.while_(left > 0):
                count = f.let("count", least(left, min(products.most, LONGEST)))
                with f.each("j", count, unroll=1):
                    for i in self.turns:
                        f.load(f"d{i}", [product.inputs[f"d{i}"]], digit, i * self.target.lanes)
                    for o in self.outputs:
                        row = f.let(f"row{o}", self._row(KEY, KEY_ROWS, key + MODULI * o) + AT, Type.INPUT)
                        for i in self.turns:
                            f.load(f"k{i}_{o}", [product.inputs[f"k{i}_{o}"]], row, i * self.target.lanes)
                    f.run(product)
                    f.add(Become(sums, [product.outputs[name] for name in self._words()]))
                    f.step(digit, STRIDE)
                    f.step(key, MODULI * len(self.outputs))
                f.set(left, left - count)
                f.run(fold)
                f.add(Become(sums, [fold.outputs[name] for name in self._words()]))
            f.run(finish)
            for o, result in enumerate(results):
                for i in self.turns:
                    f.store([finish.outputs[f"z{i}_{o}"]], result, i * self.target.lanes)
            for place in (*results, Y, AT):
                f.step(place, self.group)
        self.writer.put(f)

    def _row(self, first: Name, rows: Name, at: Expr) -> Expr:
        """Return the address of row ``at`` of a vector of rows."""
        find = "result_row" if first.type is Type.WORDS else "source_row"
        return self.writer.call(find, first, rows, at, LENGTH)

    def _words(self) -> list[str]:
        """The names of the words of all sums."""
        return [f"s{i}_{o}_{at}" for i in self.turns for o in self.outputs for at in range(self.products.columns)]

    def _sums(self, b: Builder, i: int, o: int, tops: Sequence[int]) -> list[Value]:
        """The columns of one sum; a column of several words is called s{i}_{o}."""
        if self.products.wide and len(tops) == 1:
            return [b.input(f"s{i}_{o}", 0, tops[0])]
        return [b.input(f"s{i}_{o}_{at}", 0, top) for at, top in enumerate(tops)]

    def _put_sums(self, b: Builder, i: int, o: int, sums: Sequence[Value]) -> None:
        whole = self.products.wide and len(sums) == 1
        names = [f"s{i}_{o}"] if whole else [f"s{i}_{o}_{at}" for at in range(len(sums))]
        b.block.outputs |= dict(zip(names, sums, strict=True))

    def _shifted(self, b: Builder, name: str) -> Iterator[Value]:
        """Yield the words of the digits ``name`` of all turns."""
        known = self.known(b)
        for i in self.turns:
            yield self.products.digit(b, b.input(f"{name}{i}", 0, self.products.factor * self.form.top), known)

    def _digits(self, b: Builder) -> Iterator[Value]:
        """Yield the words of the digits of all turns, which put_digit computes."""
        top = WORD if self.form.real else self.products.digit_top
        return (b.input(f"d{i}", 0, top) for i in self.turns)

    def _product(self) -> Block:
        """Return the block that adds a product to every sum."""
        b, products = Builder(), self.products
        for i, shifted in zip(self.turns, self._digits(b), strict=True):
            digit = products.pieces(b, shifted)
            for o in self.outputs:
                key = products.key(b, b.input(f"k{i}_{o}", 0, self.form.top))
                sums = self._sums(b, i, o, products.tops(products.most - 1))
                self._put_sums(b, i, o, products.add(b, sums, digit, key))
        return self.lower(b)

    def _fold(self) -> Block:
        """Return the block that makes every sum one that begins with a residue."""
        b, products = Builder(), self.products
        known = self._known(b)
        for i in self.turns:
            for o in self.outputs:
                self._put_sums(b, i, o, products.fold(b, self._sums(b, i, o, products.full), known))
        return self.lower(b)

    def _finish(self) -> Block:
        """Return the block that turns every folded sum into a residue."""
        b, products = Builder(), self.products
        known = self._known(b)
        for i in self.turns:
            for o in self.outputs:
                b.output(f"z{i}_{o}", products.finish(b, self._sums(b, i, o, products.folded), known))
        return self.lower(b)

    def _known(self, b: Builder) -> dict[str, Value]:
        """The constants of a modulus."""
        top = (1 << self.form.limb) - 1
        return self.known(b) | {name: b.input(name, 0, top) for name in self.products.extra}
