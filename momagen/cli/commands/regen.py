"""``momagen regen``: regenerate the kernels in generated/, their certificates and what follows from declarations."""

from __future__ import annotations

import argparse

from momagen.cli.make import check_folder
from momagen.cli.options import path_of
from momagen.regen.checkout import check, write
from momagen.regen.kernels import place
from momagen.screen import console
from momagen.screen.progress import Phases
from momagen.signals import noting


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``momagen regen``."""
    parser.set_defaults(run=_run)
    parser.add_argument(
        "--check",
        action="store_true",
        help="write nothing, and exit with 1 if a file is changed, missing or out of date",
    )
    parser.add_argument(
        "--output", type=path_of, metavar="DIR", help="folder of the kernels (default: generated/ in the checkout)"
    )


def _run(given: argparse.Namespace) -> int:
    folder = place(given.output)
    if not given.check:
        check_folder(folder)
    kept = "nothing was written" if given.check else f"each file in {folder} is complete, but may be out of date"
    with noting(lambda: kept), Phases() as phases, phases.of("regen") as progress:
        faults = check(folder, progress) if given.check else write(folder, progress)
    screen = console()
    for fault in faults:
        screen.print(fault, markup=False, soft_wrap=True)
    if given.check and faults:
        screen.print(
            "to fix this, run `momagen regen`, review the difference and commit it", style="bold", soft_wrap=True
        )
    elif not faults:
        screen.print(f"{folder} is up to date", style="green", soft_wrap=True)
    return int(given.check and bool(faults))
