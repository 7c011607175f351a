"""Memory whose elements are designated by known numbers, so that each access means exactly one element."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from momagen.prove.c.memory import Block, Number
from momagen.prove.c.simd.vectors import Flags, Lanes
from momagen.prove.checker import ProofError
from momagen.prove.whole.stored import Word
from momagen.prove.words import Value

if TYPE_CHECKING:
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
        if isinstance(held, Number) and isinstance(held.value, Word):
            return Number(held.kind, self.walk.value_of(held.value))
        if isinstance(held, Lanes):
            lanes = [self.walk.value_of(lane) if isinstance(lane, Word) else lane for lane in held.lanes]
            return Lanes(held.kind, held.width, tuple(lanes))
        if isinstance(held, Flags):
            bits = [self.walk.value_of(bit) if isinstance(bit, Word) else bit for bit in held.bits]
            return Flags(held.kind, tuple(bits))
        return held

    def store(self, offset: Value, value: Any, facts: Facts) -> None:
        """Change what an element holds."""
        if not self.is_writable:
            raise ProofError(f"{self.name} is constant, and the program writes it")
        self.check(offset, facts)
        if not self.walk.is_inside and isinstance(value, Number) and isinstance(value.value, Value):
            self.walk.number(value)  # what lies between two parts stores known numbers only
        key = frozenset(offset.polynomial.items())
        self.walk.parts[-1].stores.append((self, key, self.cells.get(key, MISSING)))
        self.cells[key] = value

    def check(self, offset: Value, facts: Facts) -> None:
        """Check that an element exists."""
        if self.of is None:
            raise ProofError(f"{self.name} has no type")
        if not offset.is_constant or not self.size.is_constant:
            raise ProofError(f"an access to {self.name} is not at a known offset")
        if not 0 <= offset.low < self.size.low:
            raise ProofError(f"an access to {self.name} lies outside it")
