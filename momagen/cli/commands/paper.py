"""``momagen paper``: the tables and figures of a paper beside our measurements."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from momagen import files
from momagen.cli.options import add_json, path_of
from momagen.errors import build_error
from momagen.papers import measuring, picture, report
from momagen.papers.exhibit import Exhibit, Paper
from momagen.papers.papers import NAMES, load_paper
from momagen.papers.series import ResultSeries
from momagen.screen.progress import Phases

from .isa.options import check_output
from .isa.telling import told

EPILOG = """\

Without --measure, the measured numbers are stored results, which name their machine and date. The pages \
docs/papers/*.md say what differs from each paper and why.

examples:
  momagen paper moma
  momagen paper moma figure-3a --output figures --plot svg
  momagen paper moma figure-2 --measure --output figures"""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``momagen paper``."""
    parser.set_defaults(run=_run)
    parser.usage = "momagen paper PAPER [EXHIBIT …] [options]"
    parser.epilog = EPILOG
    parser.add_argument("paper", metavar="PAPER", help=f"paper: {', '.join(NAMES)}")
    exhibits_help = "tables and figures (default: all)"
    parser.add_argument("exhibits", metavar="EXHIBIT", nargs="*", default=[], help=exhibits_help)
    parser.add_argument("--list", action="store_true", help="list the tables and figures instead")
    parser.add_argument("--measure", action="store_true", help="measure again on this machine, where it can")
    results_help = "file of further results, such as those of the paper's script in scripts/ (default: none)"
    parser.add_argument("--results", metavar="FILE", type=path_of, help=results_help)
    add_json(parser)
    parser.add_argument("--output", metavar="DIR", type=path_of, help="folder for tables and JSON (default: none)")
    plot_help = "also draw figures, and ratios for tables, in --output; needs matplotlib (default: none)"
    parser.add_argument("--plot", metavar="png|svg", help=plot_help)


def _run(given: argparse.Namespace) -> int:
    paper = load_paper(given.paper)
    check_output(given)
    chosen = paper.chosen(given.exhibits)
    if given.list:
        width = max(len(each.name) for each in chosen)
        for each in chosen:
            print(f"{each.name:<{width}} {each.where}: {each.title}")
        return 0
    more = _more(paper, chosen, given)
    if more:
        chosen = paper.chosen(given.exhibits, more)
    told(paper.name, [*report.shown(chosen)], {**paper.about, "exhibits": report.data(chosen)}, given)
    if given.plot:
        picture.draw_all(chosen, given.output, given.plot)
    return 0


def _more(paper: Paper, chosen: Sequence[Exhibit], given: argparse.Namespace) -> list[ResultSeries]:
    """Return the results of --results and --measure; write them in the common format to --output, if it is given."""
    found = [*paper.read(given.results.read_text(encoding="utf-8"), str(given.results))] if given.results else []
    if given.measure:
        found += _measured(paper, chosen)
    if found and given.output:
        given.output.mkdir(parents=True, exist_ok=True)
        texts = enumerate(measuring.as_results(found), 1)
        files.write_all(given.output, {f"{paper.name}-results-{at}.json": text for at, text in texts})
    return found


def _measured(paper: Paper, chosen: Sequence[Exhibit]) -> list[ResultSeries]:
    """Return new measurements of the exhibits.

    Raises:
        MomagenError: None of the exhibits can be measured by this command.
    """
    todo = [each.name for each in chosen if each.name in paper.measure]
    if not todo:
        remedy = f"choose among {', '.join(paper.measure)}" if paper.measure else "leave out --measure"
        raise build_error(f"no chosen table or figure of {paper.name} can be measured", "--measure", remedy)
    with Phases() as phases, phases.of("measure") as progress:
        found, failed = measuring.measure(paper, todo, progress)
    for name, why in failed.items():
        print(f"{name} was not measured: {why}", file=sys.stderr)
    return found
