"""Calling the public functions of a kernel for an RNS basis."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Any, ClassVar

from momagen.prove.bases.loops import ColumnRun
from momagen.prove.c.memory import NULL, Number, Pointer
from momagen.prove.c.types import SIZE, Reference
from momagen.prove.checker import ProofError
from momagen.prove.transforms.memory import key_of
from momagen.prove.transforms.stored import Word

if TYPE_CHECKING:
    from collections.abc import Callable

    from momagen.prove.bases.columns import Column, ColumnBlock
    from momagen.prove.c.parsed import Source
    from momagen.prove.facts import Path
    from momagen.prove.transforms.stored import Stored
    from momagen.prove.vectors.plans import Plans
    from momagen.prove.words import Value


class FunctionRun(ColumnRun):
    """A run of the functions of a kernel for an RNS basis.

    Attributes:
        operands: The numbers in the columns of operands.
        variants: The variants of the arguments of ``execute``.
    """

    variants: ClassVar[tuple[bool, ...]] = (False, True)

    def __init__(self, source: Source, claim: Any, plans: Plans) -> None:
        super().__init__(source, claim, plans)
        self.operands: dict[Any, Stored] = {}

    # Arguments.

    def rows(
        self, name: str, first: int, count: int, drawn: Callable[[Column], Stored] | None, is_writable: bool
    ) -> ColumnBlock:
        """Return an array of rows of n residues.

        Args:
            name: The name.
            first: The number of the first row.
            count: The number of rows.
            drawn: A function that returns the number in a column; None for an array in which nothing was stored.
            is_writable: Whether the program may store into it.
        """
        size = self.words.multiply(self.length, self.words.constant(count))
        block: Any = self.new_array(name, self.kind, size)
        block.rows, block.first, block.is_writable = count, first, is_writable
        block.drawn = drawn
        return block  # type: ignore[no-any-return]

    def table(self, blocks: list[ColumnBlock]) -> Pointer:
        """Return a pointer to an array of pointers to blocks."""
        table = self.new_array("rows", Reference(self.kind), len(blocks))
        for i, block in enumerate(blocks):
            table.cells[key_of(i)] = self.start(block)
        table.is_writable = False
        return self.start(table)

    # Functions.

    def create_for(self, moduli: list[Stored | int], missing: str = "") -> Pointer | None:
        """Call ``create`` with moduli, and with NULL in the place of the array with the name ``missing``."""
        found, first = [], 0
        for name, count in self.claim.arrays:
            found.append(None if name == missing else self.array(name, moduli[first : first + count]))
            first += count
        counts = [Number(SIZE, self.words.constant(number)) for number in self.claim.counts]
        pointers = [NULL if array is None else self.start(array) for array in found]
        pairs = zip_longest(counts, pointers)
        scalars = [Number(self.kind, Word(number, 0)) for number in self.scalars.values()]
        plan = self.create(*(argument for pair in pairs for argument in pair if argument is not None), *scalars)
        for array in found:
            if array is not None:
                array.end(self.words)
        return plan

    def create_accepted(self) -> Pointer:
        """Call ``create`` with moduli of the claim, and make the plan constant."""
        plan = self.create_for(list(self.moduli_of_basis))
        if plan is None:
            raise ProofError("create refuses moduli of the claim")
        self._freeze_plan()
        return plan

    def arrays(self, form: str, variant: bool) -> list[Any]:
        """Return the pointers to vectors, for one of two variants of the arguments."""
        raise NotImplementedError

    def code_of(self, form: str, pointers: list[Any], length: Value) -> int:
        """Call a function that computes the results, and return its error code."""
        return self.number(self.call(f"{self.claim.name}_{form}", [*pointers, Number(SIZE, length)]))

    def optional(self) -> list[Any]:
        """Return NULL for each optional pointer that follows the vectors."""
        return []

    def execute_on(self, plan: Pointer, form: str, variant: bool, path: Path) -> None:
        """Prove that the results of the block are computed, or that an error is returned if there is no memory."""
        self.allocated, self.exchanged, self.is_out_of_memory = path, path, False
        self.operands.clear()
        with self._only_reading_plan():
            code = self.code_of(form, [plan, *self.arrays(form, variant)], self.length)
            if code == 0:
                self.check_results()
        if (code != 0) != self.is_out_of_memory:
            raise ProofError(f"{form} returns an error for valid arguments, or no error without memory")
        if not self.is_out_of_memory and not self.has_blocks:
            raise ProofError(f"{form} has no loop over the columns")
