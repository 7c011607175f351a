"""The memory of a kernel that processes columns: arrays of rows, and scratch memory for one block of columns.

A kernel processes the columns in *blocks*, and the columns of a block in *groups* of a fixed width. A block is proven
at any position P. Either n is at least P plus the columns of a whole block, or n is P plus the columns of any number of
groups and of a *tail*, whose length is known. The memory model describes each row of the block by the elements of one
group, which represents all groups of the block, and by the elements of the tail. An offset therefore designates a row,
the group or the tail, and a column of the group or the tail.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from momagen.prove.c.memory import Number, Pointer
from momagen.prove.checker import ProofError
from momagen.prove.polynomial import constant, plus, scaled
from momagen.prove.sums.lengths import Cursor, Length, LengthBlock
from momagen.prove.transforms.memory import MISSING, key_of
from momagen.prove.words import Value

if TYPE_CHECKING:
    from collections.abc import Callable

    from momagen.prove.facts import Facts
    from momagen.prove.polynomial import Polynomial
    from momagen.prove.transforms.stored import Stored

Column = tuple[str, int, int]
"""An element: ``"group"`` or ``"tail"``, the number of the row, and the column of the group or the tail."""


@dataclass
class Frame:
    """The columns of one block.

    Attributes:
        position: The variable of the first column of the block.
        length: The number n of columns of the vectors.
        groups: The number of whole groups of the block.
        width: The number of columns of a group.
        rest: The number of columns of the tail.
        block: The number of columns of a block that is not the last one.
        progress: The variable of the group that a loop over the groups processes; 0 outside these loops.
    """

    position: int
    length: Polynomial
    groups: Polynomial
    width: int
    rest: int
    block: int
    progress: int = 0

    def column(self, offset: Polynomial, is_short: bool) -> tuple[str, int] | None:
        """Return the column at an offset from the first column of the block, or None if it is not known to be one.

        A loop over the groups must not access the tail, because it may have no iteration.
        """
        at, start = int(offset.get((), 0)), {m: c for m, c in offset.items() if m}
        if start and self.progress and start == {(self.progress,): self.width}:
            return ("group", at) if 0 <= at < self.width else None
        if start and not self.progress and start == scaled(self.groups, self.width):
            return ("tail", at) if 0 <= at < (self.rest if is_short else self.width) else None
        return None

    @property
    def groups_with_tail(self) -> Polynomial:
        """The number of groups, where the tail, if there is one, counts as a group."""
        return plus(self.groups, constant(int(self.rest > 0)))

    @property
    def count(self) -> Polynomial:
        """The number of columns of the block."""
        return plus(scaled(self.groups, self.width), constant(self.rest))

    def columns(self) -> list[tuple[str, int]]:
        """Return the columns of a group and of the tail."""
        return [("group", at) for at in range(self.width)] + [("tail", at) for at in range(self.rest)]


@dataclass(eq=False)
class ColumnBlock(LengthBlock):
    """A block of memory that may consist of rows of n elements, or contain elements for the columns of a block.

    Attributes:
        rows: The number of rows of n elements; 0 if it does not consist of rows.
        first: The number of the first row.
        drawn: A function that returns the number that the caller stored in a column; None for memory without numbers.
        with_columns: The rows of scratch memory, each as long as a block, in which elements for columns were stored.
        initial: What all elements of each of these rows held before: a number, or None if one of them held nothing.
    """

    rows: int = 0
    first: int = 0
    drawn: Callable[[Column], Stored] | None = None
    with_columns: set[int] = field(default_factory=set)
    initial: dict[int, Any] = field(default_factory=dict)

    def clear(self) -> None:
        """Forget the contents of all elements."""
        self.cells.clear()
        self.with_columns.clear()
        self.initial.clear()

    def key_at(self, offset: Polynomial) -> Any:
        """Return the key of an element, after a check that it lies in the array."""
        frame: Frame | None = self.walk.frame
        if not offset.keys() - {()} and not self.rows:
            at = int(offset.get((), 0))
            if not self.size.is_constant or not 0 <= at < self.size.low:
                raise ProofError(f"an access to {self.name} lies outside it")
            if self.with_columns and (frame is None or at // frame.block in self.with_columns):
                raise ProofError(f"an access to {self.name} may be one to a column")
            return key_of(at)
        if frame is None:
            raise ProofError(f"{self.name} is accessed outside the loop over the columns")
        row, local = 0, offset
        if self.rows:
            row = int(offset.get((frame.position,), 0)) - 1
            local = plus(plus(offset, frame.length, -row), {(frame.position,): 1}, -1)
        else:
            row = int(local.get((), 0)) // frame.block
            local = plus(local, constant(row * frame.block), -1)
        found = frame.column(local, bool(self.rows))
        if found is None or not 0 <= row < (self.rows or self.scratch_rows(frame)):
            raise ProofError(f"an access to {self.name} is not proven to be one to a column of the block")
        return found[0], self.first + row, found[1]

    def scratch_rows(self, frame: Frame) -> int:
        """Return how many rows as long as a block of columns the array has."""
        return int(self.size.low) // frame.block if self.size.is_constant else 0

    def start_of(self, offset: Polynomial) -> int | None:
        """Return the row in which the block of columns begins at an offset, or None if it begins there in no row."""
        frame: Frame = self.walk.frame
        if not self.rows:
            row, left = divmod(int(offset.get((), 0)), frame.block)
            return row if not offset.keys() - {()} and not left and row < self.scratch_rows(frame) else None
        row = int(offset.get((frame.position,), 0)) - 1
        rest = plus(plus(offset, frame.length, -row), {(frame.position,): 1}, -1)
        return self.first + row if not rest and 0 <= row < self.rows else None

    def load(self, offset: Value, facts: Facts) -> Any:
        """Return the content of an element."""
        if not self.rows and not self.with_columns:
            return super().load(offset, facts)
        if not offset.is_constant:
            raise ProofError(f"an access to {self.name} is not at a known offset")
        return self.load_at(constant(offset.low))

    def load_at(self, offset: Polynomial) -> Any:
        """Return the content of the element at an offset, which may depend on lengths."""
        return self._loaded(self.held_at(self.key_at(offset)))

    def held_at(self, key: Any) -> Any:
        """Return the content of the element with a key."""
        self._find(key)
        if key not in self.cells:
            raise ProofError(f"{self.name} is read where nothing was stored")
        return self.cells[key]

    def _find(self, key: Any) -> None:
        """Find what an element holds in which the program has stored nothing, if that is known."""
        if key not in self.cells and self.drawn is not None:
            self.cells[key] = self.walk.word_of(self.drawn(key))
        if key not in self.cells and isinstance(key, tuple) and not self.rows:
            initial = self.initial[key[1]] if key[1] in self.with_columns else self.initial_of(key[1])
            if initial is not None:
                self.cells[key] = initial()  # type: ignore[index]

    def initial_of(self, row: int) -> Callable[[], Any] | None:
        """Return a function that returns what an element of a row of scratch memory holds; None if one holds nothing.

        The element is any of those in which nothing was stored for a column. It holds 0 if all elements of the row do,
        and otherwise an unknown number.
        """
        block = self.walk.frame.block
        held: list[Any] = [self.cells.get(key_of(row * block + i)) for i in range(block)]
        if not all(isinstance(each, Number) and each.kind == self.of for each in held):
            return None
        values = {each.value.low if isinstance(each.value, Value) and each.value.is_constant else None for each in held}
        if values == {0}:
            return lambda: held[0]
        return lambda: self.walk.unknown_word()

    def store(self, offset: Value, value: Any, facts: Facts) -> None:
        """Change the content of an element."""
        if self.rows or self.with_columns:
            self.store_at(constant(offset.low) if offset.is_constant else offset.polynomial, value)
        else:
            super().store(offset, value, facts)

    def store_at(self, offset: Polynomial, value: Any) -> None:
        """Change the content of the element at an offset, which may depend on lengths."""
        if not self.is_writable:
            raise ProofError(f"{self.name} is constant, and the program writes it")
        if not self.walk.is_in_part:
            raise ProofError(f"a store into {self.name} is not part of a computation")
        key = self.key_at(offset)
        self.enter(key)
        self.walk.part.stores.append((self, key, self.cells.get(key, MISSING)))
        self.cells[key] = value

    def enter(self, key: Any) -> None:
        """Forget the contents of a row of scratch memory before the first element for a column is stored in it."""
        if not isinstance(key, tuple) or self.rows or key[1] in self.with_columns:
            return
        self.initial[key[1]] = self.initial_of(key[1])
        self.with_columns.add(key[1])
        for other in [other for other in self.cells if not isinstance(other, tuple)]:
            if dict(other).get((), 0) // self.walk.frame.block == key[1]:
                del self.cells[other]

    def _loaded(self, held: Any) -> Any:
        if not self.walk.is_in_part:
            return super()._loaded(held)
        is_outside = isinstance(held, Pointer) and not isinstance(held.block, Window)
        if is_outside and (isinstance(held, Cursor) or getattr(held.block, "rows", None)):
            return Pointer(self.walk.window(held), self.walk.words.constant(0))
        if isinstance(held, Length):
            raise ProofError(f"{self.name}, which depends on the number of elements, is used in a computation")
        return super()._loaded(held)


@dataclass(eq=False)
class Window(ColumnBlock):
    """The rest of a block after an offset, as a part of a program accesses it through a pointer.

    Attributes:
        of_block: The whole block.
        base: The offset of the pointer.
    """

    of_block: Any = None
    base: Any = None

    def load(self, offset: Value, facts: Facts) -> Any:
        """Return the content of an element."""
        return self.of_block.load_at(self._moved(offset))

    def store(self, offset: Value, value: Any, facts: Facts) -> None:
        """Change the content of an element."""
        self.of_block.store_at(self._moved(offset), value)

    def _moved(self, offset: Value) -> Polynomial:
        if not offset.is_constant:
            raise ProofError(f"an access to {self.name} is not at a known offset")
        return plus(self.base, constant(offset.low))
