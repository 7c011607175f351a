"""``momagen targets``: what machines there are, and how each spells its operations."""

from __future__ import annotations

import argparse
import json

from rich.text import Text

from momagen.build import missing_features
from momagen.cli.options import add_json
from momagen.cuda.gpu import why_no_gpu
from momagen.cuda.nvrtc import nvrtc_version
from momagen.ir import OPS
from momagen.languages import B512, CUDA
from momagen.rewrite import COMPOSITES, DEFAULTS
from momagen.rewrite import table as rule_table
from momagen.screen import console
from momagen.screen.tables import ReportTable, plain_table
from momagen.targets import Target, load_target, names


def add(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=_run)
    parser.add_argument("name", nargs="?", metavar="NAME", help="show how this one spells every operation")
    add_json(parser)


def _run(given: argparse.Namespace) -> int:
    found = [load_target(name) for name in ([given.name] if given.name else names())]
    found.sort(key=lambda target: target.purpose != "kernels")
    if given.json:
        print(json.dumps([_data(target) for target in found], indent=2, ensure_ascii=False))
    else:
        console().print(_operations(found[0]) if given.name else _overview(found))
    return 0


def _here(target: Target) -> str:
    """What this machine does with kernels for ``target``: those for GPUs it emulates as PTX where it has none."""
    if target.syntax == B512:
        return "simulates"
    if target.syntax == CUDA:
        return "runs" if not why_no_gpu() else "emulates" if nvrtc_version() else "lacks it"
    if not missing_features(target.features):
        return "runs"
    return "emulates" if target.standins else "lacks it"


def _overview(found: list[Target]) -> ReportTable:
    table = plain_table("target", "what", "words", "lanes", "CPU features", "here", "tested on")
    for target in found:
        needs = ", ".join(target.features) or "–"
        table.add_row(
            target.name, target.title, f"{target.word} bits", str(target.lanes), needs, _here(target), target.tested_on
        )
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
        elif not target.modular and (rules := _rules(target, op)):
            table.add_row(Text(op, "dim"), Text(row.notation, "dim"), Text("by rule " + " or ".join(rules), "magenta"))
    for family in target.permutes.values():
        table.add_row("perm2", Text(f"lanes {family.lanes} of a and b"), Text(family.text))
    return table


def _rules(target: Target, op: str) -> list[str]:
    """The rules that may stand in for ``op``."""
    options = {**DEFAULTS, **target.options}
    return [rule.label for rule in rule_table().of(op) if "w = word" in rule.guard.text and rule.chosen(options)]


def _data(target: Target) -> dict[str, object]:
    return {
        "name": target.name, "title": target.title, "word": target.word, "lanes": target.lanes,
        "features": list(target.features), "flags": list(target.flags), "here": _here(target),
        "tested_on": target.tested_on, "purpose": target.purpose, "operations": sorted(target.ops),
    }  # fmt: skip
