"""``momagen targets``: list the targets, or show how one of them spells its operations."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict

from rich.text import Text

from momagen.api.lookup.support_table import support_rows
from momagen.api.lookup.target_table import HEADINGS, TargetInfo, info_of, targets
from momagen.cli.options import add_json
from momagen.ir import OPS
from momagen.kinds.registry import kinds
from momagen.languages import MachineModel
from momagen.rewrite import COMPOSITES, DEFAULTS
from momagen.rewrite import table as rule_table
from momagen.screen import console
from momagen.screen.tables import ReportTable, plain_table
from momagen.targets import Target, load_target


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``momagen targets``."""
    parser.set_defaults(run=_run)
    parser.add_argument(
        "name",
        nargs="?",
        metavar="NAME",
        help="target whose operations, and kernels that it lacks, are shown (default: list all targets)",
    )
    add_json(parser)


def _run(given: argparse.Namespace) -> int:
    target = load_target(given.name) if given.name else None
    found = [info_of(target)] if target else list(targets().values())
    if given.json:
        print(json.dumps([asdict(info) for info in found], indent=2, ensure_ascii=False))
    else:
        screen = console()
        screen.print(_operations(target) if target else _overview(found))
        if target and target.cores:
            screen.print("", _cores(target))
        if target:
            screen.print("", _limits(target, given.name))
    return 0


def _overview(found: list[TargetInfo]) -> ReportTable:
    table = plain_table(*HEADINGS)
    for info in found:
        table.add_row(*info.row)
    return table


def _operations(target: Target) -> ReportTable:
    table = plain_table("operation", "meaning", "spelled", title=f"{target.name}: {target.title}")
    for op, row in ((op, row) for op, row in OPS.items() if op not in COMPOSITES or op in target.ops):
        if found := target.instructions.get(op):
            text = f"{found.mnemonic}, proposed: {found.emulation}; proxy: {' '.join(found.proxy.split())}"
            table.add_row(op, Text(row.notation), Text(text, "green"))
        elif op in target.ops:
            spelling = target.ops[op]
            text = " ".join(filter(None, [spelling.temp, *spelling.results]))
            text += (" or in a chain: " if text else "in a chain: ") * bool(spelling.link) + spelling.link
            table.add_row(op, Text(row.notation), Text(text))
        elif target.machine is not MachineModel.MODULAR and (rules := _rules(target, op)):
            table.add_row(Text(op, "dim"), Text(row.notation, "dim"), Text("by rule " + " or ".join(rules), "magenta"))
    for family in target.permutes.values():
        table.add_row("perm2", Text(f"lanes {family.lanes} of a and b"), Text(family.text))
    return table


def _cores(target: Target) -> ReportTable:
    """Return a table of the core families for which a target has tuned values."""
    table = plain_table("target", "keys with tuned values", "CPUs", title=f"{target.name}: core families")
    for name, family in target.cores.items():
        table.add_row(f"{target.name}:{name}", ", ".join(family.values), ", ".join(family.cpus))
    return table


def _limits(target: Target, name: str) -> ReportTable:
    """Return a table of the kinds and the parameters that a target lacks, with the reasons."""
    table = plain_table("kernel", "parameters", "why not", title=f"{target.name}: kernels that are not supported")
    for row in support_rows(kinds(), [name], options=False):
        if not (found := row.answers[name]):
            table.add_row(row.kind, row.label or "any", Text(found.reason))
    return table


def _rules(target: Target, op: str) -> list[str]:
    """Return the rules that replace ``op`` on a target without it."""
    choices = {**DEFAULTS, **target.options}
    return [rule.label for rule in rule_table().of(op) if "w = word" in rule.guard.text and rule.chosen(choices)]
