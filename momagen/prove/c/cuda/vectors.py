"""The vector types of CUDA, such as ``uint4``: loads and stores of several words at once.

NVIDIA's *CUDA C++ Programming Guide*, section "Built-in Vector Types", defines them as structures with the members x,
y, z and w, in this order, and states the alignment of their addresses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from momagen.prove.c.memory import Number, Pointer
from momagen.prove.c.types import Integer, Record
from momagen.prove.checker import ProofError

if TYPE_CHECKING:
    from momagen.prove.facts import Facts

LETTERS = "xyzw"
BITS = {"uint2": (32, 2), "uint4": (32, 4), "ulonglong2": (64, 2)}
"""The vector types: the bits of a word and the number of words. Their addresses are multiples of their sizes."""


@dataclass(frozen=True)
class Packed:
    """A vector: the name of its type, and its words in the order of the members."""

    name: str
    words: tuple[Any, ...]

    def member(self, letter: str) -> Any:
        """Return the word that a member holds."""
        at = LETTERS.find(letter)
        if not 0 <= at < len(self.words) or len(letter) != 1:
            raise ProofError(f"{self.name} has no member {letter}")
        return self.words[at]


@dataclass(frozen=True)
class PackedPointer:
    """A pointer to the words of a vector in an array of words."""

    name: str
    pointer: Pointer

    def load(self, facts: Facts) -> Packed:
        """Return the vector in memory."""
        words = tuple(self.pointer.block.load(place.offset, facts) for place in self._places(facts))
        return Packed(self.name, words)

    def store(self, vector: Packed, facts: Facts) -> None:
        """Store a vector."""
        if vector.name != self.name:
            raise ProofError(f"a vector of type {vector.name} is stored as {self.name}")
        for place, word in zip(self._places(facts), vector.words, strict=True):
            place.block.store(place.offset, word, facts)

    def _places(self, facts: Facts) -> list[Pointer]:
        return [self.pointer.moved({(): i} if i else {}, facts) for i in range(BITS[self.name][1])]


def kind_of(kind: Any) -> str:
    """Return the name of a vector type, or an empty text for another type."""
    return kind.name if isinstance(kind, Record) and kind.name in BITS else ""


def pointer_to_vector(name: str, pointer: Pointer, alignment: int) -> PackedPointer:
    """Return a pointer to words as a pointer to a vector.

    Args:
        name: The vector type.
        pointer: The pointer to the first word.
        alignment: The number of bytes of which the address of the block is a multiple.

    Raises:
        ProofError: The address may not be a multiple of the size of the vector, or the words have another type.
    """
    bits, count = BITS[name]
    if pointer.block.of != Integer(bits):
        raise ProofError(f"a pointer to {pointer.block.of} is used as one to {name}")
    size = bits // 8 * count
    if alignment % size or any(coefficient * bits // 8 % size for coefficient in pointer.offset.polynomial.values()):
        raise ProofError(f"the address of a {name} may not be a multiple of {size}")
    return PackedPointer(name, pointer)


def packed(name: str, values: list[Any]) -> Packed:
    """Return the vector that ``make_uint4`` and similar functions make."""
    bits, count = BITS[name]
    if len(values) != count or not all(isinstance(value, Number) and value.kind == Integer(bits) for value in values):
        raise ProofError(f"make_{name} is called with other arguments than {count} words")
    return Packed(name, tuple(values))
