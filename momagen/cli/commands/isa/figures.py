"""``momagen mqx figures`` and ``products``: measurements by the protocol of the MQX paper."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from momagen.bench.measure.machine import machine
from momagen.cli.commands.sweep import numbers
from momagen.cli.resume import kept_rows
from momagen.isa.compare.workload import SIZES, targets_named
from momagen.papers.mqx.figures import draw, report
from momagen.papers.mqx.figures.figures import PaperFigure, figure_4, figure_5
from momagen.papers.mqx.figures.products import products
from momagen.papers.mqx.figures.races import BITS, Request
from momagen.papers.mqx.figures.rows import FigureRow
from momagen.papers.mqx.figures.tiers import TIERS
from momagen.runtime import find_compiler
from momagen.screen.progress import Phases, part_of

from .options import floors, one, timed
from .telling import told


def figures(given: argparse.Namespace) -> int:
    """Repeat Figures 4 and 5; return 1 if the results of two kernels differ."""
    asked = _request(given)
    with kept_rows(given, "figures", FigureRow) as kept:
        with Phases() as phases, phases.of("figures") as progress:
            vectors = figure_4(asked, part_of(progress, 0, 2), kept.once)
            transforms = figure_5(asked, _sizes(given), part_of(progress, 1, 2), kept.once)
        return _tell("figures", [vectors, transforms], given, kept.reused)


def both_products(given: argparse.Namespace) -> int:
    """Compare Karatsuba with schoolbook multiplication (Section 5.5); return the exit code."""
    with kept_rows(given, "products", FigureRow) as kept:
        with Phases() as phases, phases.of("products") as progress:
            found = products(_request(given), sizes=_sizes(given), progress=progress, once=kept.once)
        return _tell("products", found, given, kept.reused)


def _request(given: argparse.Namespace) -> Request:
    bits = one(numbers(given.bits, "bits"), BITS, "--bits")
    own = timed(given, targets_named(TIERS))
    return Request(cpus=floors(given.cpu), bits=bits, compiler=find_compiler(given.compiler), timed=own)


def _sizes(given: argparse.Namespace) -> tuple[int, ...]:
    return numbers(given.n, "n") or SIZES


def _tell(name: str, found: Sequence[PaperFigure], given: argparse.Namespace, reused: int) -> int:
    data = {"machine": machine(), "figures": [figure.data() for figure in found]}
    shown = [part for figure in found for titled in report.tables(figure) for part in titled]
    notes = dict.fromkeys(line for figure in found for line in report.notes(figure))
    told(name, [*shown, report.EXPLAINED, *notes], data, given, reused)
    if given.plot:
        for figure in found:
            draw.draw(figure, given.output, given.plot)
    return 0 if all(figure.right for figure in found) else 1
