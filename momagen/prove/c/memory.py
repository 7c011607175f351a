"""Memory as the prover sees it: blocks of elements, and pointers into them.

An offset is a value, which may contain the index variables of loops. Two offsets are the same element only if their
polynomials are equal, and different elements only if their difference is a number other than 0. Everything else is
refused, so that no store can change an element that a later load takes from before the store.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from momagen.prove.checker import ProofError
from momagen.prove.polynomial import plus, scaled
from momagen.prove.words import Value

if TYPE_CHECKING:
    from collections.abc import Callable

    from momagen.prove.c.types import Integer
    from momagen.prove.facts import Facts
    from momagen.prove.polynomial import Polynomial
    from momagen.prove.words import Words

Key = frozenset[tuple[tuple[int, ...], Any]]


@dataclass(eq=False)
class Block:
    """An array, a variable or an allocation.

    Attributes:
        name: Its name for messages.
        of: The type of its elements; None for an allocation that no pointer with a type refers to yet.
        size: The number of its elements (of bytes, if ``of`` is None).
        cells: What its elements hold, by offset.
        content: For an array of the caller, a function from an offset to what the caller stored there.
        is_writable: Whether the program may store into it.
        is_array: Whether it is an array or an allocation rather than a single variable.
        is_allocated: Whether the program allocated it and has not freed it.
        mark: For an array of the caller that the program writes, the number of words from the start that are final.
        result: For an operand, the array of the result, which may be the same array.
        aligned: For an array at an aligned address inside an allocation, this address.
        alignment: The number of bytes of which its address is a multiple, for vector accesses of device code.
        accesses: The offsets of loads and stores since the innermost loop began, each with whether it is a store.
    """

    name: str
    of: Any
    size: Value
    cells: dict[Key, Any] = field(default_factory=dict)
    content: Callable[[Polynomial], Any] | None = None
    is_writable: bool = True
    is_array: bool = True
    is_allocated: bool = False
    mark: Polynomial = field(default_factory=dict)
    written: list[Polynomial] = field(default_factory=list)
    accesses: list[tuple[Polynomial, bool]] = field(default_factory=list)
    result: Block | None = None
    aligned: Any = None
    alignment: int = 1

    def load(self, offset: Value, facts: Facts) -> Any:
        """Return the content of an element."""
        self.check(offset, facts)
        key = frozenset(offset.polynomial.items())
        self.accesses.append((offset.polynomial, False))
        if self.content is not None and self.mark:
            facts.require_not_negative(
                plus(offset.polynomial, self.mark, -1), f"{self.name} may be read after it was overwritten"
            )
        if self.result is not None and not facts.is_trial:
            self.result.check_unwritten(offset, facts)
        if key in self.cells:
            return self.cells[key]
        if facts.is_trial and (similar := self._similar(offset.polynomial)) is not None:
            return similar
        if self.content is None:
            raise ProofError(f"{self.name} is read where nothing was stored")
        for stored in self.written:
            if not differ(stored, offset.polynomial):
                raise ProofError(f"{self.name} may be read after it was overwritten")
        self.cells[key] = self.content(offset.polynomial)
        return self.cells[key]

    def check_unwritten(self, offset: Value, facts: Facts) -> None:
        """Check that the program has not stored into an element yet."""
        problem = "an element of an operand may be read after the result was stored there"
        if not all(differ(stored, offset.polynomial) for stored in self.written):
            raise ProofError(problem)
        if self.mark:
            facts.require_not_negative(plus(offset.polynomial, self.mark, -1), problem)

    def _similar(self, offset: Polynomial) -> Any:
        """Return what some element at the same word of a residue holds, for a trial that proves nothing."""
        word = offset.get((), 0)
        return next((held for key, held in self.cells.items() if dict(key).get((), 0) == word), None)

    def store(self, offset: Value, value: Any, facts: Facts) -> None:
        """Change the content of an element."""
        if not self.is_writable:
            raise ProofError(f"{self.name} is constant, and the program writes it")
        self.check(offset, facts)
        if self.mark:
            problem = f"an element of {self.name} may be overwritten after it was final"
            facts.require_not_negative(plus(offset.polynomial, self.mark, -1), problem)
        key = frozenset(offset.polynomial.items())
        self.accesses.append((offset.polynomial, True))
        for other in list(self.cells):
            if other != key and not differ(dict(other), offset.polynomial):
                if self.content is not None:
                    raise ProofError(f"a store into {self.name} may change another element")
                del self.cells[other]
        self.cells[key] = value
        self.written.append(offset.polynomial)

    def load_lane(self, offset: Value, facts: Facts) -> Any:
        """Return what an element of a number holds, as a lane of a vector."""
        return self.load(offset, facts).value

    def store_lane(self, offset: Value, lane: Any, facts: Facts) -> None:
        """Store a lane of a vector."""
        if not isinstance(lane, Value):
            raise ProofError("unfinished bits are stored")
        self.store(offset, Number(self.of, lane), facts)

    def end(self, words: Words) -> None:
        """End the lifetime of the block: every later access is an error."""
        self.size = words.constant(0)

    def check(self, offset: Value, facts: Facts) -> None:
        """Check that an element exists, and that its address depends on public values only."""
        if self.of is None:
            raise ProofError(f"{self.name} has no type")
        if not facts.is_public(offset.polynomial):
            raise ProofError(f"the address of an access to {self.name} depends on secret values")
        if facts.is_trial:
            return
        problem = f"an access to {self.name} may lie outside it"
        facts.require_not_negative(offset.polynomial, problem)
        facts.require_not_negative(plus(plus(self.size.polynomial, offset.polynomial, -1), {(): -1}), problem)


def differ(a: Polynomial, b: Polynomial) -> bool:
    """Return whether two offsets differ by a number that is not 0."""
    difference = plus(a, b, -1)
    return bool(difference) and difference.keys() == {()}


@dataclass(frozen=True)
class Pointer:
    """A pointer to an element of a block."""

    block: Block
    offset: Value

    def moved(self, by: Polynomial, facts: Facts) -> Pointer:
        """Return the pointer that lies ``by`` elements further."""
        return Pointer(self.block, facts.words.value_of(plus(self.offset.polynomial, by)))

    def backwards(self, by: Polynomial, facts: Facts) -> Pointer:
        """Return the pointer that lies ``by`` elements before this one."""
        return self.moved(scaled(by, -1), facts)


@dataclass(frozen=True)
class Address:
    """A pointer of a type whose elements are not those of its block, such as ``void *`` or a vector's.

    Such a pointer cannot be moved or used for an access without a conversion.
    """

    pointer: Pointer


@dataclass(frozen=True)
class Number:
    """A number of a C type. ``value`` is a value, or the bits in which two values differ."""

    kind: Integer
    value: Any


class Null:
    """The null pointer."""


NULL = Null()
