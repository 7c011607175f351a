"""Products of two polynomials of d coefficients each modulo x^d - v.

z_k = Σ x_i·y_(k-i) + Σ x_i·(v·y_(d+k-i)). If all these products fit a word, they are added as integers, and
one reduction computes the residue of the sum. Otherwise every product is Montgomery's.
"""

from __future__ import annotations

from functools import cached_property, partial, reduce

from momagen.ir import Block, Value, const
from momagen.kernels.butterflies.codelets import CodeletBuilder, Lazy
from momagen.kernels.residues.arith import Arith


def adds_integers(arith: Arith, degree: int, points: int) -> bool:
    """Return whether a word holds the sum of ``degree`` products of coefficients below points·q."""
    most = degree * points * max(points, arith.grown) * arith.top**2
    return arith.words == 1 and most >> arith.held == 0


def points_factor(arith: Arith, degree: int) -> int:
    """Return the multiple of q below which a transform may leave points, or remainders, for products.

    It is the largest one that the products support.
    """
    log_room = arith.room.bit_length() - 1  # room = R/2^bits
    if degree == 1:
        return 1 << log_room // 2
    each = [1 << k for k in reversed(range(log_room // 2 + 1))]
    return next((m for m in each if adds_integers(arith, degree, m)), each[0])


class BaseProductBuilder(CodeletBuilder):
    """A builder of the codelet that computes one row.

    The inputs are x0… and y0… below m_in·q, twiddle 1, which is v, and q. The outputs are z0… below m_out·q.

    Args:
        arith: The representation of residues.
        degree: The number of coefficients.
        m_in: The inputs are below m_in·q.
        m_out: The outputs are below m_out·q.
        over: Whether the results are x·y/R; otherwise twiddle 0 is a factor of all results.
    """

    def __init__(self, arith: Arith, degree: int, m_in: int, m_out: int, *, over: bool) -> None:
        super().__init__(arith)
        self.degree, self.m_out, self.over = degree, m_out, over
        self.whole = adds_integers(arith, degree, m_in)
        self.x, self.y = (
            [Lazy(arith.residue(self.b, f"{name}{i}", m_in), m_in) for i in range(degree)] for name in "xy"
        )

    @cached_property
    def inverse(self) -> Value:
        """The inverse of q modulo R."""
        return self.one("inverse", self.q, k=self.arith.held)

    @property
    def lazy(self) -> bool:
        """Whether Montgomery's products may be below 2q."""
        return self.arith.room > 1

    def block(self) -> Block:
        """Return the codelet."""
        if not self.whole:
            self._fit()
        turned = [self._short(self.times(y, 1)) for y in self.y[1:]]  # v·y_1, v·y_2, …
        for k in range(self.degree):
            ys = [self.y[k - i] if i <= k else turned[self.degree + k - i - 1] for i in range(self.degree)]
            self.b.output(f"z{k}", self.reduce(self._dot(ys), self.m_out).value)
        return self.b.block

    def _fit(self) -> None:
        """Reduce coefficients until Montgomery's products of any two of them fit."""
        each = 1 << (self.arith.room.bit_length() - 1) // 2
        self.x = [self.reduce(x, each) for x in self.x]
        self.y = [self.reduce(y, each) for y in self.y]

    def _short(self, y: Lazy) -> Lazy:
        """Return v·y, reduced until Montgomery's products with it fit."""
        room = self.arith.room // self.x[0].m
        return y if self.whole else self.reduce(y, max(1, room))

    def _dot(self, ys: list[Lazy]) -> Lazy:
        """Return Σ x_i·ys_i, with the factor of all results."""
        pairs = zip(self.x, ys, strict=True)
        if self.whole:
            parts = [self.one("mullo", x.value, y.value) for x, y in pairs]
            total = reduce(partial(self.one, "addlo"), parts)
            return self._montgomery(total, const(1)) if self.over else self.times(Lazy(total, self.arith.room), 0)
        found = reduce(self._sum, (self._montgomery(x.value, y.value) for x, y in pairs))
        return found if self.over else self.times(found, 0)

    def _montgomery(self, x: Value, y: Value) -> Lazy:
        """Return x·y/R."""
        op, k = "montgomery" + "_lazy" * self.lazy, self.arith.held
        return Lazy(self.one(op, x, y, self.q, self.inverse, k=k), 1 + self.lazy)

    def _sum(self, x: Lazy, y: Lazy) -> Lazy:
        """Return x + y, reduced modulo q if the sum may not fit."""
        room = self.arith.room
        if room == 1:
            return Lazy(self.one("addmod", x.value, y.value, self.q), 1)
        if x.m + y.m > room:
            x, y = self.reduce(x, room // 2), self.reduce(y, room // 2)
        return Lazy(self.one("addlo", x.value, y.value), x.m + y.m)
