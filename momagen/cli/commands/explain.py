"""``momagen explain``: show an operation step by step, or the plan of a transform, as text, JSON or HTML."""

from __future__ import annotations

import argparse
import inspect
import json
from pathlib import Path

from momagen import files
from momagen.api.lookup.explaining import CHOSEN, EXPLAINED, POINTS, TRANSFORM, WIDTH, explain
from momagen.cli.make import check_folder
from momagen.cli.options import add_json, listed, name_of
from momagen.errors import MomagenError, build_error, reason
from momagen.explain import Explanation
from momagen.explain.explained_transform import ExplainedTransform, schedule_for
from momagen.explain.operations import PRODUCTS
from momagen.explain.text import rendered
from momagen.kernels.residues.arith import SPECIAL, WIDE
from momagen.kernels.residues.reductions import SCHEMES
from momagen.kinds.modular.commands import COMMANDS
from momagen.kinds.modular.options.declared import OptionFields
from momagen.kinds.parameter import parameters_of
from momagen.screen import console
from momagen.screen.progress import Phases

from .kernels import add_parameter

REDUCTIONS = tuple(dict.fromkeys((*PRODUCTS, *SCHEMES, WIDE, SPECIAL)))
"""The reductions of a product or of a butterfly."""
DECLARED = ("depth", "preset", "columns", "inverse", "negacyclic", "order", "layout")
"""The parameters of a transform that the command takes as ``momagen ntt`` does."""
EPILOG = """\
operations:
  add, addc                  a + b, without and with an incoming carry
  sub, subb                  a - b, without and with an incoming borrow
  mul, mullo, mulhi          a·b: all bits, the low half, the high half
  lt, le, eq                 comparisons a < b, a ≤ b, a = b
  select                     a or b, depending on a flag
  addmod, submod, mulmod     sum, difference, product modulo q
  barrett, montgomery, shoup product modulo q by this method of reduction
  ct, butterfly              Cooley–Tukey butterfly of a transform
  gs                         Gentleman–Sande butterfly of an inverse transform
  vadd … frommont            one element of this kernel of `momagen blas`
  ntt                        plan and codelets of a transform

examples:
  momagen explain mulmod --bits 128
  momagen explain butterfly --modulus-bits 60 --target avx2
  momagen explain ntt --n 4096 --bits 128 --target avx512 --html"""
ARGUMENTS = frozenset(inspect.signature(explain).parameters) - {"operation"}
"""The arguments that the command line passes to :func:`momagen.explain`."""
LINES = 40
"""The number of lines of a step or codelet that are printed without --all."""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``momagen explain``."""
    parser.set_defaults(run=_run)
    parser.usage = "momagen explain OPERATION [--bits B | --modulus-bits B | --modulus Q] [--target NAME] [options]"
    what = f"operation on numbers, such as mul, or modulo q, such as mulmod; element-wise kernel; or {TRANSFORM}"
    parser.add_argument("operation", metavar=listed(EXPLAINED), help=what)
    shape = parser.add_argument_group("Transform", f"Options of {TRANSFORM} only.")
    shape.add_argument("--n", metavar="N", help=f"number of points, a power of two (default: {POINTS})")
    known = {**COMMANDS[TRANSFORM].parameters, **COMMANDS[TRANSFORM].options}
    for name in (*DECLARED, *CHOSEN):
        add_parameter(shape, known[name])
    container = f"width of the numbers, or of the container of a residue, in bits (default: {WIDTH})"
    parser.add_argument("--bits", metavar="B", help=container)
    length = "width of the modulus in bits (default: 4 less than the container)"
    parser.add_argument("--modulus-bits", metavar="B", help=length)
    baked = "baked-in modulus, for butterflies, element-wise kernels and ntt (default: none)"
    parser.add_argument("--modulus", metavar="Q", help=baked)
    add_parameter(parser, known["target"])
    for option in ("multiply", "compare", "quotients"):
        add_parameter(parser, known[option])
    add_parameter(parser, parameters_of(OptionFields)["reduction"].restated(choices=REDUCTIONS))
    whole = f"print all lines of each step or codelet instead of the first {LINES}"
    parser.add_argument("--all", action="store_true", help=whole)
    page = "write an HTML page to FILE, or without FILE to a file named after the operation (default: print text)"
    parser.add_argument("--html", nargs="?", const=True, metavar="FILE", type=name_of, help=page)
    parser.epilog = EPILOG
    schedule = f"print the schedule of the {TRANSFORM} as JSON, which `momagen {TRANSFORM} --schedule` accepts"
    parser.add_argument("--schedule", dest="as_schedule", action="store_true", help=schedule)
    picture = f"write a picture of the schedule of the {TRANSFORM} to FILE as SVG (default: schedule-NAME.svg)"
    parser.add_argument("--picture", nargs="?", const=True, metavar="FILE", type=name_of, help=picture)
    add_json(parser)


def _run(given: argparse.Namespace) -> int:
    words = {name: value for name, value in vars(given).items() if name in ARGUMENTS and value is not None}
    for option, value in (("schedule", given.as_schedule), ("picture", given.picture)):
        if value and given.operation != TRANSFORM:
            raise build_error(f"`--{option}` applies only to {TRANSFORM}", "operation", f"omit `--{option}`")
    with Phases() as phases, phases.of("rewrite"):
        told = explain(given.operation, **words)
    return _show_transform(told, given) if isinstance(told, ExplainedTransform) else _show(told, given)


def _show(told: Explanation, given: argparse.Namespace) -> int:
    if given.html is not None:
        named = f"explain-{told.op}-{told.bits}-{told.target.name}.html" if given.html is True else given.html
        _write(told.html(), Path(named), given.json)
    elif given.json:
        print(json.dumps(_data(told), indent=2, ensure_ascii=False))
    else:
        console().print(rendered(told, 0 if given.all else LINES), soft_wrap=True)
    return 0


def _show_transform(told: ExplainedTransform, given: argparse.Namespace) -> int:
    if given.as_schedule:
        print(schedule_for(told.spec), end="")
    elif given.picture is not None:
        named = f"schedule-{told.spec.name}.svg" if given.picture is True else given.picture
        _write(schedule_for(told.spec).picture(), Path(named), given.json, "picture")
    elif given.html is not None:
        named = f"plan-{told.spec.name}.html" if given.html is True else given.html
        _write(told.html(), Path(named), given.json)
    else:
        text = json.dumps(told.to_dict(), indent=2, ensure_ascii=False) if given.json else ""
        print(text or told.text(0 if given.all else LINES))
    return 0


def _write(page: str, path: Path, as_json: bool, option: str = "html") -> None:
    check_folder(path.parent, option)
    if path.is_dir():
        raise MomagenError("a writable file", path, option, "it is a folder")
    try:
        files.write(path, page)
    except OSError as error:
        raise MomagenError("a writable file", path, option, reason(error)) from None
    print(json.dumps({"file": str(path)}) if as_json else path)


def _data(told: Explanation) -> dict[str, object]:
    return {
        "operation": told.op, "bits": told.bits, "widths": told.widths, "form": told.form, "by_form": told.by_form,
        "aside": told.aside,
        "target": told.target.name, "options": dict(told.options),
        "steps": [
            {
                "title": step.title, "digit_bits": step.level,
                "rules_applied": {rule.label: count for rule, count in step.rules_applied},
                "lines": [{"text": str(x), "rule": x.rule.label if x.fresh and x.rule else None} for x in step.lines],
            }
            for step in told.steps
        ],
        "rules_applied": {rule.label: count for rule, count in told.rules_applied}, "operations": dict(told.operations),
        "code": [line.text for line in told.code],
    }  # fmt: skip
