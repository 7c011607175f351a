"""Commands that write a library: generate and verify it, write it if all is correct, and report it."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import Protocol, TypeVar

from momagen.clib import Library
from momagen.clib.folder import check
from momagen.notebook import Progress
from momagen.screen import console
from momagen.screen.progress import Phases
from momagen.screen.tables import plain_table
from momagen.signals import noting
from momagen.verify import Report

from .make import check_folder
from .options import add_compiler, add_json, path_of


class Folder(Protocol):
    """A library, or a package that contains one."""

    @property
    def files(self) -> Mapping[str, str]:
        """The texts of all files, by path."""

    def verify(
        self, *, compiler: str | None = None, progress: Progress | None = None, all_sizes: bool = True
    ) -> list[Report]:  # fmt: skip
        """Verify all kernels."""

    def save(self, folder: str | Path) -> list[str]:
        """Write the files to a folder, and return the paths that changed."""


Made = TypeVar("Made", bound=Folder)


def add_output(parser: argparse.ArgumentParser) -> None:
    """Add the option --output."""
    where = "folder for the library: a new or empty one, or one that a library was written to"
    parser.add_argument("--output", required=True, type=path_of, metavar="DIR", help=where)


def add_checks(parser: argparse.ArgumentParser) -> None:
    """Add the options for verification."""
    add_compiler(parser)
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--no-verify", action="store_true", help="skip the verification against gmpy2")
    every = "verify emulated kernels with n=any at every n, which takes minutes, instead of only at n = 16 and 64"
    choice.add_argument("--verify-all", action="store_true", help=every)
    add_json(parser)


def targets_of(given: argparse.Namespace) -> list[str] | None:
    """Return the names in --targets; None without it."""
    return None if given.targets is None else [name for name in given.targets.split(",") if name]


def deliver(
    given: argparse.Namespace, make: Callable[[Progress], Made], library: Callable[[Made], Library], steps: str
) -> int:
    """Generate, verify and write a library, and report it; return the exit code.

    Args:
        given: The parsed arguments.
        make: Generates the library or package.
        library: Returns the library in it.
        steps: Shell commands that build the library, with {source} and {build} for the folders.
    """
    check_folder(given.output)
    check(given.output)
    reports: list[Report] = []
    with noting(lambda: f"nothing was written to {given.output}"), Phases() as phases:
        with phases.of("generate") as progress:
            made = make(progress)
        if not given.no_verify:
            with phases.of("verify") as progress:
                reports = made.verify(compiler=given.compiler, progress=progress, all_sizes=given.verify_all)
    right = all(report.ok for report in reports)
    if right:
        made.save(given.output)
    if given.json:
        data = _data(library(made), made.files, given.output if right else None, reports)
        print(json.dumps(data, indent=2, ensure_ascii=False))
    else:
        _show(library(made), reports)
    if right and not given.json:
        folders = {"source": quote(str(given.output)), "build": quote(_beside(given.output))}
        text = f"\n{len(made.files)} files in {given.output}; next:\n  {steps.format(**folders)}"
        console().print(text, markup=False, soft_wrap=True)
    return 0 if right else 1


def _show(made: Library, reports: Sequence[Report]) -> None:
    screen = console()
    table = plain_table("kernel", "ISA variants", "moduli", "verified")
    verdicts = {report.kernel: report for report in reports}
    for member in made.members:
        names = [variant.name for variant in member.variants]
        own = {
            name: verdicts[source.name]
            for name, source in zip(names, member.sources, strict=True) if source.name in verdicts
        }  # fmt: skip
        table.add_row(member.symbol, ", ".join(names), member.moduli, _verdict(own))
    screen.print(table)
    of_kernels = {source.name for member in made.members for source in member.sources}
    for report in reports:
        if not report.ok:
            screen.print(str(report), style="bold red", markup=False, soft_wrap=True)
        elif report.kernel not in of_kernels:
            screen.print(str(report), markup=False, soft_wrap=True)


def _beside(folder: Path) -> str:
    """Return a folder for the build next to the folder of the library, which may hold no other files."""
    plain = os.path.normpath(folder)
    return f"{plain}/../{folder.resolve().name}-build" if plain.split(os.sep)[-1] in (".", "..") else f"{plain}-build"


def _verdict(reports: Mapping[str, Report]) -> str:
    """Return PASS or FAIL for a kernel, and which of its ISA variants were emulated."""
    if not reports:
        return "–"
    emulated: dict[str, list[str]] = {}
    for name, report in reports.items():
        if report.emulated:
            emulated.setdefault(", ".join(filter(None, ["emulated", report.only])), []).append(name)
    notes = [f"; {', '.join(names)}: {how}" for how, names in emulated.items()]
    return "".join(["PASS" if all(report.ok for report in reports.values()) else "FAIL", *notes])


def _data(made: Library, files: Mapping[str, str], folder: Path | None, reports: Sequence[Report]) -> dict[str, object]:
    kernels = [
        {
            "name": member.name, "symbol": member.symbol, **member.facts(),
            "variants": [variant.name for variant in member.variants],
        }
        for member in made.members
    ]  # fmt: skip
    return {
        "name": made.name, "version": made.version, "variants": [variant.name for variant in made.variants],
        "kernels": kernels, "files": [f"{folder}/{path}" for path in files] if folder else [],
        "verify": [report.to_dict() for report in reports],
    }  # fmt: skip
