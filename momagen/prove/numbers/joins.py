"""The search for words that are equal to parts of others: of shifted words, quotients and products.

A number is put in the place of such words. A wrong guess proves nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gmpy2 import mpq

from momagen.prove.checker import ProofError
from momagen.prove.collapse import MultiWord
from momagen.prove.polynomial import combine, constant, plus, quotient_by, scaled, times

if TYPE_CHECKING:
    from momagen.prove.polynomial import Polynomial
    from momagen.prove.search import PowerQuotient, Search
    from momagen.prove.words import Operation


class Joins:
    """The words that are joined to numbers.

    Args:
        search: The search, which learns the numbers.
    """

    def __init__(self, search: Search) -> None:
        self.search, self.checker, self.words = search, search.checker, search.words

    # Parts of words.

    def join_parts(self, operation: Operation) -> None:
        """Treat the two parts of a shifted word as a number: the word."""
        total = {m: -c for m, c in self.checker.equations[operation.equation].items()}
        parts = {operation.low: 1, operation.high: operation.weight}
        word = [m[0] for m, c in total.items() if len(m) == 1 and m[0] not in parts and c == 1]
        if len(word) == 1 and len(total) == 3 and word[0] not in self.words.operation_of:
            equal = self.checker.substitute(self.checker.identity(total), operation.equation, constant(-1))
            self.search.numbers.insert(0, MultiWord(word[0], self.checker.derive(equal), tuple(parts.items())))

    def join_quotient(self, operation: Operation) -> None:
        """Prove that the upper part of a word of floor(2^k / q) is floor(2^(k - s) / q), and join it to the lower part.

        A Barrett constant of two limbs is often computed limb by limb.

        Args:
            operation: The shift of the word by s bits.

        Raises:
            ProofError: There is no such quotient, or the two are not proven to be equal.
        """
        checker, weight = self.checker, operation.weight
        word = self.words.dividend(operation)
        for long in self.search.powers:
            short = next((p for p in self.search.powers if 1 << long.bits == weight << p.bits), None)
            whole, rest = self._quotient(long), plus(self._quotient(long), word, -1)
            if short is not None and all(c % weight == 0 for c in rest.values()):
                zero = self._equal_quotients(long, short, operation)
                parts = plus({(operation.low,): 1}, self._quotient(short), weight)
                number = self._named(whole)
                says = checker.identity(plus({(number,): 1}, parts, -1))
                if whole != {(number,): 1}:
                    says = checker.substitute(says, self.search.meanings[number], constant(1))
                says = checker.substitute(says, operation.equation, constant(-1))
                fact = checker.derive(checker.substitute(says, zero, constant(weight)))
                self.search.numbers.insert(0, MultiWord(number, fact, tuple((m[0], int(c)) for m, c in parts.items())))
                self._relate_power(number, long)
                return
        raise ProofError("the word is no part of a quotient of a power of two")

    def _quotient(self, power: PowerQuotient) -> Polynomial:
        """Return the quotient of a power of two by q, as a polynomial in words."""
        return quotient_by(self.checker.equations[power.equation], 0)

    def _relate_power(self, number: int, power: PowerQuotient) -> None:
        """State the relation of a number, which is the quotient of a power of two, to q."""
        if (0, number) not in self.search.relations:
            checker = self.checker
            zero = plus({(0, number): 1, (power.remainder,): 1}, constant(1 << power.bits), -1)
            says = checker.substitute(checker.identity(zero), self.search.meanings[number], {(0,): 1})
            self.search.relations[0, number] = checker.derive(checker.substitute(says, power.equation, constant(1)))

    def _equal_quotients(self, long: PowerQuotient, short: PowerQuotient, operation: Operation) -> int:
        """Prove that the upper part of a quotient is another one: q times their difference lies between -q and q."""
        checker = self.checker
        unit: Polynomial = {(0,): operation.weight}
        rest = plus(self._quotient(long), self.words.dividend(operation), -1)
        upper = plus({m: int(c) // operation.weight for m, c in rest.items()}, {(operation.high,): 1})
        difference, found = plus(upper, self._quotient(short), -1), []
        for sign in (1, -1):
            side = scaled(difference, sign)
            product = checker.identity(plus(times(side, unit), unit))
            product = checker.substitute(product, operation.equation, {(0,): sign})
            product = checker.substitute(product, long.equation, constant(sign))
            product = checker.substitute(product, short.equation, constant(-sign * operation.weight))
            factor, bounds = (checker.enclose(checker.identity(polynomial)) for polynomial in (unit, side))
            positive = checker.cancel(checker.enclose(product), factor, bounds)
            found.append(checker.name("difference", positive)[1])
        equal = checker.identity(difference)
        ends = [checker.substitute(equal, says, constant(c)) for says, c in zip(found, (-1, 1), strict=True)]
        return checker.vanish(self.search.meet(*map(checker.enclose, ends)))

    # Words of products.

    def join_words(self, product: Operation, high: Polynomial) -> None:
        """Prove that a value is the high word of a product, and treat the words below it as the product's low word.

        A high word is often computed from halves of words, and the low word by another instruction.

        Raises:
            ProofError: The value is not proven to be the high word.
        """
        checker = self.checker
        total = self.words.dividend(product)
        equal = self.search.lower(checker.identity(plus({(product.high,): 1}, high, -1)))
        words = {m[0]: c * product.weight for m, c in equal.right.items() if len(m) == 1}
        if len(words) != len(equal.right) or words.pop(product.low, 0) != -1 or total.keys() & equal.right.keys():
            raise ProofError("the value is no high word")
        zero = checker.vanish(checker.enclose(equal))
        same = checker.substitute(checker.scale(equal, -product.weight), zero, constant(-product.weight))
        parts = tuple(sorted(((word, int(c)) for word, c in words.items()), key=lambda part: part[1]))
        self.search.numbers.insert(0, MultiWord(product.low, checker.derive(same), parts))

    def join_low_words(self, chain: list[int], word: Polynomial, weight: int) -> None:
        """Prove that a low word of a product is equal to an earlier word, and put that word in its place.

        In Montgomery's reduction of t, the low words of ``(t / q mod 2^(k w)) * q`` are the low words of t.

        Args:
            chain: The low words of the product up to this one. The words below it must have been joined before.
            word: The earlier word: a variable, or a product that is less than a word.
            weight: 2^w.

        Raises:
            ProofError: They are not proven to be equal.
        """
        checker, own = self.checker, chain[-1]
        if any(lower not in self.search.joined for lower in chain[:-1]):
            raise ProofError("the words below are not joined")
        word = self._in_numbers(word)
        differences = [checker.equations[self.search.joined[lower]] for lower in chain[:-1]]
        differences.append(plus(word, {(own,): 1}, -1))
        modulus = weight ** len(chain)
        total = checker.identity(combine((weight**i, difference) for i, difference in enumerate(differences)))
        wrap = self.search.expanded_low(total, self.search.relations)
        if not wrap.right or any(c.denominator != 1 or c % modulus for c in wrap.right.values()):
            raise ProofError("the words are not congruent")
        zero = checker.vanish(checker.enclose(checker.scale(wrap, mpq(1, modulus))))
        whole = checker.derive(checker.substitute(wrap, zero, constant(modulus)))
        equal = checker.substitute(checker.identity(differences[-1]), whole, constant(mpq(weight, modulus)))
        for i, lower in enumerate(chain[:-1]):
            equal = checker.substitute(equal, self.search.joined[lower], constant(-mpq(weight ** (i + 1), modulus)))
        self.search.joined[own] = checker.derive(equal)
        number, equation = self._named(word), self.search.joined[own]
        if word != {(number,): 1}:
            same = checker.identity({(number,): 1, (own,): -1})
            same = checker.substitute(same, self.search.meanings[number], constant(1))
            equation = checker.derive(checker.substitute(same, equation, constant(1)))
        self.search.numbers.insert(0, MultiWord(number, equation, ((own, 1),)))

    def join_low_limbs(self, chain: list[int], word: Polynomial, weight: int) -> None:
        """Prove that the low limbs of a product form an earlier word, and put that word in their place.

        Args:
            chain: The low limbs of the product, lowest first.
            word: The earlier word: a variable.
            weight: The weight of a limb.

        Raises:
            ProofError: They are not proven to be equal.
        """
        checker, modulus = self.checker, weight ** len(chain)
        limbs = combine((weight**i, {(limb,): 1}) for i, limb in enumerate(chain))
        word = self._in_numbers(word)
        wrap = self.search.expanded_low(checker.identity(plus(word, limbs, -1)), self.search.relations)
        if not wrap.right or any(c.denominator != 1 or c % modulus for c in wrap.right.values()):
            raise ProofError("the words are not congruent")
        zero = checker.vanish(checker.enclose(checker.scale(wrap, mpq(1, modulus))))
        whole = checker.derive(checker.substitute(wrap, zero, constant(modulus)))
        parts = tuple((limb, weight**i) for i, limb in enumerate(chain))
        self.search.numbers.insert(0, MultiWord(self._named(word), whole, parts))
        self.search.joined[chain[-1]] = whole

    def _in_numbers(self, polynomial: Polynomial) -> Polynomial:
        """Replace a word by the number of which it is the only one."""
        homes = {n.words[0][0]: n.variable for n in self.search.numbers if len(n.words) == 1 and n.words[0][1] == 1}
        return {tuple(sorted(homes.get(v, v) for v in m)): c for m, c in polynomial.items()}

    def _named(self, polynomial: Polynomial) -> int:
        """Return the variable that a polynomial is, or a new one whose meaning it is."""
        monomial = next(iter(polynomial))
        if polynomial == {monomial: 1} and len(monomial) == 1:
            return monomial[0]
        number, equation = self.checker.name("product", self.checker.enclose(self.checker.identity(polynomial)))
        self.search.meanings[number] = equation
        return number
