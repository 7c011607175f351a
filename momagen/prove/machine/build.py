"""The shared object that a compiler made of a kernel, with the compiler and its flags."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Build:
    """A shared object that a compiler made of a C source.

    Attributes:
        path: The path of the shared object.
        compiler: The name and the version of the compiler.
        is_clang: Whether the compiler selects the variants of helper functions for clang instead of those for gcc.
        flags: The flags that the compiler was given.
    """

    path: Path
    compiler: str
    is_clang: bool
    flags: tuple[str, ...]

    @property
    def view(self) -> str:
        """The name that the prover gives to the source as this compiler sees it."""
        return "clang, x86-64" if self.is_clang else "gcc, x86-64"

    def text(self, name: str) -> str:
        """Return a description of the machine code for the report of a proof."""
        return f"the machine code of {name}_execute as made by {self.compiler} with {' '.join(self.flags)}"
