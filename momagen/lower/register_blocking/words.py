"""Conversions between vectors of the user's words and lanes of two words.

An even word and the following odd word share a long lane, so their index bit selects the register of a value.
"""

from __future__ import annotations

from typing import NamedTuple

from momagen.ir import Builder, Value
from momagen.kernels.flow.index_bits import Order
from momagen.kernels.flow.lane_levels import natural, rearranged
from momagen.kernels.flow.permutation_network import move
from momagen.lower.names import C
from momagen.program import Load
from momagen.targets import Target


class Words(NamedTuple):
    """The conversions of a loop body that loads or stores the user's words.

    Attributes:
        target: The target of vectors of words.
        come: Whether the body loads words.
        go: Whether it stores words.
        whole: Whether words fill a register. Otherwise they fill half of one, in the order of the values.
        most: The bound on stored words, which are below most·q.
    """

    target: Target
    come: bool
    go: bool
    whole: bool
    most: int

    @property
    def splits(self) -> bool:
        """Whether each register of words becomes two registers of values."""
        return self.come and self.whole

    @property
    def moves(self) -> tuple[str, tuple[str, ...]]:
        """The target's move that loads, and its moves that store, in turn."""
        halves = self.go and not self.whole
        return "load_short" * (self.come and not self.whole), ("store_short", "store_upper") if halves else ("store",)

    @property
    def lanes(self) -> int:
        """The logarithm of the number of words of a register."""
        return self.target.lanes.bit_length() - 1

    def _order(self, order: Order) -> Order:
        """Return the order of the index bits of words, if the values of long lanes have the order ``order``."""
        low = self.lanes - 1
        return (order[low], *order[:low], *order[low + 1 :])

    def split(self, b: Builder, vectors: list[Value], order: Order) -> list[Value]:
        """Return registers of words, as they were loaded, as registers of values in ``order``."""
        plain = natural(self.lanes, len(order) - self.lanes)
        vectors = move(b, vectors, rearranged(plain, self._order(order), self.lanes), self.target.cost)
        word, lane = self.target.word, 2 * self.target.word
        return [b.one(op, lane, vector, k=word) for vector in vectors for op in ("low", "shr")]

    def gone(self, b: Builder, values: list[Value], order: Order, fixed: dict[str, Load]) -> list[Value]:
        """Return values below 2q as registers of words.

        If a register's halves are stored to two addresses, the register occurs twice in the result.

        Args:
            b: The builder.
            values: The registers of values.
            order: Their order.
            fixed: The loads of constants that only depend on q.
        """
        pairs = zip(values[::2], values[1::2], strict=True)
        vectors = [self._both(b, low, high, by_turns=self.whole) for low, high in pairs]
        vectors = self._merged(b, vectors, order) if self.whole else vectors
        vectors = vectors if self.most > 1 else [self._reduced(b, vector, fixed) for vector in vectors]
        return vectors if self.whole else [vector for vector in vectors for _ in range(2)]

    def _merged(self, b: Builder, vectors: list[Value], order: Order) -> list[Value]:
        plain = natural(self.lanes, len(order) - self.lanes)
        return move(b, vectors, rearranged(self._order(order), plain, self.lanes), self.target.cost)

    def _both(self, b: Builder, low: Value, high: Value, by_turns: bool) -> Value:
        """Return the low words of the lanes of two registers, alternately or first all of one register."""
        lanes = self.target.lanes
        turns = tuple(lane // 2 * 2 + lanes * (lane & 1) for lane in range(lanes))
        picks = turns if by_turns else tuple(range(0, 2 * lanes, 2))
        return b.emit("perm2", 2 * self.target.word, low, high, lanes=picks)[0]

    def _reduced(self, b: Builder, value: Value, fixed: dict[str, Load]) -> Value:
        """Return words below q that are congruent to words below 2q."""
        word, full = self.target.word, (1 << self.target.word) - 1
        load = fixed.setdefault("m", Load("m", [Value(0, full)], C, broadcast=True))
        return b.one("umin", word, value, b.one("sublo", word, value, load.values[0]))
