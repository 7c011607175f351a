"""The types of C that generated source uses, as on a machine with 64-bit pointers."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pycparser import c_ast

from momagen.prove.checker import ProofError

if TYPE_CHECKING:
    from momagen.prove.c.parsed import Source


@dataclass(frozen=True)
class Integer:
    """An integer type.

    Attributes:
        bits: Its width.
        is_signed: Whether it has negative values.
        name: Its name in C, by which pointers to integers of the same width differ; empty for a type that the prover
            uses for all integers of this width.
    """

    bits: int
    is_signed: bool = False
    name: str = field(default="", compare=False)

    def __str__(self) -> str:
        """Return the name in C, or the width."""
        return self.name or f"{'signed ' * self.is_signed}{self.bits}-bit integers"

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
OWN = {f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)} | {"size_t", "uintptr_t"}
"""The types of the standard headers, each of which may be another type than those of the same width."""
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
        count = length(node.dim)
        if count < 1:
            raise ProofError("an array has no elements")
        return Array(type_of(node.type, source, length), count)
    if isinstance(node, c_ast.Struct):
        return Record(node.name)
    if isinstance(node, c_ast.IdentifierType):
        name = " ".join(node.names)
        if name in VECTORS:
            return VECTORS[name]
        if name in source.typedefs:
            return _called(type_of(source.typedefs[name], source, length), name if name in OWN else "")
        if name in NAMED:
            return _called(NAMED[name], name)
        raise ProofError(f"the type {name} is not supported")
    raise ProofError(f"the type {type(node).__name__} is not supported")


def _called(kind: Any, name: str) -> Any:
    """Return an integer type with its name in C, other types as they are."""
    return replace(kind, name=name) if name and isinstance(kind, Integer) else kind


def may_alias(a: Any, b: Any) -> bool:
    """Return whether an object of one type may be accessed as another one: both are the same type of C.

    Types of the same width, such as ``uint64_t`` and ``unsigned long long``, may be different types. A compiler then
    assumes that pointers to them refer to different objects.
    """
    while isinstance(a, Reference) and isinstance(b, Reference):
        a, b = a.to, b.to
    names = {kind.name for kind in (a, b) if isinstance(kind, Integer)} - {""}
    return a == b and len(names) < 2


def promoted(kind: Integer) -> Integer:
    """Return the type after the integer promotions: types that are shorter than int become int."""
    return INT if kind.bits < INT.bits else kind


def common(a: Integer, b: Integer) -> Integer:
    """Return the type of the usual arithmetic conversions."""
    a, b = promoted(a), promoted(b)
    if a.bits != b.bits:
        return a if a.bits > b.bits else b
    return Integer(a.bits, a.is_signed and b.is_signed)
