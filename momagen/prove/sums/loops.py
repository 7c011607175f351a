"""Loops that add up products of elements of vectors, proven by induction for any number of elements.

The sum of all products x[i] * y[i] with i < p is written S(p). A loop from position a that reads d elements of x and of
y in each iteration is proven by one iteration, for any number A in the accumulator: the accumulator must then hold a
number that is congruent to A plus the d products, and at most D more than A. After k iterations it therefore holds
a number that is congruent to A + S(a + d k) - S(a), and at most k D more than A. Every S(p) with an unknown position p
is a variable, in the place of which a proof has a random element of the field, as for residues of transforms.
"""

from __future__ import annotations

from math import floor
from typing import TYPE_CHECKING, Any

from gmpy2 import mpz
from pycparser import c_ast

from momagen.prove.c.memory import Number, Pointer
from momagen.prove.c.statements import UNROLLED
from momagen.prove.c.types import SIZE
from momagen.prove.checker import ProofError
from momagen.prove.claims import LONGEST
from momagen.prove.numbers.structure import Structure
from momagen.prove.polynomial import combine, constant, plus, scaled
from momagen.prove.sums.lengths import Cursor, Length, LengthRun, View, is_formula
from momagen.prove.transforms.memory import key_of
from momagen.prove.transforms.run import NO_OFFSET
from momagen.prove.transforms.stored import Stored, Word
from momagen.prove.words import Value

if TYPE_CHECKING:
    from collections.abc import Iterable

    from momagen.prove.c.memory import Block
    from momagen.prove.polynomial import Polynomial
    from momagen.prove.transforms.part import Part

MOST = 64
"""The greatest number of elements that one iteration of a loop may read."""


class SumRun(LengthRun):
    """A run of ``create`` and ``execute`` of a sum of products, along one path.

    Attributes:
        streams: The operands x and y.
        result: The array of the result.
        length: The number n of elements.
        sums: The values S(p), by the terms of p.
        accumulator: The elements of memory that hold the accumulator, while an iteration is proven, and its number.
        increase: By how much the iteration may increase the accumulator.
    """

    streams: tuple[Block, ...] = ()
    length: Value
    accumulator: tuple[list[tuple[Block, Any]], Stored] | None = None
    increase: int | None = None

    # Functions.

    def arguments_of(self, least: int) -> list[Any]:
        """Return arrays for a result and two operands of at least as many elements."""
        self.length = self.words.variable("n", least, 1 << LONGEST)
        self.sums: dict[Any, Any] = {frozenset(): mpz(0)}
        size = self.words.multiply(self.length, self.words.constant(self.claim.words))
        self.result = self.new_array("z", self.kind, self.claim.words)
        self.streams = tuple(self.new_array(name, self.kind, size, is_writable=False) for name in ("x", "y"))
        return [self.start(block) for block in (self.result, *self.streams)]

    def sum_to(self, position: Polynomial) -> Any:
        """Return the value of S at a position."""
        key = frozenset(self.words.without_zeros(position).items())
        if key not in self.sums:
            self.sums[key] = self.field.element()
        return self.sums[key]

    def total(self) -> Any:
        """Return the residue of the result, which must be below q."""
        words = self._words_at(self.start(self.result))
        if all(isinstance(word, Value) and (word.low, word.high) == (0, 0) for word in words):
            return mpz(0)
        return self._residue_of(self.result, 0)

    # Loops.

    def _loop(self, condition: Any, step: Any, body: Any) -> None:
        bound = self._unknown_bound(condition)
        if self.is_in_part:
            super()._loop(condition, step, body)
        elif bound is None:
            self._unroll(condition, step, body)
        elif condition.op == "<":
            self._add_up(condition.left.name, bound, step, body)
        elif self.holds(condition):
            self._add_chunks(condition.left.name, step, body)

    def _unroll(self, condition: Any, step: Any, body: Any) -> None:
        """Execute a loop whose number of iterations is known."""
        path = self.between.facts.path
        for _ in range(UNROLLED):
            used = path.used
            if condition is not None and not self.holds(condition):
                return
            if path.used > used:
                raise ProofError("the condition of a loop with an unknown number of iterations is not supported")
            if not self.iterate(step, body):
                return
        raise ProofError("a loop does not end")

    def _unknown_bound(self, condition: Any) -> Value | None:
        """Return the number of which a loop depends, if it is unknown: b in ``a < b``, or a in ``a != 0``."""
        if self.is_in_part or not isinstance(condition, c_ast.BinaryOp) or condition.op not in ("<", "!="):
            return None
        node = condition.right if condition.op == "<" else condition.left
        if not isinstance(condition.left, c_ast.ID) or not isinstance(node, c_ast.ID):
            return None
        held = self.variable(node.name).cells.get(NO_OFFSET)
        if not isinstance(held, Number) or not isinstance(held.value, Value) or held.kind != SIZE:
            return None
        return held.value if is_formula(held) or (condition.op == "<" and self._pointers_to_operands()) else None

    def _cursors(self) -> dict[Block, tuple[Block, Value]]:
        """Return the variables in scope that point into an operand, with the operand and the offset: one for each."""
        found = self._pointers_to_operands()
        if sorted(self.streams.index(stream) for stream, _ in found.values()) != [0, 1]:
            raise ProofError("a loop does not have one pointer to each operand")
        return found

    def _pointers_to_operands(self) -> dict[Block, tuple[Block, Value]]:
        found = {}
        for scope in self.scopes:
            for block in scope.values():
                held = None if block.is_array else block.cells.get(NO_OFFSET)
                if isinstance(held, Pointer) and held.block in self.streams:
                    found[block] = held.block, held.offset
        return found

    def _position(self, cursors: dict[Block, tuple[Block, Value]]) -> Polynomial:
        """Return the position of the element at which the pointers to both operands are."""
        (_, first), (_, second) = cursors.values()
        if first.polynomial != second.polynomial:
            raise ProofError("the pointers of a loop are at different elements of the operands")
        if any(c % self.claim.words for c in first.polynomial.values()):
            raise ProofError("a pointer of a loop is not at the beginning of an element")
        return {m: c // self.claim.words for m, c in first.polynomial.items()}

    def _add_up(self, counter: str, length: Value, step: Any, body: Any) -> None:
        """Prove a loop that adds a fixed number of products in each iteration."""
        if not _is_step_of(step, counter) or self.variable(counter).of != SIZE:
            raise ProofError("a loop over the elements does not count by 1 in size_t")
        own = self.variable(counter)
        if self.number(own.load(self.words.constant(0), self.facts)) != 0:
            raise ProofError("a loop over the elements does not count from 0")
        if length.is_constant and not length.low:
            return
        cursors = self._cursors()
        start, many = self._position(cursors), self._at_most(length)
        cells = self._accumulator_cells(cursors)
        before, high = self._number_in(cells)
        each = self._greatest_increase(many, high, len(cells))
        views = {stream: self._view(stream) for stream, _ in cursors.values()}
        most = high + max(many - 1, 0) * each
        held = Stored("the accumulator", len(cells), (0,), (most,), self.field.element() if most else mpz(0), True)
        for i, (block, key) in enumerate(cells):
            block.cells[key] = Number(self.kind, Word(held, i))
        for variable, (stream, _) in cursors.items():
            variable.cells[NO_OFFSET] = Pointer(views[stream], self.words.constant(0))
        number = own.cells.pop(NO_OFFSET)
        state = self._state({own, *cursors}, cells)
        self.accumulator, self.increase = (cells, held), None
        self.iterate_to_end(None, body)
        self.accumulator = None
        if NO_OFFSET in own.cells:
            raise ProofError("a loop over the elements changes its counter")
        own.cells[NO_OFFSET] = number
        self._check_unchanged(state)
        stride = self._stride(cursors, views)
        products = [x * y for x, y in zip(*(self._elements(views[s], stride) for s in self.streams), strict=True)]
        self._check_sum(cells, held, sum(products), "an iteration")
        if self.increase is None or self.increase > each:
            raise ProofError("an accumulator may grow by more than the products")
        end = plus(start, length.polynomial, stride)
        problem = "a loop may read behind the last element"
        self.facts.require_not_negative(plus(self.length.polynomial, end, -1), problem)
        self._put_words(cells, high + many * max(self.increase, 0), before + self.sum_to(end) - self.sum_to(start))
        self._move(cursors, end)

    def _greatest_increase(self, many: int, high: int, words: int) -> int:
        """Return the most that each of ``many`` iterations may add to a bounded number, so that it fits its words."""
        fitting = max(((1 << self.claim.word * words) - 1 - high) // max(many, 1), 0)
        return min(MOST * (self.moduli.greatest - 1) ** 2, fitting)

    def _at_most(self, length: Value) -> int:
        """Return a proven bound of a length: a power of two, or the one that is known of its terms."""
        low, high = 0, length.high.bit_length()
        while low < high:
            middle = (low + high) // 2
            if self.facts.is_not_negative(plus(constant(1 << middle), length.polynomial, -1)):
                high = middle
            else:
                low = middle + 1
        return min(1 << high, length.high)

    def _accumulator_cells(self, cursors: dict[Block, tuple[Block, Value]]) -> list[tuple[Block, Any]]:
        """Return the elements of the one array into which the function that runs can store."""
        found = []
        for block in self.scopes[0].values():
            held = None if block.is_array or block in cursors else block.cells.get(NO_OFFSET)
            if isinstance(held, Pointer) and held.block.is_writable and held.block.of == self.kind:
                found.append(held)
        if len(found) != 1 or not found[0].offset.is_constant or not found[0].block.size.is_constant:
            raise ProofError("a loop over the elements does not have one accumulator")
        pointer = found[0]
        return [(pointer.block, key_of(i)) for i in range(pointer.offset.low, pointer.block.size.low)]

    def _number_in(self, cells: list[tuple[Block, Any]]) -> tuple[Any, int]:
        """Return the residue and a bound of a number in memory, of which each word is known by itself."""
        residue, high = mpz(0), 0
        for i, (block, key) in enumerate(cells):
            held = block.cells.get(key)
            word = held.value if isinstance(held, Number) else None
            if isinstance(word, Value) and word.is_constant:
                part, most = mpz(word.low), word.low
            elif isinstance(word, Word) and word.number.words == 1 and word.number.residue is not None:
                part, most = word.number.residue, floor(self.facts.checker.maximum(word.number.high))
            else:
                raise ProofError("an accumulator is not known before a loop")
            residue += part << self.claim.word * i
            high += most << self.claim.word * i
        return residue, high

    def _put_words(self, cells: list[tuple[Block, Any]], high: int, residue: Any) -> None:
        """Store a number of which the residue and a bound are known, as words of which the bounds are known."""
        bits, prime = self.claim.word, self.field.prime
        if high >> bits * len(cells):
            raise ProofError("a sum may be longer than its accumulator")
        parts = [self.field.element() if i and high >> bits * i else mpz(0) for i in range(len(cells))]
        parts[0] = (residue - sum(part << bits * i for i, part in enumerate(parts))) % prime
        for i, ((block, key), part) in enumerate(zip(cells, parts, strict=True)):
            greatest = min(high >> bits * i, (1 << bits) - 1)
            word: Any = Word(Stored("a word of a sum", 1, (0,), (greatest,), part, True), 0)
            block.cells[key] = Number(self.kind, word if greatest else self.words.constant(0))

    def _view(self, stream: Block) -> View:
        """Return a view of the elements of an operand from the position on at which an iteration is."""
        if self.result.cells:
            raise ProofError("an operand is read after the result was stored")
        words = self.claim.words
        view = View(stream.name, self.kind, self.words.constant(MOST * words), is_writable=False)
        self._adopt(view)
        for at in range(MOST):
            number = Stored(stream.name, words, (0,), (-1, 1), self.field.element(), True)
            for i in range(words):
                view.cells[key_of(at * words + i)] = Number(self.kind, Word(number, i))
        return view

    def _elements(self, view: View, count: int) -> list[Any]:
        """Return the residues of the first elements of a view."""
        held = (view.cells[key_of(at * self.claim.words)] for at in range(count))
        return [number.value.number.residue for number in held]

    def _stride(self, cursors: dict[Block, tuple[Block, Value]], views: dict[Block, View]) -> int:
        """Return by how many elements an iteration moves the pointers, before which it must read."""
        moved = set()
        for variable, (stream, _) in cursors.items():
            held = variable.cells.get(NO_OFFSET)
            if not isinstance(held, Pointer) or held.block is not views[stream] or not held.offset.is_constant:
                raise ProofError("an iteration does not move a pointer within its operand")
            if views[stream].farthest >= held.offset.low:
                raise ProofError("an iteration reads elements of the next one")
            moved.add(held.offset.low)
        (step, *others) = moved
        if others or step % self.claim.words or not 0 < step <= MOST * self.claim.words:
            raise ProofError("an iteration does not move both pointers by the same number of elements")
        return step // self.claim.words

    def _move(self, cursors: dict[Block, tuple[Block, Value]], position: Polynomial) -> None:
        offset = self.words.value_of(scaled(position, self.claim.words))
        for variable, (stream, _) in cursors.items():
            variable.cells[NO_OFFSET] = Cursor(stream, offset)

    def _check_sum(self, cells: list[tuple[Block, Any]], held: Stored, added: Any, what: str) -> None:
        """Check that an iteration added a number to the accumulator that is congruent to a sum."""
        words = [block.cells[key].value if key in block.cells else None for block, key in cells]
        while words and isinstance(words[-1], Value) and (words[-1].low, words[-1].high) == (0, 0):
            words.pop()
        number = words[0].number if words and isinstance(words[0], Word) else None
        if number is None or words != [Word(number, i) for i in range(number.words)]:
            raise ProofError(f"{what} does not leave one number in the accumulator")
        if number.residue is None or (number.residue - held.residue - added) % self.field.prime:
            raise ProofError(f"{what} is not proven to add the products of its elements")

    # Parts.

    def _groups(self, places: list[tuple[Any, int]]) -> list[list[int]]:
        if self.accumulator is None:
            return super()._groups(places)
        at = {cell: i for i, (cell, _) in enumerate(places)}
        cells, _ = self.accumulator
        own = [at[cell] for cell in cells if cell in at]
        is_one = own == [at.get(cell) for cell in cells[: len(own)]]  # the longest words may be known to be 0
        rest = [i for i in range(len(places)) if not is_one or i not in own]
        return ([own] if is_one and own else []) + [[i] for i in rest]

    def _conclude(self, part: Part, later: frozenset[str] | None) -> None:
        if self.accumulator is not None:
            self.increase = self._proven_increase(part, *self.accumulator)
        super()._conclude(part, later)

    def _proven_increase(self, part: Part, cells: list[tuple[Block, Any]], held: Stored) -> int | None:
        """Return a proven bound of the number in the accumulator after a part minus the one before it."""
        values: list[Any] = [getattr(block.cells.get(key), "value", None) for block, key in cells]
        if held not in part.inputs or not all(isinstance(value, Value) for value in values):
            return None
        facts = part.facts
        total = combine((1 << self.claim.word * i, value.polynomial) for i, value in enumerate(values))
        facts.ask(Structure(facts, 1 << self.claim.word).update, set(range(len(facts.checker.variables))))
        bounds = facts.bounds(plus(total, {(part.variable_of(held),): 1}, -1))
        increase: int = floor(facts.checker.maximum(bounds.high))
        return increase

    # Chunks.

    def _add_chunks(self, name: str, step: Any, body: Any) -> None:
        """Prove a loop ``while (left != 0)`` that adds the products of some of the elements that are left."""
        left, cursors = self.variable(name), self._cursors()
        number: Any = left.cells[NO_OFFSET]
        if step is not None or self._position(cursors) or number.value.polynomial != self.length.polynomial:
            raise ProofError("a loop over chunks does not begin with all elements")
        arrays = [block for scope in self.scopes for block in scope.values() if block.is_array and block.is_writable]
        filled = [block for block in arrays if block.cells]
        if len(filled) != 1 or len(filled[0].cells) != self.claim.words or filled[0].of != self.kind:
            raise ProofError("a loop over chunks does not have one sum")
        cells = [(filled[0], key_of(i)) for i in range(self.claim.words)]
        before, high = self._number_in(cells)
        if high >= self.moduli.least:
            raise ProofError("a sum is not below q before a loop over chunks")
        position = self.words.variable("position", 0, 1 << LONGEST)
        rest = plus(self.length.polynomial, position.polynomial, -1)
        self.facts.state_not_negative(plus(rest, constant(-1)), "a chunk")
        held = Stored("the sum", self.claim.words, (0,), (-1, 1), self.field.element(), True)
        self._put_reduced(cells, held)
        left.cells[NO_OFFSET] = Length(SIZE, Value(rest, 1, 1 << LONGEST))
        self._move(cursors, position.polynomial)
        state = self._state({left, *cursors, *arrays})
        self.iterate_to_end(None, body)
        self._check_unchanged(state)
        end = self._position(self._cursors())
        size = plus(end, position.polynomial, -1)
        self.facts.require_not_negative(plus(size, constant(-1)), "a chunk may be empty")
        after = left.cells[NO_OFFSET].value.polynomial
        if after != plus(rest, size, -1):
            raise ProofError("a loop over chunks does not count the elements that it moves over")
        self.facts.require_not_negative(after, "a chunk may be longer than the rest of the vectors")
        self._check_sum(cells, held, self.sum_to(end) - self.sum_to(position.polynomial), "a chunk")
        if not self._words_at(self.start(filled[0]))[0].number.is_reduced:
            raise ProofError("a sum is not proven to be below q after a chunk")
        for block in arrays:
            block.cells.clear()
        whole = self.sum_to(self.length.polynomial)
        self._put_reduced(cells, Stored("the sum", self.claim.words, (0,), (-1, 1), before + whole, True))
        left.cells[NO_OFFSET] = Number(SIZE, self.words.constant(0))
        self._move(cursors, self.length.polynomial)

    def _put_reduced(self, cells: list[tuple[Block, Any]], number: Stored) -> None:
        for i, (block, key) in enumerate(cells):
            block.cells[key] = Number(self.kind, Word(number, i))

    # What an iteration leaves unchanged.

    def _state(self, changed: set[Block], cells: Iterable[tuple[Block, Any]] = ()) -> Any:
        """Return the state of all memory but some blocks and some elements."""
        others = {block: dict(block.cells) for block in self.all_blocks() if block not in changed}
        return self._memory(), others, set(cells)

    def _check_unchanged(self, state: Any) -> None:
        """Check that an iteration changed nothing but some blocks."""
        memory, before, changed = state
        if self._memory() != memory:
            raise ProofError("a loop allocates or frees memory, or gives it a type")
        for block, cells in before.items():
            same = [key for key in {**cells, **block.cells} if (block, key) not in changed]
            if any(block.cells.get(key) is not cells.get(key) for key in same):
                raise ProofError(f"an iteration changes {block.name}")


def _is_step_of(step: Any, counter: str) -> bool:
    """Return whether a step is ``counter++``."""
    is_step = isinstance(step, c_ast.UnaryOp) and step.op in ("p++", "++")
    return is_step and isinstance(step.expr, c_ast.ID) and step.expr.name == counter
