"""``momagen prove``: prove the public functions of saved kernels from their C source, for every modulus."""

from __future__ import annotations

import argparse
import importlib
import json
from typing import TYPE_CHECKING

from momagen.api import load
from momagen.cli.commands.verify import manifests
from momagen.cli.options import add_json, add_saved
from momagen.errors import build_error
from momagen.screen import console
from momagen.screen.progress import Phases, part_of

if TYPE_CHECKING:
    from momagen.prove.result import Result

EPILOG = """\
A proof holds for every modulus of the claim and every number of elements or transforms up to 2^50. It covers the \
source as gcc, clang and other compilers with 128-bit integers see it, but not the compiler, the CPU, threads or time. \
Only element-wise kernels and transforms can be proven. docs/concepts/soundness.md lists them, and says what \
is trusted. The exit code is 1 if a kernel is not proven. The command needs python3 -m pip install 'momagen[prove]'."""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``momagen prove``."""
    parser.set_defaults(run=_run)
    parser.epilog = EPILOG
    add_saved(parser, "+")
    add_json(parser)


def _run(given: argparse.Namespace) -> int:
    for package in ("pcpp", "pycparser"):
        if importlib.util.find_spec(package) is None:
            remedy = "install it (python3 -m pip install 'momagen[prove]')"
            raise build_error(f"a proof needs {package}, which is not installed", "prove", remedy)
    prove = importlib.import_module("momagen.prove.kernels").prove
    found = [path for given_path in given.paths for path in manifests(given_path, "prove")]
    for path in found:
        load(path)  # raises if the manifest or the source cannot be read
    results: list[Result] = []
    with Phases() as phases, phases.of("prove") as progress:
        for at, path in enumerate(found):
            results.append(prove(path.with_suffix(".c"), part_of(progress, at, len(found))))
    if given.json:
        print(json.dumps([result.to_dict() for result in results], indent=2, ensure_ascii=False))
    else:
        _show(results)
    return int(not all(result.is_proven for result in results))


def _show(results: list[Result]) -> None:
    screen = console()
    for result in results:
        style = "" if result.is_proven else "bold red"
        screen.print(result.text(), style=style, markup=False, soft_wrap=True)
    proven = sum(result.is_proven for result in results)
    style = "bold green" if proven == len(results) else "bold red"
    screen.print(f"kernels: {proven} proven, {len(results) - proven} not proven", style=style)
