"""Facts about public numbers: inequalities between lengths, indices and offsets, and the decisions of branches.

A condition of a branch may depend on public numbers only. If its value does not follow from what is known, the proof is
repeated for both values: each run takes one *path* through the program, and all paths together cover every execution.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gmpy2 import mpq

from momagen.prove.certificates.guide import SEARCH, Guide
from momagen.prove.checker import Bounds, Equal, ProofError
from momagen.prove.polynomial import (
    Monomial,
    Polynomial,
    constant,
    has_power_of_two,
    plus,
    quotient_by,
    scaled,
    variables,
)
from momagen.prove.quotients import Divisions, Powers
from momagen.prove.search import Search, total_of
from momagen.prove.words import Value, Words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from momagen.prove.certificates.guide import Found
    from momagen.prove.polynomial import InModulus

WEIGHT = 1 << 64
DEPTH = 3
"""How many inequalities are combined to prove another one."""


@dataclass
class Path:
    """The decisions at branches whose conditions are not known, in their order."""

    decisions: list[bool] = field(default_factory=list)
    used: int = 0

    def next(self) -> bool:
        """Return the decision at the next branch."""
        if self.used == len(self.decisions):
            self.decisions.append(True)
        self.used += 1
        return self.decisions[self.used - 1]

    def following(self) -> Path | None:
        """Return the path that differs from this one at the last branch that has not been taken both ways."""
        decisions = self.decisions[: self.used]
        while decisions and not decisions[-1]:
            decisions.pop()
        return Path([*decisions[:-1], False]) if decisions else None

    @staticmethod
    def every() -> Iterator[Path]:
        """Yield a path for each sequence of decisions; each must be followed to its end before the next one."""
        path: Path | None = Path()
        while path is not None:
            yield path
            path = path.following()


class Facts(Divisions):
    """The checker, words and search of one path through a program, with what is known about public numbers."""

    def __init__(
        self, least: int, greatest: int, path: Path, guide: Guide = SEARCH, powers: Powers = Powers.SOME
    ) -> None:
        self.guide = guide
        self.powers = powers if has_power_of_two(least, greatest) else Powers.NONE
        self.checker = guide.checker(least, greatest)
        self.words = Words(self.checker)
        self.search = Search(self.checker, self.words)
        self.path = path
        self.secrets: set[int] = set()
        self._numbers: list[tuple[int, list[tuple[int, int]]]] = []
        """The equations of numbers that are stated, each with its words and their weights."""
        self._inequalities: list[tuple[Polynomial, int]] = []
        self._shared: dict[str, Value] = {}
        self._natural: set[frozenset[tuple[Monomial, Any]]] = set()
        self.is_trial = False
        self._public: dict[int, bool] = {}
        self._quotients: dict[Any, Value] = {}

    def shared(self, name: str, greatest: int) -> Value:
        """Return the value between 0 and ``greatest`` that has this name."""
        if name not in self._shared:
            self._shared[name] = self.words.variable(name, 0, greatest)
        return self._shared[name]

    # Inequalities.

    def state_not_negative(self, polynomial: Polynomial, name: str) -> None:
        """State that a polynomial in public variables is at least 0, because a branch was taken."""
        value = self.words.value_of(polynomial)
        if value.low >= 0:
            return
        if len(polynomial) == 1:
            monomial, coefficient = next(iter(polynomial.items()))
            if len(monomial) == 1 and coefficient < 0 and self.words.range_of(monomial[0])[0] == 0:
                self.words.zeros.add(monomial[0])
        slack = self.words.variable(name, 0, max(value.high, 0))
        equation = self.checker.state(plus(polynomial, slack.polynomial, -1))
        self._inequalities.append((polynomial, equation))
        without = self._without_quotients(self.checker.identity(self.checker.equations[equation]))
        if without.right != without.left:
            turned = self.checker.substitute(self.checker.scale(without, 1), equation, constant(1))
            self._inequalities.append((plus(without.right, slack.polynomial), self.checker.derive(turned)))

    def is_not_negative(self, polynomial: Polynomial) -> bool:
        """Return True only if a polynomial in public variables is proven to be at least 0."""
        key = frozenset(polynomial.items())
        if key not in self._natural and self._is_proven_natural(polynomial):
            self._natural.add(key)
        return key in self._natural

    def _is_proven_natural(self, polynomial: Polynomial) -> bool:
        identity = self.checker.identity(polynomial)
        reduced = self._without_quotients(identity)
        if self._follows(identity, DEPTH) or (reduced is not identity and self._follows(reduced, DEPTH)):
            return True
        return any(self._follows(parts, DEPTH) for parts in self._in_parts(reduced))

    def follows_at_once(self, polynomial: Polynomial) -> bool:
        """Return True only if a polynomial in public variables is at least 0 by its bounds and one inequality."""
        return self._follows(self.checker.identity(polynomial), 1)

    def _follows(self, equal: Equal, depth: int) -> bool:
        for form in (equal, self._without_quotients(equal)):
            try:
                if self.checker.minimum(self.checker.enclose(form).low) > -1:
                    return True
            except ProofError:
                continue
        if depth == 0:
            return False
        for polynomial, equation in self._inequalities:
            factors = {
                mpq(equal.right[m]) / c for m, c in polynomial.items() if m and m in equal.right
            }
            for factor in factors:
                if factor > 0 and self._follows(
                    self.checker.substitute(equal, equation, constant(factor)), depth - 1
                ):
                    return True
        return False

    def _without_quotients(self, equal: Equal) -> Equal:
        """Replace the quotients of public numbers, so that they cancel the numbers: 8 * (n / 8) is n - n % 8."""
        while quotients := [v for v in variables(equal.right) if self._is_quotient(v)]:
            operation = self.words.operations[self.words.operation_of[max(quotients)]]
            factor = scaled(quotient_by(equal.right, operation.high), mpq(1, operation.weight))
            equal = self.checker.substitute(equal, operation.equation, factor)
        return equal

    def _in_parts(self, equal: Equal) -> Iterator[Equal]:
        """Yield forms with the parts of numbers: n is ``32 * (n / 32) + n % 32``, and the remainder has parts, too."""
        for operation in self.words.operations:
            word = self.words.dividend(operation)
            monomial = next(iter(word), ())
            if monomial and word == {monomial: 1} and monomial in equal.right and self.is_public(word):
                parts = self.checker.substitute(equal, operation.equation, constant(-equal.right[monomial]))
                yield parts
                yield from self._in_parts(parts)

    def _is_quotient(self, number: int) -> bool:
        index = self.words.operation_of.get(number)
        return index is not None and self.words.operations[index].high == number

    def is_not_negative_by_numbers(self, polynomial: Polynomial) -> bool:
        """Return True only if a public polynomial is at least 0, because of the bounds of the numbers of its words."""
        if not self.is_public(polynomial):
            return False
        return any(self._follows(form, DEPTH) for form in self._by_numbers(polynomial))

    def _by_numbers(self, polynomial: Polynomial) -> Iterator[Equal]:
        """Yield a polynomial whose words at one place are replaced by numbers and their other words, for all places."""
        for at in range(max((len(words) for _, words in self._numbers), default=0)):
            form = equal = self.checker.identity(polynomial)
            for equation, words in self._numbers:
                word, weight = words[at] if at < len(words) else (0, 0)
                if factor := quotient_by(form.right, word) if weight else {}:
                    form = self.checker.substitute(form, equation, scaled(factor, mpq(-1, weight)))
            if form is not equal:
                yield form

    def require_not_negative(self, polynomial: Polynomial, problem: str) -> None:
        """Prove that a polynomial in public variables is at least 0.

        Raises:
            ProofError: With the text ``problem``, if this cannot be proven.
        """
        if polynomial.keys() <= {()}:
            if polynomial.get((), 0) < 0:
                raise ProofError(problem)
        elif not self.is_not_negative(polynomial):
            raise ProofError(problem)

    def are_equal(self, a: Polynomial, b: Polynomial) -> bool:
        """Return True only if two public polynomials are proven to be equal."""
        difference = plus(a, b, -1)
        return not difference or (
            self.is_not_negative(difference) and self.is_not_negative(scaled(difference, -1))
        )

    # What the search finds. It is not trusted, so that its answers are compared with the questions.

    def ask(self, question: Callable[..., Found], *given: Any) -> Found:
        """Return what the search, or a certificate in its place, answers to a question."""
        return self.guide.ask(self.checker, question, *given)

    def state_number(
        self, name: str, words: list[Value], bounds: tuple[InModulus, InModulus], weight: int = WEIGHT
    ) -> int:
        """Introduce the number of words below ``weight``, with bounds that the claim or an invariant states."""
        number = self.checker.integer(name, *bounds)
        self._state_words(number, words, weight)
        return number

    def name_polynomial(self, number: int, value: InModulus) -> None:
        """Prove that a number is a polynomial in q, because both of its bounds are, and let the search use this."""
        difference = {(number,): 1, **{(0,) * power: -c for power, c in enumerate(value) if c}}
        bounds = self.checker.enclose(self.checker.identity(difference))
        self.search.meanings[number] = self.checker.vanish(bounds)

    def name_constants(self, name: str, numbers: list[int], weight: int = WEIGHT) -> list[Value]:
        """Return known words of a number as variables, of which only the number and its relation to q are stated.

        The claim must be about a single modulus.
        """
        q, total = self.checker.least, sum(number * weight**i for i, number in enumerate(numbers))
        if total == 0:
            return [self.words.constant(0) for _ in numbers]
        if numbers[0] == 0 and total % (q * weight) == 0:
            # A multiple of q by a multiple of 2^w has a low word that is 0 for any modulus.
            return [self.words.constant(0), *self.name_constants(name, numbers[1:], weight)]
        ends = [min(weight - 1, total // weight**i) for i in range(len(numbers))]
        words = [self.words.variable(f"{name}[{i}]", 0, end) for i, end in enumerate(ends)]
        whole = self.state_number(name, words, ((total,), (total,)), weight)
        if total % q == 0:
            self.search.meanings[whole] = self.checker.state({(whole,): 1, (0,): -(total // q)})
            return words
        power = 1 << (total * q).bit_length()
        rest, left = divmod(power - total * q, q)
        known = {(0, whole): 1, (0,): rest, (): left - power}
        self.search.relations[0, whole] = self.checker.state({m: c for m, c in known.items() if c})
        return words

    def state_modulus(self, words: list[Value], weight: int = WEIGHT) -> None:
        """State that these are the words of q, each below ``weight``."""
        if self.checker.least == self.checker.greatest:
            self.search.point = self.checker.state({(0,): 1, (): -self.checker.least})
        self._state_words(0, words, weight)

    def state_parity(self, lowest: Value, parity: int) -> None:
        """State q modulo 2, whose lowest word is given; ``q^2 = 8 * e + 1`` follows if q is odd."""
        self.words.state_remainder(lowest, 2, parity)
        if parity:
            self.checker.state_odd()
            self.search.relations[0, 0] = self.checker.odd_square()

    def _state_words(self, number: int, words: list[Value], weight: int) -> None:
        total = total_of(words, weight)
        equation = self.checker.state(plus({(number,): 1}, total, -1))
        self.search.add_number(number, total, equation)
        self._numbers.append((equation, [(m[0], c) for m, c in total.items() if len(m) == 1]))

    def bounds(self, polynomial: Polynomial) -> Bounds:
        """Return the bounds of a polynomial that the search proves."""
        bounds = self.ask(self.search.bounds, polynomial)
        if not isinstance(bounds, Bounds) or bounds.of != polynomial or bounds.under:
            raise ProofError("the search returned bounds of something else")
        return bounds

    def bounds_by_flags(self, polynomial: Polynomial) -> Bounds:
        """Return the bounds of a polynomial that the search proves by a case distinction over carries and borrows."""
        bounds = self.ask(self.search.bounds_by_flags, polynomial)
        if not isinstance(bounds, Bounds) or bounds.of != polynomial or bounds.under:
            raise ProofError("the search returned bounds of something else")
        return bounds

    def residue(self, polynomial: Polynomial, keeps_multiples_of_q: bool = False) -> Equal:
        """Return what the search proves that a polynomial is equal to.

        Args:
            polynomial: The polynomial.
            keeps_multiples_of_q: Whether terms with the factor q are left as they are.
        """
        search = self.search.residue_keeping_multiples if keeps_multiples_of_q else self.search.residue
        equal = self.ask(search, polynomial)
        if not isinstance(equal, Equal) or equal.left != polynomial or equal.under:
            raise ProofError("the search returned an equation of something else")
        return equal

    def expanded(self, polynomial: Polynomial) -> Equal:
        """Return what the search proves that a polynomial is equal to, without low words and chosen words."""
        equal = self.ask(self.search.expanded_choices, self.checker.identity(polynomial))
        if not isinstance(equal, Equal) or equal.left != polynomial or equal.under:
            raise ProofError("the search returned an equation of something else")
        return equal

    def same_condition(self, flags: list[int], flag: int) -> int:
        """Return an equation that the search proves: the sum of some flags is equal to another flag."""
        equation = self.ask(self.search.same_condition, flags, flag)
        if type(equation) is not int or self.checker.equations[equation] != {(flag,): -1} | {(f,): 1 for f in flags}:
            raise ProofError("the search returned an equation of something else")
        return equation

    def multiple_of_q(self, polynomial: Polynomial) -> int:
        """Return the positive number by which q is multiplied to give a polynomial.

        Raises:
            ProofError: The polynomial is not proven to be a multiple of q by a number.
        """
        equal = self.ask(self.search.lower, self.residue(polynomial))
        if not isinstance(equal, Equal) or equal.left != polynomial or equal.under or equal.right.keys() != {(0,)}:
            raise ProofError("a number is not proven to be a multiple of q")
        factor = equal.right[0,]
        if factor.denominator != 1 or factor < 1:
            raise ProofError("a number is not proven to be a multiple of q")
        return int(factor)

    def require_zero(self, polynomial: Polynomial) -> None:
        """Prove that a polynomial is 0."""
        equation = self.ask(self.search.vanish_by_flags, polynomial) if polynomial else None
        if polynomial and (type(equation) is not int or self.checker.equations[equation] != polynomial):
            raise ProofError("the search returned an equation of something else")

    def quotient(self, dividend: Value, divisor: Value) -> Value:
        """Return the quotient of a number by a multiple of q.

        Raises:
            ProofError: The divisor is not proven to be a multiple of q by a number.
        """
        key = frozenset(dividend.polynomial.items()), frozenset(divisor.polynomial.items())
        if key not in self._quotients:
            self._quotients[key] = self.divide_by_multiple(dividend, divisor)
        return self._quotients[key]

    # Branches.

    @contextmanager
    def trying(self) -> Iterator[None]:
        """Execute the ``with`` block to see what it changes; nothing that it computes is part of the proof."""
        before, self.is_trial = self.is_trial, True
        try:
            yield
        finally:
            self.is_trial = before

    def is_public(self, polynomial: Polynomial) -> bool:
        """Return whether a polynomial depends on no secret value."""
        return all(self._is_public(number) for number in variables(polynomial))

    def _is_public(self, number: int) -> bool:
        if number not in self._public:
            self._public[number] = False
            if number not in self.secrets:
                index = self.words.operation_of.get(number)
                chosen = self.words.selections.get(number)
                equation = self.words.operations[index].equation if index is not None else None
                equation = chosen.equation if chosen else equation
                results = {number}
                if index is not None:
                    results = {self.words.operations[index].high, self.words.operations[index].low}
                known = self.words.origins.get(number, set())
                if equation is not None:
                    known = variables(self.checker.equations[equation]) - results
                self._public[number] = all(self._is_public(operand) for operand in known)
        return self._public[number]

    def less(self, a: Value, b: Value, name: str) -> Value:
        """Return the flag that ``a < b``."""
        farthest = max(abs(a.low - b.high), abs(a.high - b.low))
        return self.words.difference(a, b, self.words.constant(0), max(128, farthest.bit_length()), name)[0]

    def decide(
        self, flag: Value, implied: tuple[Polynomial, Polynomial] | None, where: str, is_assumed: bool = False
    ) -> bool:
        """Return whether the condition of a branch holds on this path.

        Args:
            flag: The condition as a value that is 0 or 1.
            implied: What is at least 0 if the condition is false, and what is if it is true.
            where: The place in the source, for messages.
            is_assumed: Whether only the executions are of interest in which the condition is true.
        """
        if flag.is_constant:
            return bool(flag.low)
        if implied is not None:
            if self.is_not_negative(implied[1]):
                return True
            if self.is_not_negative(implied[0]):
                return False
        bounds = self.bounds(flag.polynomial)
        if self.checker.minimum(bounds.low) > 0:
            return True
        if self.checker.maximum(bounds.high) < 1:
            return False
        if implied is not None and self.is_not_negative_by_numbers(implied[1]):
            return True
        if implied is not None and self.is_not_negative_by_numbers(implied[0]):
            return False
        if not self.is_public(flag.polynomial):
            raise ProofError(f"{where}: a branch depends on secret values")
        taken = is_assumed or self.path.next()
        self.checker.state(plus(flag.polynomial, constant(int(taken)), -1))
        is_zero, is_one = scaled(flag.polynomial, -1), plus(flag.polynomial, constant(-1))
        self.state_not_negative((implied or (is_zero, is_one))[taken], where)
        return taken
