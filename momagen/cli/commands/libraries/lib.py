"""``momagen lib``: generate a C library of several kernels in several ISA variants."""

from __future__ import annotations

import argparse

from momagen.cli.deliver import add_checks, add_output, deliver, targets_of
from momagen.clib import Library, library
from momagen.errors import MomagenError
from momagen.notebook import Progress

WHAT = "kernels KIND:key=value,…, a TOML file that describes them, or both; see below"
EPILOG = """\
KIND is ntt, polymul, basemul, lde, convert, rescale, moddown, keyswitch or an operation of `momagen blas`, such as \
vmul. The keys are the options of the command of that name with _ for -, except --threads, --layout, --target and \
those for output: n=any,max_n=1024 stands for --n any --max-n 1024. The key of --dnum is digits. Only a TOML file can \
contain lists of values, such as several moduli. The keys inverse, negacyclic, positive and scaled need no value. The \
key name sets the name of the kernel. A TOML file has the keys name, version, targets and layout, and one table \
[[kernel]] per kernel, with the key kind.

examples:
  momagen lib ntt:n=4096,bits=128 ntt:n=4096,bits=128,inverse vmul:bits=128 --output mylib
  momagen lib rescale:moduli=4,modulus_bits=50 --output mylib
  momagen lib mylib.toml --output mylib"""
STEPS = "cmake -S {source} -B {build} && cmake --build {build} && ctest --test-dir {build}"


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``momagen lib``."""
    parser.set_defaults(run=_run)
    parser.epilog = EPILOG
    parser.add_argument("what", nargs="+", metavar="WHAT", help=WHAT)
    add_output(parser)
    parser.add_argument(
        "--name",
        metavar="NAME",
        help="prefix of all C functions (default: the name in the file, else that of the folder)",
    )
    machines = "targets to select from at run time: names, native or TOML files (default: those of the file, else all)"
    parser.add_argument("--targets", metavar="T,…", help=machines)
    layout = "array words: u16, u32, u64 (default: that of the file, else chosen by the targets)"
    parser.add_argument("--layout", metavar="WORDS", help=layout)
    parser.add_argument(
        "--library-version", metavar="1.0.0", help="version of the library (default: that of the file, else 1.0.0)"
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
