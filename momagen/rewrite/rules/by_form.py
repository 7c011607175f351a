"""The forms of moduli that are known when a kernel is generated, and the rules that use them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from .rule import Rule
from .table import table


def form_of(q: int) -> str:
    """Return ``q`` in the shortest form of a rule, such as "2^255 - 19".

    The result is "" if ``q`` has none of the forms, or only 2^a - c with a long number c.
    """
    return _shortest(q)[0]


def sparse(q: int) -> bool:
    """Return whether the shortest form of ``q`` contains powers of two only."""
    return _shortest(q)[1]


@lru_cache(maxsize=256)
def _shortest(q: int) -> tuple[str, bool]:
    """Return the shortest form, and whether it contains powers of two only."""
    found = {rule.shape.written(q): rule.shape.sparse for rule in table() if rule.shape}
    short = ((text, own) for text, own in found.items() if text and ("0x" not in text or len(text) < len(hex(q))))
    return min(short, key=lambda form: ("0x" in form[0], len(form[0])), default=("", False))


def by_form(rules: Iterable[Rule], q: int) -> dict[str, str]:
    """Return ``q`` in the form of each rule that has one and applies to it, by the label of the rule."""
    written = {rule.label: rule.shape.written(q) for rule in rules if rule.shape}
    return {label: text for label, text in written.items() if text}


@lru_cache(maxsize=256)
def folding(op: str, w: int, k: int, q: int) -> Rule | None:
    """Return the first rule for an operation whose form ``q`` has, or None.

    The rule must apply to residues below ``q``; a guard may require more headroom than there is.

    Args:
        op: The operation.
        w: Its width in bits.
        k: Its attribute.
        q: The modulus.
    """
    shaped = (rule for rule in table().of(op) if rule.shape and not rule.choice)
    return next((rule for rule in shaped if _holds(rule, {"w": w, "k": k}, q)), None)


def _holds(rule: Rule, sizes: Mapping[str, int], q: int) -> bool:
    """Return whether a rule with a form applies to operations modulo ``q``."""
    assert rule.shape
    found = rule.shape.of(q)
    numbers = {name: q if name == rule.shape.name else q - 1 for names in rule.names for name in names}
    return found is not None and rule.guard.holds({**numbers, **sizes, **found})
