"""Breakdown rules: the table rules/breakdown.toml, its checks, and the matching and application of rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import log2
from pathlib import Path

from momagen.data import folder
from momagen.errors import MomagenError, among
from momagen.tables import read_toml, shallow

from .expression import Formula
from .instantiate import Visit, instantiate
from .syntax import SYMBOLS, parse
from .term import Term
from .transforms import Transform

KEYS = ("id", "name", "from", "to", "when", "source")
"""The keys of a rule, all of which are required."""

AT_ONCE = "radix_power"
"""The condition of rules that break down a transform of r^k points completely in one application."""
GUARDS = {"always": {}, "radix_divides": {"r": 1, "s": 1}, AT_ONCE: {"r": 1, "k": 1}, "twisted": {"t": 0}}
"""The conditions of rules by name: for each name on the left side, the number that its value must exceed."""


@dataclass(frozen=True)
class BreakdownRule:
    """One rule of the table: ``left`` equals ``right`` if the condition ``when`` holds.

    Attributes:
        id: The short identifier, such as "N1".
        name: The name.
        left: The transform to which the rule applies.
        right: The formula that replaces it.
        when: The condition, one of ``GUARDS``.
        source: The publication, or the rules from which the rule follows.
        text: The left and the right side as they are written in the file.
    """

    id: str
    name: str
    left: Term
    right: Term
    when: str
    source: str
    text: tuple[str, str]

    def match(self, node: Transform, radix: int) -> dict[str, Fraction] | None:
        """Return the values of names for which the left side equals a transform, or None if there are none.

        Args:
            node: The transform.
            radix: The value of r, if the rule uses that name.
        """
        symbol = SYMBOLS[self.left.head]
        if not isinstance(node, symbol.leaf):
            return None
        values = {p: Fraction(getattr(node, f)) for f, p in zip(symbol.fields, self.left.parts, strict=False)}
        env = {name: value for pattern, size in values.items() for name, value in _bind(pattern, size, radix).items()}
        fits = all(env[name] > least for name, least in GUARDS[self.when].items())
        fits = fits and all(pattern.value(env) == value for pattern, value in values.items())
        return env if fits and instantiate(self.left, env) == node else None

    def rewrite(self, node: Transform, radix: int = 0, visit: Visit = lambda leaf: leaf) -> Formula:
        """Return the right side of the rule for a transform.

        Args:
            node: The transform.
            radix: The value of r, if the rule uses that name.
            visit: The function that may replace each leaf of the result.

        Raises:
            MomagenError: The rule does not apply.
        """
        env = self.match(node, radix)
        if env is None:
            where = f"breakdown rule {self.name}"
            raise MomagenError(f"{self.text[0]} ({self.when})", f"{node} with radix {radix}", where)
        return instantiate(self.right, env, visit)


def _bind(pattern: Term, value: Fraction, radix: int) -> dict[str, Fraction]:
    """Return values of the names in one argument of the left side for which it may equal ``value``.

    The caller must check that it does. The result is empty if the argument has a form that left sides must
    not use.
    """
    match pattern:
        case Term("·", (Term("r"), Term("s"))):
            return {"r": Fraction(radix), "s": Fraction(value // max(radix, 1))}
        case Term("^", (Term("r"), Term("k"))):
            return {"r": Fraction(radix), "k": Fraction(round(log2(value) / log2(max(radix, 2))))}
    return {name: value for name in pattern.names if not pattern.parts}


class BreakdownTable(Mapping[str, BreakdownRule]):
    """The rules of one file by name; each rule is parsed when it is first used.

    Raises:
        MomagenError: The file, or a rule that is used, is invalid. The message names the file, the rule and
            the faulty text.
    """

    def __init__(self, path: Path) -> None:
        data = read_toml(path, "a readable TOML file", str(path))
        rows = data.get("rule")
        if len(data) != 1 or not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise MomagenError("[[rule]] tables and nothing else", ", ".join(data) or "nothing", str(path))
        self.file, self.found = path.name, dict[str, BreakdownRule]()
        self.rows: dict[str, Mapping[str, str]] = {}
        for number, row in enumerate(rows, 1):
            if self.rows.setdefault(name := str(row.get("name", number)), row) is not row:
                raise MomagenError("a name used only once", name, f"{path.name}, rule {number}")

    def __getitem__(self, name: str) -> BreakdownRule:
        if name not in self.found:
            row, where = self.rows[name], f"{self.file}, rule {name}"
            with shallow(" ".join(map(str, row.values())), where):
                self.found[name] = _rule(row, where)
        return self.found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)


def load(path: Path) -> dict[str, BreakdownRule]:
    """Return all rules of one file by name, after parsing each of them.

    Raises:
        MomagenError: The file or one of its rules is invalid.
    """
    return dict(BreakdownTable(path))


@cache
def rules() -> Mapping[str, BreakdownRule]:
    """Return the rules in rules/breakdown.toml by name."""
    return BreakdownTable(folder("rules") / "breakdown.toml")


def _rule(row: Mapping[str, str], where: str) -> BreakdownRule:
    """Parse and check one row of the table."""
    if set(row) != set(KEYS) or not all(isinstance(value, str) for value in row.values()):
        raise MomagenError(f"the keys {', '.join(KEYS)} with strings", ", ".join(row), where)
    row = {key: " ".join(text.split()) for key, text in row.items()}
    if row["when"] not in GUARDS:
        raise among("one of", GUARDS, row["when"], f"{where}, when")
    left, right = (parse(row[side], f"{where}, {side}") for side in ("from", "to"))
    if left.head.lstrip("i") not in ("NTT", "Ring", "Rings"):
        raise MomagenError("one transform, such as NTT(r·s)", row["from"], f"{where}, from")
    if not all(_bind(argument, Fraction(1), 1) for argument in left.parts):
        raise MomagenError("names, r·s or r^k as arguments", row["from"], f"{where}, from")
    _check_names(left, right, row, where)
    return BreakdownRule(row["id"], row["name"], left, right, row["when"], row["source"], (row["from"], row["to"]))


def _check_names(left: Term, right: Term, row: Mapping[str, str], where: str) -> None:
    """Check that the left side has all names that the right side and the condition use."""
    known = left.names
    if unbound := right.names - known:
        expected = f"names of the left side ({', '.join(sorted(known))})"
        raise MomagenError(expected, ", ".join(sorted(unbound)), f"{where}, to", f"in: {row['to']}")
    if missing := GUARDS[row["when"]].keys() - known:
        expected = f"{', '.join(sorted(missing))} on the left side"
        raise MomagenError(expected, row["from"], f"{where}, when {row['when']}")
