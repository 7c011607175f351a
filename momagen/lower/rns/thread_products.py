"""The kernel of the inner product of key switching for threads, each of which computes some columns of one row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from momagen.ir import Value
from momagen.kernels.rns.product_format import LONGEST, ProductFormat
from momagen.kinds.rns.keyswitch import MOST_DIGITS
from momagen.lower.names import TABLES, N
from momagen.lower.writer import ProgramWriter
from momagen.program import Function, Name, Type, least
from momagen.program.device import ROW

from .columns import GOALS, ColumnsOfThread
from .inner_products import DIGITS, UNROLLED, InnerProductWriter

ORDER = Name("order", Type.COUNTS)
"""The columns from which digits are loaded, or a null pointer."""


class ThreadProductWriter(InnerProductWriter):
    """A writer of the kernel of an inner product.

    Attributes:
        at: The columns of a thread.
    """

    def __init__(self, writer: ProgramWriter, products: ProductFormat, outputs: int, columns: ColumnsOfThread) -> None:
        super().__init__(writer, products, outputs, columns.number)
        self.at = columns

    def write_kernel(self, name: str) -> None:
        """Write the kernel ``name``(z, d, k, order, tables, digits, goals, n).

        ``goals`` is the number of moduli. The threads of a warp read and write adjacent residues, except for digits
        whose columns ``order`` names.
        """
        products, d, k = self.products, self.at.operand("d"), self.at.operand("k")
        most = min(products.most, LONGEST)
        assert most > 0, "a sum that holds no product"
        assert MOST_DIGITS <= LONGEST, "more products than a sum holds"
        self._registers.clear()
        sums = [self.register(each) for each in self._words()]
        product, fold, finish = self._product(), self._fold(), self._result(is_folded=True)
        with self.at.kernel(self.writer, name, (d, k, ORDER), (DIGITS, GOALS)) as f:
            group = f.let("group", f.let("rows_of_group", GOALS, Type.LONG) * N)
            constants = f.let("constants", TABLES + ROW * self.of_modulus, Type.INPUT)
            self.load_constants(f, {**product.inputs, **fold.inputs, **finish.inputs}, self.constants, constants)
            digits = self.at.sources(f, self.at.begin, d, ORDER)
            keys, results = self.at.sources(f, self.at.begin, k), self.at.results(f)
            self.begin_sums(f, sums, products.first)
            left = f.variable("left", DIGITS)
            with f.while_(left > 0):
                count = f.let("count", least(left, most))
                with f.each("j", count, unroll=min(UNROLLED, most)):
                    self._load_operands(f, product.inputs, digits, keys, group)
                    self.run_sums(f, product, sums)
                f.set(left, left - count)
                self.run_sums(f, fold, sums)
            f.run(finish)
            for o in self.outputs:
                self.at.store(f, results, [finish.outputs[f"z{i}_{o}"] for i in self.turns])
                for result in results:
                    f.step(result, group)

    def _load_operands(
        self, f: Function, inputs: Mapping[str, Value], digits: Sequence[Name], keys: Sequence[Name], group: Name
    ) -> None:
        """Append the loads of a digit of each column and of its keys, and the steps to the next ones."""
        for i, pointer in enumerate(digits):
            f.load(f"d{i}", [inputs[f"d{i}"]], pointer)
            f.step(pointer, group)
        for o in self.outputs:
            for i, pointer in enumerate(keys):
                f.load(f"k{i}_{o}", [inputs[f"k{i}_{o}"]], pointer)
                f.step(pointer, group)
