"""``momagen prove``: prove the public functions of saved kernels from their C source, for every modulus."""

from __future__ import annotations

import argparse
import importlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from momagen.api import load
from momagen.cli.commands.verify import manifests
from momagen.cli.make import check_folder
from momagen.cli.options import add_compiler, add_json, add_saved, path_of
from momagen.errors import MomagenError
from momagen.prove.installed import DISASSEMBLER, prove_saved, require_parsers
from momagen.prove.machine.build import Build
from momagen.runtime import compile_shared, find_compiler
from momagen.screen import console
from momagen.screen.progress import Phases, part_of

if TYPE_CHECKING:
    from momagen.prove.result import Result

LEVELS = ("O3", "O2", "O1", "Os")
EPILOG = """\
A proof holds for every modulus of the claim and every number of elements or transforms up to 2^50. It covers the \
source as gcc, clang and other compilers with 128-bit integers see it, but not the compiler, the CPU, threads or time. \
Only element-wise kernels, transforms, basemul and B512 programs can be proven. docs/concepts/soundness.md lists them, \
and says what is trusted. The exit code is 1 if a kernel is not proven. The command needs \
python3 -m pip install 'momagen[prove]'."""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``momagen prove``."""
    parser.set_defaults(run=_run)
    parser.epilog = EPILOG
    add_saved(parser, "+")
    either = parser.add_mutually_exclusive_group()
    saves = "save a certificate NAME.proof.json.gz of each proven kernel in this folder (default: save none)"
    either.add_argument("--output", type=path_of, metavar="DIR", help=saves)
    checks = "check the steps of this certificate, or of those in this folder, instead of a search (default: search)"
    either.add_argument("--check", type=path_of, metavar="CERTIFICATE", help=checks)
    machine = parser.add_argument_group("machine code")
    proves = "compile the kernels, and prove the machine code of execute, too (default: prove the C source only)"
    machine.add_argument("--machine", action="store_true", help=proves)
    machine.add_argument("--level", choices=LEVELS, help="optimisation level of --machine (default: O3)")
    add_compiler(machine)
    add_json(parser)


def _run(given: argparse.Namespace) -> int:
    require_parsers("prove", *([DISASSEMBLER] if given.machine else []))
    if not given.machine and (given.level or given.compiler):
        raise MomagenError("--machine with --level and --compiler", given.level or given.compiler, "prove")
    found = [path for given_path in given.paths for path in manifests(given_path, "prove")]
    for path in found:
        load(path)  # raises if the manifest or the source cannot be read
    if given.output is not None:
        check_folder(given.output)
    attempt = _attempt(given, found)
    results: list[Result] = []
    with Phases() as phases, phases.of("prove") as progress:
        for at, path in enumerate(found):
            build = _build(path, given) if given.machine else None
            results.append(attempt(path.with_suffix(".c"), part_of(progress, at, len(found)), build))
    if given.json:
        print(json.dumps([result.to_dict() for result in results], indent=2, ensure_ascii=False))
    else:
        _show(results)
    return int(not all(result.is_proven for result in results))


def _attempt(given: argparse.Namespace, found: list[Path]) -> Any:
    """Return the function that proves a kernel: by a search, or by its certificate."""
    if given.check is None:
        return lambda path, progress, build: prove_saved(path, given.output, progress, build)
    kernels = importlib.import_module("momagen.prove.kernels")
    read = importlib.import_module("momagen.prove.certificates.certificate")
    is_folder = given.check.is_dir()
    if not is_folder and len(found) > 1:
        expected = f"a folder with a certificate of each of the {len(found)} kernels"
        raise MomagenError(expected, given.check, "check")
    certificates = {
        path.stem: read.load(read.place_of(given.check, path.stem) if is_folder else given.check) for path in found
    }
    return lambda path, progress, build: kernels.check(path, certificates[path.stem], progress, build)


def _build(path: Path, given: argparse.Namespace) -> Build:
    """Compile a saved kernel, and return what the compiler made."""
    source = path.with_suffix(".c")
    if not source.is_file():
        raise MomagenError("a kernel in C with --machine", path, "prove")
    kernel, compiler = load(path), find_compiler(given.compiler)
    flags = ["-std=c99", *kernel.spec.target.flags, *([f"-{given.level}"] if given.level else [])]
    header = path.with_suffix(".h")
    made = compile_shared(
        source.read_text(encoding="utf-8"),
        name=path.stem,
        flags=flags,
        includes={header.name: header.read_text(encoding="utf-8")},
        compiler=compiler,
    )
    flags = [f"-{given.level or LEVELS[0]}", "-fPIC", *flags[: len(flags) - bool(given.level)]]
    return Build(made, str(compiler), compiler.kind != "gcc", tuple(flags))


def _show(results: list[Result]) -> None:
    screen = console()
    for result in results:
        style = "" if result.is_proven else "bold red"
        screen.print(result.text(), style=style, markup=False, soft_wrap=True)
    proven = sum(result.is_proven for result in results)
    style = "bold green" if proven == len(results) else "bold red"
    screen.print(f"kernels: {proven} proven, {len(results) - proven} not proven", style=style)
