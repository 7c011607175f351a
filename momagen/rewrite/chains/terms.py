"""What columns sum up: halves of products of words, words, numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from momagen.ir import Instr, Value

PRODUCT = "product columns"
"""The words of two factors, those of the first as many as the attribute's high half says, to columns of their product,
from the one that its low half says."""
FIRST = 32
"""Bits of the low half of that attribute."""
COLUMNS = frozenset({"plus", "minus", PRODUCT})
"""Operations whose results are columns."""
Factors = tuple[Value, Value, int]
"""Two words, and which product they belong to: 1, 2, … in the order in which they are read; 0 for one of two words."""


@dataclass
class Terms:
    """One column: products of which it has both halves begin there; else it has the low or the high half alone.

    Attributes:
        whole, low, high: factors. plus: words. number: what is known.
    """

    whole: list[Factors] = field(default_factory=list)
    low: list[Factors] = field(default_factory=list)
    high: list[Factors] = field(default_factory=list)
    plus: list[Value] = field(default_factory=list)
    number: int = 0

    @property
    def multiplies(self) -> bool:
        return bool(self.whole or self.low or self.high)


class TermReader:
    """Reads the terms of columns from what made them.

    Attributes:
        makers: the instruction of every value, by its id. resolve: what became of a word.
    """

    def __init__(self, makers: Mapping[int, Instr], resolve: Callable[[Value], Value]) -> None:
        self.makers, self.resolve = makers, resolve
        self.products: dict[int, int] = {}

    def read(self, columns: Sequence[Value]) -> tuple[list[Terms], list[Terms]]:
        """What is added and what is subtracted, by column, and above them one column more."""
        sides = [Terms() for _ in range(len(columns) + 1)], [Terms() for _ in range(len(columns) + 1)]
        for at, column in enumerate(columns):
            self._add((sides[0][at], sides[1][at]), column)
        for side in sides:
            for here, above in pairwise(side):
                _pair(here, above)
        return sides

    def _add(self, terms: tuple[Terms, Terms], value: Value) -> None:
        """Add ``value`` to the first of ``terms``, or what it subtracts to the second."""
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
        """Those of one column of a product."""
        count, first = maker.k >> FIRST, maker.k & (1 << FIRST) - 1
        a, b = maker.args[:count], maker.args[count:]
        which = self.products.setdefault(id(maker), len(self.products) + 1)
        for halves, column in ((terms.low, at + first), (terms.high, at + first - 1)):
            for i in range(max(0, column - len(b) + 1), min(count, column + 1)):
                if column >= first and a[i].hi and b[column - i].hi:
                    halves.append((self.resolve(a[i]), self.resolve(b[column - i]), which))


def _pair(here: Terms, above: Terms) -> None:
    """Low halves of one column with the high halves of the next are whole products."""
    left, alone = Counter(above.high), list[Factors]()
    for factors in here.low:
        (here.whole if left[factors] else alone).append(factors)
        left[factors] -= left[factors] > 0
    here.low, above.high = alone, [*left.elements()]
