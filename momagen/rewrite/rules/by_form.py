"""What rules make of the form of a modulus that is known, and how it is written."""

from __future__ import annotations

from collections.abc import Iterable

from .rule import Rule
from .table import table


def form_of(q: int) -> str:
    """``q`` in the shortest form that a rule asks for, "2^255 - 19"; "" where it has none but 2^a - c with a long c."""
    found = {rule.shape.written(q) for rule in table() if rule.shape} - {""}
    short = (text for text in found if "0x" not in text or len(text) < len(hex(q)))
    return min(short, key=lambda text: ("0x" in text, len(text)), default="")


def by_form(rules: Iterable[Rule], q: int) -> dict[str, str]:
    """``q`` in the form that each of ``rules`` asks for, by its label; without those that ask for none."""
    written = {rule.label: rule.shape.written(q) for rule in rules if rule.shape}
    return {label: text for label, text in written.items() if text}
