"""The explanation in a notebook: a card with the steps as text and with folded counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from momagen.html import card, code, folded, grid

from .text import rendered

if TYPE_CHECKING:
    from .explanation import Explanation

LINES = 12
"""The largest number of lines of a step."""


def cell(told: Explanation) -> str:
    """Return self-contained HTML of an explanation."""
    facts = [("command", told.command()), *[("note", told.aside)] * bool(told.aside)]
    rules = grid(("rule", "applied"), [(rule.label, str(count)) for rule, count in told.rules_applied])
    counts = grid(("operation", "count"), [(op, str(count)) for op, count in told.operations.most_common()])
    more = folded("rewrite rules applied", rules), folded("operations in words", counts)
    return card(f"{told.op}, {told.widths}, {told.target.name}", facts, code(rendered(told, LINES).plain), *more)
