"""The search for Barrett constants of moduli that are powers of two: ``2^k / q - 1`` instead of ``2^k / q``.

Such a constant may have one or two limbs in a plan. The division states ``q * (2^k / q) = 2^k``, of which this search
proves ``q * number + q = 2^k``. A wrong guess proves nothing.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import pairwise, product
from typing import TYPE_CHECKING

from gmpy2 import mpq

from momagen.prove.checker import ProofError
from momagen.prove.polynomial import constant, is_power_of_two, plus, quotient_by, scaled, times

if TYPE_CHECKING:
    from momagen.prove.checker import Equal
    from momagen.prove.polynomial import Polynomial
    from momagen.prove.search import PowerQuotient, Search
    from momagen.prove.words import Operation

WEIGHTS = tuple(1 << bits for bits in (16, 32, 52, 64))
"""The weights of the upper limb of a constant of two limbs."""


class PowerConstants:
    """The relations between q and the constants of a plan.

    Args:
        search: The search, which learns the relations.
    """

    def __init__(self, search: Search) -> None:
        self.search, self.checker = search, search.checker
        self._exact: list[tuple[int, Polynomial, int]] = []
        self._parts: dict[int, tuple[Polynomial, int]] = {}

    def relate(self, limbs: dict[int, int | None]) -> None:
        """Find the constants among the words of a plan.

        Args:
            limbs: The equation that says which value a word is, by its variable; None if the word is the variable.
        """
        self._exact = [found for power in self.search.powers if (found := self._exact_quotient(power)) is not None]
        for operation in self.search.words.operations:
            with suppress(ProofError):
                self._join_upper_part(operation)
        left = set(limbs)
        for first, second in pairwise(limbs):
            for (upper, lower), weight in product(((first, second), (second, first)), WEIGHTS):
                with suppress(ProofError):
                    if left.issuperset((first, second)):
                        self._relate({(upper,): weight, (lower,): 1}, limbs)
                        left -= {first, second}
        for limb in (limb for limb in limbs if limb in left):
            with suppress(ProofError):
                self._relate({(limb,): 1}, limbs)

    def _exact_quotient(self, power: PowerQuotient) -> tuple[int, Polynomial, int] | None:
        """Return the power, the quotient, and the equation ``q * quotient - power = 0`` if the remainder is 0."""
        checker, equation = self.checker, power.equation
        with suppress(ProofError):
            rest = checker.vanish(checker.enclose(checker.identity({(power.remainder,): 1})))
            zero = plus(checker.equations[equation], {(power.remainder,): 1}, -1)
            says = checker.substitute(checker.identity(zero), equation, constant(1))
            quotient = quotient_by(zero, 0)
            return 1 << power.bits, quotient, checker.derive(checker.substitute(says, rest, constant(-1)))
        return None

    def _join_upper_part(self, operation: Operation) -> None:
        """Prove that the upper part of ``2^k / q - 1`` is ``2^j / q - 1``, where the lower part has k - j bits."""
        checker, weight = self.checker, operation.weight
        dividend = plus(self.search.words.dividend(operation), constant(1))
        long = next((e for e in self._exact if e[1] == dividend), None)
        short = next((e for e in self._exact if long is not None and e[0] * weight == long[0]), None)
        if long is None or short is None:
            raise ProofError("the word is no quotient of a power of two, less 1")
        unit: Polynomial = {(0,): weight}
        difference = plus(plus({(operation.high,): 1}, constant(1)), short[1], -1)
        ends = []
        for sign in (1, -1):
            side = scaled(difference, sign)
            whole = checker.identity(plus(times(side, unit), unit))
            whole = checker.substitute(whole, operation.equation, {(0,): sign})
            whole = checker.substitute(whole, long[2], constant(sign))
            whole = checker.substitute(whole, short[2], constant(-sign * weight))
            bounds = checker.enclose(checker.identity(unit)), checker.enclose(checker.identity(side))
            positive = checker.cancel(checker.enclose(whole), *bounds)
            says = checker.name("difference", positive)[1]
            ends.append(checker.enclose(checker.substitute(checker.identity(difference), says, constant(-sign))))
        self._parts[operation.high] = short[1], checker.vanish(checker.meet(ends[0], ends[1], 0))
        self._parts[operation.low] = {}, operation.equation

    def _relate(self, total: Polynomial, limbs: dict[int, int | None]) -> None:
        """Prove that q times a number and q are a power of two."""
        checker = self.checker
        multiple = self._reduced(checker.identity(times(total, {(0,): 1})), limbs).right
        power = mpq(multiple.get((), 0))
        is_power = power.denominator == 1 and power > 0 and is_power_of_two(int(power))
        if not is_power or multiple != {(): power, (0,): -1}:
            raise ProofError("the number is no constant")
        limb = next(iter(total))[0]
        number = limb
        if len(total) > 1:
            number, equation = checker.name("constant", checker.enclose(checker.identity(total)))
            self.search.add_number(number, total, equation)
        zero = checker.identity({(0, number): 1, (0,): 1, (): -power})
        if len(total) > 1:
            zero = checker.substitute(zero, equation, {(0,): 1})
        self.search.relations[0, number] = checker.derive(self._reduced(zero, limbs))

    def _reduced(self, equal: Equal, limbs: dict[int, int | None]) -> Equal:
        """Replace limbs by what they are, upper and lower parts by quotients, and multiples of q by powers of two."""
        checker = self.checker
        for limb, equation in limbs.items():
            if equation is not None and (factor := quotient_by(equal.right, limb)):
                equal = checker.substitute(equal, equation, factor)
        for part, (_, equation) in reversed(self._parts.items()):
            if factor := quotient_by(equal.right, part):
                equal = checker.substitute(equal, equation, scaled(factor, mpq(1, checker.equations[equation][part,])))
        for _, quotient, equation in self._exact:
            for monomial in quotient:
                if coefficient := equal.right.get(tuple(sorted((0, *monomial)))):
                    equal = checker.substitute(equal, equation, constant(mpq(coefficient) / quotient[monomial]))
        return equal
