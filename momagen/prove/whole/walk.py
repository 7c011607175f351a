"""Running a program whose control flow is known, where straight-line parts are proven instead of executed.

The state between two parts is exact: pointers, lengths and counters are known, and every other number in memory is a
``Stored`` number of which only bounds, the residue modulo q and relations are known. A part is executed on unknown
words that satisfy just this. If its equations were met before, its result is known; otherwise it is proven.
"""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from functools import partial
from math import floor
from typing import TYPE_CHECKING, Any

from pycparser import c_ast

from momagen.prove.c.memory import Block, Number, Pointer
from momagen.prove.c.simd.vectors import Flags, Lanes
from momagen.prove.c.statements import Leave, Program
from momagen.prove.checker import ProofError
from momagen.prove.facts import Facts, Path
from momagen.prove.polynomial import plus
from momagen.prove.whole.memory import MISSING, KnownBlock
from momagen.prove.whole.parts import Parts
from momagen.prove.whole.stored import Stored, Word
from momagen.prove.whole.summary import Inputs, Summary, summarise
from momagen.prove.words import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from momagen.prove.c.memory import Key
    from momagen.prove.c.parsed import Source
    from momagen.prove.whole.claim import Moduli, Transform
    from momagen.prove.whole.ring import Ring

Cell = tuple[Block, "Key"]


class NoPath(Path):
    """The path between two parts, where no branch may depend on a number that is not known."""

    def next(self) -> bool:
        """Refuse to decide."""
        raise ProofError("a branch depends on numbers that are not known")


class Part:
    """A straight-line part that is being executed: its facts, and the numbers that it has read."""

    def __init__(self, moduli: Moduli, path: Path) -> None:
        self.facts = Facts(moduli.least, moduli.greatest, path)
        self.inputs: dict[Stored, list[Value]] = {}
        self.variables: dict[Stored, int] = {}
        self.stores: list[tuple[Block, Key, Any]] = []


class Walk(Program):
    """The state of a program between two parts.

    Attributes:
        modulus: The number q.
        ring: The ring in which residues are computed.
        word: The bits of a word.
        counts: How many parts were executed, and how many of them had to be proven.
        fails_at: Which allocation finds no memory, counted from 1; 0 for none.
        is_inside: Whether a part is being executed.
    """

    def __init__(
        self, source: Source, claim: Transform, moduli: Moduli, ring: Ring, summaries: dict[Any, Summary]
    ) -> None:
        self.moduli = moduli
        self.parts: list[Part] = [Part(moduli, NoPath())]
        super().__init__(source, self.parts[0].facts)
        self.claim, self.word, self.ring, self.summaries = claim, claim.word, ring, summaries
        self.modulus = Stored("q", claim.words, (0, 1), (0, 1), 0)
        self.counts = Counter[str]()
        self.structure_of = Parts(source)
        self.fails_at = self.allocations = 0
        self.is_inside = False

    # Memory.

    def new_block(self, name: str, of: Any, size: Value | int, **settings: Any) -> Block:
        """Return a new block of elements of one type, which lives until the function returns."""
        length = self.words.constant(size) if isinstance(size, int) else size
        block = KnownBlock(name, of, length, **settings)
        block.walk = self
        self.blocks.append(block)
        return block

    def value_of(self, word: Word) -> Value:
        """Return the value that a word of a stored number has in the part that runs now."""
        part = self.parts[-1]
        if word.number not in part.inputs:
            part.inputs[word.number] = self._introduce(word.number, part)
        return part.inputs[word.number][word.index]

    def _introduce(self, number: Stored, part: Part) -> list[Value]:
        """Introduce a stored number into a part, and return its words."""
        checker, words = part.facts.checker, part.facts.words
        greatest = floor(checker.maximum(number.high))
        ends = [min((1 << self.word) - 1, greatest >> self.word * i) for i in range(number.words)]
        found = [
            words.variable(f"{number.name}[{i}]", 0, end) if end else words.constant(0) for i, end in enumerate(ends)
        ]
        if number is self.modulus:
            part.facts.state_modulus(found, 1 << self.word)
            if self.moduli.parity is not None:
                part.facts.state_parity(found[0], self.moduli.parity)
            part.variables[number] = 0
        else:
            variable = part.facts.state_number(number.name, found, (number.low, number.high), 1 << self.word)
            part.variables[number] = variable
            if number.low == number.high:
                exact = {(0,) * power: c for power, c in enumerate(number.low) if c}
                checker.state(plus({(variable,): 1}, exact, -1))
        if number.is_secret:
            part.facts.secrets |= {words.number_of(value) for value in found if not value.is_constant}
        return found

    # Parts.

    @contextmanager
    def part(self, path: Path) -> Iterator[Part]:
        """Execute the ``with`` block as a part with facts of its own."""
        part = Part(self.moduli, path)
        self.parts.append(part)
        self.facts, self.words = part.facts, part.facts.words
        try:
            yield part
        finally:
            self.parts.pop()
            self.facts, self.words = self.parts[-1].facts, self.parts[-1].facts.words

    def run_part(self, action: Callable[[], Any], later: frozenset[str] | None = None) -> Any:
        """Execute a part on every path, prove what it stores, and return what it returns.

        Args:
            action: A function that executes the part.
            later: The names of the variables of the innermost scope that are used after the part; None for all.

        Raises:
            Leave: Control leaves the part.
            ProofError: The paths end in different states, or a number that is returned is not known.
        """
        path: Path | None = Path()
        ends = []
        while path is not None:
            scopes = [dict(scope) for scope in self.scopes]
            blocks, heap, statics = list(self.blocks), list(self.heap), dict(self.statics)
            with self.part(path) as part:
                end = self._attempt(action)
                if not path.used:
                    self._conclude(part, later)
                    return _result(end)
                ends.append((end[0], _text(end[1]), self._known_cells(part, {*blocks, *heap})))
                path = path.following()
                if path is not None:
                    for block, key, held in reversed(part.stores):
                        _restore(block, key, held)
                    self.scopes, self.blocks, self.heap, self.statics = scopes, blocks, heap, statics
        if any(other != ends[0] for other in ends):
            raise ProofError("a branch depends on numbers that are not known")
        return _result(end)

    def _attempt(self, action: Callable[[], Any]) -> tuple[str, Any]:
        """Execute a part, and return how control leaves it and what it returns."""
        depth = len(self.scopes)
        self.is_inside = True
        try:
            kind, value = "", action()
        except Leave as leave:
            kind, value = leave.kind, leave.value
            del self.scopes[depth:]
        finally:
            self.is_inside = False
        if isinstance(value, Number) and not (isinstance(value.value, Value) and value.value.is_constant):
            raise ProofError("a number must be known here")
        return kind, value

    def _known_cells(self, part: Part, before: set[Block]) -> list[tuple[Any, Any]]:
        """Return what the elements that a part stored hold, which must be known.

        Args:
            part: The part.
            before: The blocks that existed before it; others are compared by their names.
        """
        found = []
        for block, key in dict.fromkeys((block, key) for block, key, _ in part.stores):
            if not block.size.high:
                continue
            held = block.cells.get(key)
            if any(not isinstance(value, Value) or not value.is_constant for value in _values(held)):
                raise ProofError("a branch depends on numbers that are not known")
            if isinstance(held, (Pointer, Block)) and block not in before:
                raise ProofError("a branch decides about new memory")
            found.append(((block if block in before else block.name, key), _text(held)))
        return found

    def _conclude(self, part: Part, later: frozenset[str] | None) -> None:
        """Replace the values that a part stored by stored numbers, of which its summary says what is proven."""
        cells = self._cells(part, later)
        values, places = [], []
        for cell in cells:
            for index, value in enumerate(_values(cell[0].cells[cell[1]])):
                if not isinstance(value, Value):
                    raise ProofError("unfinished bits are stored")
                if value.low < 0 or value.high >> self.word:
                    raise ProofError("a number outside the range of a word is kept for later")
                if not value.is_constant:
                    values.append(value)
                    places.append((cell, index))
        if not values:
            return
        self._state_relations(part)
        self.counts["parts"] += 1
        key = self._key(part, values)
        groups = self._groups(places)
        if (key, tuple(map(tuple, groups))) not in self.summaries:
            self.counts["proven"] += 1
            inputs = Inputs()
            for number, words in part.inputs.items():
                inputs.add(
                    part.variables[number], [None if w.is_constant else part.facts.words.number_of(w) for w in words]
                )
            is_public = not any(number.is_secret for number in part.inputs)
            found = summarise(part.facts, inputs, values, groups, self.word, is_public)
            self.summaries[key, tuple(map(tuple, groups))] = found
        self._apply(self.summaries[key, tuple(map(tuple, groups))], part, values, places)

    def _cells(self, part: Part, later: frozenset[str] | None) -> list[Cell]:
        """Return the elements that a part stored and that can be read later."""
        dead = set()
        if later is not None:
            dead = {block for name, block in self.scopes[-1].items() if name not in later and not block.is_array}
        unique = dict.fromkeys((block, key) for block, key, _ in part.stores)
        found = []
        for block, key in unique:
            if block.size.high == 0:
                continue
            if block in dead:
                block.cells.pop(key, None)
            else:
                found.append((block, key))
        return found

    def _state_relations(self, part: Part) -> None:
        """State what is known of the numbers that a part read."""
        checker = part.facts.checker
        for number in list(part.inputs):
            for relation in number.relations:
                if not relation.numbers() <= part.inputs.keys():
                    continue
                slack = checker.integer("slack", relation.low, relation.high)
                terms = {tuple(sorted(0 if n is None else part.variables[n] for n in product)): c
                         for c, product in relation.terms}  # fmt: skip
                equation = checker.state(plus(terms, {(slack,): 1}, -relation.unit))
                for monomial in terms:
                    if len(monomial) == 2 and monomial[0] == 0:
                        part.facts.search.relations[monomial] = equation

    def _key(self, part: Part, values: list[Value]) -> Any:
        """Return what determines the proof of a part: its variables, equations and results."""
        checker = part.facts.checker
        return (
            self.moduli,
            tuple(part.variables[number] for number in part.inputs),
            tuple((v.low, v.high) for v in checker.variables),
            tuple(frozenset(equation.items()) for equation in checker.equations),
            tuple(frozenset(value.polynomial.items()) for value in values),
        )

    def _groups(self, places: list[tuple[Cell, int]]) -> list[list[int]]:
        """Guess which values are the words of one number: consecutive words of an array."""
        count = self.claim.words
        at = {(block, dict(key).get((), 0)): i for i, ((block, key), _) in enumerate(places) if block.is_array}
        groups: list[list[int]] = []
        for block, offset in at if count > 1 else ():
            if offset % count == 0 and all((block, offset + w) in at for w in range(count)):
                groups.append([at[block, offset + w] for w in range(count)])
        taken = {i for group in groups for i in group}
        return groups + [[i] for i in range(len(places)) if i not in taken]

    def _apply(self, summary: Summary, part: Part, values: list[Value], places: list[tuple[Cell, int]]) -> None:
        """Store what a summary says of the values of a part."""
        inputs = list(part.inputs)
        held: list[Any] = [None] * len(values)
        for i, (origin, index) in summary.copies.items():
            held[i] = Word(inputs[origin], index)
        is_secret = any(number.is_secret for number in inputs)
        residues = [number.residue for number in inputs]
        new = []
        for outcome in summary.numbers:
            residue = None if outcome.residue is None else self.ring.evaluate(outcome.residue, residues)
            low = outcome.high if outcome.is_exact else (0,)
            number = Stored("a number", len(outcome.words), low, outcome.high, residue, is_secret)
            new.append(number)
            for index, i in enumerate(outcome.words):
                held[i] = Word(number, index)
        for relation in summary.relations:
            for number in (made := relation.made(new)).numbers():
                number.relations.append(made)
        for i, ((block, key), index) in enumerate(places):
            word = held[i]
            if word.number.is_residue and word.number.residue == 0 and not word.number.is_secret:
                word = self.words.constant(0)
            block.cells[key] = _with(block.cells[key], index, word)

    # Control.

    def execute(self, node: Any) -> None:
        """Execute a statement: as a part, or its parts one after the other."""
        if self.is_inside:
            super().execute(node)
        elif isinstance(node, c_ast.Compound):
            self._execute_groups(node)
        elif self.structure_of.is_straight(node):
            self.run_part(partial(super().execute, node))
        elif isinstance(node, c_ast.If):
            if self.holds(node.cond):
                self.execute(node.iftrue)
            elif node.iffalse is not None:
                self.execute(node.iffalse)
        else:
            super().execute(node)

    def _execute_groups(self, compound: Any) -> None:
        alive = len(self.blocks)
        self.scopes.append({})
        for is_straight, items, later in self.structure_of.groups(compound):
            if is_straight:
                self.run_part(partial(self._execute_all, items), later)
            else:
                self.execute(items[0])
        self.scopes.pop()
        self.end_blocks(alive)

    def _execute_all(self, items: list[Any]) -> None:
        for item in items:
            super().execute(item)

    def holds(self, node: Any, is_assumed: bool = False) -> bool:
        """Return whether a condition holds."""
        if self.is_inside or not self.structure_of.is_straight(node):
            return super().holds(node, is_assumed)
        return bool(self.run_part(partial(super().holds, node, is_assumed)))

    def _loop(self, condition: Any, step: Any, body: Any) -> None:
        if self.is_inside:
            super()._loop(condition, step, body)
            return
        while condition is None or self.holds(condition):
            if not self.iterate(step, body):
                return

    def allocation_fails(self) -> bool:
        """Return whether there is no memory for the next allocation."""
        self.allocations += 1
        return self.allocations == self.fails_at


def _result(end: tuple[str, Any]) -> Any:
    """Return what a part returns, or leave as it does."""
    if end[0]:
        raise Leave(*end)
    return end[1]


def _restore(block: Block, key: Key, held: Any) -> None:
    if held is MISSING:
        block.cells.pop(key, None)
    else:
        block.cells[key] = held


def _text(held: Any) -> Any:
    """Return what is equal for equal known values."""
    return held.value.low if isinstance(held, Number) else held


def _values(held: Any) -> tuple[Any, ...]:
    """Return the values that an element of memory holds."""
    if isinstance(held, Number):
        return (held.value,)
    if isinstance(held, Lanes):
        return held.lanes
    return held.bits if isinstance(held, Flags) else ()


def _with(held: Any, index: int, word: Any) -> Any:
    """Return what an element holds, with another value."""
    if isinstance(held, Number):
        return Number(held.kind, word)
    if isinstance(held, Lanes):
        return Lanes(held.kind, held.width, (*held.lanes[:index], word, *held.lanes[index + 1 :]))
    return Flags(held.kind, (*held.bits[:index], word, *held.bits[index + 1 :]))
