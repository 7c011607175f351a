"""Between words and lanes of two words: vectors of users' words are split into two of values, and merged of two.

An even word and the odd one behind it share a long lane, so their index bit goes to the registers.
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
    """How a loop body takes users' words, or gives them.

    Attributes:
        target: of the words. come, go: whether its vectors come as words, and go as words. whole: they fill a register;
            else half of one, in the order of the values. most: what goes is to be below most·q.
    """

    target: Target
    come: bool
    go: bool
    whole: bool
    most: int

    @property
    def splits(self) -> bool:
        """Whether every register of words becomes two of values."""
        return self.come and self.whole

    @property
    def moves(self) -> tuple[str, tuple[str, ...]]:
        """How the target loads what comes, and by turns stores what goes."""
        halves = self.go and not self.whole
        return "load_short" * (self.come and not self.whole), ("store_short", "store_upper") if halves else ("store",)

    @property
    def lanes(self) -> int:
        """Logarithm of the words of a register."""
        return self.target.lanes.bit_length() - 1

    def _order(self, order: Order) -> Order:
        """Index bits of words where values of the long lanes stand in ``order``."""
        low = self.lanes - 1
        return (order[low], *order[:low], *order[low + 1 :])

    def split(self, b: Builder, vectors: list[Value], order: Order) -> list[Value]:
        """Registers of words, as memory has them, as values in ``order``."""
        plain = natural(self.lanes, len(order) - self.lanes)
        vectors = move(b, vectors, rearranged(plain, self._order(order), self.lanes), self.target.cost)
        word, lane = self.target.word, 2 * self.target.word
        return [b.one(op, lane, vector, k=word) for vector in vectors for op in ("low", "shr")]

    def gone(self, b: Builder, values: list[Value], order: Order, fixed: dict[str, Load]) -> list[Value]:
        """Values in ``order``, below 2q, as registers of words, each of them twice where its halves go to two places;
        ``fixed``: loads of q's numbers."""
        pairs = zip(values[::2], values[1::2], strict=True)
        vectors = [self._both(b, low, high, by_turns=self.whole) for low, high in pairs]
        vectors = self._merged(b, vectors, order) if self.whole else vectors
        vectors = vectors if self.most > 1 else [self._reduced(b, vector, fixed) for vector in vectors]
        return vectors if self.whole else [vector for vector in vectors for _ in range(2)]

    def _merged(self, b: Builder, vectors: list[Value], order: Order) -> list[Value]:
        plain = natural(self.lanes, len(order) - self.lanes)
        return move(b, vectors, rearranged(self._order(order), plain, self.lanes), self.target.cost)

    def _both(self, b: Builder, low: Value, high: Value, by_turns: bool) -> Value:
        """The low words of the lanes of two registers, of one and the other ``by_turns``, or all of one first."""
        lanes = self.target.lanes
        turns = tuple(lane // 2 * 2 + lanes * (lane & 1) for lane in range(lanes))
        picks = turns if by_turns else tuple(range(0, 2 * lanes, 2))
        return b.emit("perm2", 2 * self.target.word, low, high, lanes=picks)[0]

    def _reduced(self, b: Builder, value: Value, fixed: dict[str, Load]) -> Value:
        """Words below 2q to words below q."""
        word, full = self.target.word, (1 << self.target.word) - 1
        load = fixed.setdefault("m", Load("m", [Value(0, full)], C, broadcast=True))
        return b.one("umin", word, value, b.one("sublo", word, value, load.values[0]))
