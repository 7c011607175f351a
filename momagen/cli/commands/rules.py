"""``momagen rules``: list the rewrite rules and breakdown rules in the notation of the papers."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import Console
from rich.panel import Panel
from rich.text import Text

from momagen.cli.options import add_json
from momagen.errors import MomagenError, nearest
from momagen.explain.text import SPLITTING
from momagen.formula.breakdown_rules import rules as breakdown_rules
from momagen.rewrite import table as rule_table
from momagen.screen import console
from momagen.screen.tables import ReportTable

TITLES = {
    "moma.toml": "MoMA, Table 1, and related rules",
    "multiply.toml": "Products of double-word numbers",
    "across.toml": "Numbers across lanes",
    "modular.toml": "Arithmetic modulo q",
    "butterfly.toml": "Butterflies",
    "reduction.toml": "Products modulo q, and their constants",
    "sums.toml": "Sums of products, reduced once",
    "slack.toml": "Reduced-radix limbs",
    "real.toml": "Floating-point limbs",
    "word.toml": "Operations on one word that the machine lacks",
    "breakdown.toml": "Factorisation of transforms",
}
CHOICES = {"digits:slack": "limbs are reduced-radix", "digits:real": "limbs are floating-point"}
"""Conditions of rules, in words; others are an option and its value."""
EQUAL = "both sides are the same matrix over Z_q"


@dataclass(frozen=True)
class ListedRule:
    """One rule of either table; ``when`` is its condition, with the option that selects it."""

    id: str
    name: str
    file: str
    left: str
    right: str
    when: str
    why: str
    source: str

    @property
    def label(self) -> str:
        """The rule's number in its paper and its name."""
        return f"({self.id}) {self.name}" if self.id else self.name


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``momagen rules``."""
    parser.set_defaults(run=_run)
    parser.add_argument(
        "show",
        nargs="*",
        metavar="show RULE",
        help="show only these rules, by number or name, with their sources (default: all)",
    )
    add_json(parser)


def rows() -> Iterator[ListedRule]:
    """Yield all rules in the order of the tables; rule (19), which splits numbers, is part of the engine."""
    left, right, why, source = (SPLITTING[key] for key in ("left", "right", "why", "source"))
    yield ListedRule("19", "digits", "", left, right, "", why, source)
    for rule in rule_table():
        when = " and ".join(filter(None, [rule.guard.text, _choice(rule.choice)]))
        yield ListedRule(rule.id, rule.name, rule.file, rule.left, rule.asked, when, rule.why, rule.source)
    for broken in breakdown_rules().values():
        left, right = broken.text
        when = "" if broken.when == "always" else broken.when.replace("_", " ")
        yield ListedRule(broken.id, broken.name, "breakdown.toml", left, right, when, EQUAL, broken.source)


def _choice(choice: str) -> str:
    """Return the option that selects a rule, as part of a condition."""
    return CHOICES.get(choice, choice.replace(":", " is "))


def _run(given: argparse.Namespace) -> int:
    keys = given.show[1:] if given.show[:1] == ["show"] else given.show
    if given.show and not keys:
        raise MomagenError("a rule's number or name", "nothing", "rules show")
    found = [row for key in keys for row in _find(key)] if keys else list(rows())
    if given.json:
        print(json.dumps([vars(row) for row in found], indent=2, ensure_ascii=False))
    else:
        (_details if keys else _tables)(found, console())
    return 0


def _find(key: str) -> list[ListedRule]:
    known = list(rows())
    wanted = key.strip("()")
    found = [row for row in known if wanted and wanted in (row.id, row.name)]
    if not found:
        numbers = ", ".join(dict.fromkeys(row.id for row in known if row.id))
        near = nearest(wanted, [*(row.name for row in known), "show"])
        hint = f"numbers: {numbers}; names: momagen rules"
        raise MomagenError("a rule's number or name", key, "rules show", hint, near)
    return found


def _tables(found: list[ListedRule], screen: Console) -> None:
    for file in dict.fromkeys(row.file or "moma.toml" for row in found):
        title = TITLES.get(file, file)
        table = ReportTable(title=title, title_justify="left", title_style="bold", show_header=False, box=None)
        for style in ("magenta", "", "magenta", ""):
            table.add_column(style=style, overflow="fold")
        for row in (row for row in found if (row.file or "moma.toml") == file):
            left = Text.assemble(row.left, (f"\nwhere {row.when}" if row.when else "", "dim"))
            table.add_row(Text(row.label), left, "→", Text(row.right))
        screen.print(table, "")


def _details(found: list[ListedRule], screen: Console) -> None:
    for row in found:
        text = Text.assemble(row.left, "\n", ("  →\n", "magenta"), row.right, "\n")
        facts = {"where": row.when, "because": row.why, "source": row.source, "file": row.file and f"rules/{row.file}"}
        for name, content in facts.items():
            if content:
                text.append(f"\n{name:<9}", "dim").append(content)
        screen.print(Panel(text, title=f"[bold]{row.label}[/]", title_align="left", border_style="dim"))
