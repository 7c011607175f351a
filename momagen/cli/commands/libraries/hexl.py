"""``momagen hexl``: generate a drop-in replacement for Intel HEXL as a CMake project."""

from __future__ import annotations

import argparse

from momagen.cli.deliver import add_checks, add_output, deliver, targets_of
from momagen.hexl import HexlPackage, package
from momagen.hexl.package import DEFAULT
from momagen.notebook import Progress

STEPS = "cmake -S {source} -B {build} && cmake --build {build} -j && cmake --install {build} --prefix PREFIX"


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``momagen hexl``."""
    parser.set_defaults(run=_run)
    add_output(parser)
    machines = "targets to select from at run time: names, native or TOML files (default: c,avx2,avx512,avx512ifma)"
    parser.add_argument("--targets", metavar="T,…", help=machines)
    longest = "points of the longest transform, a power of two up to 2^20 (default: 2^17)"
    parser.add_argument("--max-n", metavar="N", default=DEFAULT, help=longest)
    add_checks(parser)


def _run(given: argparse.Namespace) -> int:
    return deliver(given, lambda progress: _made(given, progress), lambda made: made.library, STEPS)


def _made(given: argparse.Namespace, progress: Progress) -> HexlPackage:
    return package(targets_of(given), max_n=given.max_n, progress=progress)
