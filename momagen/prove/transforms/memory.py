"""Memory that is accessed at constant offsets only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from momagen.prove.c.memory import Address, Block, Number, Pointer
from momagen.prove.c.simd.deferred import Leaf
from momagen.prove.c.system.exchange import Kept
from momagen.prove.checker import ProofError
from momagen.prove.polynomial import constant
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
        """Return the content of an element, as values of the part that runs now."""
        self.check(offset, facts)
        held = self.cells.get(key_of(offset.low), MISSING)
        if held is MISSING:
            raise ProofError(f"{self.name} is read where nothing was stored")
        if isinstance(held, Kept):
            raise ProofError(f"{self.name}, which other calls may exchange, is read without an exchange")
        return self._loaded(held)

    def _loaded(self, held: Any) -> Any:
        for index, value in enumerate(values_of(held)):
            if isinstance(value, Word):
                held = with_value(held, index, self.walk.value_of(value))
        return held

    def store(self, offset: Value, value: Any, facts: Facts) -> None:
        """Change the content of an element."""
        if not self.is_writable:
            raise ProofError(f"{self.name} is constant, and the program writes it")
        self.check(offset, facts)
        if not self.walk.is_in_part:
            value = settled(value, self.walk)
        key = key_of(offset.low)
        self.walk.part.stores.append((self, key, self.cells.get(key, MISSING)))
        self.cells[key] = value

    def load_lane(self, offset: Value, facts: Facts) -> Any:
        """Return what an element of a number holds, as a lane of a vector."""
        held = self.cells.get(key_of(offset.low))
        if isinstance(held, Number) and isinstance(held.value, Word):
            self.check(offset, facts)
            return Leaf(held.value)
        return self.walk.lane_of(self.load(offset, facts).value)

    def store_lane(self, offset: Value, lane: Any, facts: Facts) -> None:
        """Store a lane of a vector, of which the proof has to say which number it is."""
        self.store(offset, Number(self.of, self.walk.finish(lane)), facts)

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


def key_of(offset: int) -> Key:
    """Return the key of an element."""
    return frozenset(constant(offset).items())


def settled(held: Any, walk: Any) -> Any:
    """Return known contents of an element in a form that does not depend on the variables of a part.

    Raises:
        ProofError: A number or an offset is not known.
    """
    if isinstance(held, Address):
        return Address(settled(held.pointer, walk))
    if isinstance(held, Pointer):
        return Pointer(held.block, _constant(held.offset, walk))
    for index, value in enumerate(values_of(held)):
        if not isinstance(value, Word):
            held = with_value(held, index, _constant(value, walk))
    return held


def _constant(value: Any, walk: Any) -> Value:
    """Return a value that has one possible number as that number; its polynomial may contain variables of a part.

    A polynomial in variables that all parts share stays as it is.
    """
    if isinstance(value, Value) and value.is_constant:
        return walk.words.constant(value.low)  # type: ignore[no-any-return]
    if not isinstance(value, Value) or not walk.is_shared(value):
        raise ProofError("a number must be known here")
    return value


def known_as(held: Any) -> Any:
    """Return what is equal for equal known contents of elements."""
    if isinstance(held, Number):
        value = held.value
        if isinstance(value, Value):
            return value.low if value.is_constant else frozenset(value.polynomial.items())
        return value
    return held


def values_of(held: Any) -> tuple[Any, ...]:
    """Return the values that an element of memory holds. Lanes of vectors do not depend on the part that runs."""
    return (held.value,) if isinstance(held, Number) else ()


def with_value(held: Any, index: int, value: Any) -> Any:
    """Return the content of an element, with another value in the place of one of ``values_of``."""
    return Number(held.kind, value) if index == 0 else held
