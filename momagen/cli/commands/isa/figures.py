"""``momagen mqx figures`` and ``products``: the MQX paper's races by its protocol."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence

from momagen.bench.measure.machine import machine
from momagen.build import find_compiler
from momagen.cli.commands.sweep import numbers
from momagen.cli.progress import Phases
from momagen.isa.compare.workload import SIZES
from momagen.isa.figures import draw, report
from momagen.isa.figures.figures import PaperFigure, figure_4, figure_5
from momagen.isa.figures.products import products
from momagen.isa.figures.races import BITS, Request
from momagen.isa.figures.tiers import TIERS

from .options import floors, one, timed
from .telling import told


def figures(given: argparse.Namespace) -> int:
    """Figures 4 and 5; 1 where two contestants compute different things."""
    asked = _request(given)
    with Phases(lines=True) as phases:
        with phases.of("figure 4") as progress:
            vectors = figure_4(asked, progress)
        with phases.of("figure 5") as progress:
            transforms = figure_5(asked, _sizes(given), progress)
    return _tell("figures", [vectors, transforms], given)


def both_products(given: argparse.Namespace) -> int:
    """Karatsuba against schoolbook, Section 5.5."""
    with Phases(lines=True) as phases, phases.of("products") as progress:
        found = products(_request(given), sizes=_sizes(given), progress=progress)
    return _tell("products", found, given)


def _request(given: argparse.Namespace) -> Request:
    bits = one(numbers(given.bits, "bits"), BITS, "--bits")
    own = timed(given, [str(tier) for tier in TIERS])
    return Request(cpus=floors(given.cpu), bits=bits, compiler=find_compiler(given.compiler), timed=own)


def _sizes(given: argparse.Namespace) -> tuple[int, ...]:
    return numbers(given.n, "n") or SIZES


def _tell(name: str, found: Sequence[PaperFigure], given: argparse.Namespace) -> int:
    data = {"machine": machine(), "figures": [figure.data() for figure in found]}
    shown = [part for figure in found for titled in report.tables(figure) for part in titled]
    notes = dict.fromkeys(line for figure in found for line in report.notes(figure))
    told(name, [*shown, report.EXPLAINED, *notes], json.dumps(data, indent=2, ensure_ascii=False), given)
    if given.plot:
        for figure in found:
            draw.draw(figure, given.output, given.plot)
    return 0 if all(figure.right for figure in found) else 1
