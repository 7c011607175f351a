"""The function of the inner product of key switching, which sums products of digits and keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from momagen.ir import Block, Builder, Value
from momagen.kernels.rns.product_format import LONGEST, ProductFormat
from momagen.lower.names import C, Z
from momagen.lower.writer import ProgramWriter
from momagen.program import Again, Expr, Function, Name, Prefetch, Type, least

from .groups import GroupWriter

D, D_ROWS = Name("d", Type.INPUT), Name("d_rows", Type.INPUT_ROWS)
KEY, KEY_ROWS, Z_ROWS = Name("k", Type.INPUT), Name("k_rows", Type.INPUT_ROWS), Name("z_rows", Type.ROWS)
"""The digits, the keys and the results: their first words, or pointers to their rows."""
DIGITS, MODULI, ROW, AT = Name("digits"), Name("moduli"), Name("row"), Name("at")
"""The number of digits; the number of rows of a group, the row of this modulus in each group, and the first
column."""
D_STEP, D_ROW, D_LENGTH, D_AT = Name("d_step"), Name("d_row"), Name("d_n"), Name("d_at")
"""The layout of the digits, which may be in scratch memory.

These are the number of rows from one digit to the next, the row of the first digit, the number of words of a
row, and the first column."""
LENGTH = Name("n")
"""The number of words of a row."""
GROUPS = Name("groups")
WORDS_OF_LINE = 8
"""The number of words of a cache line."""
UNROLLED = 4
"""The number of digits whose products one iteration of the loop adds.

With up to seven digits, each load instruction then reads one row only, so that the CPU can predict its next
line. A load that reads several rows in turn takes up to twice as long, even if all data are in the
second-level cache."""


class InnerProductWriter(GroupWriter):
    """A writer of the function inner_products.

    Attributes:
        products: The format of products.
        outputs: The indices of the outputs.
    """

    def __init__(self, writer: ProgramWriter, products: ProductFormat, outputs: int, turns: int) -> None:
        super().__init__(writer, products.form, turns)
        self.products, self.outputs = products, range(outputs)

    @property
    def constants(self) -> Sequence[str]:
        """The names of the constants of a modulus, in the order of the plan."""
        return [*self.of_goal, *self.products.extra]

    @property
    def of_modulus(self) -> int:
        """The number of words in the constants of a modulus."""
        return len(self.of_goal) + bool(self.products.extra) * self.of_term

    def write(self) -> None:
        """Write the function inner_products.

        The function computes the sums of digits d_j times keys k_{j,o} modulo p for all outputs o, from column ``at``
        of the keys and results and column ``d_at`` of the digits on, with the constants c of p.
        """
        products = self.products
        assert products.most > 0, "a sum that holds no product"
        self._registers.clear()
        sums = [self.register(name) for name in self._words()]
        product, fold, result = self._product(), self._fold(), self._result(is_folded=False)
        arguments = (Z, Z_ROWS, D, D_ROWS, D_STEP, D_ROW, D_LENGTH, D_AT, KEY, KEY_ROWS, C, DIGITS, MODULI, ROW, LENGTH,
                     AT, GROUPS)  # fmt: skip
        f = Function("inner_products", arguments, vector=self.target.vector, copies="apart")
        self.load_constants(f, {**product.inputs, **fold.inputs, **result.inputs}, self.constants, C)
        rows = [f.variable(f"z{o}", self._row(Z, Z_ROWS, ROW + MODULI * o) + AT, Type.WORDS) for o in self.outputs]
        with f.each("i", GROUPS):
            self.begin_sums(f, sums, products.first)
            digit, key = f.variable("digit", D_ROW), f.variable("key", ROW)
            left = f.variable("left", DIGITS)
            with f.while_(left > 0):
                count = f.variable("count", least(left, min(products.most, LONGEST)))
                f.add(Again(count))  # gcc does not unroll a loop that it knows to have few iterations
                with f.each("j", count, unroll=UNROLLED):
                    self._load_digit_and_keys(f, product, digit, key)
                    self.run_sums(f, product, sums)
                    f.step(digit, D_STEP)
                    f.step(key, MODULI * len(self.outputs))
                f.set(left, left - count)
                with f.if_(left > 0):
                    self.run_sums(f, fold, sums)
            f.run(result)
            for o, row in enumerate(rows):
                self.store_group(f, result, [f"z{i}_{o}" for i in self.turns], row)
            for place in (*rows, D_AT, AT):
                f.step(place, self.group)
        self.writer.put(f)

    def _load_digit_and_keys(self, f: Function, product: Block, digit: Name, key: Name) -> None:
        """Append the loads of a group of columns of row ``digit`` of the digits, and of its key for each output."""
        row = f.let("digit_row", self._row(D, D_ROWS, digit, D_LENGTH) + D_AT, Type.INPUT)
        self._load_ahead(f, product, row, [f"d{i}" for i in self.turns])
        for o in self.outputs:
            row = f.let(f"row{o}", self._row(KEY, KEY_ROWS, key + MODULI * o) + AT, Type.INPUT)
            self._load_ahead(f, product, row, [f"k{i}_{o}" for i in self.turns])

    def _load_ahead(self, f: Function, product: Block, row: Name, names: Sequence[str]) -> None:
        """Append the loads of the vectors of a group, and the prefetches of the next group if there are any."""
        self.load_group(f, product, names, row)
        if self.products.prefetches:
            f.add(*(Prefetch(row, self.group + at) for at in range(0, self.group, WORDS_OF_LINE)))

    def _row(self, first: Name, rows: Name, at: Expr, length: Name = LENGTH) -> Expr:
        """Return the address of row ``at`` of a vector of rows."""
        find = "result_row" if first.type is Type.WORDS else "source_row"
        return self.writer.call(find, first, rows, at, length)

    def _words(self) -> list[str]:
        """Return the names of the words of all sums."""
        return [f"s{i}_{o}_{at}" for i in self.turns for o in self.outputs for at in range(self.products.columns)]

    def _sums(self, b: Builder, i: int, o: int, tops: Sequence[int]) -> list[Value]:
        """Return the words of one sum as inputs. A sum that is one wide input is called s{i}_{o}."""
        if self.products.wide and len(tops) == 1:
            return [b.input(f"s{i}_{o}", 0, tops[0])]
        return [b.input(f"s{i}_{o}_{at}", 0, top) for at, top in enumerate(tops)]

    def _put_sums(self, b: Builder, i: int, o: int, sums: Sequence[Value]) -> None:
        whole = self.products.wide and len(sums) == 1
        names = [f"s{i}_{o}"] if whole else [f"s{i}_{o}_{at}" for at in range(len(sums))]
        b.block.outputs |= dict(zip(names, sums, strict=True))

    def _digits(self, b: Builder) -> Iterator[Value]:
        """Yield the factors of products that are computed from the digits of all vectors."""
        known = self.known(b)
        for i in self.turns:
            yield self.products.digit(b, b.input(f"d{i}", 0, self.products.factor * self.form.top), known)

    def _product(self) -> Block:
        """Return the block that adds a product to every sum."""
        b, products = Builder(), self.products
        for i, factor in zip(self.turns, self._digits(b), strict=True):
            digit = products.pieces(b, factor)
            for o in self.outputs:
                key = products.key(b, b.input(f"k{i}_{o}", 0, self.form.top))
                sums = self._sums(b, i, o, products.tops(products.most - 1))
                self._put_sums(b, i, o, products.add(b, sums, digit, key))
        return self.lower(b)

    def _fold(self) -> Block:
        """Return the block that reduces every sum to one that begins with a residue."""
        b, products = Builder(), self.products
        known = self._known(b)
        for i in self.turns:
            for o in self.outputs:
                self._put_sums(b, i, o, products.fold(b, self._sums(b, i, o, products.full), known))
        return self.lower(b)

    def _result(self, is_folded: bool) -> Block:
        """Return the block that reduces every sum, which may have been folded already, to a residue."""
        b, products = Builder(), self.products
        known = self._known(b)
        for i in self.turns:
            for o in self.outputs:
                sums = self._sums(b, i, o, products.folded if is_folded else products.full)
                folded = sums if is_folded else products.fold(b, sums, known)
                b.output(f"z{i}_{o}", products.finish(b, folded, known))
        return self.lower(b)

    def _known(self, b: Builder) -> dict[str, Value]:
        """Return the constants of a modulus."""
        top = (1 << self.form.limb) - 1
        return self.known(b) | {name: b.input(name, 0, top) for name in self.products.extra}
