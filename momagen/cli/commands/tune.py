"""``momagen tune``: find the fastest options of a kernel, and store, show, merge or remove them."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

from rich.table import Table
from rich.text import Text

from momagen.cli.make import check_folder
from momagen.cli.options import add_compiler, add_json, group_of, listed, path_of, seconds
from momagen.errors import MomagenError, among
from momagen.kinds.modular.commands import COMMANDS, USAGE
from momagen.kinds.modular.options.declared import OptionFields
from momagen.kinds.modular.spec import Spec
from momagen.kinds.parameter import parameters_of
from momagen.screen import console
from momagen.screen.progress import Phases
from momagen.screen.tables import plain_table
from momagen.tune import Tuned, Wisdom, tune
from momagen.tune.compilers import usual_compiler
from momagen.tune.row import WisdomRow, key_for, key_of
from momagen.tune.space import check_tuned, tuned_kinds
from momagen.tune.wisdom import read, update
from momagen.tune.wish import VARIABLE, default_path

from .kernels import OUTPUT, add_parameters, resolved_by

SECONDS = "60"
NTT = COMMANDS["ntt"]
"""The command whose parameters include those of all kinds that are tuned."""
EPILOG = """\
Tuning keeps the options that the command line sets, and tries values of the others.

examples:
  momagen tune ntt --n 4096 --bits 128 --target native
  momagen tune --show"""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``momagen tune``."""
    parser.set_defaults(run=_run)
    parser.usage = f"momagen tune KIND {USAGE}\n       momagen tune --show | --merge OTHER | --forget [KIND …]"
    parser.epilog = EPILOG
    kind = "kernel to tune, required unless --show, --forget or --merge is given (default: none)"
    parser.add_argument("kind", nargs="*", metavar=listed(tuned_kinds()), help=kind)
    add_parameters(parser, (*NTT.parameters.values(), *parameters_of(OptionFields).values()), NTT.title)
    _add_output(group_of(parser, OUTPUT))


def _add_output(group: argparse._ArgumentGroup) -> None:
    budget = f"time limit of the whole search in seconds, with compilation and verification (default: {SECONDS})"
    group.add_argument("--seconds", default=SECONDS, metavar="S", help=budget)
    where = "wisdom file (default: $MOMAGEN_WISDOM, else momagen/wisdom.json in $XDG_CONFIG_HOME or ~/.config)"
    group.add_argument("--wisdom", type=path_of, metavar="FILE", help=where)
    instead = group.add_mutually_exclusive_group()
    instead.add_argument(
        "--show", action="store_true", help="show the rows of the file, or of one KIND, without tuning"
    )
    instead.add_argument("--forget", action="store_true", help="remove the row of a kernel, or without KIND all rows")
    other = "add the rows of another file; rows of this file win (default: none)"
    instead.add_argument("--merge", type=path_of, metavar="OTHER", help=other)
    add_compiler(group)
    add_json(group)


def _run(given: argparse.Namespace) -> int:
    path = given.wisdom.expanduser() if given.wisdom else default_path()
    kind = _kind(given.kind)
    if given.show:
        known = read(path, needed=bool(given.wisdom or os.environ.get(VARIABLE)))
        return _told(known.without(lambda row: bool(kind) and row.kernel != kind), path, as_json=given.json)
    if given.merge:
        return _merge(path, given.merge, as_json=given.json)
    if given.forget:
        return _forget(path, _specification(given, kind) if kind else None, given)
    if not kind:
        raise among("one of the kernels", tuned_kinds(), "none", "kernel")
    return _tune(path, _specification(given, kind), given)


def _kind(words: list[str]) -> str:
    """Return the kind of the kernel; "blas vmul" is accepted for "vmul"; "" without a kind."""
    words = words[1:] if words[:1] == ["blas"] and len(words) > 1 else words
    if words:
        check_tuned(" ".join(words))
    return words[0] if words else ""


def _specification(given: argparse.Namespace, kind: str) -> Spec:
    found: Spec = resolved_by(given, kind, NTT)
    return found


def _tune(path: Path, spec: Spec, given: argparse.Namespace) -> int:
    check_folder(path.parent, "wisdom")
    with Phases() as phases, phases.of("tune") as progress:
        found = tune(spec, seconds=seconds(given.seconds), compiler=given.compiler, path=path, progress=progress)
    if given.json:
        print(json.dumps(found.to_dict(), indent=2, ensure_ascii=False))
    else:
        _show(found)
    return 0 if found.right else 1


def _show(found: Tuned) -> None:
    facts = Table.grid(padding=(0, 2))
    facts.add_column(style="dim", no_wrap=True)
    facts.add_column(overflow="fold")
    for name, text in found.rows():
        facts.add_row(name, Text(text, "bold cyan" if name in ("found", "gain") else ""))
    tried = plain_table("candidate", "speed-up over the default (p10 … p90)", "note")
    for row in found.raced():
        tried.add_row(*map(Text, row), style="bold red" if row[2].startswith("FAIL") else "" if row[1] else "dim")
    console().print(tried, "", facts)


def _told(known: Wisdom, path: Path, *, as_json: bool) -> int:
    """Print the rows of a wisdom file; return 0."""
    if as_json:
        told = {"file": str(path), "rows": [row.to_dict() for row in known.rows]}
        print(json.dumps(told, indent=2, ensure_ascii=False))
        return 0
    table = plain_table("kernel", "found", "gain", "CPU", "compiler", "momagen", title=str(path))
    for row in known.rows:
        table.add_row(*map(Text, (row.label, row.found, row.gain, row.cpu, row.compiler, row.momagen)))
    console().print(table if known.rows else f"no wisdom in {path}", soft_wrap=not known.rows, markup=False)
    return 0


def _merge(path: Path, other: Path, *, as_json: bool) -> int:
    """Add the rows of ``other`` to ``path``, whose rows win; return 0."""
    shipped = read(other.expanduser(), needed=True)
    check_folder(path.parent, "wisdom")
    return _told(update(path, lambda known: shipped.merged(known.rows)), path, as_json=as_json)


def _forget(path: Path, spec: Spec | None, given: argparse.Namespace) -> int:
    """Remove the row of one kernel, or all rows; return 0."""
    known = read(path, needed=True)
    key = key_of(key_for(spec, usual_compiler(spec, given.compiler))) if spec else None

    def unwanted(row: WisdomRow) -> bool:
        return key is None or row.key == key

    if not any(map(unwanted, known.rows)):
        raise MomagenError("a row for this kernel, CPU and compiler", "none", f"{path}", "momagen tune --show")
    return _told(update(path, lambda known: known.without(unwanted)), path, as_json=given.json)
