"""The search for proofs: which multiples of which equations to subtract, so that the checker can conclude.

Nothing here is trusted. The search knows the operations of the program, of which it eliminates the results of the
latest one first, and the *numbers*: multi-word integers, which it puts in the place of their words.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from math import ceil
from typing import TYPE_CHECKING, Any

from gmpy2 import mpq

from momagen.prove.checker import Bounds, Checker, Equal, Impossible, ProofError
from momagen.prove.collapse import MultiWord, collapse, relate
from momagen.prove.polynomial import Polynomial, combine, constant, plus, quotient_by, scaled, times, variables

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from momagen.prove.words import Operation, Value, Words

CASES = 5
"""The greatest number of conditions that may meet in one value."""


@dataclass(frozen=True)
class PowerQuotient:
    """The quotient of a power of two by q: ``q * quotient + remainder = 2^bits``.

    Attributes:
        bits: The exponent.
        remainder: The variable of the remainder.
        equation: The equation.
    """

    bits: int
    remainder: int
    equation: int


@dataclass
class Search:
    """The search for proofs of statements about the values of one program.

    Attributes:
        checker: The checker of the proofs.
        words: The operations of the program.
        numbers: The numbers found so far, in their order.
        relations: Equations for products of two variables, such as a Barrett constant times q: the number of the
            equation by the pair of variables.
        meanings: The equation that says which integral polynomial a number is, by its variable.
    """

    checker: Checker
    words: Words
    numbers: list[MultiWord] = field(default_factory=list)
    relations: dict[tuple[int, int], int] = field(default_factory=dict)
    meanings: dict[int, int] = field(default_factory=dict)
    powers: list[PowerQuotient] = field(default_factory=list)
    """The quotients of powers of two by q that the program computes."""
    _settled: set[int] = field(default_factory=set)
    _choices: set[int] = field(default_factory=set)
    _opened: set[int] = field(default_factory=set)
    _empty: dict[int, int | None] = field(default_factory=dict)
    _rests: dict[int, int | None] = field(default_factory=dict)
    point: int | None = None
    """The equation that q is a number, if the claim is about a single modulus."""
    _complements: dict[int, tuple[int, int]] = field(default_factory=dict)
    _twins: dict[int, tuple[int, int] | None] = field(default_factory=dict)
    _cases: list[tuple[int, int, int]] = field(default_factory=list)
    slack: Any = 0
    """By which part of itself a maximum may be exceeded by a bound that is better for the least q."""
    _quotients: set[int] = field(default_factory=set)
    """The numbers that are sums of high words and products."""
    _joints: dict[int, int] = field(default_factory=dict)
    """The equation that a flag is the sum of two borrows."""
    _exclusive: dict[Any, int] = field(default_factory=dict)
    """The equation that the product of two flags is 0, by the two flags."""
    joined: dict[int, int] = field(default_factory=dict)
    """The equation that says which earlier word a low word of a product is equal to, as in Montgomery's reduction."""

    # Numbers.

    def add_number(self, variable: int, total: Polynomial, equation: int) -> None:
        """Add a number that an equation says to be the total of its words."""
        parts = tuple((monomial[0], int(c)) for monomial, c in total.items() if len(monomial) == 1)
        self.numbers.append(MultiWord(variable, equation, parts))
        for word, _ in parts:
            if word in self.words.operation_of:
                self._settled.add(word)

    def is_settled(self, word: int) -> bool:
        """Return whether a word belongs to a number."""
        return word in self._settled_words()

    def settle(self, name: str, total: Polynomial, modulus: int) -> int:
        """Prove which integer the words of a difference or product modulo a power of two are, and return its variable.

        Args:
            name: The name of the integer.
            total: The words, each with its weight.
            modulus: The power of two.

        Raises:
            ProofError: The integer may lie outside the range of the words.
        """
        identity = self.checker.identity(total)
        try:
            exact = self._exact(identity, modulus, opens=False)
            bounds = self._enclosed(exact)
        except ProofError:
            try:
                exact = self._exact(identity, modulus, opens=True)
                bounds = self._enclosed(self._open_choices(exact))
            except ProofError:
                exact = self._exact(self._expanded(identity), modulus, opens=False)
                bounds = self._enclosed(exact)
        if self.relations:
            with suppress(ProofError):
                bounds = self.meet(bounds, self.checker.enclose(self._deep(exact)))
        fact = self.checker.derive(self.checker.shift(exact, scaled(exact.right, -1)))
        variable = self._settled_as(name, total, bounds, exact.right, fact)
        with suppress(ProofError):
            self._relate_quotient(variable)
        return variable

    def _settled_as(self, name: str, total: Polynomial, bounds: Bounds, meaning: Polynomial, fact: int) -> int:
        """Name a number, whose words minus its meaning are the polynomial of the equation ``fact``."""
        checker = self.checker
        variable, equation = checker.name(name, self.meet(bounds, checker.enclose(checker.identity(total))))
        self.add_number(variable, total, equation)
        says = checker.substitute(checker.identity(plus({(variable,): 1}, meaning, -1)), equation, constant(1))
        self.meanings[variable] = checker.derive(checker.substitute(says, fact, constant(1)))
        highs = [v for v in self._results(meaning) if self.words.operations[self.words.operation_of[v]].high == v]
        if highs and min(meaning.values()) > 0:
            self._quotients.add(variable)
        return variable

    def _exact(self, equal: Equal, modulus: int, opens: bool) -> Equal:
        """Rewrite words modulo a power of two as the integer that they are.

        Args:
            equal: The words, as the right side of an equation.
            modulus: The power of two.
            opens: Whether the conditions of chosen numbers are taken apart.
        """
        checker, words = self.checker, self.checker.identity(equal.right)
        congruent = self._modulo(words, modulus)
        near = {m: (c + modulus // 2) % modulus - modulus // 2 for m, c in congruent.right.items()}
        exact = {m: c for m, c in near.items() if c}
        wraps = checker.scale(checker.shift(congruent, scaled(exact, -1)), mpq(1, modulus))
        found = self._modulo(equal, modulus)
        if not wraps.left:
            return found
        wraps = self._open_choices(wraps) if opens else wraps
        bounds = self._enclosed(wraps)
        if (count := ceil(checker.minimum(bounds.low))) > 0 and checker.maximum(bounds.high) < count + 1:
            bounds = self._enclosed(checker.shift(wraps, constant(-count)))
        return checker.substitute(found, self._zero(wraps, bounds), constant(modulus))

    def _zero(self, wraps: Equal, bounds: Bounds) -> int:
        """Prove that an integer, of which bounds are known, is 0, and return the number of this equation."""
        checker = self.checker
        with suppress(ProofError):
            return checker.vanish(bounds)
        if (tops := self._tops(wraps)) is not wraps:
            with suppress(ProofError):
                return checker.vanish(self._enclosed(tops))
        return checker.vanish(checker.enclose(self._fraction(wraps)))

    def _fraction(self, equal: Equal) -> Equal:
        """Subtract the integral terms of an integer, which is written by the meanings of numbers and relations."""
        deep = self._deep(equal)
        whole = {m: c for m, c in deep.right.items() if c.denominator == 1}
        return self.checker.shift(deep, scaled(whole, -1))

    def _deep(self, equal: Equal) -> Equal:
        """Replace numbers by their meanings, and products of q and quotients by what the relations say of them."""
        equal = self._tops(self.lower(equal))
        for _ in range(3):
            equal = self._expand_numbers(self._tops(self._expand_numbers(self.collapse(equal, 0))))
            if any(self.words.operations[self.words.operation_of[v]].high == v for v in self._results(equal.right)):
                equal = self._tops(self.lower(equal))
            equal = relate(self.checker, equal, self.relations)
        return self.collapse(equal, 0)

    def _results(self, polynomial: Polynomial) -> set[int]:
        return variables(polynomial) & self.words.operation_of.keys()

    def _relate_quotient(self, number: int) -> None:
        """Find out whether a number is the quotient by q of an integer, and state by which remainder they differ."""
        checker = self.checker
        factors = {factor for _, factor in self.relations}
        factors |= {word for n in self.numbers if n.variable in factors for word, _ in n.words}
        meaning = self._expand_numbers(checker.identity({(number,): 1}))
        if checker.under or not self._depends(meaning.right) & factors:
            return
        deep = self._deep(checker.identity({(0, number): 1}))
        whole = {m: c for m, c in deep.right.items() if c.denominator == 1 and 0 not in m}
        if not whole:
            return
        meaning = checker.identity(plus(whole, {(0, number): 1}, -1))
        meaning = checker.substitute(meaning, self.meanings[number], {(0,): -1})
        bits = {v for v in variables(meaning.right) if self._is_bit(v)} - self.words.selections.keys()
        rest = self._enclosed(self._folded(meaning), bits)
        if checker.not_negative(rest.low) and checker.not_above(rest.high, (-1, 1)):
            _, equation = checker.name("remainder", rest)
            self.relations[0, number] = equation

    def _folded(self, equal: Equal) -> Equal:
        """Put numbers in the place of their meanings where all terms agree."""
        for number, equation in self.meanings.items():
            meaning = plus({(number,): 1}, self.checker.equations[equation], -1)
            ratios = {mpq(equal.right.get(m, 0)) / c for m, c in meaning.items()}
            if len(meaning) > 1 and len(ratios) == 1 and (ratio := ratios.pop()):
                equal = self.checker.substitute(equal, equation, constant(-ratio))
        return equal

    def _depends(self, polynomial: Polynomial) -> set[int]:
        """Return the variables of a polynomial and of the operations that its words are results of."""
        found, todo = set[int](), variables(polynomial)
        while todo:
            variable = todo.pop()
            found.add(variable)
            if variable in self.words.operation_of:
                operation = self.words.operations[self.words.operation_of[variable]]
                todo |= variables(self.checker.equations[operation.equation]) - found
        return found

    def settle_choice(self, name: str, words: list[Value], weight: int) -> int:
        """Prove the bounds and the meaning of a number whose words conditions choose, and return its variable."""
        total, modulus = total_of(words, weight), weight ** len(words)
        identity = self.checker.identity(total)
        meaning, bounds = self._chosen(identity, sorted(self._flags(total)), modulus)
        if meaning is None or isinstance(bounds, Impossible):
            raise ProofError("the statements about the operands contradict each other")
        difference = self.checker.identity(plus(total, meaning, -1))
        zero = self._is_zero(difference, sorted(self._flags(total)), modulus)
        if isinstance(zero, Impossible):
            raise ProofError("the statements about the operands contradict each other")
        fact = self.checker.vanish(zero)
        variable = self._settled_as(name, total, bounds, meaning, fact)
        self._choices.add(variable)
        return variable

    def _chosen(
        self, equal: Equal, flags: list[int], modulus: int
    ) -> tuple[Polynomial | None, Bounds | Impossible]:
        """Return the integral polynomial that chosen words are, and its bounds; no polynomial in an impossible case."""
        if not flags:
            bounds = self._best(equal)
            if isinstance(bounds, Impossible):
                return None, bounds
            exact = self.collapse(equal, 0)
            if variables(exact.right) - {number.variable for number in self.numbers} - {0}:
                exact = self._exact(equal, modulus, opens=False)
            better = self._best(exact)
            return exact.right, self.meet(bounds, better) if isinstance(better, Bounds) else better
        cases = []
        for value in (0, 1):
            with self._case(flags[0], value) as equation:
                cases.append(self._chosen(self._choose(equal, flags[0], equation), flags[1:], modulus))
        (zero, low), (one, high) = cases
        joined = self.checker.by_cases(flags[0], low, high)
        if zero is None or one is None:
            return one if zero is None else zero, joined
        return plus(zero, times({(flags[0],): 1}, plus(one, zero, -1))), joined

    def _is_zero(self, equal: Equal, flags: list[int], modulus: int) -> Bounds | Impossible:
        """Enclose a difference of chosen words and their meaning, which is 0 in every case."""
        if not flags:
            try:
                return self.checker.enclose(self._exact(self.collapse(equal, 0), modulus, opens=False))
            except ProofError:
                bounds = self._best(equal)
                if isinstance(bounds, Impossible):
                    return bounds
                raise
        cases = []
        for value in (0, 1):
            with self._case(flags[0], value) as equation:
                cases.append(self._is_zero(self._choose(equal, flags[0], equation), flags[1:], modulus))
        return self.checker.by_cases(flags[0], cases[0], cases[1])

    @contextmanager
    def _case(self, flag: int, value: int) -> Iterator[int]:
        twin = self._twin(flag)
        before = len(self._cases)
        with self.checker.assume(flag, value) as equation:
            self._cases.append((flag, value, equation))
            if twin is not None:
                other = self.checker.identity(plus({(twin[0],): 1}, constant(value), -1))
                other = self.checker.substitute(other, twin[1], constant(-1))
                other = self.checker.substitute(other, equation, constant(1))
                self._cases.append((twin[0], value, self.checker.derive(other)))
            try:
                yield equation
            finally:
                del self._cases[before:]

    def _twin(self, flag: int) -> tuple[int, int] | None:
        """Return another carry or borrow that is proven to be equal to a flag, and the equation that says so.

        The sign of ``x - q`` modulo 2^w, for instance, is its borrow, if x is short enough.
        """
        if flag not in self._twins:
            index = self.words.operation_of.get(flag)
            if self.checker.under or index is None:
                return None
            self._twins[flag] = self._found_twin(flag, self.words.operations[index])
        return self._twins[flag]

    def _found_twin(self, flag: int, operation: Operation) -> tuple[int, int] | None:
        checker, zero = self.checker, self.checker.equations[operation.equation]
        for word in sorted(variables(zero) - {operation.high, operation.low}, reverse=True):
            index = self.words.operation_of.get(word)
            if index is None or self.words.operations[index].low != word:
                continue
            inner = self.words.operations[index]
            if not self._is_bit(inner.high):
                continue
            difference = checker.identity({(flag,): 1, (inner.high,): -1})
            factor = mpq(-1, zero[word,] * inner.weight) if (word,) in zero else mpq(0)
            difference = checker.substitute(difference, operation.equation, constant(-factor))
            difference = checker.substitute(difference, inner.equation, constant(factor * zero.get((word,), 0)))
            try:
                bounds = self._best(self.collapse(difference, 0))
                if isinstance(bounds, Bounds):
                    return inner.high, checker.vanish(bounds)
            except ProofError:
                continue
        return None

    def _open_choices(self, equal: Equal) -> Equal:
        """Replace the numbers that conditions chose by their meanings, which contain the conditions."""
        flags = {s.flag for s in self.words.selections.values()}
        for variable in sorted(variables(equal.right) & self._choices, reverse=True):
            equal = self.checker.substitute(equal, self.meanings[variable], quotient_by(equal.right, variable))
        self._opened |= variables(equal.right) & flags
        return equal

    def _settled_words(self) -> set[int]:
        return {word for number in self.numbers for word, _ in number.words}

    # Elimination.

    def lower(
        self, equal: Equal, through_flags: bool = False, whole: bool = False, is_strict: bool = False
    ) -> Equal:
        """Eliminate high words, carries and quotients, which leaves low words, numbers and rational coefficients.

        Args:
            equal: The equation whose right side is rewritten.
            through_flags: Whether words of a difference are expanded where its last borrow is assumed.
            whole: Whether numbers are expanded, too.
            is_strict: See ``collapse``.
        """
        checker, done = self.checker, set[int]()
        equal = self.collapse(equal, 0, is_strict)
        while True:
            equal = self._in_borrows(equal)
            equal = self._expand_numbers(equal, self.meanings.keys() if whole else self._quotients)
            for flag, _, known in self._cases:
                if factor := quotient_by(equal.right, flag):
                    equal = checker.substitute(equal, known, factor)
            index = self._latest(equal.right, done)
            if index is None:
                break
            done.add(index)
            operation = self.words.operations[index]
            high, low = quotient_by(equal.right, operation.high), quotient_by(equal.right, operation.low)
            if high:
                factor = scaled(high, mpq(1, operation.weight))
                equal = checker.substitute(equal, operation.equation, factor)
                if (rest := self._without_rest(index)) is not None:
                    equal = checker.substitute(equal, rest, scaled(factor, -1))
            elif low and operation.low not in self._settled:
                zero = self._is_empty(index)
                if zero is None and through_flags:
                    zero = next((e for flag, _, e in self._cases if flag == operation.high), None)
                if zero is not None:
                    equal = checker.substitute(equal, operation.equation, low)
                    equal = checker.substitute(equal, zero, scaled(low, -operation.weight))
            if len(equal.right) > 300:
                equal = self.collapse(equal, 0, is_strict)
        return self._at_point(relate(checker, self.collapse(equal, 0, is_strict), self.relations))

    def _at_point(self, equal: Equal) -> Equal:
        """Replace q by its value if the claim is about a single modulus."""
        while self.point is not None and (factor := quotient_by(equal.right, 0)):
            equal = self.checker.substitute(equal, self.point, factor)
        return equal

    def _latest(self, polynomial: Polynomial, done: set[int]) -> int | None:
        found = {self.words.operation_of[v] for v in variables(polynomial) if v in self.words.operation_of}
        return max(found - done, default=None)

    def _is_empty(self, index: int) -> int | None:
        """Return the equation that the high part of an operation is 0, if it can be proven."""
        if index not in self._empty:
            if self.checker.under:
                return None
            self._empty[index] = None
            operation = self.words.operations[index]
            try:
                high = self.checker.identity({(operation.high,): 1})
                self._empty[index] = self._vanished(high, operation)
            except ProofError:
                pass
        return self._empty[index]

    def _vanished(self, high: Equal, operation: Operation) -> int:
        """Prove that the high part of an operation is 0."""
        checker, bounds = self.checker, self.checker.enclose(high)
        with suppress(ProofError):
            divided = checker.substitute(high, operation.equation, constant(mpq(1, operation.weight)))
            return checker.vanish(self.meet(bounds, checker.enclose(divided)))
        lowered = self.lower(high)
        for form in (lowered, self._tops(lowered), self._in_words(lowered)):
            bounds = self.meet(bounds, checker.enclose(form))
        return checker.vanish(bounds)

    def narrow_quotient(self, operation: Operation) -> None:
        """Find out whether the high part of an operation is shorter than the program shows."""
        checker, high = self.checker, self.checker.identity({(operation.high,): 1})
        with suppress(ProofError):
            checker.narrow(operation.high, checker.whole(checker.enclose(self.lower(high))))

    def _without_rest(self, index: int) -> int | None:
        """Return the equation that the low part of a shift is 0, if the shifted number is a multiple of its weight."""
        if index not in self._rests:
            if self.checker.under:
                return None
            self._rests[index] = None
            operation, checker = self.words.operations[index], self.checker
            if not self._settled_words() & variables(checker.equations[operation.equation]):
                return None
            low = checker.substitute(checker.identity({(operation.low,): 1}), operation.equation, constant(1))
            for number in self.numbers:
                if factor := quotient_by(low.right, number.words[0][0]) if number.words else {}:
                    low = checker.substitute(low, number.equation, scaled(factor, -1))
            low = self._expand_numbers(low)
            if any(c.denominator != 1 or c % operation.weight for c in low.right.values()):
                return None
            bounds = checker.enclose(checker.scale(low, mpq(1, operation.weight)))
            zero = checker.vanish(bounds)
            self._rests[index] = checker.derive(checker.substitute(low, zero, constant(operation.weight)))
        return self._rests[index]

    def _expand_numbers(self, equal: Equal, numbers: Collection[int] | None = None) -> Equal:
        """Replace numbers by their meanings, also in meanings; all that have one unless ``numbers`` says which."""
        while found := variables(equal.right).intersection(self.meanings if numbers is None else numbers):
            variable = max(found)
            equal = self.checker.substitute(equal, self.meanings[variable], quotient_by(equal.right, variable))
        return equal

    def _expanded(self, equal: Equal) -> Equal:
        """Replace words that are remainders of numbers by expressions that follow from the meanings of the numbers."""
        for variable in self._results(equal.right):
            operation = self.words.operations[self.words.operation_of[variable]]
            if operation.low == variable:
                equal = self.checker.substitute(equal, operation.equation, quotient_by(equal.right, variable))
        return self._expand_numbers(self.collapse(equal, 0))

    def _cancel(self, equal: Equal) -> Equal:
        """Eliminate the operations both of whose results stand there with matching coefficients."""
        done: set[int] = set()
        while (index := self._latest(equal.right, done)) is not None:
            done.add(index)
            operation = self.words.operations[index]
            low = quotient_by(equal.right, operation.low)
            if low and quotient_by(equal.right, operation.high) == scaled(low, operation.weight):
                equal = self.checker.substitute(equal, operation.equation, low)
        return equal

    def _modulo(self, equal: Equal, modulus: int) -> Equal:
        """Expand low words, where what is lost is a multiple of ``modulus`` or cancels."""
        equal = self.collapse(equal, modulus, is_strict=True)
        done: set[int] = set()
        while (index := self._latest((equal := self._in_borrows(equal)).right, done)) is not None:
            done.add(index)
            operation = self.words.operations[index]
            if operation.low in self._settled:
                continue
            low, high = quotient_by(equal.right, operation.low), quotient_by(equal.right, operation.high)
            left = plus(high, low, -operation.weight)
            linear = low.keys() <= {()} and low.get((), 1).denominator == 1
            if low and (not left or (linear and all(c.denominator == 1 and c % modulus == 0 for c in left.values()))):
                equal = self.checker.substitute(equal, operation.equation, low)
            elif linear and low and (zero := self._is_empty(index)) is not None:
                equal = self.checker.substitute(equal, operation.equation, low)
                equal = self.checker.substitute(equal, zero, scaled(low, -operation.weight))
        return self._signed(self.collapse(equal, modulus, is_strict=True), modulus)

    def _signed(self, equal: Equal, modulus: int) -> Equal:
        """Replace numbers that are a negative number plus a multiple of ``modulus`` by their meanings."""
        for variable in variables(equal.right) & self.meanings.keys():
            offset = self.checker.equations[self.meanings[variable]].get((), 0)
            if offset and offset % modulus == 0:
                equal = self.checker.substitute(equal, self.meanings[variable], quotient_by(equal.right, variable))
        return equal

    def expanded_low(self, equal: Equal, relations: dict[tuple[int, int], int]) -> Equal:
        """Expand low words in every term, which leaves high words with powers of two as factors."""
        done: set[int] = set()
        while (index := self._latest(equal.right, done)) is not None:
            done.add(index)
            operation = self.words.operations[index]
            if low := quotient_by(equal.right, operation.low):
                equal = self.checker.substitute(equal, operation.equation, low)
        equal = self.collapse(equal, 0)
        for number in self.numbers:
            word, weight = number.words[0] if number.words else (0, 0)
            while weight == 1 and (factor := quotient_by(equal.right, word)):
                equal = self.checker.substitute(equal, number.equation, scaled(factor, -1))
        while (related := relate(self.checker, equal, relations)).right != equal.right:
            equal = related
        return equal

    def collapse(self, equal: Equal, modulus: int, is_strict: bool = False) -> Equal:
        """Put numbers in the place of their words."""
        return collapse(self.checker, equal, self.numbers, modulus, is_strict)

    # Bounds.

    def bounds(self, polynomial: Polynomial) -> Bounds:
        """Enclose a polynomial as closely as the search can."""
        return self._enclosed(self.checker.identity(polynomial))

    def bounds_by_flags(self, polynomial: Polynomial) -> Bounds:
        """Enclose a polynomial by a case distinction over the carries and borrows in its numbers."""
        collapsed = self.collapse(self.checker.identity(polynomial), 0)
        equal = self._expand_numbers(collapsed)
        for variable in sorted(variables(equal.right), reverse=True):
            if (index := self.words.operation_of.get(variable)) is not None:
                operation = self.words.operations[index]
                if operation.weight < 0 and operation.low == variable:
                    equal = self.checker.substitute(equal, operation.equation, quotient_by(equal.right, variable))
        equal = self.collapse(self._without_highs(equal), 0)
        flags = {v for v in variables(equal.right) if self._is_bit(v)} - self.words.selections.keys()
        return self._enclosed(equal, flags, self.checker.enclose(collapsed))

    def _without_highs(self, equal: Equal) -> Equal:
        """Eliminate high words of products and carries of sums, but no borrows."""
        done = {i for i, operation in enumerate(self.words.operations) if operation.weight < 0}
        while (index := self._latest(equal.right, done)) is not None:
            done.add(index)
            operation = self.words.operations[index]
            if high := quotient_by(equal.right, operation.high):
                equal = self.checker.substitute(equal, operation.equation, scaled(high, mpq(1, operation.weight)))
        return equal

    def expanded_choices(self, equal: Equal) -> Equal:
        """Replace chosen words by what the conditions choose, and low words by what they are equal to."""
        conditions = set[int]()
        while long := {v for v in variables(equal.right) & self.words.selections.keys() if not self._is_bit(v)}:
            selection = self.words.selections[max(long)]
            conditions.add(selection.flag)
            equal = self.checker.substitute(equal, selection.equation, quotient_by(equal.right, max(long)))
        before: Polynomial = {}
        while before != equal.right:
            before = equal.right
            equal = self._in_borrows(self.expanded_low(equal, {}), conditions)
        return equal

    def _in_borrows(self, equal: Equal, kept: Collection[int] = ()) -> Equal:
        """Replace flags by the two borrows or carries of which they are proven to be the sum."""
        for flag in sorted(variables(equal.right) & self._joints.keys() - set(kept), reverse=True):
            equal = self.checker.substitute(equal, self._joints[flag], quotient_by(equal.right, flag))
        return equal

    def same_condition(self, flags: list[int], flag: int) -> int:
        """Prove that a flag is the sum of others, because the sums of which they are carries differ by less than 1."""
        terms = [(-1, flag), *((1, other) for other in flags)]
        equal = self.checker.identity(combine((sign, {(number,): 1}) for sign, number in terms))
        before: Polynomial = {}
        while before != equal.right:
            before = equal.right
            equal = self.lower(self._in_borrows(equal))
        return self.checker.vanish(self.checker.enclose(equal))

    def join_borrows(self, flag: int) -> None:
        """Prove that ``a | b`` of two borrows or carries, of which at most one is 1, is their sum.

        Raises:
            ProofError: The flag is no such disjunction.
        """
        checker, selection = self.checker, self.words.selections[flag]
        other = self.words.number_of(selection.other)
        is_sum = {selection.flag, other} <= self.words.operation_of.keys() and self._is_bit(other)
        if selection.chosen.polynomial != {(): 1} or not is_sum:
            raise ProofError("the flag is no disjunction")
        left = checker.identity({(): 1, (selection.flag,): -1, (other,): -1})
        for part in (selection.flag, other):
            operation = self.words.operations[self.words.operation_of[part]]
            if operation.high != part:
                raise ProofError("the flag is no carry")
            left = checker.substitute(left, operation.equation, constant(mpq(-1, operation.weight)))
        _, says = checker.name("neither", checker.whole(checker.enclose(left)))
        pair = checker.identity(times({(selection.flag,): 1}, {(other,): 1}))
        above = checker.substitute(pair, says, {(selection.flag,): 1})
        above = checker.substitute(above, checker.idempotent(selection.flag), constant(-1))
        zero = checker.vanish(self.meet(checker.enclose(pair), checker.enclose(above)))
        self._exclusive[next(iter(pair.left))] = zero
        whole = checker.identity({(flag,): 1, (selection.flag,): -1, (other,): -1})
        whole = checker.substitute(whole, selection.equation, constant(1))
        self._joints[flag] = checker.derive(checker.substitute(whole, zero, constant(-1)))

    def join_flag(self, flag: int, equal: Equal) -> None:
        """Prove that a flag is the sum of other flags, because an integral polynomial is 0.

        Args:
            flag: The flag.
            equal: The flag without the others, and what the polynomial is equal to.
        """
        bounds = self._best(self.collapse(equal, 0))
        if isinstance(bounds, Bounds):
            self._joints[flag] = self.checker.vanish(bounds)

    def vanish_by_flags(self, polynomial: Polynomial) -> int:
        """Prove that a polynomial in carries, borrows and conditions is 0, by all their values."""
        flags = {v for v in variables(polynomial) if self._is_bit(v)} - self.words.selections.keys()
        return self.checker.vanish(self._enclosed(self.checker.identity(polynomial), flags))

    def _enclosed(self, equal: Equal, flags: set[int] | None = None, known: Bounds | None = None) -> Bounds:
        found = self._by_cases(equal, sorted(self._flags(equal.right) | (flags or set())), known)
        if isinstance(found, Impossible):
            raise ProofError("the statements about the operands contradict each other")
        return found

    def meet(self, first: Bounds, second: Bounds) -> Bounds:
        """Return the better ends of two enclosures."""
        return self.checker.meet(first, second, self.slack)

    def _is_bit(self, variable: int) -> bool:
        low, high = self.words.range_of(variable)
        return low >= 0 and high <= 1

    def _flags(self, polynomial: Polynomial) -> set[int]:
        flags, seen, settled = set[int](), set[int](), self._settled_words()
        todo = variables(polynomial)
        while todo:
            variable = todo.pop()
            seen.add(variable)
            if variable in self._opened:
                flags.add(variable)
            if variable in self.words.selections and variable not in settled:
                chosen = self.words.selections[variable]
                operands = variables(self.checker.equations[chosen.equation]) - {variable}
                conditions = {v for v in operands if self._is_bit(v)} if self._is_bit(variable) else {chosen.flag}
                flags |= conditions - self.words.selections.keys()
                todo |= operands - seen
        if len(flags) > CASES:
            raise ProofError(f"more than {CASES} conditions meet in one value")
        return flags

    def _by_cases(self, equal: Equal, flags: list[int], known: Bounds | None) -> Bounds | Impossible:
        if not flags:
            return self._best(equal, known)
        cases = []
        for value in (0, 1):
            with self._case(flags[0], value) as equation:
                cases.append(self._by_cases(self._choose(equal, flags[0], equation), flags[1:], known))
        return self.checker.by_cases(flags[0], cases[0], cases[1])

    def _choose(self, equal: Equal, flag: int, equation: int) -> Equal:
        """Replace selections by what they choose, if the flag is known."""
        settled = self._settled_words()
        equal = self.checker.substitute(equal, equation, quotient_by(equal.right, flag))
        while True:
            found = [
                v
                for v in variables(equal.right) & self.words.selections.keys()
                if v not in settled and self.words.selections[v].flag in {flag, *self.words.selections}
            ]
            if not found:
                return equal
            for variable in found:
                selection = self.words.selections[variable]
                equal = self.checker.substitute(equal, selection.equation, quotient_by(equal.right, variable))
                for known, _, fact in self._cases:
                    if factor := quotient_by(equal.right, known):
                        equal = self.checker.substitute(equal, fact, factor)

    def _best(self, equal: Equal, known: Bounds | None = None) -> Bounds | Impossible:
        """Enclose a polynomial in several forms, and keep the best ends, also of bounds that are known."""
        found = known
        for form in self._forms(equal):
            try:
                bounds = self.checker.enclose(form)
            except ProofError:
                continue
            found = bounds if found is None else self.meet(found, bounds)
        if found is None:
            raise ProofError("no form of the value can be enclosed")
        return self._refuted(found) or found

    def _refuted(self, found: Bounds) -> Impossible | None:
        """Return that the cases contradict each other, if they do: by a value, or by numbers that were compared."""
        try:
            return self.checker.contradict(found)
        except ProofError:
            pass
        for pair in self._compared():
            identity = self.checker.identity(pair)
            bounds = [self.checker.enclose(form) for form in self._forms(identity, in_words=True)]
            try:
                joined = bounds[0]
                for other in bounds[1:]:
                    joined = self.meet(joined, other)
                return self.checker.contradict(joined)
            except ProofError:
                continue
        return self._refuted_by_operands()

    def _refuted_by_operands(self) -> Impossible | None:
        """Return that the cases contradict each other, if they contradict an operation on the operands of a borrow.

        A borrow of ``0 - x``, for instance, says whether x is 0, and x may be a factor of a product.
        """
        checker = self.checker
        borrows: dict[int, Operation] = {}
        for flag, _, _ in self._cases:
            if (index := self.words.operation_of.get(flag)) is not None:
                operation = self.words.operations[index]
                zero = checker.equations[operation.equation]
                operands = variables(zero) - {operation.high, operation.low}
                if len(operands) == 1 and zero.keys() >= {(operand := operands.pop(),)}:
                    borrows[operand] = operation
        for operation in self.words.operations if borrows else ():
            shared = variables(checker.equations[operation.equation]) & borrows.keys()
            if not shared or operation in borrows.values():
                continue
            equal = checker.substitute(checker.identity({}), operation.equation, constant(1))
            for operand in shared:
                unit = checker.equations[borrows[operand].equation][operand,]
                factor = scaled(quotient_by(equal.right, operand), mpq(1, unit))
                equal = checker.substitute(equal, borrows[operand].equation, factor)
            for flag, _, equation in self._cases:
                equal = checker.substitute(equal, equation, quotient_by(equal.right, flag))
            with suppress(ProofError):
                bounds = checker.enclose(self.collapse(equal, 0))
                return checker.contradict(self.meet(checker.enclose(checker.identity({})), bounds))
        return None

    def _compared(self) -> list[Polynomial]:
        """Return the differences of the numbers whose words the conditions of the cases compare."""
        home = {word: number.variable for number in self.numbers for word, _ in number.words}
        pairs = set()
        for flag, _, _ in self._cases:
            index = self.words.operation_of.get(flag)
            if index is not None:
                operands = variables(self.checker.equations[self.words.operations[index].equation])
                pairs.add(tuple(sorted({home[v] for v in operands if v in home})))
        return [{(pair[0],): 1, (pair[1],): -1} for pair in sorted(pairs) if len(pair) == 2]

    def _forms(self, equal: Equal, in_words: bool = False) -> list[Equal]:
        forms = [equal, self._in_words(equal) if in_words else self.lower(equal)]
        if self._cases:
            forms.append(self.lower(equal, through_flags=True))
            for flag, value, equation in self._cases:
                relation = self.checker.identity(plus({(flag,): 1}, constant(value), -1))
                if flag in self.words.operation_of and flag not in self._joints:
                    operation = self.words.operations[self.words.operation_of[flag]]
                    factor = constant(mpq(1, operation.weight))
                    relation = self.checker.substitute(relation, operation.equation, factor)
                if flag in self.words.operation_of:
                    relation = self.lower(relation)
                zero = self.checker.derive(
                    self.checker.substitute(self.checker.scale(relation, 1), equation, constant(1))
                )
                for form in list(forms):
                    factors = {
                        mpq(form.right[m]) / c for m, c in relation.right.items() if m and m in form.right
                    }
                    forms += [self.checker.substitute(form, zero, constant(f)) for f in factors]
        forms.append(self.lower(equal, through_flags=True, whole=True))
        if any(len(number.words) > 2 for number in self.numbers):
            forms.append(self.lower(equal, is_strict=True))
        forms += [other for form in list(forms) if (other := self._complemented(form)) is not form]
        return forms + [top for form in forms if (top := self._tops(form)) is not form]

    def _complemented(self, equal: Equal) -> Equal:
        """Write a number below q as q - 1 minus its complement, where it multiplies the quotient of a number by q."""
        equal = self.collapse(equal, 0) if self.relations else equal
        for _, factor in self.relations:
            multiplier = quotient_by(equal.right, factor)
            for number in variables(multiplier):
                if factor != number and self._is_residue(number) and not self._is_late(number):
                    _, equation = self._complement_of(number)
                    rest = quotient_by(multiplier, number)
                    terms = {tuple(sorted((*m, factor))): c for m, c in rest.items()}
                    equal = self.checker.substitute(equal, equation, terms)
        equal = relate(self.checker, self.collapse(equal, 0), self.relations)
        return relate(self.checker, self._expand_numbers(self.collapse(equal, 0)), self.relations)

    def _is_residue(self, number: int) -> bool:
        variable = self.checker.variables[number]
        return number > 0 and variable.is_natural and variable.high == (-1, 1)

    def _is_late(self, number: int) -> bool:
        """Return whether a complement cannot be introduced here, because it would depend on an assumption."""
        return number not in self._complements and bool(self.checker.under)

    def _complement_of(self, number: int) -> tuple[int, int]:
        if number not in self._complements:
            complement = self.checker.identity({(0,): 1, (): -1, (number,): -1})
            self._complements[number] = self.checker.name("complement", self.checker.enclose(complement))
        return self._complements[number]

    def _in_words(self, equal: Equal) -> Equal:
        """Replace numbers by their words."""
        for number in self.numbers:
            if factor := quotient_by(equal.right, number.variable):
                equal = self.checker.substitute(equal, number.equation, factor)
        return equal

    def _tops(self, equal: Equal) -> Equal:
        """Replace the highest words of numbers by what the numbers and their other words say of them."""
        for number in self.numbers:
            if len(number.words) < 2:
                continue
            word, weight = number.words[-1]
            if factor := quotient_by(equal.right, word):
                equal = self.checker.substitute(equal, number.equation, scaled(factor, mpq(-1, weight)))
        return equal

    # Congruences.

    def residue(self, polynomial: Polynomial) -> Equal:
        """Rewrite a polynomial by the meanings of its numbers, and return what it is equal to."""
        equal = self.collapse(self._expand_numbers(self.lower(self.checker.identity(polynomial))), 0)
        return relate(self.checker, equal, self._exclusive)

    def residue_keeping_multiples(self, polynomial: Polynomial) -> Equal:
        """Return the same, repeated until nothing changes, without rewriting terms that have the factor q."""
        equal = self.checker.identity(polynomial)
        while True:
            rest = {m: c for m, c in equal.right.items() if 0 not in m}
            found = self._expand_numbers(self.lower(self.checker.identity(rest)))
            if found.right == rest:
                return self.collapse(equal, 0)
            fact = self.checker.derive(self.checker.shift(found, scaled(found.right, -1)))
            equal = self.checker.substitute(equal, fact, constant(1))


def total_of(words: list[Value], weight: int) -> Polynomial:
    """Return the polynomial of a number from its words, lowest first."""
    return combine((weight**i, word.polynomial) for i, word in enumerate(words))


