"""Roots of unity in Z_q, and transforms: evaluation at them, in natural order (NTT) or by ring splitting (Ring).

Roots are *turns*: e(t) = exp(2πi·t), t a fraction of a full turn with a power-of-two denominator.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from momagen.errors import MomagenError

from .expression import Leaf


def digit_reversal(index: int, n: int, radix: int = 2) -> int:
    """``index`` in 0…n−1 with its digits in base ``radix`` reversed, n a power of the radix."""
    result = 0
    while n > 1:
        index, digit = divmod(index, radix)
        result, n = result * radix + digit, n // radix
    return result


def leftover(n: int, radix: int) -> int:
    """n divided by the radix as often as it goes: 1 for a power of the radix."""
    while n % radix == 0:
        n //= radix
    return n


def check_power_of_two(n: int, where: str) -> None:
    """Raise MomagenError unless n is 1, 2, 4, ….."""
    if n < 1 or n & (n - 1):
        raise MomagenError("a power of two", n, where)


RADICES = (2, 4, 8, 16)
"""Sizes of the transforms that remain when all is broken down: the kernels."""
KERNELS = ", ".join(map(str, RADICES))
"""The same for messages."""


class Transform(Leaf):
    """Values of a polynomial of degree < n at n roots of unity.

    ``inverse`` stands for the conjugate transpose: n times the inverse matrix, without the factor 1/n.
    """

    turn: Fraction
    inverse: bool

    @property
    def blocks(self) -> int:
        """How many transforms of size n stand one below the other."""
        return 1

    def __post_init__(self) -> None:
        check_power_of_two(self.n, f"{type(self).__name__}: size")
        check_power_of_two(self.turn.denominator, f"{type(self).__name__}: denominator of the turn")
        if not 0 <= self.turn < 1:
            raise MomagenError("a turn in [0, 1)", self.turn, type(self).__name__)


@dataclass(frozen=True)
class NTT(Transform):
    """Natural order: output k is the value at e((turn + k)/n). Turn 0: Σ x_j ω^(jk), cyclic; turn 1/2: negacyclic."""

    n: int
    inverse: bool = False
    turn: Fraction = Fraction(0)

    def __str__(self) -> str:
        return f"{'i' * self.inverse}NTT({self.n}{f', {self.turn}' if self.turn else ''})"


@dataclass(frozen=True)
class Ring(Transform):
    """Z_q[x]/(x^n − e(turn)) split down to degree 1; natural order in, bit-reversed out.

    Output i is the value at e((turn + rev(i))/n). Turn 0: cyclic; turn 1/2: negacyclic. With ``blocks`` = m > 1: the
    direct sum of Ring(n, t_i), i < m, which remains when x^(m·n) − e(turn) has been split into the m factors
    x^n − e(t_i), t_i = (turn + rev(i))/m; prints as Rings.
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
        return self.blocks * self.n

    def __str__(self) -> str:
        many = f"{'i' * self.inverse}Rings({self.blocks}, {self.n}, {self.turn})"
        return super().__str__() if self.blocks == 1 else many
