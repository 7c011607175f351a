"""Loops of set-up functions, proven by an invariant: the long division that computes floor(2^k / c).

The invariant is a hint: it is checked, so that a wrong one proves nothing. Before iteration i of the division, the
words of the quotient are a number Z and those of the remainder a number R with ``Z * c + R = 2^i``, ``0 <= R < c``,
where c is a multiple of q. The proof takes any power P in the place of 2^i and any i, executes the body once, and
checks that the equation holds with 2 P afterwards, that i has grown by 1, and that nothing else has changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pycparser import c_ast

from momagen.prove.c.bits import is_flag
from momagen.prove.c.machine import Place
from momagen.prove.c.memory import Block, Number, Pointer
from momagen.prove.c.types import SIZE, WORD, Integer, Reference
from momagen.prove.checker import ProofError
from momagen.prove.facts import Facts, Path
from momagen.prove.polynomial import Polynomial, constant, plus, scaled, times, variables
from momagen.prove.quotients import Powers
from momagen.prove.search import total_of
from momagen.prove.words import Value

if TYPE_CHECKING:
    from momagen.prove.c.machine import Machine
    from momagen.prove.polynomial import InModulus

KINDS = (WORD, SIZE), (Integer(32), Integer(32))
"""The types of a word and of a length: those of C, and those of device code of CUDA."""


def is_long_division(program: Machine, condition: Any) -> bool:
    """Return whether a loop of ``divide`` is the division bit by bit."""
    return getattr(getattr(condition, "right", None), "name", "") == "bits" and _kinds(program) is not None


def _kinds(program: Machine) -> tuple[Integer, Integer] | None:
    """Return the types of a word and of a length in ``divide``, if they are known ones."""
    for word, count in KINDS:
        kinds = {"z": Reference(word), "words": count, "bits": count, "q": Reference(word)}
        if all(
            name in program.scopes[0] and program.variable(name) is program.scopes[0][name]
            and program.variable(name).of == kind for name, kind in kinds.items()
        ):  # fmt: skip
            return word, count
    return None


class Division:
    """The loop of the function ``divide(z, words, bits, q)`` with its remainder ``r``."""

    def __init__(self, program: Machine) -> None:
        self.program, self.facts, self.words = program, program.facts, program.words
        self.word, self.size = _kinds(program) or KINDS[0]
        self.weight = 1 << self.word.bits
        scope = program.scopes
        self.quotient = self._pointer("z")
        self.divisor = self._pointer("q")
        self.length = program.number(scope[0]["words"].load(self.words.constant(0), self.facts))
        self.bits = program.number(scope[0]["bits"].load(self.words.constant(0), self.facts))
        self.remainder = program.variable("r")
        if any(block.of != self.word for block in (self.quotient.block, self.divisor.block, self.remainder)):
            raise ProofError("a long division of words of several types is not supported")
        self.factor = 0 if self.known_divisor() else self._factor()

    def _pointer(self, name: str) -> Place:
        pointer = self.program.scopes[0][name].load(self.words.constant(0), self.facts)
        return Place(pointer.block, pointer.offset)

    def _factor(self) -> int:
        """Return the number c / q."""
        return self.facts.multiple_of_q(total_of(self.divisor_words(), self.weight))

    def known_divisor(self) -> int:
        """Return the divisor if it is a known number, otherwise 0."""
        words = self.divisor_words()
        return sum(w.low << self.word.bits * i for i, w in enumerate(words)) if all(w.is_constant for w in words) else 0

    def divisor_words(self) -> list[Value]:
        """Return the words of the divisor."""
        return [self._load(self.divisor, i) for i in range(self.remainder.size.low)]

    def _load(self, place: Place, i: int) -> Value:
        offset = self.words.value_of(plus(place.offset.polynomial, constant(i)))
        word = place.block.load(offset, self.facts).value
        if not isinstance(word, Value):
            raise ProofError("a word of the division consists of bits of two words that overlap")
        return word

    def _store(self, place: Place, words: list[Value]) -> None:
        for i, word in enumerate(words):
            offset = self.words.value_of(plus(place.offset.polynomial, constant(i)))
            place.block.store(offset, Number(self.word, word), self.facts)

    def run(self, condition: Any, step: Any, body: Any) -> int:
        """Prove one iteration for all, and leave the state after the last one that it holds for.

        Returns:
            How many iterations are left: the last one if the divisor is known, as its quotient may be too long.
        """
        counter = self._counter(condition)
        first, rest = self._results()
        if [w.polynomial for w in first] != [{}] * self.length or total_of(rest, self.weight) != {(): 1}:
            raise ProofError("the division does not begin with quotient 0 and remainder 1")
        known, least = self.known_divisor(), self._case()[-2]
        if least < 2:
            raise ProofError("the divisor may be 1")
        if self._shares_memory(counter):
            raise ProofError("the numbers of the division share memory")
        if not self._is_known(body):
            self._prove_iteration(condition.left.name, step, body)
            self.program.source.lemmas.setdefault(body, []).append(self._case())
        if known:
            self._store_known(known)
            self._count(counter, self.words.constant(self.bits - 1))
            return 1
        self._state(constant(1 << self.bits), 1 << self.bits)
        self._count(counter, self.words.constant(self.bits))
        return 0

    def _shares_memory(self, counter: Block) -> bool:
        """Return whether two of the numbers may overlap; quotient and divisor may be parts of one array."""
        blocks = [self.quotient.block, self.remainder, counter]
        if len(set(blocks)) < 3 or self.divisor.block in (self.remainder, counter):
            return True
        if self.quotient.block is not self.divisor.block:
            return False
        distance = plus(self.divisor.offset.polynomial, self.quotient.offset.polynomial, -1)
        if not distance.keys() <= {()}:
            return True
        return bool(-self.remainder.size.low < distance.get((), 0) < self.length)

    def _store_known(self, divisor: int) -> None:
        """Store the quotient and the remainder of 2^(bits - 1) by a known divisor, which the equation determines."""
        quotient, rest = divmod(1 << self.bits - 1, divisor)
        if quotient >> self.word.bits * self.length:
            raise ProofError("the quotient may be longer than its words")
        remainder = Place(self.remainder, self.words.constant(0))
        for place, number, size in ((self.quotient, quotient, self.length), (remainder, rest, self.remainder.size.low)):
            words = [number >> self.word.bits * i & self.weight - 1 for i in range(size)]
            self._store(place, [self.words.constant(word) for word in words])

    def _case(self) -> tuple[int, ...]:
        """Return the number of iterations, the lengths and alignments of the numbers, and a range of divisors.

        That of a known divisor is the range of all numbers as long.
        """
        checker, known, size = self.facts.checker, self.known_divisor(), self.remainder.size.low
        sizes = self.length, size, *self._alignments()
        if known:
            power = 1 << known.bit_length() - 1
            return self.bits - 1, *sizes, power, 2 * power - 1
        return self.bits, *sizes, self.factor * checker.least, self.factor * checker.greatest

    def _alignments(self) -> tuple[int, int, int]:
        """Return the numbers of bytes of which the addresses of quotient, divisor and remainder are multiples."""
        found = []
        for place in (self.quotient, self.divisor, Place(self.remainder, self.words.constant(0))):
            alignment, size = place.block.alignment, self.word.bits // 8
            while any(c * size % alignment for c in place.offset.polynomial.values()):
                alignment //= 2
            found.append(alignment)
        return found[0], found[1], found[2]

    def _is_known(self, body: Any) -> bool:
        """Return whether the iteration was proven before for divisors among which are all of these."""
        *sizes, least, greatest = self._case()
        return any(
            sizes == list(known[:-2]) and known[-2] <= least and greatest <= known[-1]
            for known in self.program.source.lemmas.get(body, [])
        )

    def _prove_iteration(self, counter: str, step: Any, body: Any) -> None:
        """Prove an iteration by itself: for every divisor, and with no other variables than those of the division."""
        count, *_, least, greatest = self._case()
        for path in Path.every():
            program = self.program.isolated(Facts(least, greatest, path, self.program.facts.guide))
            self._declare(program, counter, least, greatest)
            division = Division(program)
            division._iterate(program.scopes[0][counter], count, step, body)

    def _declare(self, program: Machine, counter: str, least: int, greatest: int) -> None:
        """Declare the variables of the division, with any number between two others as the divisor."""
        zero, size = program.words.constant(0), self.remainder.size.low
        lengths = {"z": self.length, "q": size, "r": size}
        arrays = {name: program.new_array(name, self.word, length) for name, length in lengths.items()}
        for name, alignment in zip(("z", "q", "r"), self._alignments(), strict=True):
            arrays[name].alignment = alignment
        ends = [min(self.weight - 1, greatest >> self.word.bits * i) for i in range(size)]
        words = [program.words.variable(f"c[{i}]", 0, end) if end else zero for i, end in enumerate(ends)]
        if least == greatest:
            words = [program.words.constant(least >> self.word.bits * i & self.weight - 1) for i in range(size)]
        program.facts.state_modulus(words, self.weight)
        for i, word in enumerate(words):
            arrays["q"].store(program.words.constant(i), Number(self.word, word), program.facts)
        arrays["q"].is_writable = False
        scope = {"r": arrays["r"]}
        values: dict[str, Any] = {name: Pointer(arrays[name], zero) for name in ("z", "q")}
        numbers = {"words": self.length, "bits": self.bits, counter: 0}
        values |= {name: Number(self.size, program.words.constant(number)) for name, number in numbers.items()}
        for name, value in values.items():
            kind = Reference(self.word) if isinstance(value, Pointer) else self.size
            scope[name] = program.new_block(name, kind, 1, is_array=False)
            scope[name].store(zero, value, program.facts)
        program.scopes = [scope]

    def _iterate(self, counter: Block, count: int, step: Any, body: Any) -> None:
        """Prove that each of the first iterations doubles quotient * c + remainder."""
        power = self.words.variable("power", 1, 1 << count - 1)
        product = self._state(power.polynomial, 1 << count - 1)
        index = self.words.variable("iteration", 0, count - 1)
        self._count(counter, index)
        before = {block: dict(block.cells) for block in self.program.all_blocks()}
        with self.program.undecided():
            self.program.iterate_to_end(step, body)
        self._check_changes(before, counter, index)
        self._check(plus(product, power.polynomial, -1), power.polynomial)

    def _counter(self, condition: Any) -> Block:
        """Return the variable that counts the iterations from 0 to the number of bits."""
        is_below = isinstance(condition, c_ast.BinaryOp) and condition.op == "<"
        if not is_below or not isinstance(condition.left, c_ast.ID):
            raise ProofError("the condition of the division is not supported")
        if self.program.number(self.program.evaluate(condition.right)) != self.bits:
            raise ProofError("the condition of the division is not supported")
        if self.program.number(self.program.evaluate(condition.left)) != 0:
            raise ProofError("the division does not begin with iteration 0")
        counter = self.program.variable(condition.left.name)
        if counter.of != self.size:
            raise ProofError("the counter of the division has another type")
        return counter

    def _count(self, counter: Block, value: Value) -> None:
        counter.store(self.words.constant(0), Number(counter.of, value), self.facts)

    def _results(self) -> tuple[list[Value], list[Value]]:
        """Return the words of the quotient and of the remainder."""
        remainder = Place(self.remainder, self.words.constant(0))
        return (
            [self._load(self.quotient, i) for i in range(self.length)],
            [self._load(remainder, i) for i in range(self.remainder.size.low)],
        )

    def _check_changes(self, before: dict[Block, dict[Any, Any]], counter: Block, index: Value) -> None:
        """Check that the body counts, and changes nothing else than quotient and remainder that it could have read."""
        if counter.load(self.words.constant(0), self.facts).value.polynomial != plus(index.polynomial, constant(1)):
            raise ProofError("the division does not go on with the next iteration")
        quotient = [plus(self.quotient.offset.polynomial, constant(i)) for i in range(self.length)]
        results = {(self.quotient.block, frozenset(offset.items())) for offset in quotient}
        for block, cells in before.items():
            if block in (self.remainder, counter):
                continue
            for key, held in cells.items():
                if (block, key) not in results and block.cells.get(key) is not held:
                    raise ProofError(f"an iteration of the division changes {block.name}")
            for key in block.cells.keys() - cells.keys():
                del block.cells[key]

    def _state(self, power: Polynomial, greatest: int) -> Polynomial:
        """Introduce a quotient and a remainder of a power, store them, and return quotient * c + remainder.

        A divisor of a power of two is a power of two. So if no multiple c of q can be one, the remainder of 2^bits is
        not 0; c is q times a power of two. If q is a power of two, the remainder of 2^bits is known.
        """
        checker, search = self.facts.checker, self.facts.search
        top = greatest // (self.factor * checker.least)
        if top >> self.word.bits * self.length:
            raise ProofError("the quotient may be longer than its words")
        bottom = int(power.get((), 0)) // (self.factor * checker.greatest)
        quotient = self._words("quotient", self.length, top)
        rest = self._words("remainder", self.remainder.size.low, self.factor * checker.greatest - 1)
        is_last = power.keys() == {()} and self.factor & self.factor - 1 == 0
        ends: tuple[InModulus, InModulus] = (0,), (-1, self.factor)
        if is_last and self.facts.powers is Powers.NONE:
            ends = (1,), (-1, self.factor)
        elif is_last and self.facts.powers is Powers.ALL:
            left = self.facts.remainder_of_power(greatest, self.factor)
            ends = (left,), (left,)
        numbers = (
            self.facts.state_number("quotient", quotient, ((bottom,), (top,)), self.weight),
            self.facts.state_number("remainder", rest, ends, self.weight),
        )
        product = {(0, numbers[0]): self.factor, (numbers[1],): 1}
        search.relations[0, numbers[0]] = checker.state(plus(product, power, -1))
        self._store(self.quotient, quotient)
        self._store(Place(self.remainder, self.words.constant(0)), rest)
        return product

    def _words(self, name: str, count: int, greatest: int) -> list[Value]:
        ends = [min(self.weight - 1, greatest >> self.word.bits * i) for i in range(count)]
        return [self.words.variable(f"{name}[{i}]", 0, end) for i, end in enumerate(ends)]

    def _check(self, before: Polynomial, power: Polynomial) -> None:
        """Check the equation and the bound of the remainder after the iteration."""
        checker = self.facts.checker
        self.program.settle_public()
        words, rest_words = self._results()
        words = [self._with_copies(word) for word in words]
        rest = total_of(rest_words, self.weight)
        bounds = self.facts.bounds(rest)
        if not checker.not_negative(bounds.low) or not checker.not_above(bounds.high, (-1, self.factor)):
            raise ProofError("the remainder is not proven to be below the divisor")
        after = plus(times({(0,): self.factor}, total_of(words, self.weight)), plus(rest, scaled(power, 2), -1))
        equal = self.facts.residue(plus(after, scaled(before, 2), -1))
        if any(0 not in monomial or c % self.factor for monomial, c in equal.right.items()):
            raise ProofError("an iteration of the division does not double quotient * divisor + remainder")
        self.facts.require_zero({_without_q(m): c // self.factor for m, c in equal.right.items()})

    def _with_copies(self, word: Value) -> Value:
        """Return a word with copies of the borrows in it, which the search does not take for parts of numbers."""
        polynomial = word.polynomial
        for number in variables(polynomial):
            flag = self.words.value_of({(number,): 1})
            if number in self.words.operation_of and is_flag(flag, self.words) and self.words.is_borrow(flag):
                difference = plus(self.words.copied(flag).polynomial, flag.polynomial, -1)
                polynomial = plus(polynomial, difference, polynomial.get((number,), 0))
        return self.words.value_of(polynomial)


def _without_q(monomial: tuple[int, ...]) -> tuple[int, ...]:
    rest = list(monomial)
    rest.remove(0)
    return tuple(rest)
