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
    """How the vectors of a loop body come and go.

    Attributes:
        target: of the words. come, go: whether whole vectors of words do. most: what goes is to be below most·q.
    """

    target: Target
    come: bool = False
    go: bool = False
    most: int = 1

    @property
    def lanes(self) -> int:
        """Logarithm of the words of a vector."""
        return self.target.lanes.bit_length() - 1

    def _order(self, order: Order) -> Order:
        """Index bits of words where values of the long lanes stand in ``order``."""
        low = self.lanes - 1
        return (order[low], *order[:low], *order[low + 1 :])

    def split(self, b: Builder, vectors: list[Value], order: Order) -> list[Value]:
        """Vectors of words, as memory has them, as values in ``order``."""
        plain = natural(self.lanes, len(order) - self.lanes)
        vectors = move(b, vectors, rearranged(plain, self._order(order), self.lanes), self.target.cost)
        word, lane = self.target.word, 2 * self.target.word
        return [b.one(op, lane, vector, k=word) for vector in vectors for op in ("low", "shr")]

    def merged(self, b: Builder, values: list[Value], order: Order, fixed: dict[str, Load]) -> list[Value]:
        """Values in ``order``, below 2q, as vectors of words; ``fixed``: loads of what depends on q alone."""
        lanes, word = self.target.lanes, self.target.word
        even = [lane // 2 * 2 + lanes * (lane & 1) for lane in range(lanes)]
        both = zip(values[::2], values[1::2], strict=True)
        vectors = [b.emit("perm2", 2 * word, *pair, lanes=tuple(even))[0] for pair in both]
        plain = natural(self.lanes, len(order) - self.lanes)
        vectors = move(b, vectors, rearranged(self._order(order), plain, self.lanes), self.target.cost)
        return vectors if self.most > 1 else [self._reduced(b, vector, fixed) for vector in vectors]

    def _reduced(self, b: Builder, value: Value, fixed: dict[str, Load]) -> Value:
        """Words below 2q to words below q."""
        word, full = self.target.word, (1 << self.target.word) - 1
        load = fixed.setdefault("m", Load("m", [Value(0, full)], C, broadcast=True))
        return b.one("umin", word, value, b.one("sublo", word, value, load.values[0]))
