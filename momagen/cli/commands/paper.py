"""``momagen paper``: the tables and figures of a paper beside our measurements."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from momagen.cli.options import add_json, path_of
from momagen.errors import build_error
from momagen.papers import picture, report
from momagen.papers.exhibit import Exhibit, Paper
from momagen.papers.papers import NAMES, load_paper
from momagen.plots import renderer
from momagen.screen.progress import Phases, part_of

from .isa.telling import told

EPILOG = """\

Without --measure, the measured numbers are stored results, which name their machine and date. The pages \
docs/papers/*.md say what differs from each paper and why.

examples:
  momagen paper moma
  momagen paper moma figure-3a --output figures --plot svg"""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``momagen paper``."""
    parser.set_defaults(run=_run)
    parser.epilog = EPILOG
    parser.add_argument("paper", metavar="PAPER", help=f"paper: {', '.join(NAMES)}")
    parser.add_argument("exhibits", metavar="EXHIBIT", nargs="*", help="tables and figures (default: all)")
    parser.add_argument("--list", action="store_true", help="list the tables and figures instead")
    parser.add_argument("--measure", action="store_true", help="measure again on this machine, where it can")
    add_json(parser)
    parser.add_argument("--output", metavar="DIR", type=path_of, help="folder for tables and JSON (default: none)")
    plot_help = "also draw figures in --output; needs matplotlib (default: none)"
    parser.add_argument("--plot", metavar="png|svg", help=plot_help)


def _run(given: argparse.Namespace) -> int:
    paper = load_paper(given.paper)
    renderer.check(given.plot)
    if given.plot and not given.output:
        raise build_error("--plot needs a folder for its files", "--plot", "add --output DIR")
    chosen = paper.chosen(given.exhibits)
    if given.list:
        for each in chosen:
            print(f"{each.name:<14} {each.where}: {each.title}")
        return 0
    if given.measure:
        chosen = _measured(paper, chosen)
    told(paper.name, [*report.shown(chosen)], {**paper.about, "exhibits": report.data(chosen)}, given)
    if given.plot:
        picture.draw_all(chosen, given.output, given.plot)
    return 0


def _measured(paper: Paper, chosen: Sequence[Exhibit]) -> list[Exhibit]:
    """Return the exhibits with new measurements.

    Raises:
        MomagenError: None of the exhibits can be measured by this command.
    """
    todo = [each.name for each in chosen if each.name in paper.measure]
    if not todo:
        remedy = f"choose among {', '.join(paper.measure)}" if paper.measure else "leave out --measure"
        raise build_error(f"no chosen table or figure of {paper.name} can be measured", "--measure", remedy)
    with Phases() as phases, phases.of("measure") as progress:
        parts = {name: part_of(progress, at, len(todo)) for at, name in enumerate(todo)}
        found = [row for name in todo for row in paper.measure[name](parts[name])]
    return [each.with_measured([row for row in found if row.exhibit == each.name]) for each in chosen]
