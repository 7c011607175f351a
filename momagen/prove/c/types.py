"""The types of C that generated source uses, as on a machine with 64-bit pointers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pycparser import c_ast

from momagen.prove.checker import ProofError

if TYPE_CHECKING:
    from momagen.prove.c.parsed import Source


@dataclass(frozen=True)
class Integer:
    """An integer type."""

    bits: int
    is_signed: bool = False

    @property
    def least(self) -> int:
        """The least value of the type."""
        return -(1 << self.bits - 1) if self.is_signed else 0

    @property
    def greatest(self) -> int:
        """The greatest value of the type."""
        return (1 << self.bits - self.is_signed) - 1


@dataclass(frozen=True)
class Reference:
    """A pointer type."""

    to: Any


@dataclass(frozen=True)
class Array:
    """An array type with a known length."""

    of: Any
    length: int


@dataclass(frozen=True)
class Record:
    """A struct type, by name."""

    name: str


@dataclass(frozen=True)
class Void:
    """The type void."""


@dataclass(frozen=True)
class Byte:
    """The type char, to which only pointers are used. It is signed or unsigned, depending on the compiler."""


@dataclass(frozen=True)
class Vector:
    """A vector type with a number of bits. Types for integers and for doubles differ in their names only."""

    bits: int


@dataclass(frozen=True)
class Mask:
    """A type of masks: a bit for each lane."""

    bits: int


INT, SIZE, WORD, WIDE = Integer(32, True), Integer(64), Integer(64), Integer(128)
NAMED = {
    "char": Byte(),
    "signed char": Integer(8, True),
    "unsigned char": Integer(8),
    "short": Integer(16, True),
    "unsigned short": Integer(16),
    "int": INT,
    "unsigned": Integer(32),
    "unsigned int": Integer(32),
    "long long": Integer(64, True),
    "unsigned long long": WORD,
    "unsigned __int128": WIDE,
    "void": Void(),
}
VECTORS = {
    **{f"__m{bits}{kind}": Vector(bits) for bits in (128, 256, 512) for kind in ("i", "d", "")},
    **{f"__mmask{bits}": Mask(bits) for bits in (8, 16, 32, 64)},
}


def type_of(node: Any, source: Source, length: Any) -> Any:
    """Return the type that a declarator states.

    Args:
        node: The node of the type.
        source: The file, for its typedefs.
        length: A function that evaluates the length of an array.
    """
    if isinstance(node, (c_ast.TypeDecl, c_ast.Typename)):
        return type_of(node.type, source, length)
    if isinstance(node, c_ast.PtrDecl):
        return Reference(type_of(node.type, source, length))
    if isinstance(node, c_ast.ArrayDecl):
        return Array(type_of(node.type, source, length), length(node.dim))
    if isinstance(node, c_ast.Struct):
        return Record(node.name)
    if isinstance(node, c_ast.IdentifierType):
        name = " ".join(node.names)
        if name in VECTORS:
            return VECTORS[name]
        if name in source.typedefs:
            return type_of(source.typedefs[name], source, length)
        if name in NAMED:
            return NAMED[name]
        raise ProofError(f"the type {name} is not supported")
    raise ProofError(f"the type {type(node).__name__} is not supported")


def promoted(kind: Integer) -> Integer:
    """Return the type after the integer promotions: types that are shorter than int become int."""
    return INT if kind.bits < INT.bits else kind


def common(a: Integer, b: Integer) -> Integer:
    """Return the type of the usual arithmetic conversions."""
    a, b = promoted(a), promoted(b)
    if a.bits != b.bits:
        return a if a.bits > b.bits else b
    return Integer(a.bits, a.is_signed and b.is_signed)
