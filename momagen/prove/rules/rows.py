"""The rows of the rule files and the meanings of operations, as the prover reads them."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from momagen.data import folder
from momagen.prove.checker import ProofError
from momagen.prove.rules.machine import LETS, MACHINE, REQUIRES
from momagen.prove.rules.notation import (
    Comparison,
    Identifier,
    LimbList,
    Line,
    Node,
    Operator,
    Repetition,
    RuleAssignment,
    parse_comparisons,
    parse_node,
    parse_rule_lines,
)
from momagen.prove.rules.numbers import names_in, used

if TYPE_CHECKING:
    from pathlib import Path

RELATION = re.compile(r"(\[[^]]*\]|\w+) ([=≡≈]) ")


@dataclass(frozen=True)
class OperationMeaning:
    """The meaning of an operation.

    Attributes:
        name: The name.
        args: The names of the arguments.
        kinds: The kinds of the arguments, one letter for each: word, flag, integer of any size, or known number.
        results: The names of the results.
        result_kinds: Their kinds.
        means: The statements about the results.
        requires: The precondition.
        lets: The names that both use, with their values.
        text: The meaning as a person reads it.
        required: The precondition as a person reads it.
        wraps: Whether the result is held modulo 2^k.
        is_machine: Whether it is an operation of machines.
        parts: The bound of the two results, which are one number c0·2^w + c1, or None if they are not.
    """

    name: str
    args: tuple[str, ...]
    kinds: str
    results: tuple[str, ...]
    result_kinds: str
    means: tuple[Comparison, ...]
    requires: tuple[Comparison, ...]
    lets: tuple[RuleAssignment, ...]
    text: str
    required: str = ""
    wraps: bool = False
    is_machine: bool = False
    parts: Node | None = None

    @property
    def used_lets(self) -> list[RuleAssignment]:
        """The definitions of names that the meaning or the precondition uses."""
        found: list[RuleAssignment] = []
        names = names_in(self.parts).union(*map(used, (*self.means, *self.requires)))
        for line in reversed(self.lets):
            if line.targets[0].text in names:
                found.insert(0, line)
                names |= names_in(line.value)
        return found


@dataclass(frozen=True)
class RuleRow:
    """One row of a rule file, with its right side as text and as lines."""

    file: str
    name: str
    left: str
    right: str
    derive: str
    form: str
    when: str
    choice: str
    is_slack: bool
    lemmas: str = ""

    @property
    def head(self) -> RuleAssignment:
        """The operation that the row replaces."""
        (line,) = parse_rule_lines(self.left)
        assert isinstance(line, RuleAssignment)
        return line

    @property
    def lines(self) -> list[Line]:
        """The constants that the row derives and its right side."""
        return [*parse_rule_lines(self.derive), *parse_rule_lines(self.right)]

    @property
    def targets(self) -> set[str]:
        """The names to which the right side assigns values."""
        lines = [each for line in self.lines for each in (line.body if isinstance(line, Repetition) else (line,))]
        return {target.text for line in lines if isinstance(line, RuleAssignment) for target in line.targets}

    @property
    def conditions(self) -> list[Comparison]:
        """The comparisons of ``when``."""
        return parse_comparisons(self.when)


def read_rows(path: Path) -> list[RuleRow]:
    """Return the rows of a rule file."""
    return rows_of(path.read_text(encoding="utf-8"), path.name)


def rows_of(text: str, file: str) -> list[RuleRow]:
    """Return the rows of the text of a rule file."""
    return [
        RuleRow(file, row["name"], row["from"], row["to"], row.get("derive", ""), row.get("form", ""),
                row.get("when", ""), row.get("choice", ""), bool(row.get("slack")), row.get("lemmas", ""))
        for row in tomllib.loads(text)["rule"]
    ]  # fmt: skip


@lru_cache(maxsize=1)
def definitions() -> dict[str, OperationMeaning]:
    """Return the meanings of all operations by name."""
    found = {}
    for line in MACHINE.strip().splitlines():
        name, rest, results, text = map(str.strip, line.split("|", 3))
        row = {"args": rest, "means": text, "requires": REQUIRES.get(name, ""), "let": LETS.get(name, "")}
        found[name] = _definition(name, row, tuple(results.split()), is_machine=True)
    for file in ("operations.toml", "constants.toml"):
        rows = tomllib.loads((folder("rules") / file).read_text(encoding="utf-8"))
        found |= {name: _definition(name, row) for name, row in rows.items()}
    return found


def _definition(
    name: str, row: dict[str, Any], results: tuple[str, ...] = (), is_machine: bool = False
) -> OperationMeaning:
    names, _, kinds = row["args"].partition(":")
    taken, _, made = kinds.strip().partition(" → ")
    parts = parse_node(row["parts"]) if "parts" in row else None
    if not results:
        heads = [match[1] for line in row["means"].strip().splitlines() if (match := RELATION.match(line))]
        results = tuple(heads[0].strip("[]").split(", ")) if parts else tuple(heads)
    lets = tuple(line for line in parse_rule_lines(row.get("let", "")) if isinstance(line, RuleAssignment))
    if len(results) != len(made):
        raise ProofError(f"{name} has {len(made)} results, but its meaning is about {results}")
    return OperationMeaning(
        name, tuple(names.split()), taken, results, made, tuple(parse_comparisons(row["means"])),
        tuple(parse_comparisons(row.get("requires", "").replace("\n", " "))), lets,
        " ".join(row["means"].split()), " ".join(row.get("requires", "").split()), bool(row.get("wraps")),
        is_machine, parts,
    )  # fmt: skip


def limbs_of(node: Node) -> int:
    """Return the number of limbs of an argument of a left side."""
    return len(node.items) if isinstance(node, LimbList) else 1


def names_of(node: Node) -> list[str]:
    """Return the names of the limbs of an argument of a left side."""
    parts = node.items if isinstance(node, LimbList) else (node,)
    return [part.text for part in parts if isinstance(part, Identifier)]


__all__ = ["OperationMeaning", "Operator", "RuleRow", "definitions", "limbs_of", "names_of", "read_rows", "rows_of"]
