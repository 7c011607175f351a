"""Rules with a planted fault: a dropped carry, swapped limbs, another comparison, shift, constant or condition."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from momagen.prove.rules.rows import RuleRow

SWAPS = (
    (r" \+ ", " - "), (r" - ", " + "), (r" < ", " ≤ "), (r" ≤ ", " < "), (r" ∧ ", " ∨ "), (r" ∨ ", " ∧ "),
    (r" =\? ", " < "), (r" >> ", " << "), (r" << ", " >> "), (r" · ", " + "), (r"¬", ""),
    (r"subif\(", "addif("), (r"addif\(", "subif("), (r"umin\(", "umax("), (r"umax\(", "umin("),
    (r" [+-] δ\d?(?![\w:])", ""), (r"δ\d? [+] ", ""), (r" [+-] word\(\w+\)", ""), (r"plus\(", "minus("),
    (r"minus\(", "plus("), (r"(?<=>> )(\w+)", r"1 + \1"), (r"(?<=<< )(\w+)", r"1 + \1"),
    (r"(?<=mod 2\^)k\b", "(k + 1)"), (r"\b(\d+)\b(?!\})(?!:)(?![·w])", "MORE"), (r"\b(\w)0\b(?!:)", r"\g<1>1"),
    (r"\b(\w)1\b(?!:)", r"\g<1>0"), (r"\bh\b(?!\})", "0"), (r"\bq\b", "v"),
    (r"(\w+) if (\S+) otherwise (\w+)$", r"\3 if \2 otherwise \1"),
)  # fmt: skip
"""What is replaced by what."""


def mutants(row: RuleRow) -> Iterator[tuple[str, RuleRow]]:
    """Yield the faults that can be planted in the right side or the condition of a row, each with a name."""
    lines = row.right.splitlines()
    for at, line in enumerate(lines):
        if line.startswith(("assume", "repeat", "}")) or not line.strip():
            continue
        for pattern, new in SWAPS:
            for found in re.finditer(pattern, line):
                if found.start() < line.index("=") and "if" not in pattern:
                    continue
                put = str(int(found[1]) + 1) if new == "MORE" else found.expand(new)
                changed = line[: found.start()] + put + line[found.end() :]
                if changed != line:
                    yield f"{line} → {changed}", replace(row, right="\n".join([*lines[:at], changed, *lines[at + 1 :]]))
    parts = row.when.split(" and ")
    for at, part in enumerate(parts):
        if part:
            yield f"without {part}", replace(row, when=" and ".join([*parts[:at], *parts[at + 1 :]]))
