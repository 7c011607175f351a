"""The loop over the columns and the loops over the groups of a block, each proven by one iteration."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from pycparser import c_ast, c_generator

from momagen.prove.bases.addresses import AddressRun
from momagen.prove.bases.columns import ColumnBlock, Frame
from momagen.prove.c.memory import Number, Pointer
from momagen.prove.c.statements import UNROLLED
from momagen.prove.c.types import SIZE
from momagen.prove.checker import ProofError
from momagen.prove.claims import LONGEST
from momagen.prove.polynomial import combine, constant, plus, scaled
from momagen.prove.sums.lengths import Cursor, Length
from momagen.prove.transforms.run import NO_OFFSET
from momagen.prove.transforms.stored import Stored, Word
from momagen.prove.words import Value

if TYPE_CHECKING:
    from momagen.prove.c.memory import Block
    from momagen.prove.c.parsed import Source


@dataclass(frozen=True)
class Sizes:
    """The numbers of columns that a kernel processes at once. They are guessed: a wrong guess proves nothing.

    Attributes:
        width: The number of columns of a group.
        block: The number of columns of a block.
    """

    width: int
    block: int

    @classmethod
    def of(cls, source: Source) -> Sizes:
        """Return the greatest step of a loop, and the greatest number below it by which a variable is divided."""
        steps, widths = [0], [1]
        for function in source.functions.values():
            known = {decl.name: _constant(decl.init) for decl in _found(function.body, c_ast.Decl)}
            for loop in _found(function.body, c_ast.For):
                if isinstance(loop.next, c_ast.Assignment) and loop.next.op == "+=":
                    step = loop.next.rvalue
                    steps.append(known.get(step.name, 0) if isinstance(step, c_ast.ID) else _constant(step))
            for quotient in _found(function.body, c_ast.BinaryOp):
                if quotient.op == "/" and isinstance(quotient.left, c_ast.ID):
                    widths.append(_constant(quotient.right))
        return cls(max(width for width in widths if width < max(*steps, 2)), max(steps))


class ColumnRun(AddressRun):
    """A run of a kernel that processes columns.

    Attributes:
        length: The number n of columns.
        result_blocks: The blocks that hold the results.
        has_blocks: Whether the loop over the columns was executed.
        columns: The block of columns that was chosen.
        order: The array of column numbers that the caller passes; None if it passes no order.
    """

    length: Value
    result_blocks: tuple[ColumnBlock, ...] = ()
    has_blocks = False
    order: Block | None = None
    columns: Any = None

    def begin(self, sizes: Sizes, rest: int | None) -> None:
        """Choose the last block of columns, with ``rest`` columns after its groups, or another one for None."""
        position = self.words.variable("position", 0, 1 << LONGEST)
        if rest is None:
            more = self.words.variable("columns behind the block", 0, 1 << LONGEST)
            groups = constant(sizes.block // sizes.width)
            parts, tail = [position.polynomial, more.polynomial, constant(sizes.block)], 0
        else:
            least, most = int(not rest), sizes.block // sizes.width - 1
            groups = self.words.variable("groups", least, most).polynomial
            parts, tail = [position.polynomial, scaled(groups, sizes.width), constant(rest)], rest
        self.length = self.words.value_of(combine((1, part) for part in parts))
        number = self.words.number_of(position)
        self.columns = Frame(number, self.length.polynomial, groups, sizes.width, tail, sizes.block)
        self.has_blocks = False

    # Loops.

    def _loop(self, condition: Any, step: Any, body: Any) -> None:
        bound = None if self.is_in_part or self.columns is None else self._bound(condition)
        if bound is not None and self.frame is None and bound == self.columns.length:
            self._process_blocks(condition.left.name, step, body)
        elif bound is not None and self.frame is not None and self._moved(body):
            if bound in (self.frame.groups, self.frame.groups_with_tail):
                self._process_groups(condition.left.name, step, body, bound != self.frame.groups)
            elif set(self._moved(body).values()) != {self.frame.width}:
                super()._loop(condition, step, body)
            else:
                self._repeat_parts(condition, step, body)
        elif bound is not None and self.frame is not None and bound == self.frame.count:
            self._gather(condition.left.name, step, body)
        else:
            super()._loop(condition, step, body)

    def _repeat_parts(self, condition: Any, step: Any, body: Any) -> None:
        """Execute a loop over a known number of groups, each of which is one part."""
        for _ in range(UNROLLED):
            if not self.holds(condition):
                return
            self.run_part_of_loop(partial(self.iterate_to_end, step, body))
        raise ProofError("a loop does not end")

    def _gather(self, counter: str, step: Any, body: Any) -> None:
        """Execute the loop over the columns of the block that copies columns in the order of the caller."""
        items = body.block_items if isinstance(body, c_ast.Compound) else [body]
        text = c_generator.CGenerator().visit(items[0]) if len(items) == 1 else ""
        shape = re.fullmatch(rf"(\w+)\[{counter}\] = (\w+)\[(\w+)\[(\w+) \+ {counter}\]\]", text)
        if shape is None or not _counts(step, counter):
            raise ProofError("a loop over the columns of the block is not supported")
        own = self._counter(counter)
        target, origin, order = (self.variable(shape[i]).cells.get(NO_OFFSET) for i in (1, 2, 3))
        at: Any = self.variable(shape[4]).cells.get(NO_OFFSET)
        position: Any = {(self.columns.position,): 1}
        if not isinstance(order, Pointer) or order.block is not self.order or order.offset.polynomial:
            raise ProofError("columns are not copied in the order of the caller")
        if at.value.polynomial != position or not isinstance(target, Pointer) or not isinstance(origin, Pointer):
            raise ProofError("the columns that are copied are not those of the block")
        start = Pointer(origin.block, self.words.value_of(plus(origin.offset.polynomial, position)))
        self.copy_columns(target, start, self.ordered)
        own.cells[NO_OFFSET] = Number(SIZE, self.words.value_of(self.columns.count))

    def ordered(self, column: Any) -> Stored:
        """Return the number in a row at the column that the order of the caller selects."""
        raise NotImplementedError

    def _bound(self, condition: Any) -> Any:
        """Return b of the condition ``a < b`` for two variables, as a polynomial."""
        if not isinstance(condition, c_ast.BinaryOp) or condition.op != "<":
            return None
        if not isinstance(condition.left, c_ast.ID) or not isinstance(condition.right, c_ast.ID):
            return None
        held: Any = self.variable(condition.right.name).cells.get(NO_OFFSET)
        is_length = isinstance(held, Number) and held.kind == SIZE and isinstance(held.value, Value)
        return held.value.polynomial if is_length else None

    def _counter(self, name: str) -> Block:
        """Return the counter of a loop, which must be 0."""
        block = self.variable(name)
        if block.of != SIZE or self.number(block.load(self.words.constant(0), self.facts)) != 0:
            raise ProofError("a loop over columns does not count from 0 in size_t")
        return block

    def _moved(self, body: Any) -> dict[Block, int]:
        """Return the variables that an iteration moves over columns, and by how many columns."""
        found = {}
        for item in _moves(body):
            block = self._declared(item.lvalue.name)
            held = block.cells.get(NO_OFFSET) if block is not None else None
            is_pointer = isinstance(held, Pointer) and held.block.of == self.kind and held.block not in self.frozen
            is_length = isinstance(held, Number) and isinstance(held.value, Value) and held.kind == SIZE
            if block is not None and (is_pointer or is_length):
                found[block] = _constant(item.rvalue)
        return found

    def _process_groups(self, counter: str, step: Any, body: Any, with_tail: bool) -> None:
        """Prove a loop over all groups of the block, and the tail, by an iteration for any group and one more."""
        frame: Any = self.frame
        if frame.progress or not _counts(step, counter):
            raise ProofError("a loop over groups of columns is inside another one, or does not count by 1")
        own, moved = self._counter(counter), self._moved(body)
        if any(stride != frame.width for stride in moved.values()):
            raise ProofError("an iteration does not move by a group of columns")
        progress = self.words.variable("group", 0, frame.block // frame.width - 1)
        starts: dict[Block, Any] = {block: block.cells[NO_OFFSET] for block in moved}
        for block, start in starts.items():
            block.cells[NO_OFFSET] = self._at(start, scaled(progress.polynomial, frame.width))
        number = own.cells.pop(NO_OFFSET)
        frame.progress = self.words.number_of(progress)
        self._process_group(own, starts, scaled(progress.polynomial, frame.width), body)
        frame.progress = 0
        for block, start in starts.items():
            block.cells[NO_OFFSET] = self._at(start, scaled(frame.groups, frame.width))
        if with_tail:
            self._process_group(own, starts, scaled(frame.groups, frame.width), body)
        own.cells[NO_OFFSET] = number

    def _process_group(self, own: Block, starts: dict[Block, Any], at: Any, body: Any) -> None:
        """Execute one iteration of a loop over groups; ``own`` is its counter, which the iteration must not use."""
        before = self._state([own, *starts])
        self.run_part_of_loop(partial(self.iterate_to_end, None, body))
        if NO_OFFSET in own.cells:
            raise ProofError("a loop over groups of columns changes its counter")
        self._check_unchanged(before)
        for block, start in starts.items():
            following = self._at(start, plus(at, constant(self.columns.width)))
            if _position(block.cells.get(NO_OFFSET)) != _position(following):
                raise ProofError("an iteration does not move by a group of columns")

    def _at(self, start: Any, by: Any) -> Any:
        """Return a pointer or a length after it has moved by a number of columns."""
        if isinstance(start, Number):
            value = self.words.value_of(plus(start.value.polynomial, by))
            return (Number if value.is_constant else Length)(SIZE, value)
        offset = self.words.value_of(plus(start.offset.polynomial, by))
        return Pointer(start.block, offset) if offset.is_constant else Cursor(start.block, offset)

    def _process_blocks(self, counter: str, step: Any, body: Any) -> None:
        """Prove the loop over the columns by an iteration for the block that was chosen."""
        frame = self.columns
        is_step = isinstance(step, c_ast.Assignment) and step.op == "+=" and isinstance(step.lvalue, c_ast.ID)
        is_step = is_step and step.lvalue.name == counter and self._is_length(step.rvalue)
        if not is_step or self.number(self.evaluate(step.rvalue)) != frame.block:
            raise ProofError("the loop over the columns does not advance by a block")
        own = self._counter(counter)
        scratch = [block for block in self.all_blocks() if self._is_scratch(block)]
        for block in scratch:
            for key, held in block.cells.items():
                if isinstance(held, Number):
                    block.cells[key] = self.unknown_word()
        own.cells[NO_OFFSET] = Length(SIZE, self.words.value_of({(frame.position,): 1}))
        own.is_writable, was_writable = False, own.is_writable
        self.frame = frame
        before = self._state(scratch)
        self.iterate_to_end(None, body)
        self._check_unchanged(before)
        self.frame, self.has_blocks = None, True
        for block in scratch:
            if isinstance(block, ColumnBlock):
                block.clear()
        own.is_writable = was_writable
        own.cells.pop(NO_OFFSET)

    def _is_scratch(self, block: Block) -> bool:
        is_array = isinstance(block, ColumnBlock) and block.is_array and block.is_writable
        return is_array and block.of == self.kind and not getattr(block, "rows", 0)

    def _state(self, changed: list[Block]) -> Any:
        """Return the state of all memory but some blocks and the columns."""
        return self._memory(), {block: dict(block.cells) for block in self.all_blocks() if block not in changed}

    def _check_unchanged(self, state: Any) -> None:
        """Check that an iteration changed only columns and the blocks that may change; elements may become unknown."""
        memory, before = state
        if self._memory() != memory:
            raise ProofError("a loop over columns allocates or frees memory, or gives it a type")
        for block, cells in before.items():
            kept = {key: held for key, held in block.cells.items() if not isinstance(key, tuple)}
            if any(held is not cells.get(key) for key, held in kept.items()):
                raise ProofError(f"an iteration changes {block.name}")

    # Results.

    def check_results(self) -> None:
        """Check the results of the block. Each column of each row must be stored."""
        frame = self.columns
        for block in self.result_blocks:
            for row in range(block.first, block.first + self.result_rows(block)):
                for part, at in frame.columns():
                    held = block.cells.get((part, row, at))  # type: ignore[call-overload]
                    word = held.value if isinstance(held, Number) else None
                    number = word.number if isinstance(word, Word) and word.index == 0 else None
                    if number is None or number.words != 1:
                        raise ProofError(f"a column of row {row} of the result is not proven to be stored")
                    self.check_result(number, part, row, at)

    def result_rows(self, block: ColumnBlock) -> int:
        """Return how many rows of the result a block contains."""
        raise NotImplementedError

    def check_result(self, number: Stored, part: str, row: int, at: int) -> None:
        """Check that a number is the residue of the result in a column."""
        raise NotImplementedError


def _position(held: Any) -> Any:
    """Return the block and the offset of a pointer, or a length."""
    if isinstance(held, Pointer):
        return held.block, held.offset.polynomial
    return held.value.polynomial if isinstance(held, Number) and isinstance(held.value, Value) else None


def _found(node: Any, kind: type) -> list[Any]:
    """Return the nodes of a kind."""
    found = [node] if isinstance(node, kind) else []
    return found + [other for _, child in node.children() for other in _found(child, kind)]


def _moves(body: Any) -> list[Any]:
    """Return the statements of a loop that add a constant to a variable."""
    items = getattr(body, "block_items", None) or []
    return [
        item for item in items
        if isinstance(item, c_ast.Assignment) and item.op == "+=" and isinstance(item.lvalue, c_ast.ID)
        and isinstance(item.rvalue, c_ast.Constant)
    ]  # fmt: skip


def _constant(node: Any) -> int:
    """Return a constant of a source, or 0 for another expression."""
    found = 0
    with suppress(ValueError):
        found = int(node.value.rstrip("uUlL"), 0) if isinstance(node, c_ast.Constant) else 0
    return found


def _counts(step: Any, counter: str) -> bool:
    """Return whether a step is ``counter++``."""
    is_step = isinstance(step, c_ast.UnaryOp) and step.op in ("p++", "++")
    return is_step and isinstance(step.expr, c_ast.ID) and step.expr.name == counter
