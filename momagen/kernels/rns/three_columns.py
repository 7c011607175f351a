"""Formats of sums of products of variables for longer moduli, whose operands are both cut in two."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from momagen.ir import Builder, Value
from momagen.kernels.residues.theorems import bounded

from .format import WORD, Constants
from .product_format import LONGEST, ProductFormat


class ThreeColumnProducts(ProductFormat):
    """Longer moduli, whose operands are both cut in two.

    There is one column for each weight of the products of their parts.
    """

    @property
    def columns(self) -> int:
        """The number of words of a sum."""
        return 3

    def most_of(self, factor: int) -> int:
        """Return the number of products of digits below factor·p that a sum holds."""
        counts = reversed(range(LONGEST + 1))
        return next((count for count in counts if self._fits(self._tops(count, factor), count, factor)), 0)

    def tops(self, count: int) -> Sequence[int]:
        """Return the largest value of each column after adding ``count`` products."""
        return self._tops(count, self.kept_factor)

    def _tops(self, count: int, factor: int) -> list[int]:
        """Return the largest value of each column after adding ``count`` products of digits below factor·p."""
        steps = self._steps((factor << self.form.bits) - 1, self.form.top)
        return [start + count * step for start, step in zip((self.form.top, 0, 0), steps, strict=True)]

    def raised(self, b: Builder, x: Value, k: int) -> Value:
        """Return x·2^k. Adding x to itself uses no port for shifts, of which CPUs have fewer."""
        return b.one("addlo", self.word, x, x) if k == 1 else b.one("shl", self.word, x, k=k)

    @abstractmethod
    def _steps(self, digit: int, key: int) -> Sequence[int]:
        """Return the largest number that the product of the largest digit and key adds to each column."""

    @abstractmethod
    def _fits(self, tops: Sequence[int], count: int, factor: int) -> bool:
        """Return whether columns up to ``tops`` can be reduced, as sums of ``count`` products."""


class LimbProducts(ThreeColumnProducts):
    """Longer moduli on machines with multiply-adds of limbs.

    The bits of a sum from 2^(2·limb - 1) on are multiplied by that power modulo p, whose two limbs are
    ``extra``.
    """

    def sum_registers(self, registers: int) -> int:
        """Return three quarters of ``registers``: multiply-adds leave no intermediate results.

        On Zen 5, four vectors take 0.76 of the time of two at 60 bits with two outputs.
        """
        return 3 * registers // 4

    @property
    def prefetches(self) -> bool:
        """Whether the digits and keys of the next group are prefetched.

        The multiply-adds of one group fill the reorder buffer, so that the loads of the next group start late. On
        Zen 4, prefetching takes 0.94 of the time if the data fit the second-level cache, and 0.98 if they fit the
        third-level cache.
        """
        return True

    @property
    def extra(self) -> Sequence[str]:
        """The names of the limbs of 2^cut modulo p."""
        return ("r0", "r1")

    @property
    def cut(self) -> int:
        """The number of low bits of a sum that are not multiplied by the additional constants."""
        return 2 * self.form.digit - 1

    def _steps(self, digit: int, key: int) -> Sequence[int]:
        k = self.form.digit
        limb, d, e = (1 << k) - 1, digit >> k, key >> k
        return [limb, 3 * limb, (limb * e >> k) + (limb * d >> k) + d * e]

    def _fits(self, tops: Sequence[int], count: int, factor: int) -> bool:
        low, middle, high = tops
        middle += low >> self.form.digit
        above = (high << 1) + (middle >> self.form.digit - 1)
        return max(low, middle) <= WORD and above * (self.form.top >> self.form.digit) < 1 << self.form.digit - 1

    def pieces(self, b: Builder, x: Value) -> list[Value]:
        """Return the limbs of a digit or a key. The multiply-adds ignore the bits above the lower one."""
        return [x, b.one("shr", self.word, x, k=self.form.digit)]

    def add(self, b: Builder, sums: Sequence[Value], d: Sequence[Value], k: Sequence[Value]) -> list[Value]:
        """Return the columns plus the low and high halves of all products of limbs. Only low limbs fill a word."""
        columns = list(sums)
        for i, x in enumerate(d):
            for j, y in enumerate(k):
                for at, op in ((i + j, "fmalo"), (i + j + 1, "fmahi")):
                    if at < self.columns:
                        columns[at] = b.one(op, self.word, columns[at], x, y, k=self.form.digit)
        return columns

    def residue(self, b: Builder, sums: Sequence[Value], known: Constants) -> Value:
        """Return a sum modulo the shifted p."""
        (low, middle, high), w, k = sums, self.word, self.form.digit
        middle = b.one("addlo", w, middle, b.one("shr", w, low, k=k))
        above = b.one("addlo", w, self.raised(b, high, 1), b.one("shr", w, middle, k=k - 1))
        rest = [b.one("low", w, low, k=k), b.one("low", w, middle, k=k - 1)]
        return self.form.residue(b, self.form.add(b, rest, above, [known["r0"], known["r1"]]), known)


class HalfProducts(ThreeColumnProducts):
    """Longer moduli by products of half words."""

    @property
    def in_order(self) -> bool:
        """Whether compilers should reduce one sum after another; otherwise Zen 4 takes 1.05 times as long."""
        return True

    @property
    def half(self) -> int:
        """The number of bits of the lower half of an operand."""
        return self.form.limb

    def _steps(self, digit: int, key: int) -> Sequence[int]:
        low, high = (1 << self.half) - 1, key >> self.half
        return [low * low, 2 * low * high, high * high]

    def _fits(self, tops: Sequence[int], count: int, factor: int) -> bool:
        low, middle, high = tops
        whole = count * self.form.top**2 + self.form.top
        fits = max(low, middle + (low >> self.half), high) <= WORD
        return fits and factor == 1 and whole < 1 << self.form.bits - 1 + self.word

    def pieces(self, b: Builder, x: Value) -> list[Value]:
        """Return the halves of a digit or a key."""
        return [b.one(op, self.word, x, k=self.half) for op in ("low", "shr")]

    def add(self, b: Builder, sums: Sequence[Value], d: Sequence[Value], k: Sequence[Value]) -> list[Value]:
        """Return the columns of a sum plus d·k."""
        columns = list(sums)
        for i, x in enumerate(d):
            for j, y in enumerate(k):
                columns[i + j] = b.one("addlo", self.word, columns[i + j], b.one("mullo", self.word, x, y))
        return columns

    def residue(self, b: Builder, sums: Sequence[Value], known: Constants) -> Value:
        """Return a sum modulo the shifted p."""
        (low, middle, high), w, k, bits = sums, self.word, self.half, self.form.bits
        word = b.one("addlo", w, low, b.one("shl", w, middle, k=k))
        word = b.one("addlo", w, word, b.one("shl", w, high, k=2 * k))
        carried = b.one("addlo", w, middle, b.one("shr", w, low, k=k))
        leading = b.one("shr", w, carried, k=bits - 1 - k)
        leading = b.one("addlo", w, leading, self.raised(b, high, 2 * k - bits + 1))
        return b.one("sum_by_leading", w, leading, word, known["p"], known["m"], k=bits)


class CarriedProducts(HalfProducts):
    """Longer moduli by products of half words on GPUs, where every sum is reduced once.

    Folding a sum moves carries from column to column. The last ones move to a fourth column, the multiple of
    2^cut in the sum, which stays below 2^half for ``LONGEST`` products.
    """

    @property
    def columns(self) -> int:
        """The number of words of a sum."""
        return 4

    @property
    def extra(self) -> Sequence[str]:
        """The names of the limbs of 2^cut modulo p."""
        return ("r0", "r1")

    @property
    def cut(self) -> int:
        """The number of low bits of a sum that are not multiplied by the additional constants."""
        return 2 * self.half + self.third

    @property
    def third(self) -> int:
        """The number of bits of the third column after a fold."""
        return self.half + (4 * LONGEST - 1).bit_length()

    def _tops(self, count: int, factor: int) -> list[int]:
        steps = self._steps((factor << self.form.bits) - 1, self.form.top)
        sizes = (self.half, self.half, self.third, self.half)
        return [(1 << size) - 1 + count * step for size, step in zip(sizes, steps, strict=True)]

    def _steps(self, digit: int, key: int) -> Sequence[int]:
        low, d, k = (1 << self.half) - 1, digit >> self.half, key >> self.half
        return [low * low, low * (d + k), d * k, 0]

    def _fits(self, tops: Sequence[int], count: int, factor: int) -> bool:
        low, middle, high, _ = tops
        middle += low >> self.half
        return max(low, middle, high + (middle >> self.half)) <= WORD

    def add(self, b: Builder, sums: Sequence[Value], d: Sequence[Value], k: Sequence[Value]) -> list[Value]:
        """Return the columns of a sum plus d·k."""
        return [*super().add(b, sums[:3], d, k), sums[3]]

    def fold(self, b: Builder, sums: Sequence[Value], known: Constants) -> list[Value]:
        """Return the columns of the same sum after moving carries up."""
        columns, w = list(sums), self.word
        for at, size in enumerate((self.half, self.half, self.third)):
            columns[at + 1] = b.one("addlo", w, columns[at + 1], b.one("shr", w, columns[at], k=size))
            columns[at] = b.one("low", w, columns[at], k=size)
        return [*columns[:3], bounded(columns[3], 0, (1 << self.half) - 1, "sums_of_products")]

    def finish(self, b: Builder, sums: Sequence[Value], known: Constants) -> Value:
        """Return the residue, in words, of a sum that was folded."""
        *columns, above = sums
        z = self.residue(b, self.form.add(b, columns, above, [known["r0"], known["r1"]]), known)
        return self.form.shift_back(b, z, known)
