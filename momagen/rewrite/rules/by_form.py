"""What rules make of the form of a modulus that is known, and how it is written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from .rule import Rule
from .table import table


def form_of(q: int) -> str:
    """``q`` in the shortest form that a rule asks for, "2^255 - 19"; "" where it has none but 2^a - c with a long c."""
    return _shortest(q)[0]


def sparse(q: int) -> bool:
    """Whether that form has powers of two alone."""
    return _shortest(q)[1]


@lru_cache(maxsize=256)
def _shortest(q: int) -> tuple[str, bool]:
    """The form, and whether it has powers of two alone."""
    found = {rule.shape.written(q): rule.shape.sparse for rule in table() if rule.shape}
    short = ((text, own) for text, own in found.items() if text and ("0x" not in text or len(text) < len(hex(q))))
    return min(short, key=lambda form: ("0x" in form[0], len(form[0])), default=("", False))


def by_form(rules: Iterable[Rule], q: int) -> dict[str, str]:
    """``q`` in the form that each of ``rules`` asks for, by its label; without those that ask for none."""
    written = {rule.label: rule.shape.written(q) for rule in rules if rule.shape}
    return {label: text for label, text in written.items() if text}


@lru_cache(maxsize=256)
def folding(op: str, w: int, k: int, q: int) -> Rule | None:
    """The first rule by which ``op`` of ``w`` bits goes, on residues below ``q``, because of the form of that; None
    where no rule has that form, or there is no room for it."""
    shaped = (rule for rule in table().of(op) if rule.shape and not rule.choice)
    return next((rule for rule in shaped if _holds(rule, {"w": w, "k": k}, q)), None)


def _holds(rule: Rule, sizes: Mapping[str, int], q: int) -> bool:
    assert rule.shape
    found = rule.shape.of(q)
    numbers = {name: q if name == rule.shape.name else q - 1 for names in rule.names for name in names}
    return found is not None and rule.guard.holds({**numbers, **sizes, **found})
