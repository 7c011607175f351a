"""A parsed C file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Source:
    """A parsed C file.

    Attributes:
        functions: The functions by name.
        globals: The declarations of variables with static storage by name.
        structs: The members of each struct by its name.
        typedefs: The types that have a name.
        constants: The values of enumeration constants.
    """

    functions: dict[str, Any]
    globals: dict[str, Any]
    structs: dict[str, list[Any]]
    typedefs: dict[str, Any]
    constants: dict[str, int]
    lemmas: dict[Any, list[Any]] = field(default_factory=dict)
    """What was proven of the loops of set-up functions."""
    types: dict[Any, Any] = field(default_factory=dict)
    """The types without lengths that declarators state."""
    compared: set[str] = field(default_factory=set)
    """The functions that other compilers see in another form, which is the same for flags and different pointers."""
