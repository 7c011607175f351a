"""Transforms: values of polynomials at roots of unity in Z_q, in natural (NTT) or bit-reversed order (Ring).

A root of unity is written as a *turn* t, a fraction of a full turn whose denominator is a power of two: e(t)
stands for exp(2πi·t), or for the corresponding root of unity in Z_q.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from momagen.errors import MomagenError

from .expression import Leaf


def digit_reversal(index: int, n: int, radix: int = 2) -> int:
    """Return ``index`` with its digits in base ``radix`` reversed.

    Args:
        index: A number from 0 to n − 1.
        n: The number of indices, a power of the radix.
        radix: The base.
    """
    result = 0
    while n > 1:
        index, digit = divmod(index, radix)
        result, n = result * radix + digit, n // radix
    return result


def leftover(n: int, radix: int) -> int:
    """Return n divided by the radix as often as that leaves no remainder: 1 for a power of the radix."""
    while n % radix == 0:
        n //= radix
    return n


def check_power_of_two(n: int, where: str) -> None:
    """Check that n is a power of two.

    Raises:
        MomagenError: It is not; the message names ``where``.
    """
    if n < 1 or n & (n - 1):
        raise MomagenError("a power of two", n, where)


RADICES = (2, 4, 8, 16)
"""The sizes of kernels, that is, of the transforms that remain after a breakdown."""
KERNELS = ", ".join(map(str, RADICES))
"""The sizes of kernels, as messages list them."""


class Transform(Leaf):
    """The matrix that maps the n coefficients of a polynomial to its values at n roots of unity.

    Attributes:
        n: The number of points, a power of two.
        turn: The turn t, from 0 to below 1, of the polynomial x^n − e(t) whose roots are the points.
        inverse: Whether the matrix is replaced by its conjugate transpose, which is n times the inverse
            matrix.
    """

    turn: Fraction
    inverse: bool

    @property
    def blocks(self) -> int:
        """The number of transforms of n points whose direct sum this is."""
        return 1

    def __post_init__(self) -> None:
        check_power_of_two(self.n, f"{type(self).__name__}: size")
        check_power_of_two(self.turn.denominator, f"{type(self).__name__}: denominator of the turn")
        if not 0 <= self.turn < 1:
            raise MomagenError("a turn in [0, 1)", self.turn, type(self).__name__)


@dataclass(frozen=True)
class NTT(Transform):
    """A transform in natural order: output k is the value at e((turn + k)/n).

    With the turn 0 it is cyclic, Σ x_j ω^(jk); with the turn 1/2 it is negacyclic.
    """

    n: int
    inverse: bool = False
    turn: Fraction = Fraction(0)

    def __str__(self) -> str:
        return f"{'i' * self.inverse}NTT({self.n}{f', {self.turn}' if self.turn else ''})"


@dataclass(frozen=True)
class Ring(Transform):
    """A transform from natural to bit-reversed order, which splits a ring into rings of degree 1.

    The ring is Z_q[x]/(x^n − e(turn)), and output i is the value at e((turn + rev(i))/n), where rev reverses
    the bits of i. With the turn 0 the transform is cyclic, with the turn 1/2 negacyclic.

    If ``blocks`` is m > 1, the matrix is the direct sum of the transforms Ring(n, t_i) for i < m, with t_i =
    (turn + rev(i))/m. They remain after x^(m·n) − e(turn) has been split into the m factors x^n − e(t_i). The
    notation for this matrix is Rings(m, n, turn).
    """

    n: int
    turn: Fraction
    inverse: bool = False
    blocks: int = 1
    shown = ("n", "turn")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_power_of_two(self.blocks, "Ring: blocks")

    @property
    def size(self) -> int:
        """The number of rows: n for each block."""
        return self.blocks * self.n

    def __str__(self) -> str:
        many = f"{'i' * self.inverse}Rings({self.blocks}, {self.n}, {self.turn})"
        return super().__str__() if self.blocks == 1 else many
