"""Operations and rules that a target declares in its own file, in the notation of ``rules/``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from momagen.errors import MomagenError, quoted
from momagen.ir import OPS
from momagen.rewrite import Rule, check_shrinks, parse_rule
from momagen.rewrite.rules.operations import Declared

from .reading.sources import Sources


class DeclaredRow(NamedTuple):
    """The declaration of an operation.

    Attributes:
        row: The row that declared the operation.
        sources: The files of the target that has the row, or None.
    """

    row: Mapping[str, Any]
    sources: Sources | None

    @property
    def is_current(self) -> bool:
        """Whether the target still has the row, as far as is known."""
        return self.sources is None or self.sources.are_current()


ROWS: dict[str, DeclaredRow] = {}
"""The declarations by the name of the operation."""


def declare(rows: Mapping[str, Any], where: str, sources: Sources | None = None) -> None:
    """Add the operations of ``rows``, which were read from ``sources``, to the table of operations.

    An operation may be declared again once the files that declared it have changed.

    Raises:
        MomagenError: A row violates the notation, or another operation already has the name.
    """
    for name, row in rows.items():
        if not isinstance(row, dict):
            raise MomagenError("a table", quoted(row), f"{where}, [operations] {name}")
        if name not in ROWS or ROWS[name].row != row:
            _replace(name, row, f"{where}, [operations]")
        ROWS[name] = DeclaredRow(row, sources)


def _replace(name: str, row: Mapping[str, Any], where: str) -> None:
    """Add an operation to the table; replace the operation of the same name if no file declares it any more."""
    if name in ROWS and not ROWS[name].is_current:
        del ROWS[name], OPS[name]
    if name in OPS:
        hint = "rename the operation, or remove its row if you mean the existing one"
        raise MomagenError("a name that no other operation has", name, where, hint)
    _checked(Declared(name, row, where), name)


def _checked(found: Declared, name: str) -> None:
    """Evaluate the definition once, so that an error in it is reported now and not when a kernel first needs it."""
    try:
        kinds = found.op.args
        found.op.bounds(8, 0, *[(0, 1 if kind == "f" else 255) for kind in kinds])
        found.op.meaning(8, 0, *[1] * len(kinds))
        found.op.requires(8, 0, *[1] * len(kinds))
    except MomagenError:
        del OPS[name]
        raise


def own_rules(rows: Sequence[Mapping[str, object]], where: str) -> tuple[Rule, ...]:
    """Return the rules of ``rows``, which take precedence over the rules that momagen ships.

    Raises:
        MomagenError: A text violates the notation, or rewriting would not terminate with one of the rules.
    """
    found = tuple(parse_rule(row, where) for row in rows)
    for rule in found:
        check_shrinks(rule)
    return found
