"""Operations and rules of a target's own: what no table has is declared in its file, in the notation of ``rules/``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from momagen.errors import MomagenError, quoted
from momagen.ir import OPS
from momagen.rewrite import Rule, check_shrinks, parse_rule
from momagen.rewrite.rules.operations import Declared

from .reading.sources import Sources


class DeclaredRow(NamedTuple):
    """The row that declared an operation, and the files of the target that has it."""

    row: Mapping[str, Any]
    sources: Sources | None

    @property
    def is_current(self) -> bool:
        """Whether the target still has the row, as far as is known."""
        return self.sources is None or self.sources.are_current()


ROWS: dict[str, DeclaredRow] = {}
"""DeclaredRows by the name of the operation."""


def declare(rows: Mapping[str, Any], where: str, sources: Sources | None = None) -> None:
    """Add the operations of ``rows``, which stand in ``sources``, to the table of operations.

    An operation may be declared anew once the files that declared it have changed.

    Raises:
        MomagenError: a row outside the notation, or the name of an operation that means something else.
    """
    for name, row in rows.items():
        if not isinstance(row, dict):
            raise MomagenError("a table", quoted(row), f"{where}, [operations] {name}")
        if name not in ROWS or ROWS[name].row != row:
            _replace(name, row, f"{where}, [operations]")
        ROWS[name] = DeclaredRow(row, sources)


def _replace(name: str, row: Mapping[str, Any], where: str) -> None:
    """Put an operation into the table in place of one that no file declares any more."""
    if name in ROWS and not ROWS[name].is_current:
        del ROWS[name], OPS[name]
    if name in OPS:
        raise MomagenError("a name that no other operation has", name, where)
    _checked(Declared(name, row, where), name)


def _checked(found: Declared, name: str) -> None:
    """Refuse a meaning that cannot be read now, not when a kernel first needs it."""
    try:
        kinds = found.op.args
        found.op.bounds(8, 0, *[(0, 1 if kind == "f" else 255) for kind in kinds])
        found.op.meaning(8, 0, *[1] * len(kinds))
        found.op.requires(8, 0, *[1] * len(kinds))
    except MomagenError:
        del OPS[name]
        raise


def own_rules(rows: Sequence[Mapping[str, object]], where: str) -> tuple[Rule, ...]:
    """The rules of ``rows``, which go before those of the tables.

    Raises:
        MomagenError: text outside the notation, or a rule after which rewriting would not end.
    """
    found = tuple(parse_rule(row, where) for row in rows)
    for rule in found:
        check_shrinks(rule)
    return found
