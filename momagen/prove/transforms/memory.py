"""Memory that is accessed at constant offsets only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from momagen.prove.c.memory import Block, Number
from momagen.prove.c.simd.vectors import Flags, Lanes
from momagen.prove.checker import ProofError
from momagen.prove.transforms.stored import Word
from momagen.prove.words import Value

if TYPE_CHECKING:
    from momagen.prove.c.memory import Key
    from momagen.prove.facts import Facts

MISSING = object()


@dataclass(eq=False)
class KnownBlock(Block):
    """A block whose offsets are known numbers.

    Attributes:
        walk: The state of the program that it belongs to.
    """

    walk: Any = None

    def load(self, offset: Value, facts: Facts) -> Any:
        """Return what an element holds, as values of the part that runs now."""
        self.check(offset, facts)
        held = self.cells.get(frozenset(offset.polynomial.items()), MISSING)
        if held is MISSING:
            raise ProofError(f"{self.name} is read where nothing was stored")
        return self._loaded(held)

    def _loaded(self, held: Any) -> Any:
        for index, value in enumerate(values_of(held)):
            if isinstance(value, Word):
                held = with_value(held, index, self.walk.value_of(value))
        return held

    def store(self, offset: Value, value: Any, facts: Facts) -> None:
        """Change what an element holds."""
        if not self.is_writable:
            raise ProofError(f"{self.name} is constant, and the program writes it")
        self.check(offset, facts)
        if not self.walk.is_in_part and isinstance(value, Number) and isinstance(value.value, Value):
            self.walk.number(value)  # between two parts, only known numbers may be stored
        key = frozenset(offset.polynomial.items())
        self.walk.part.stores.append((self, key, self.cells.get(key, MISSING)))
        self.cells[key] = value

    def check(self, offset: Value, facts: Facts) -> None:
        """Check that an element exists."""
        if self.of is None:
            raise ProofError(f"{self.name} has no type")
        if not offset.is_constant or not self.size.is_constant:
            raise ProofError(f"an access to {self.name} is not at a known offset")
        if not 0 <= offset.low < self.size.low:
            raise ProofError(f"an access to {self.name} lies outside it")

    def restore(self, key: Key, held: Any) -> None:
        """Set an element to what it held before a store."""
        if held is MISSING:
            self.cells.pop(key, None)
        else:
            self.cells[key] = held


def known_as(held: Any) -> Any:
    """Return what is equal for equal known contents of elements."""
    return held.value.low if isinstance(held, Number) else held


def values_of(held: Any) -> tuple[Any, ...]:
    """Return the values that an element of memory holds."""
    if isinstance(held, Number):
        return (held.value,)
    if isinstance(held, Lanes):
        return held.lanes
    return held.bits if isinstance(held, Flags) else ()


def with_value(held: Any, index: int, value: Any) -> Any:
    """Return what an element holds, with another value in the place of one of ``values_of``."""
    values = values_of(held)
    changed = (*values[:index], value, *values[index + 1 :])
    if isinstance(held, Number):
        return Number(held.kind, value)
    return Lanes(held.kind, held.width, changed) if isinstance(held, Lanes) else Flags(held.kind, changed)
