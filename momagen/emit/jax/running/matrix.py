"""The runner of JAX modules that multiply by a constant matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ...source import Source
from .kernel import RUNNING
from .module import created, run_text


@dataclass(frozen=True)
class MatrixModule:
    """A module, which defines functions that compute tables and apply them.

    Attributes:
        spec: The request.
        name: The name of the module.
        text: The text of the module.
        compiler: The name that reports show in place of a compiler.
        missing: The features that are emulated, of which there are none.
    """

    spec: Any
    name: str
    text: str = field(repr=False)
    compiler: str = RUNNING
    missing: tuple[str, ...] = ()

    @cached_property
    def names(self) -> dict[str, Any]:
        """The names that the module defines, with their values.

        Raises:
            MomagenError: JAX is missing.
        """
        return run_text(self.name, self.text, self.spec.target)

    def plan(self, rows: int, tops: Sequence[int], *given: object) -> MatrixTables:
        """Return the tables for arguments of the module's ``create``.

        Args:
            rows: The number of rows of a result.
            tops: For each row of an operand, the bound that its residues are below.
            *given: The arguments of ``create``.
        """
        return MatrixTables(self.names, created(self.names, "create", *given), rows, tuple(tops))


@dataclass(frozen=True)
class MatrixTables:
    """Tables on the device.

    Attributes:
        names: The names that the module defines.
        tables: The arrays that ``create`` returns.
        rows: The number of rows of a result.
        tops: For each row of an operand, the bound that its residues are below.
    """

    names: dict[str, Any]
    tables: dict[str, Any]
    rows: int
    tops: tuple[int, ...]


def run_matrix(source: Source) -> MatrixModule:
    """Return the module of ``source``, ready to be called."""
    return MatrixModule(source.spec, source.name, source.source)
