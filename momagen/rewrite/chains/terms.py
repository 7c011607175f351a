"""The terms of columns: words, halves of products of words, and constants."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from momagen.ir import Instr, Value

PRODUCT = "product columns"
"""The instruction that multiplies two numbers. Its arguments are the words of both, and its results are
columns of the product. The high half of its attribute is the number of words of the first factor, the low
half is the index of the first column."""
FIRST = 32
"""The number of bits of the low half of that attribute."""
COLUMNS = frozenset({"plus", "minus", PRODUCT})
"""The operations whose results are columns."""
Factors = tuple[Value, Value, int]
"""Two words, and the number of the product to which they belong: 1, 2, … in the order in which products
are read, or 0 for a product of two words."""


@dataclass
class Terms:
    """The terms of one column.

    Attributes:
        whole: The factors of products whose low half is in this column and whose high half is in the next
            one.
        low: The factors of products of which only the low half is added.
        high: The factors of products of which only the high half is added, in this column.
        plus: The words.
        number: The sum of the constants.
    """

    whole: list[Factors] = field(default_factory=list)
    low: list[Factors] = field(default_factory=list)
    high: list[Factors] = field(default_factory=list)
    plus: list[Value] = field(default_factory=list)
    number: int = 0

    @property
    def multiplies(self) -> bool:
        """Whether there are products."""
        return bool(self.whole or self.low or self.high)


class TermReader:
    """A reader of the terms of columns.

    Attributes:
        makers: The instruction that defines each value, by its id.
        resolve: The function that returns the new value of a word.
        products: The numbers of products by the ids of their instructions.
    """

    def __init__(self, makers: Mapping[int, Instr], resolve: Callable[[Value], Value]) -> None:
        self.makers, self.resolve = makers, resolve
        self.products: dict[int, int] = {}

    def read(self, columns: Sequence[Value]) -> tuple[list[Terms], list[Terms]]:
        """Return the terms that are added and the terms that are subtracted, by column.

        There is one more column above.
        """
        sides = [Terms() for _ in range(len(columns) + 1)], [Terms() for _ in range(len(columns) + 1)]
        for at, column in enumerate(columns):
            self._add((sides[0][at], sides[1][at]), column)
        for side in sides:
            for here, above in pairwise(side):
                _pair(here, above)
        return sides

    def _add(self, terms: tuple[Terms, Terms], value: Value) -> None:
        """Add the terms of ``value`` to the first of ``terms``.

        The terms that it subtracts are added to the second one.
        """
        maker, (here, less) = self.makers.get(id(value)), terms
        op = maker.op if maker else ""
        if value.is_const:
            here.number += value.lo
        elif maker and op in ("plus", "minus"):
            self._add(terms, maker.args[0])
            self._add((less, here) if op == "minus" else terms, maker.args[1])
        elif maker and op == PRODUCT:
            self._halves(here, maker, next(at for at, each in enumerate(maker.results) if each is value))
        elif maker and op in ("mul", "mullo", "mulhi"):
            factors = self.resolve(maker.args[0]), self.resolve(maker.args[1]), 0
            (here.low if value is maker.results[-1] and op != "mulhi" else here.high).append(factors)
        else:
            here.plus.append(self.resolve(value))

    def _halves(self, terms: Terms, maker: Instr, at: int) -> None:
        """Add the halves of products of words in one column of a product."""
        count, first = maker.k >> FIRST, maker.k & (1 << FIRST) - 1
        a, b = maker.args[:count], maker.args[count:]
        which = self.products.setdefault(id(maker), len(self.products) + 1)
        for halves, column in ((terms.low, at + first), (terms.high, at + first - 1)):
            for i in range(max(0, column - len(b) + 1), min(count, column + 1)):
                if column >= first and a[i].hi and b[column - i].hi:
                    halves.append((self.resolve(a[i]), self.resolve(b[column - i]), which))


def _pair(here: Terms, above: Terms) -> None:
    """Combine low halves of one column and high halves of the next one to whole products."""
    left, alone = Counter(above.high), list[Factors]()
    for factors in here.low:
        (here.whole if left[factors] else alone).append(factors)
        left[factors] -= left[factors] > 0
    here.low, above.high = alone, [*left.elements()]
