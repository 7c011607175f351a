"""Running a program whose control flow is known, where straight-line parts are proven instead of executed.

The state between two parts is exact: pointers, lengths and counters are known, and every other number in memory is a
``Stored`` number, of which only bounds, the residue modulo q and relations are known. A part is executed on unknown
words that satisfy just this. If its equations were met before, its result is known; otherwise it is proven.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from pycparser import c_ast

from momagen.prove.c.memory import Address, Block, Number, Pointer
from momagen.prove.c.simd.deferred import Deferred, Leaf
from momagen.prove.c.simd.vectors import Lanes
from momagen.prove.c.statements import UNROLLED, Leave, Program
from momagen.prove.checker import ProofError
from momagen.prove.facts import Path
from momagen.prove.transforms.control import ControlFlow
from momagen.prove.transforms.lanes import LONGEST, Cone
from momagen.prove.transforms.memory import KnownBlock, known_as, settled, values_of, with_value
from momagen.prove.transforms.part import Part
from momagen.prove.transforms.stored import Stored, Word
from momagen.prove.transforms.summary import outcome_of, summarise
from momagen.prove.words import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from momagen.prove.c.memory import Key
    from momagen.prove.c.parsed import Source
    from momagen.prove.certificates.guide import Guide
    from momagen.prove.transforms.claim import Moduli, Transform
    from momagen.prove.transforms.field import RandomField
    from momagen.prove.transforms.summary import Outcome, Summary

Cell = tuple[Block, "Key"]


class NoBranches(Path):
    """The path between two parts, where no branch may depend on a number that is not known."""

    def next(self) -> bool:
        """Refuse to decide."""
        raise ProofError("a branch depends on numbers that are not known")


class Walk(Program):
    """The state of a program between two parts.

    Attributes:
        modulus: The number q.
        field: The field in which residues are compared.
        part: The part that runs now, or what evaluates known numbers between two parts.
        allocations: How many allocations the program has attempted.
        allocated: The path of their outcomes; None if there is always enough memory.
        exchanged: The path of the outcomes of atomic exchanges: whether each gives NULL.
        is_in_part: Whether a part is being executed.
    """

    def __init__(
        self,
        source: Source,
        claim: Transform,
        moduli: Moduli,
        field: RandomField,
        summaries: dict[Any, Any],
        guide: Guide,
    ) -> None:
        self.claim, self.moduli, self.field, self.summaries, self.guide = claim, moduli, field, summaries, guide
        self.between = self._new_part(NoBranches())
        self.part = self.between
        super().__init__(source, self.part.facts)
        self.modulus = Stored("q", claim.words, (0, 1), (0, 1), 0)
        self.control = ControlFlow(source)
        self.allocations = 0
        self.allocated: Path | None = None
        self.exchanged = Path()
        self.is_in_part = False
        self.keeps_flags = True
        """Whether a part that fails with branches is executed again with its comparisons as flags."""

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
        return self.part.value_of(word)

    # Parts.

    def _new_part(self, path: Path) -> Part:
        """Return a part that begins."""
        return Part(self.moduli, self.claim.word, path, self.guide)

    def _part_to_run(self, path: Path) -> Part:
        """Return the part that is executed next along a path."""
        return self._new_part(path)

    def is_shared(self, _value: Value) -> bool:
        """Return whether a value is a polynomial in variables that mean the same in all parts; there are none here."""
        return False

    @contextmanager
    def _enter(self, path: Path) -> Iterator[Part]:
        """Execute the ``with`` block as a part, with facts that no other part knows."""
        self.part = self._part_to_run(path)
        self.facts, self.words = self.part.facts, self.part.facts.words
        try:
            yield self.part
        finally:
            self.part = self.between
            self.facts, self.words = self.part.facts, self.part.facts.words

    def run_part(self, action: Callable[[], Any], later: frozenset[str] | None = None) -> Any:
        """Execute a part on every path, prove what it stores, and return what it returns.

        Args:
            action: A function that executes the part.
            later: The names of the variables of the innermost scope that are used after the part; None for all.

        Raises:
            Leave: The part executes return, break or continue.
            ProofError: The paths end in different states, or a number that is returned is not known.
        """
        path: Path | None = Path()
        problem: ProofError | None = None
        ends = []
        while path is not None:
            before = [dict(scope) for scope in self.scopes], list(self.blocks), list(self.heap), dict(self.statics)
            allocated = self._memory()
            with self._enter(path) as part:
                try:
                    end = self._attempt(action)
                    if not path.used:
                        self._conclude(part, later)
                        return _result(end)
                    ends.append((end[0], known_as(end[1]), self._known_cells(part, {*before[1], *before[2]})))
                    if self._memory() != allocated:
                        raise ProofError("a branch that is not decided allocates or frees memory, or gives it a type")
                except ProofError as error:
                    if not path.used or not self._may_repeat() or self._memory() != allocated:
                        raise
                    problem = error
                path = path.following() if problem is None else None
                if path is None and any(other != ends[0] for other in ends):
                    problem = ProofError("the two outcomes of a branch that is not decided leave different states")
                    if not self._may_repeat():
                        raise problem
                if path is not None or problem is not None:
                    for block, key, held in reversed(part.stores):
                        block.restore(key, held)
                    self.scopes, self.blocks, self.heap, self.statics = before
        if problem is not None:
            return self._run_undecided(problem, action, later)
        return _result(end)

    def _may_repeat(self) -> bool:
        return self.keeps_flags and self._decides

    def _run_undecided(self, problem: ProofError, action: Callable[[], Any], later: frozenset[str] | None) -> Any:
        """Execute a part on a path where comparisons of public numbers are flags, after it failed with branches."""
        with self.undecided():
            try:
                return self.run_part(action, later)
            except ProofError:
                raise problem from None

    def _memory(self) -> list[Any]:
        """Return what stores do not record of arrays."""
        return [(block, block.of, block.size, block.is_allocated, block.is_writable) for block in self.heap]

    def _attempt(self, action: Callable[[], Any]) -> tuple[str, Any]:
        """Execute a part, and return how control leaves it and what it returns."""
        depth = len(self.scopes)
        self.is_in_part = True
        try:
            kind, value = "", action()
        except Leave as leave:
            kind, value = leave.kind, leave.value
            del self.scopes[depth:]
        finally:
            self.is_in_part = False
        return kind, settled(value, self)

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
            held = block.cells[key] = settled(block.cells[key], self)
            if isinstance(held, (Pointer, Block)) and block not in before:
                raise ProofError("the state after a branch that is not decided contains pointers to new memory")
            found.append(((block if block in before else block.name, key), known_as(held)))
        return found

    def _conclude(self, part: Part, later: frozenset[str] | None) -> None:
        """Replace the values that a part stored by stored numbers, of which its summary says what is proven."""
        values, places = [], []
        for cell in self._cells(part, later):
            held = cell[0].cells[cell[1]]
            if isinstance(held, (Pointer, Address)):
                cell[0].cells[cell[1]] = settled(held, self)
            for index, value in enumerate(values_of(held)):
                if isinstance(value, Word):
                    continue
                if not isinstance(value, Value):
                    raise ProofError("unfinished bits are stored")
                if value.low < 0 or value.high >> self.claim.word:
                    raise ProofError("a part stores a number that is longer than a word")
                if value.is_constant:
                    held = cell[0].cells[cell[1]] = with_value(held, index, self.words.constant(value.low))
                elif not self.is_shared(value):
                    values.append(value)
                    places.append((cell, index))
        if not values:
            return
        part.state_relations()
        groups = self._groups(places)
        key = part.key(values), tuple(map(tuple, groups))
        if key not in self.summaries:
            self.summaries[key] = summarise(
                part.facts, part.variables(), values, groups, self.claim.word, not part.is_secret, part.is_exact
            )
        self._apply(self.summaries[key], part, places)

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

    def _apply(self, summary: Summary, part: Part, places: list[tuple[Cell, int]]) -> None:
        """Store what a summary says of the values of a part. A residue that is congruent to 0 is 0."""
        inputs = list(part.inputs)
        held = {i: Word(inputs[origin], index) for i, (origin, index) in summary.copies.items()}
        residues = [number.residue for number in inputs]
        results = []
        for outcome in summary.numbers:
            residue = None if outcome.residue is None else self.field.evaluate(outcome.residue, residues)
            number = Stored("a number", len(outcome.words), outcome.low, outcome.high, residue, part.is_secret)
            number.bits = outcome.bits
            results.append(number)
            held |= {i: Word(number, index) for index, i in enumerate(outcome.words)}
        for relation in summary.relations:
            for number in (made := relation.bind(results)).numbers():
                number.relations.append(made)
        for i, ((block, key), index) in enumerate(places):
            number = held[i].number
            is_zero = number.is_reduced and number.residue == 0 and not number.is_secret
            block.cells[key] = with_value(block.cells[key], index, self.words.constant(0) if is_zero else held[i])

    # Vectors.

    def _FuncCall(self, node: Any) -> Any:
        result = super()._FuncCall(node)
        if isinstance(result, Lanes) and result.width == self.claim.word:
            return Lanes(result.kind, result.width, tuple(self._shortened(lane) for lane in result.lanes))
        return result

    def _operand_of_intrinsic(self, node: Any, bits: int) -> Any:
        value = super()._operand_of_intrinsic(node, bits)
        if isinstance(value, Number) and isinstance(value.value, Value):
            return Number(value.kind, self.lane_of(value.value))
        return value

    def lane_of(self, value: Any) -> Any:
        """Return a value of the part that runs as a lane, which does not depend on the part."""
        if isinstance(value, Value) and value.is_constant:
            return self.words.constant(value.low)
        origin = self.part.origin_of(value) if isinstance(value, Value) else None
        if origin is None:
            raise ProofError("a lane is made of a number that its part computes")
        return Leaf(Word(*origin))

    def _shortened(self, lane: Any) -> Any:
        """Return a lane as a stored number if it depends on a vector, and is proven to be below a multiple of q."""
        if not isinstance(lane, Deferred):
            return lane
        cone = Cone(lane)
        if len(cone.steps) > LONGEST or not any(number.is_secret for number in cone.numbers):
            return lane
        number = self._number_of(cone)
        if isinstance(number, Stored) and (number.residue is None or not number.high[1:]):
            return lane
        return Leaf(Word(number, 0), lane, cone.sources()) if isinstance(number, Stored) else number

    def finish(self, lane: Any) -> Any:
        """Return a lane as a word of a stored number, or as a known number."""
        if isinstance(lane, Deferred):
            cone = Cone(lane)
            if len(cone.steps) > LONGEST:
                raise ProofError("a lane depends on too many operations that are not proven to give numbers")
            number = self._number_of(cone)
            return Word(number, 0) if isinstance(number, Stored) else number
        return lane.word if isinstance(lane, Leaf) else lane

    def _number_of(self, cone: Cone) -> Stored | Value:
        """Return a stored number of which is known what is proven of a lane, or a constant."""
        key = self.moduli, cone.key()
        if key not in self.summaries:
            self.summaries[key] = self._prove(cone)
        outcome = self.summaries[key]
        if isinstance(outcome, Value):
            return outcome
        numbers = list(cone.numbers)
        residues = [number.residue for number in numbers]
        residue = None if outcome.residue is None else self.field.evaluate(outcome.residue, residues)
        is_secret = any(number.is_secret for number in numbers)
        found = Stored("a lane", 1, outcome.low, outcome.high, residue, is_secret)
        found.is_negated = outcome.is_negated
        return found

    def _prove(self, cone: Cone) -> Outcome | Value:
        """Prove the bound and the residue of a lane for all numbers of which the same is known."""
        part = Part(self.moduli, self.claim.word, NoBranches(), self.guide, self.moduli.least)
        value = cone.evaluate(part)
        if value.is_constant:
            return self.words.constant(value.low)
        if value.low < 0 or value.high >> self.claim.word:
            raise ProofError("a lane is longer than a word")
        part.state_relations()
        return outcome_of(part.facts, part.variables(), value, self.claim.word)

    # Control.

    def execute(self, node: Any) -> None:
        """Execute a statement: as a part, or its parts one after the other."""
        if self.is_in_part:
            super().execute(node)
        elif isinstance(node, c_ast.Compound):
            self._execute_groups(node)
        elif self.control.is_straight(node):
            self.run_part(partial(super().execute, node))
        elif isinstance(node, c_ast.If):
            self.choose(node)
        else:
            super().execute(node)

    def choose(self, node: Any) -> None:
        """Execute one side of a conditional statement."""
        if self.holds(node.cond):
            self.execute(node.iftrue)
        elif node.iffalse is not None:
            self.execute(node.iffalse)

    def _execute_groups(self, compound: Any) -> None:
        alive = len(self.blocks)
        self.scopes.append({})
        for is_straight, items, later in self.control.groups(compound):
            self.execute_group(is_straight, items, later)
        self.scopes.pop()
        self.end_blocks(alive)

    def execute_group(self, is_straight: bool, items: list[Any], later: frozenset[str] | None) -> None:
        """Execute a group of statements."""
        if is_straight:
            self.run_part(partial(self._execute_all, items), later)
        else:
            self.execute(items[0])

    def _execute_all(self, items: list[Any]) -> None:
        for item in items:
            super().execute(item)

    def holds(self, node: Any, is_assumed: bool = False) -> bool:
        """Return whether a condition holds."""
        if self.is_in_part or not self.control.is_straight(node):
            return super().holds(node, is_assumed)
        return bool(self.run_part(partial(super().holds, node, is_assumed)))

    def _loop(self, condition: Any, step: Any, body: Any) -> None:
        if self.is_in_part:
            super()._loop(condition, step, body)
            return
        for _ in range(UNROLLED):
            if condition is not None and not self.holds(condition):
                return
            if not self.iterate(step, body):
                return
        raise ProofError("a loop does not end")

    def allocation_fails(self) -> bool:
        """Return whether there is no memory for the next allocation."""
        self.allocations += 1
        return self.allocated is not None and not self.allocated.next()

    def exchange_gives_null(self) -> bool:
        """Return whether the pointer that an atomic exchange replaces is NULL, on this path."""
        return self.exchanged.next()


def _result(end: tuple[str, Any]) -> Any:
    """Return what a part returns, or leave as it does."""
    if end[0]:
        raise Leave(*end)
    return end[1]
