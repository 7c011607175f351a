"""The rules and theorems that a kernel relies on."""

from __future__ import annotations

from collections.abc import Mapping

from momagen.kernels.residues.theorems import THEOREMS, Theorem
from momagen.rewrite import Rule, table


def applied(counts: Mapping[str, int]) -> tuple[tuple[Rule | Theorem, int], ...]:
    """Return the rules and the theorems that a kernel relies on, with their counts."""
    theorems = ((row, counts[row.label]) for row in THEOREMS.values() if counts.get(row.label))
    return (*applied_rules(counts), *theorems)


def applied_rules(counts: Mapping[str, int]) -> tuple[tuple[Rule, int], ...]:
    """Return the rules with their counts, in the order of the table."""
    return tuple((rule, counts[rule.label]) for rule in table() if counts.get(rule.label))
