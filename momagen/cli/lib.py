"""``momagen lib``: several kernels in several ISA variants as one C library, checked and written."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from shlex import quote

from rich.table import Table

from momagen.clib import Library, library
from momagen.clib.folder import check
from momagen.errors import MomagenError
from momagen.screen import console
from momagen.verify import Report

from .make import check_folder
from .options import add_compiler, add_json, path_of
from .progress import Phases

WHAT = """a TOML file (name, version, targets, a table [[kernel]] each), and kernels KIND:key=value,… with the keys n
(or any), max_n, bits, modulus, root, inverse, negacyclic, order, name, and the kind's options:
ntt:n=4096,bits=128,inverse"""


def add(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=_run)
    parser.add_argument("what", nargs="+", metavar="WHAT", help=WHAT)
    where = "a folder: new, empty or a library's"
    parser.add_argument("--output", required=True, type=path_of, metavar="DIR", help=where)
    parser.add_argument("--name", metavar="NAME", help="prefix of all functions (default: the file's, the folder's)")
    machines = "names, native or TOML files (default: the file's, else all that fit)"
    parser.add_argument("--targets", metavar="T,…", help=machines)
    parser.add_argument("--release", metavar="1.0.0", help="the library's version (default: the file's, else 1.0.0)")
    add_compiler(parser)
    parser.add_argument("--no-verify", action="store_true", help="do not compare with gmpy2")
    add_json(parser)


def _run(given: argparse.Namespace) -> int:
    check_folder(given.output)
    check(given.output)
    reports: list[Report] = []
    with Phases(lines=True) as phases:
        with phases.of("generate") as progress:
            made = _made(given, progress)
        if not given.no_verify:
            with phases.of("verify") as progress:
                reports = made.verify(compiler=given.compiler, progress=progress)
    right = all(report.ok for report in reports)
    if right:
        made.save(given.output)
    if given.json:
        print(json.dumps(_data(made, given.output if right else None, reports), indent=2, ensure_ascii=False))
    else:
        _show(made, given.output, reports)
    return 0 if right else 1


def _made(given: argparse.Namespace, progress: Callable[[float, str], None]) -> Library:
    files = [text for text in given.what if text.endswith(".toml")]
    if len(files) > 1:
        raise MomagenError("at most one TOML file", ", ".join(files), "lib")
    targets = None if given.targets is None else [name for name in given.targets.split(",") if name]
    kernels = [text for text in given.what if text not in files]
    source, name = (files[0], given.name) if files else (given.name or given.output.absolute().name, None)
    return library(source, kernels, targets=targets, version=given.release, name=name, progress=progress)


def _show(made: Library, folder: Path, reports: Sequence[Report]) -> None:
    screen = console()
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("kernel", "ISA variants", "moduli", "verified"):
        table.add_column(heading, overflow="fold")
    verdicts = {report.kernel: report for report in reports}
    for member in made.members:
        own = [verdicts[source.name] for source in member.sources if source.name in verdicts]
        variants = ", ".join(variant.name for variant in member.variants)
        table.add_row(member.symbol, variants, member.moduli, _verdict(own))
    screen.print(table)
    for report in reports:
        if not report.ok:
            screen.print(str(report), style="bold red", markup=False, soft_wrap=True)
    if all(report.ok for report in reports):
        source, build = quote(str(folder)), quote(_beside(folder))
        steps = f"cmake -S {source} -B {build} && cmake --build {build} && ctest --test-dir {build}"
        screen.print(f"\n{len(made.files)} files in {folder}; next:\n  {steps}", markup=False, soft_wrap=True)


def _beside(folder: Path) -> str:
    """A folder for the build, next to the library's: that may hold nothing else."""
    plain = os.path.normpath(folder)
    return f"{plain}/../{folder.resolve().name}-build" if plain.split(os.sep)[-1] in (".", "..") else f"{plain}-build"


def _verdict(reports: Sequence[Report]) -> str:
    if not reports:
        return "–"
    emulated = sum(bool(report.emulated) for report in reports)
    note = f", {emulated} emulated" if emulated else ""
    return ("PASS" if all(report.ok for report in reports) else "FAIL") + note


def _data(made: Library, folder: Path | None, reports: Sequence[Report]) -> dict[str, object]:
    kernels = [
        {
            "name": member.name, "symbol": member.symbol, "kind": member.spec.kind, "n": member.spec.n,
            "modulus": hex(member.spec.modulus), "root": hex(member.spec.root), "words": member.spec.arith.words,
            "variants": [variant.name for variant in member.variants],
        }
        for member in made.members
    ]  # fmt: skip
    return {
        "name": made.name, "version": made.version, "variants": [variant.name for variant in made.variants],
        "kernels": kernels, "files": [f"{folder}/{path}" for path in made.files] if folder else [],
        "verify": [report.to_dict() for report in reports],
    }  # fmt: skip
