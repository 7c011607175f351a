"""``momagen lib``: several kernels in several ISA variants as one C library, checked and written."""

from __future__ import annotations

import argparse

from momagen.cli.deliver import add_checks, add_output, deliver, targets_of
from momagen.clib import Library, library
from momagen.errors import MomagenError
from momagen.notebook import Progress

WHAT = """a TOML file (name, version, targets, layout, a table [[kernel]] each), and kernels KIND:key=value,… with the
keys n (or any), max_n, bits, modulus, root, inverse, negacyclic, order, name, and the kind's options:
ntt:n=4096,bits=128,inverse; kinds on the rows of an RNS basis (convert, rescale, moddown, keyswitch) have the keys of
their commands: rescale:moduli=4,modulus_bits=50"""
STEPS = "cmake -S {source} -B {build} && cmake --build {build} && ctest --test-dir {build}"


def add(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=_run)
    parser.add_argument("what", nargs="+", metavar="WHAT", help=WHAT)
    add_output(parser)
    parser.add_argument("--name", metavar="NAME", help="prefix of all functions (default: the file's, the folder's)")
    machines = "names, native or TOML files (default: the file's, else all that fit)"
    parser.add_argument("--targets", metavar="T,…", help=machines)
    layout = "words of vectors, where a residue is one: u16, u32, u64 (default: the file's, else the targets')"
    parser.add_argument("--layout", metavar="WORDS", help=layout)
    parser.add_argument(
        "--library-version", metavar="1.0.0", help="the library's version (default: the file's, else 1.0.0)"
    )
    add_checks(parser)


def _run(given: argparse.Namespace) -> int:
    return deliver(given, lambda progress: _made(given, progress), lambda made: made, STEPS)


def _made(given: argparse.Namespace, progress: Progress) -> Library:
    files = [text for text in given.what if text.endswith(".toml")]
    if len(files) > 1:
        raise MomagenError("at most one TOML file", ", ".join(files), "lib")
    kernels = [text for text in given.what if text not in files]
    source, name = (files[0], given.name) if files else (given.name or given.output.absolute().name, None)
    return library(
        source, kernels, targets=targets_of(given), version=given.library_version, name=name, progress=progress,
        layout=given.layout,
    )  # fmt: skip
