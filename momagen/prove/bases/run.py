"""The execution of the functions of a kernel for an RNS basis in parts, each of which is proven for one modulus."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from momagen.prove.bases.columns import ColumnBlock, Frame, Window
from momagen.prove.bases.parts import BasisPart, Chosen
from momagen.prove.bases.residues import ResidueRun
from momagen.prove.c.memory import Number, Pointer
from momagen.prove.checker import ProofError
from momagen.prove.facts import Path
from momagen.prove.numbers.structure import Structure
from momagen.prove.polynomial import constant, plus, times
from momagen.prove.sums.lengths import Cursor, Length
from momagen.prove.transforms.memory import values_of, with_value
from momagen.prove.transforms.relations import find_quotient
from momagen.prove.transforms.run import NO_OFFSET
from momagen.prove.transforms.stored import Relation, Stored, Word
from momagen.prove.transforms.summary import summarise
from momagen.prove.words import Value, variable_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from momagen.prove.c.memory import Block
    from momagen.prove.polynomial import Polynomial
    from momagen.prove.transforms.part import Part
    from momagen.prove.transforms.summary import Summary


class BasisRun(ResidueRun):
    """A run whose parts are proven for one modulus each.

    Attributes:
        frame: The columns of the block that is processed; None outside the loop over the columns.
        tag: The number of the modulus for which the part that runs is proven.
        suspended: The part during which a statement about lengths is executed.
    """

    part: Any
    frame: Frame | None = None
    tag: int | None = None
    suspended: Any = None

    # Memory.

    def new_block(self, name: str, of: Any, size: Value | int, **settings: Any) -> Block:
        """Return a new block of elements of one type, which lives until the function returns."""
        length = self.words.constant(size) if isinstance(size, int) else size
        return self._adopt(ColumnBlock(name, of, length, **settings))

    def window(self, pointer: Pointer) -> Window:
        """Return the block of a pointer from its offset on."""
        block = pointer.block
        window = Window(block.name, block.of, block.size, of_block=block, base=pointer.offset.polynomial)
        window.walk, window.is_writable = self, block.is_writable
        return window

    def word_of(self, number: Stored) -> Number:
        """Return the only word of a number."""
        return Number(self.kind, Word(number, 0))

    def unknown_word(self) -> Number:
        """Return a word of which nothing is known, which may depend on vectors of the caller."""
        return self.word_of(Stored("an earlier number", 1, (0,), ((1 << self.claim.word) - 1,), None, True))

    # Parts.

    def _part_to_run(self, path: Path) -> Part:
        self.latest: Any = BasisPart(self, self.tag, self.moduli_for(self.tag), path, self.guide)
        return self.latest

    def run_part(self, action: Callable[[], Any], later: frozenset[str] | None = None) -> Any:
        """Execute a part for the modulus by which it divides or, if it does not divide, for the first that it reads."""
        return self._run_part_for(None, action, later)

    def run_part_of_loop(self, action: Callable[[], Any]) -> Any:
        """Execute a part for the only modulus that the function holds in a variable, if there is one."""
        words = [block.cells.get(NO_OFFSET) for scope in self.scopes for block in scope.values() if not block.is_array]
        numbers = [held.value.number for held in words if isinstance(held, Number) and isinstance(held.value, Word)]
        tags = {self.tags[number] for number in numbers if number.is_modulus}
        return self._run_part_for(tags.pop() if len(tags) == 1 else None, action, None)

    def _run_part_for(self, tag: int | None, action: Callable[[], Any], later: frozenset[str] | None) -> Any:
        self.tag, tried = tag, set[int]()
        while True:
            scopes, blocks, heap = [dict(scope) for scope in self.scopes], list(self.blocks), list(self.heap)
            statics, memory, paths = dict(self.statics), self._memory(), self._paths()
            self._merged: dict[Any, Any] = {}
            try:
                return super().run_part(action, later)
            except Chosen as chosen:
                if chosen.tag in tried or self._memory() != memory or self._paths() != paths:
                    raise ProofError("a part divides by several moduli, or allocates memory") from None
                tried.add(chosen.tag)
                self.tag = chosen.tag
                for block, key, held in reversed(self.latest.stores):
                    block.restore(key, held)
                self.scopes, self.blocks, self.heap, self.statics = scopes, blocks, heap, statics

    def _paths(self) -> Any:
        return self.allocations, self.exchanged.used, self.allocated and self.allocated.used

    def _arithmetic(self, op: str, x: Value, y: Value, kind: Any) -> Number:
        if op == "/" and not self.is_in_part and (quotient := self._quotient_by_number(x, y)) is not None:
            return Number(kind, quotient)
        if op in "/%" and self.is_in_part and (origin := self.part.origin_of(y)) and origin[0].is_modulus:
            if self.tags[origin[0]] != self.part.tag:
                raise Chosen(self.tags[origin[0]])
            if op == "%" and self.facts.is_public(x.polynomial):
                return Number(kind, self._remainder(x))
        return super()._arithmetic(op, x, y, kind)

    def _quotient_by_number(self, x: Value, y: Value) -> Value | None:
        """Return the quotient of a length by a number that divides all coefficients but the constant.

        The quotient is the sum of the quotients, of which that of the constant is rounded down.
        """
        if x.is_constant or x.low < 0 or not y.is_constant or y.low < 1:
            return None
        if any(coefficient % y.low for monomial, coefficient in x.polynomial.items() if monomial):
            return None
        quotient = {monomial: coefficient // y.low for monomial, coefficient in x.polynomial.items()}
        return self.words.value_of({monomial: c for monomial, c in quotient.items() if c})

    def _remainder(self, x: Value) -> Value:
        """Return the remainder of a public number by the modulus of the part, which is variable 0."""
        checker = self.facts.checker
        quotient = checker.integer("quotient", (x.low // checker.greatest,), (x.high // checker.least,))
        rest = checker.integer("remainder", (0,), (-1, 1))
        total = plus({(rest,): 1, (0, quotient): 1}, x.polynomial, -1)
        self.facts.search.meanings[rest] = checker.state(total)
        return self.words.adopt(rest)

    def _minus(self, x: Value, y: Value, kind: Any, is_half: bool = False) -> Number:
        if self.is_in_part and not kind.is_signed and min(x.low, y.low) >= 0:
            difference = self.words.without_zeros(plus(x.polynomial, y.polynomial, -1))
            if self.facts.is_not_negative_by_numbers(difference):
                return Number(kind, Value(difference, 0, x.high))
        return super()._minus(x, y, kind, is_half)

    def _shift(self, op: str, a: Number, b: Number) -> Number:
        by = self.part.origin_of(b.value) if self.is_in_part and isinstance(b.value, Value) else None
        if by is None or by[0] not in self.shifts or not isinstance(a.value, Value) or a.kind.bits != self.claim.word:
            return super()._shift(op, a, b)
        if a.value.low == a.value.high == 0:
            return a
        tag = self.shifts.index(by[0])
        if op == ">>":
            result = self.words.derived("a shifted number", 0, a.value.high, a.value)
            self.part.shifted[self.words.number_of(result)] = tag, a
            return Number(a.kind, result)
        origin = self.part.origin_of(a.value)
        if origin is None or not _is_below(origin[0]) or self.tag_of(origin[0]) != tag or origin[0].words != 1:
            raise ProofError("a number that is not below its modulus is shifted")
        factor = 1 if origin[0].is_modulus else int(origin[0].high[1])
        if factor * self.claim.greatest >> self.claim.word:
            raise ProofError("a number that is shifted may be longer than a word")
        return Number(a.kind, self.part.value_at(self.multiple(origin[0]), 0))

    def _conclude(self, part: Any, later: frozenset[str] | None) -> None:
        shifted = {}
        for block, key in dict.fromkeys((block, key) for block, key, _ in part.stores):
            held = block.cells.get(key)
            value = held.value if isinstance(held, Number) else None
            found = part.shifted.get(variable_of(value)) if isinstance(value, Value) else None
            if found is not None:
                shifted[block, key], block.cells[key] = found[0], found[1]
        super()._conclude(part, later)
        for block, key, _ in part.stores:
            self._leave_window(block, key)
        for (block, key), tag in shifted.items():
            if key in block.cells and block.size.high:
                block.cells[key] = self._shifted_back(block.cells[key], tag)

    def _shifted_back(self, held: Any, tag: int) -> Number:
        """Return the quotient of a number by 2^s; it is unknown if the number is not proven to be a multiple of 2^s."""
        if isinstance(held.value, Value) and (held.value.low, held.value.high) == (0, 0):
            return held  # type: ignore[no-any-return]
        number = held.value.number if isinstance(held.value, Word) else None
        if number in self.multiple_of and self.tag_of(number) == tag + self.claim.count:
            return self.word_of(self.multiple_of[number])
        return self.word_of(Stored("a shifted number", 1, (0,), ((1 << self.claim.word) - 1,), None, is_secret=True))

    def _cells(self, part: Any, later: frozenset[str] | None) -> list[Any]:
        cells = super()._cells(part, later)
        return [cell for cell in cells if not isinstance(cell[0].cells[cell[1]], (Length, Cursor))]

    def _leave_window(self, block: Block, key: Any) -> None:
        """Replace a pointer into a window by one into its block."""
        held = block.cells.get(key)
        if isinstance(held, Pointer) and isinstance(held.block, Window):
            offset = plus(held.block.base, constant(held.offset.low))
            block.cells[key] = Cursor(held.block.of_block, self.between.facts.words.value_of(offset))

    def _groups(self, places: list[Any]) -> list[list[int]]:
        return [[i] for i in range(len(places))]

    def _apply(self, summary: Summary, part: Any, places: list[Any]) -> None:
        inputs = list(part.inputs)
        held = {i: Word(inputs[origin], index) for i, (origin, index) in summary.copies.items()}
        values = [values_of(block.cells[key])[index] for (block, key), index in places]
        results = []
        for outcome in summary.numbers:
            number = self._number(outcome, part, inputs)
            results.append(number)
            held |= {i: Word(number, index) for index, i in enumerate(outcome.words)}
        for relation in summary.relations if part.tag is not None else ():
            for number in (made := relation.bind(results)).numbers():
                number.relations.append(made)
        by_words = {outcome.words: n for outcome, n in zip(summary.numbers, results, strict=True)}
        if part.tag is not None and not part.is_secret:
            self._relate(part, values, by_words)
        self._recognise(part, values, by_words)
        for i, ((block, key), index) in enumerate(places):
            number = held[i].number
            is_zero = number.is_reduced and number.residue == 0 and not number.is_secret
            block.cells[key] = with_value(block.cells[key], index, self.words.constant(0) if is_zero else held[i])

    def _number(self, outcome: Any, part: Any, inputs: list[Stored]) -> Stored:
        """Return a number with the properties that were proven of a result."""
        residue = None
        is_known = part.tag is not None and outcome.residue is not None
        if is_known and all(coefficient.denominator == 1 for coefficient, _ in outcome.residue):
            residue = self.field.evaluate(outcome.residue, [self.residue_of(n, part.tag) for n in inputs])
        residue = self.field.element() if residue is None else residue
        number = Stored("a number", len(outcome.words), (0,), outcome.high, residue, part.is_secret)
        number.bits = outcome.bits
        if part.tag is not None:
            self.tags[number] = part.tag
        if (part.tag or 0) >= self.claim.count and outcome.residue is not None and number.is_reduced:
            found = self._quotient_of(outcome, part.tag, inputs)
            if found is not None:
                self.multiple_of[number] = found
        return number

    def _relate(self, part: Any, values: list[Value], results: dict[tuple[int, ...], Stored]) -> None:
        """Find relations between the results of a part and the numbers that it reads."""
        facts, key = part.facts, part.key(values)
        operands = [n for n in part.inputs if n.high == (-1, 1) and self.tag_of(n) == part.tag]
        for (at, *others), number in results.items():
            if others or number.high[1:]:
                continue
            for operand in operands:
                power = int(number.high[0]).bit_length()
                name = "quotient", key, at, part.variable_of(operand)
                if name not in self.summaries:
                    own: Polynomial = {(part.variable_of(operand),): 1}
                    self.summaries[name] = find_quotient(facts, (0, 1), (values[at].polynomial, own), power)
                if (template := self.summaries[name]) is not None:
                    made = template.bind([number, operand])
                    number.relations.append(made)
                    operand.relations.append(made)
        self._relate_to_power(part, values, results)
        self._relate_to_modulus(part, values, results)

    def _relate_to_power(self, part: Any, values: list[Value], results: dict[tuple[int, ...], Stored]) -> None:
        """Find the quotient of 2^k - 1 by a modulus of the greatest length, if a part computes it.

        The number k is one less than the number of bits of the modulus and of a word together.
        """
        if part.tag < self.claim.count or part.is_secret or self.longer[part.tag - self.claim.count] not in part.inputs:
            return
        facts, checker = part.facts, part.facts.checker
        power = (1 << self.claim.bits - 1 + self.claim.word) - 1
        for (at, *_), number in results.items():
            name = "power", part.key(values), at
            if name not in self.summaries:
                facts.ask(Structure(facts, 1 << self.claim.word).update, set(range(len(checker.variables))))
                rest = plus(constant(power), times({(0,): 1}, values[at].polynomial), -1)
                bounds = facts.bounds(rest)
                is_rest = checker.not_negative(bounds.low) and checker.not_above(bounds.high, (-1, 1))
                self.summaries[name] = is_rest
            if self.summaries[name]:
                number.relations.append(Relation(((power, ()), (-1, (None, number))), 1, (0,), (-1, 1)))

    def _relate_to_modulus(self, part: Any, values: list[Value], results: dict[tuple[int, ...], Stored]) -> None:
        """Find the results to which the claim refers, in a part that only reads a modulus; no result by default."""

    def _recognise(self, part: Any, values: list[Value], results: dict[tuple[int, ...], Stored]) -> None:
        """Find the results of a part that have a key; no result by default."""

    def _known_cells(self, part: Any, before: set[Block]) -> list[tuple[Any, Any]]:
        """Return the contents of the elements that a branch stored; equal unknown numbers become the same number."""
        for block, key in dict.fromkeys((block, key) for block, key, _ in part.stores):
            held = block.cells.get(key)
            if block.size.high and isinstance(held, Number) and isinstance(held.value, Value) and block.is_array:
                block.cells[key] = Number(held.kind, self._merge(part, (block, key), held.value))
        return super()._known_cells(part, before)

    def _merge(self, part: Any, cell: Any, value: Value) -> Any:
        """Return one number for a value on all paths, after a proof that it equals the number of an earlier path."""
        facts = part.facts
        if cell not in self._merged:
            if value.is_constant or part.tag is None:
                return value
            part.state_relations()
            found = summarise(facts, part.variables(), [value], [[0]], self.claim.word, False)
            if len(found.numbers) != 1 or found.numbers[0].residue is None:
                return value
            number = self._number(found.numbers[0], part, list(part.inputs))
            number.high = self._below_modulus(part, value, number)
            self._merged[cell] = number, [(c, [list(part.inputs)[i] for i in m]) for c, m in found.numbers[0].residue]
            return Word(number, 0)
        number, terms = self._merged[cell]
        if not value.is_constant or not 0 <= value.low < self.claim.least or not number.is_reduced:
            return value
        total = constant(value.low)
        for coefficient, product in terms:
            for operand in product:
                part.value_at(operand, 0)
            monomial = tuple(sorted(part.variable_of(operand) for operand in product))
            total = plus(total, {monomial: coefficient}, -1)
        by_words = self._in_words(part, total)
        return Word(number, 0) if facts.are_equal(by_words, {}) else value

    def _below_modulus(self, part: Any, value: Value, number: Stored) -> Any:
        """Return the bound of a number: q - 1 if the facts of this path prove it, and otherwise the old bound."""
        if number.high != (-1, 1):
            q = next((words for stored, words in part.inputs.items() if stored.is_modulus and stored.words == 1), None)
            if q and part.facts.is_not_negative(plus(plus(q[0].polynomial, value.polynomial, -1), constant(-1))):
                return (-1, 1)
        return number.high

    def _in_words(self, part: Any, polynomial: Any) -> Any:
        """Return a linear polynomial in which the only word of each number replaces the number."""
        for number, words in part.inputs.items():
            variable = (part.variable_of(number),)
            if variable in polynomial and len(words) == 1:
                factor = polynomial[variable]
                polynomial = plus(plus(polynomial, {variable: 1}, -factor), words[0].polynomial, factor)
        return polynomial


def _is_below(number: Stored) -> bool:
    """Return whether a number is a modulus, or is known to be below a multiple of one."""
    return number.is_modulus or (len(number.high) == 2 and number.high[0] == -1)
