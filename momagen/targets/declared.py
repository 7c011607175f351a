"""Operations and rules of a target's own: what no table has is declared in its file, in the notation of ``rules/``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from momagen.errors import MomagenError
from momagen.ir import OPS
from momagen.rewrite import Rule, check_shrinks, parse_rule
from momagen.rewrite.rules.operations import Declared

ROWS: dict[str, Mapping[str, Any]] = {}
"""By its name, the row that declared an operation."""


def declare(rows: Mapping[str, Any], where: str) -> None:
    """Add the operations of ``rows`` to the table of operations.

    Raises:
        MomagenError: a row outside the notation, or the name of an operation that means something else.
    """
    for name, row in rows.items():
        if not isinstance(row, dict):
            raise MomagenError("a table", repr(row), f"{where}, [operations] {name}")
        if ROWS.get(name) == row:
            continue
        if name in OPS:
            raise MomagenError("a name that no other operation has", name, f"{where}, [operations]")
        found = Declared(name, row, f"{where}, [operations]")
        _checked(found, name)
        ROWS[name] = row


def _checked(found: Declared, name: str) -> None:
    """Refuse a meaning that cannot be read now, not when a kernel first needs it."""
    try:
        kinds = found.op.args
        found.op.bounds(8, 0, *[(0, 1 if kind == "f" else 255) for kind in kinds])
        found.op.meaning(8, 0, *[1] * len(kinds))
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
