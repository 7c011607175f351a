"""Roots of unity in Z_q as *turns*: e(t) = exp(2πi·t), t a fraction of a full turn with a power-of-two denominator."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from momagen.errors import MomagenError


@dataclass(frozen=True)
class RingContext:
    """Z_q and one root ``omega`` = e(1/order), order a power of two; smaller roots are its powers, so that
    root(n)^(n/m) = root(m).

    Raises MomagenError unless omega^(order/2) = −1 mod q.
    """

    modulus: int
    omega: int
    order: int

    def __post_init__(self) -> None:
        check_power_of_two(self.order, "ring context: order")
        exponent, power = (self.order // 2, -1) if self.order > 1 else (1, 1)
        if (pow(self.omega, exponent, self.modulus) - power) % self.modulus:
            expected = f"a primitive root of order {self.order} mod {self.modulus}"
            raise MomagenError(expected, self.omega, "ring context: omega")

    def root(self, n: int) -> int:
        """The primitive root e(1/n), n a power of two dividing the order."""
        return self.e(Fraction(1, n))

    def e(self, turn: Fraction) -> int:
        """exp(2πi·turn) in 0…q−1; MomagenError where the order has no such turn."""
        if self.order % turn.denominator:
            raise MomagenError(f"a turn in multiples of 1/{self.order}", turn, "ring context")
        return pow(self.omega, turn.numerator % turn.denominator * (self.order // turn.denominator), self.modulus)


def digit_reversal(index: int, n: int, radix: int = 2) -> int:
    """``index`` in 0…n−1 with its digits in base ``radix`` reversed, n a power of the radix."""
    result = 0
    while n > 1:
        index, digit = divmod(index, radix)
        result, n = result * radix + digit, n // radix
    return result


def split_turns(turn: Fraction, m: int) -> list[Fraction]:
    """Turns t_i = (turn + rev(i))/m of the factors of x^(m·s) − e(turn) = Π (x^s − e(t_i)).

    In the order of successive square roots: x^2n − e(t) = (x^n − e(t/2))·(x^n − e(t/2 + 1/2)).
    """
    return [(turn + digit_reversal(i, m)) / m for i in range(m)]


def check_power_of_two(n: int, where: str) -> None:
    """Raise MomagenError unless n is 1, 2, 4, ….."""
    if n < 1 or n & (n - 1):
        raise MomagenError("a power of two", n, where)
