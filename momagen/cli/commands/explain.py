"""``momagen explain``: one operation or element, step by step, or a transform's plan, in the terminal or as a page."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, get_args

from momagen import files
from momagen.api.numbers import integer
from momagen.api.request import specify
from momagen.build.native import NATIVE, candidates
from momagen.cli.choices import add_choice, listed
from momagen.cli.make import check_folder
from momagen.cli.options import add_json, add_layout, add_levels, add_target, name_of
from momagen.errors import MomagenError, among, reason
from momagen.explain import ELEMENTS, OPEN, OPERATIONS, Explanation, element, operation
from momagen.explain.explained_transform import explained
from momagen.explain.operations import PRODUCTS
from momagen.explain.plan_page import plan_page
from momagen.explain.text import rendered
from momagen.kernels.residues.arith import SCHEMES, SPECIAL, WIDE
from momagen.kernels.spec.typed import MATRICES, AnyOptions, Order, TransformOptions
from momagen.screen import console
from momagen.screen.progress import Phases

REDUCTIONS = tuple(dict.fromkeys((*PRODUCTS, *SCHEMES, WIDE, SPECIAL)))
"""Of a product, or of a butterfly."""
TRANSFORM = "ntt"
"""The kernel whose plan is shown."""
KNOWN = (*OPERATIONS, *ELEMENTS, TRANSFORM)
"""All that can be explained."""
SHAPE = {"inverse": "from values to coefficients", "negacyclic": "modulo x^n + 1 instead of x^n - 1"}
CHOSEN = ("algorithm", "radix", "digits", *MATRICES)
"""How it is made."""
OF_TRANSFORM = ("n", "depth", "preset", "columns", *SHAPE, "order", *CHOSEN, "layout")
"""Options that only the transform has."""
POINTS, WIDTH = "4096", "128"
LINES = 40
"""Lines of one step, or codelet, that the terminal shows unless all are asked for."""


def add(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=_run)
    what = "on any numbers, or modulo q; one element of a BLAS kernel; or the plan of a transform"
    parser.add_argument("operation", metavar=listed(KNOWN), help=what)
    shape = parser.add_argument_group("Transform", f"only for {TRANSFORM}")
    shape.add_argument("--n", metavar="N", help=f"points, a power of two (default: {POINTS})")
    add_levels(shape)
    columns = "of a matrix of n rows, each of which is transformed (default: 1)"
    shape.add_argument("--columns", metavar="M", help=columns)
    for name, text in SHAPE.items():
        shape.add_argument(f"--{name}", action="store_true", help=text)
    shape.add_argument("--order", metavar=listed(get_args(Order)), help="of the values (default: bitrev)")
    for option in CHOSEN:
        add_choice(shape, option, TransformOptions)
    add_layout(shape)
    container = f"of the numbers; of {TRANSFORM} and modular operations those of the container (default: {WIDTH})"
    parser.add_argument("--bits", metavar="B", help=container)
    length = "of the modulus (default: 4 fewer than the container has)"
    parser.add_argument("--modulus-bits", metavar="B", help=length)
    known = "one that is known, as where it is baked in: of butterflies, BLAS kernels and ntt"
    parser.add_argument("--modulus", metavar="Q", help=known)
    add_target(parser)
    for option in ("multiply", "compare", "quotients"):
        add_choice(parser, option, AnyOptions)
    add_choice(parser, "reduction", AnyOptions, REDUCTIONS)
    whole = f"every line of every step or codelet, not only the first {LINES}"
    parser.add_argument("--all", action="store_true", help=whole)
    parser.add_argument(
        "--html", nargs="?", const=True, metavar="FILE", type=name_of,
        help="write a page instead (default: named after it)",
    )  # fmt: skip
    add_json(parser)


def _run(given: argparse.Namespace) -> int:
    _check(given)
    runs = {TRANSFORM: _transform, **dict.fromkeys(ELEMENTS, _element)}
    return runs.get(given.operation, _operation)(given)


def _check(given: argparse.Namespace) -> None:
    """Refuse an operation that there is not, and options that it has not."""
    if given.operation not in KNOWN:
        raise among("an operation among", KNOWN, given.operation, "operation")
    for name in OF_TRANSFORM:
        if given.operation != TRANSFORM and getattr(given, name) not in (None, False):
            raise MomagenError(f"{TRANSFORM} with it", given.operation, f"--{name}")


def _operation(given: argparse.Namespace) -> int:
    options = {name: getattr(given, name) for name in ("multiply", "compare", *OPEN) if getattr(given, name)}
    bits = integer(WIDTH if given.bits is None else given.bits, "bits")
    modulus_bits = None if given.modulus_bits is None else integer(given.modulus_bits, "modulus_bits")
    target = candidates()[0] if given.target == NATIVE else given.target
    with Phases() as phases, phases.of("rewrite"):
        told = operation(given.operation, bits, target, options, modulus_bits, _known_modulus(given))
    return _show(told, given)


def _element(given: argparse.Namespace) -> int:
    """One element of a BLAS kernel."""
    chosen, size = _chosen(given, ("multiply", "compare", "reduction")), _size(given)
    spec = specify(given.operation, target=given.target, options=chosen, **size)
    with Phases() as phases, phases.of("rewrite"):
        told = element(spec)
    return _show(told, given)


def _show(told: Explanation, given: argparse.Namespace) -> int:
    if given.html is not None:
        named = f"explain-{told.op}-{told.bits}-{told.target.name}.html" if given.html is True else given.html
        _write(told.html(), Path(named), given.json)
    elif given.json:
        print(json.dumps(_data(told), indent=2, ensure_ascii=False))
    else:
        console().print(rendered(told, 0 if given.all else LINES), soft_wrap=True)
    return 0


def _known_modulus(given: argparse.Namespace) -> int:
    """The modulus that is asked for; 0 for any.

    Raises:
        MomagenError: it is no number, or there is a width beside it.
    """
    if given.modulus is None:
        return 0
    if given.modulus_bits or given.bits:
        raise MomagenError("a modulus or its width", "both", "modulus")
    return integer(given.modulus, "modulus")


def _chosen(given: argparse.Namespace, names: Iterable[str]) -> dict[str, object]:
    """The options that are asked for; a modulus that is known is baked in."""
    known = {"bake": "yes"} if given.modulus is not None else {}
    return {**{name: getattr(given, name) for name in names}, **known}


def _size(given: argparse.Namespace) -> dict[str, Any]:
    """What says which modulus, or how wide it is."""
    if modulus := _known_modulus(given):
        return {"modulus": modulus}
    size = {name: getattr(given, name) for name in ("bits", "modulus_bits") if getattr(given, name) is not None}
    return size or ({} if given.preset else {"bits": WIDTH})


def _transform(given: argparse.Namespace) -> int:
    names = (*CHOSEN, "quotients", "reduction", "multiply", "compare")
    chosen, size = _chosen(given, names), _size(given)
    shape = {name: getattr(given, name) for name in SHAPE} | {"order": given.order or "bitrev"}
    shape |= {"columns": given.columns or 1, "depth": given.depth, "preset": given.preset}
    points = None if given.preset else POINTS
    spec = specify(
        TRANSFORM, n=points if given.n is None else given.n, target=given.target, options=chosen,
        layout=given.layout, **size, **shape,
    )  # fmt: skip
    with Phases() as phases, phases.of("rewrite"):
        told = explained(spec)
    if given.html is not None:
        named = f"plan-{spec.name}.html" if given.html is True else given.html
        _write(plan_page(told), Path(named), given.json)
    else:
        text = json.dumps(told.to_dict(), indent=2, ensure_ascii=False) if given.json else ""
        print(text or told.text(0 if given.all else LINES))
    return 0


def _write(page: str, path: Path, as_json: bool) -> None:
    check_folder(path.parent, "html")
    if path.is_dir():
        raise MomagenError("a file that can be written", path, "html", "it is a folder")
    try:
        files.write(path, page)
    except OSError as error:
        raise MomagenError("a file that can be written", path, "html", reason(error)) from None
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
