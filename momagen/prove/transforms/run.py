"""Proving a transform: ``create`` and ``execute``, for every modulus, root and number of vectors of the claim."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from gmpy2 import mpz
from pycparser import c_ast

from momagen.prove.c.memory import NULL, Address, Null, Number, Pointer
from momagen.prove.c.system.exchange import Kept
from momagen.prove.c.types import INT, SIZE, Integer, Reference
from momagen.prove.checker import ProofError
from momagen.prove.facts import Path
from momagen.prove.polynomial import constant, plus
from momagen.prove.transforms.claim import LOG_BATCH, Moduli
from momagen.prove.transforms.field import RandomField
from momagen.prove.transforms.memory import key_of
from momagen.prove.transforms.stored import Stored, Word
from momagen.prove.transforms.walk import Walk
from momagen.prove.words import Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from momagen.prove.c.memory import Block
    from momagen.prove.c.parsed import Source
    from momagen.prove.certificates.guide import Guide
    from momagen.prove.polynomial import InModulus
    from momagen.prove.transforms.claim import Transform


NO_OFFSET = key_of(0)


class TransformRun(Walk):
    """One run of ``create`` and ``execute`` of a transform.

    Attributes:
        vectors: The arrays of operands and results, with what they hold at first.
        result: The array of the result.
        results: The residues of the result, after the loop over the vectors.
        batch: The number of vectors.
        compared: The differences of the residues that were compared.
        frozen: The memory of the plan, which only ``create`` and ``destroy`` may change.
        kept: The pointers in plans that calls exchange, by their names.
        layout: Which of the result and the operands are the same array.
        drawn: The residues of the operand in each array.
        proven: The results of loops over the vectors that were proven, by what leads to them: the loop, the layout, and
            the outcomes of exchanges and allocations. All else is the same in each call of ``execute``.
        comparisons: The path of their outcomes (whether two residues are equal) if the root is arbitrary; None for a
            root of the claim, with which each difference must be 0.
    """

    def __init__(
        self,
        source: Source,
        claim: Transform,
        moduli: Moduli,
        field: RandomField,
        known: dict[Any, Any],
        guide: Guide,
    ) -> None:
        super().__init__(source, claim, moduli, field, known, guide)
        self.kind = Integer(claim.word, name=f"uint{claim.word}_t")
        self.vectors: dict[Block, dict[Any, Any]] = {}
        self.result: Any = None
        self.results: list[Any] = []
        self.compared: list[Any] = []
        self.comparisons: Path | None = None
        self.frozen: list[Block] = []
        self.kept: dict[str, Kept] = {}
        self.layout: tuple[int, ...] = ()
        self.drawn: dict[int, list[Any]] = {}
        self.proven: dict[Any, list[Any]] = {}
        self.batch = Stored("batch", 1, (1,), (1 << LOG_BATCH,))

    # Arguments.

    def array(self, name: str, numbers: Sequence[Stored | int], is_writable: bool = False) -> Block:
        """Return an array of the caller with these numbers, each of as many words as a residue."""
        count = self.claim.words
        block = self.new_array(name, self.kind, len(numbers) * count)
        for at, number in enumerate(numbers):
            for index in range(count):
                word: Any = Word(number, index) if isinstance(number, Stored) else None
                if isinstance(number, int):
                    word = self.words.constant(number >> self.claim.word * index & (1 << self.claim.word) - 1)
                block.cells[key_of(at * count + index)] = Number(self.kind, word)
        block.is_writable = is_writable
        return block

    def start(self, block: Block) -> Pointer:
        """Return the pointer to the first element of a block."""
        return Pointer(block, self.words.constant(0))

    def root(self) -> Stored:
        """Return the root of the claim."""
        return Stored("root", self.claim.words, (0,), (-1, 1), self.field.root)

    def any_root(self, low: InModulus = (0,)) -> Stored:
        """Return a number that is as long as a residue may be, and may have a lower bound."""
        return Stored("root", self.claim.words, low, (self.claim.longest,))

    # Functions.

    def create(self, *arguments: Any) -> Pointer | None:
        """Call ``create`` with a modulus and a root, if it has one; return the plan, or None if it reports an error."""
        why = self.new_array("why", INT, 1)
        plan = self.call(f"{self.claim.name}_create", [*arguments, self.start(why)])
        code = self.number(why.load(self.words.constant(0), self.facts))
        if isinstance(plan, Pointer) != (code == 0):
            raise ProofError("create returns a plan and an error code, or NULL and no error code")
        if not isinstance(plan, Pointer):
            self.check_freed("create reports an error, and does not free what it allocated")
            return None
        return plan

    def create_from(self, *numbers: Stored | int | None) -> Pointer | None:
        """Call ``create`` with these numbers, which the caller may overwrite afterwards; None is NULL."""
        arrays = [None if number is None else self.array("an argument", [number]) for number in numbers]
        plan = self.create(*(NULL if array is None else self.start(array) for array in arrays))
        for array in arrays:
            if array is not None:
                array.end(self.words)
        return plan

    def create_valid(self) -> Pointer:
        """Call ``create`` with a modulus and a root of the claim, which it must accept."""
        plan = self.create_from(self.modulus, self.root())
        if plan is None:
            raise ProofError("create refuses a modulus and a root of the claim")
        self._freeze_plan()
        return plan

    def _freeze_plan(self) -> None:
        """Make the plan that was created constant, except for the pointers that calls may exchange."""
        self.frozen = [block for block in self.heap if block.is_writable]
        for block in self.frozen:
            block.is_writable = False
            if isinstance(block.of, Reference) and not block.is_array and block.cells.get(NO_OFFSET) is NULL:
                block.cells[NO_OFFSET] = self.kept.setdefault(block.name, Kept())

    def unknown_plan(self) -> Any:
        """Return a plan whose contents are unknown."""
        function = self.source.functions[f"{self.claim.name}_execute"]
        record = self.type(function.decl.type.args.params[0].type).to
        plan = self.new_array("plan", record, 1)
        self.make_record(plan, record)
        for block in self.heap:
            block.is_writable = False
        return self.start(plan)

    def arguments(self, batch: int) -> list[Any]:
        """Return a plan whose contents are unknown, and arrays for a number of vectors in which nothing was stored."""
        plan = self.unknown_plan()
        result, *operands = self.claim.roles
        sizes = {result: self.claim.result_length} | dict.fromkeys(operands, self.claim.length)
        arrays = [
            self.new_array(name, self.kind, batch * size * self.claim.words, is_writable=name == result)
            for name, size in sizes.items()
        ]
        return [plan, *map(self.start, arrays)]

    def execute_vector(self, plan: Pointer, layout: tuple[int, ...], path: Path) -> None:
        """Prove that the vectors are computed, or that an error is returned if an allocation fails.

        Args:
            plan: A valid plan, which stays the same.
            layout: The number of the array that holds the result, and that of each operand.
            path: The path of the outcomes of allocations and of atomic exchanges.
        """
        self.layout, self.allocated, self.exchanged = layout, path, path
        self.results, self.is_out_of_memory = [], False
        with self._only_reading_plan():
            values, pointers = self._vector_arguments(layout)
            code = self.call_execute([plan, *pointers], Word(self.batch, 0))
        if self.is_out_of_memory:
            if code == 0:
                raise ProofError("execute is not proven to report that it had no memory")
            return
        if code != 0:
            raise ProofError("execute returns an error for valid arguments")
        if not self.results:
            raise ProofError("execute has no loop over the vectors")
        self.claim.check(self.field, values, self.results)

    @contextmanager
    def _only_reading_plan(self) -> Iterator[None]:
        """Check that the ``with`` block frees what it allocates, and forget its arrays. A plan cannot change."""
        before, count = self._allocated(), len(self.heap)
        yield
        if self._allocated() != before:
            raise ProofError("execute does not free what it allocated")
        del self.heap[count:]

    def _allocated(self) -> list[Block]:
        """Return the memory that the program has allocated and not freed."""
        return [block for block in self.heap if block.is_allocated]

    def _vector_arguments(self, layout: tuple[int, ...]) -> tuple[list[list[Any]], list[Pointer]]:
        """Return the residues of each operand, and the pointers to the result and to the operands."""
        length, words = self.claim.length, self.claim.words
        blocks: dict[int, Block] = {}
        residues: dict[int, list[Any]] = {}
        for name, at in zip(self.claim.roles[1:], layout[1:], strict=True):
            if at not in blocks:
                residues[at] = self.drawn.setdefault(at, [self.field.element() for _ in range(length)])
                vector = [Stored(name, words, (0,), (-1, 1), value, True) for value in residues[at]]
                blocks[at] = self.array(name, vector, at == layout[0])
        if layout[0] not in blocks:
            blocks[layout[0]] = self.new_array(self.claim.roles[0], self.kind, self.claim.result_length * words)
        self.result, self.vectors = blocks[layout[0]], {block: dict(block.cells) for block in blocks.values()}
        return [residues[at] for at in layout[1:]], [self.start(blocks[at]) for at in layout]

    def call_execute(self, pointers: list[Any], batch: Any) -> int:
        """Call ``execute`` with a plan, a result, an operand and a number of vectors, and return its code."""
        return self.number(self.call(f"{self.claim.name}_execute", [*pointers, Number(SIZE, batch)]))

    def destroy(self, plan: Pointer | Null, keeps_buffers: bool = False) -> None:
        """Call ``destroy``, after which no memory may be left.

        Args:
            plan: The plan.
            keeps_buffers: Whether the plan keeps buffers that calls have left to it.
        """
        for block in self.frozen:
            block.is_writable = True
            if isinstance(kept := block.cells.get(NO_OFFSET), Kept):
                block.cells[NO_OFFSET] = kept.taken(self) if keeps_buffers and kept.layout else NULL
        self.call(f"{self.claim.name}_destroy", [plan])
        self.check_freed("destroy does not free all memory")

    def check_freed(self, problem: str) -> None:
        """Check that no memory is left that the program allocated."""
        if self._allocated():
            raise ProofError(problem)

    def _FuncCall(self, node: Any) -> Any:
        if node.name.name == "memcmp":
            first, second, size = (self.evaluate(argument) for argument in node.args.exprs)
            if self.number(size) * 8 == self.claim.words * self.claim.word:
                is_equal = self.are_equal_residues(first, second)
                if is_equal is not None:
                    return Number(INT, self.words.constant(int(not is_equal)))
        return super()._FuncCall(node)

    def are_equal_residues(self, first: Any, second: Any) -> bool | None:
        """Return whether two pointers refer to equal residues, or None if that is unknown for one of the residues."""
        numbers = [self._known_number(start) for start in (first, second)]
        if None not in numbers:
            return numbers[0] == numbers[1]
        residues = [self._compared_residue(start) for start in (first, second)]
        return None if None in residues else self._are_equal(*residues)

    def _are_equal(self, first: Any, second: Any) -> bool:
        """Return whether two numbers below q are equal, from their residues."""
        difference = (first - second) % self.field.prime
        if difference and self._is_unit(difference):
            return False
        self.compared.append(difference)
        if self.comparisons is not None:
            return self.comparisons.next()
        if difference:
            raise ProofError("two residues that are compared are not proven to be equal")
        return True

    def _known_number(self, start: Any) -> int | None:
        """Return the number that is stored at a pointer in as many words as a residue has, if it is known."""
        words = self._words_at(start) if isinstance(start, Pointer) else [None]
        known = [word.low for word in words if isinstance(word, Value) and word.is_constant]
        if len(known) < len(words):
            return None
        return sum(word << self.claim.word * i for i, word in enumerate(known))

    def _is_unit(self, difference: Any) -> bool:
        """Return whether a number is that of the coset times a power of two, and so no multiple of a q of the claim."""
        coset = getattr(self.claim, "coset", 0)
        if not coset or self.moduli != self.claim.moduli:
            return False
        return self.field.differ_by_power_of_two(difference, mpz(coset))

    def _compared_residue(self, start: Any) -> Any:
        """Return the residue of a public number below q, which is stored at a pointer, or None if there is none."""
        if not isinstance(start, Pointer):
            return None
        words = self._words_at(start)
        number = words[0].number if isinstance(words[0], Word) else None
        if number is not None and words == self._all_words(number):
            return number.residue if number.is_reduced and not number.is_secret else None
        known = self._known_number(start)
        return mpz(known) if known is not None and known < self.moduli.least else None

    def _words_at(self, start: Pointer) -> list[Any]:
        """Return what the words of a residue hold that begins at a pointer."""
        found = []
        for index in range(self.claim.words):
            offset = self.words.value_of(plus(start.offset.polynomial, constant(index)))
            start.block.check(offset, self.facts)
            held = start.block.cells.get(key_of(offset.low))
            found.append(held.value if isinstance(held, Number) and held.kind == self.kind else None)
        return found

    def _all_words(self, number: Stored) -> list[Word]:
        return [Word(number, index) for index in range(number.words)]

    # The loop over the vectors.

    def _loop(self, condition: Any, step: Any, body: Any) -> None:
        if self.is_in_part or not self._counts_vectors(condition):
            super()._loop(condition, step, body)
        else:
            if self.results:
                raise ProofError("execute has two loops over the vectors")
            key = condition, self.layout, tuple(self.exchanged.decisions[: self.exchanged.used])
            if key not in self.proven:
                self.proven[key] = self._transform_one(condition.left.name, step, body)
            self.results = self.proven[key]
            self._end_vectors(condition.left.name)

    def _counts_vectors(self, condition: Any) -> bool:
        """Return whether the condition of a loop is ``b < batch``."""
        if not isinstance(condition, c_ast.BinaryOp) or condition.op != "<":
            return False
        if not isinstance(condition.left, c_ast.ID) or not isinstance(condition.right, c_ast.ID):
            return False
        held = self.variable(condition.right.name).cells.get(frozenset())
        return isinstance(held, Number) and held.value == Word(self.batch, 0)

    def _transform_one(self, counter: str, step: Any, body: Any) -> list[Any]:
        """Prove the loop over the vectors by one iteration, and return the residues of its results.

        The arrays are modelled as one vector each, that of any iteration. An iteration must advance the pointers by one
        vector and the counter by 1. It must change nothing else, and not depend on the counter.
        """
        steps = step.exprs if isinstance(step, c_ast.ExprList) else [step]
        counts = [item for item in steps if _increments(item, counter)]
        block = self.variable(counter)
        if len(counts) != 1 or block.of != SIZE or self.number(block.load(self.words.constant(0), self.facts)) != 0:
            raise ProofError("the loop over the vectors does not count from 0 in size_t")
        if any(vector.cells != cells for vector, cells in self.vectors.items()):
            raise ProofError("a vector is changed before the loop over the vectors")
        before = self._memory(), {other: dict(other.cells) for other in self.all_blocks() if other not in self.vectors}
        number = block.cells.pop(NO_OFFSET)  # so that nothing but the step can read or change the counter
        self.iterate_to_end(c_ast.ExprList([item for item in steps if item not in counts]), body)
        if NO_OFFSET in block.cells:
            raise ProofError("the loop over the vectors changes its counter")
        block.cells[NO_OFFSET] = number
        self._check_state(*before)
        return [self._residue_of(self.result, at) for at in range(self.claim.result_length)]

    def _end_vectors(self, counter: str) -> None:
        """Forget the counter of the loop over the vectors, and the vectors: what follows must not use them."""
        self.variable(counter).cells.pop(NO_OFFSET)
        for block in self.vectors:
            block.end(self.words)
        for block in self.all_blocks():
            for key, held in list(block.cells.items()):
                pointer = held.pointer if isinstance(held, Address) else held
                if isinstance(pointer, Pointer) and pointer.block in self.vectors:
                    del block.cells[key]

    def _check_state(self, memory: list[Any], before: dict[Block, dict[Any, Any]]) -> None:
        """Check that an iteration moved the pointers to vectors, and changed nothing else that iterations read.

        An element in which nothing was stored before the loop is not read by an iteration before the iteration stores
        it. It is forgotten.
        """
        if self._memory() != memory:
            raise ProofError("the loop over the vectors allocates or frees memory, or gives it a type")
        for block, cells in before.items():
            for key, held in list(block.cells.items()):
                start, end = (each.pointer if isinstance(each, Address) else each for each in (cells.get(key), held))
                if isinstance(end, Pointer) and end.block in self.vectors:
                    if not isinstance(start, Pointer) or (start.block, start.offset.high) != (end.block, 0):
                        raise ProofError("the loop over the vectors does not begin at the first vector")
                    length = self.claim.result_length if end.block is self.result else self.claim.length
                    if (end.offset.low, end.offset.high) != (length * self.claim.words,) * 2:
                        raise ProofError("the loop over the vectors does not move by one vector")
                elif key not in cells:
                    del block.cells[key]
                elif held is not cells[key]:
                    raise ProofError(f"the loop over the vectors changes {block.name}")

    # Results.

    def _residue_of(self, y: Block, at: int) -> Any:
        """Return the residue of an element of the result, which must be below q."""
        words = self._words_at(Pointer(y, self.words.constant(at * self.claim.words)))
        number = words[0].number if isinstance(words[0], Word) else None
        if number is None or words != self._all_words(number):
            raise ProofError(f"element {at} of the result is not proven to be one number")
        if not number.is_reduced:
            raise ProofError(f"element {at} of the result is not proven to be below q")
        if number.residue is None:
            raise ProofError(f"the residue of element {at} of the result is not known")
        return number.residue


def _increments(item: Any, counter: str) -> bool:
    """Return whether an expression is ``counter++``."""
    is_step = isinstance(item, c_ast.UnaryOp) and item.op in ("p++", "++")
    return is_step and isinstance(item.expr, c_ast.ID) and item.expr.name == counter
