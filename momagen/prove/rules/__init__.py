"""Proofs of the rewrite rules and theorems, from their text and the meanings of operations alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from momagen.prove.rules.prove import RuleResult, prove_row
from momagen.prove.rules.rows import read_rows
from momagen.prove.rules.theorems import TheoremResult, prove_theorem, read_theorems

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["RuleResult", "TheoremResult", "prove_rules", "prove_theorem", "read_theorems"]


def prove_rules(files: Iterable[Path], every: bool = False) -> list[RuleResult]:
    """Prove the rows of rule files.

    Args:
        files: The rule files.
        every: Whether to prove every distance of every width. Otherwise the first two, the last two and two others of
            each width are proven, and the results say so.

    Returns:
        A result for each row, in order: "proven", or "open" with the reason.
    """
    return [prove_row(row, every) for file in files for row in read_rows(file)]
