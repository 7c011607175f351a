"""Figures 4 and 5 of the MQX paper: vector kernels and transforms on one core, on all tiers.

Kernels that this CPU can run are timed by the paper's protocol, next to GMP and OpenFHE. Kernels that it
cannot run are counted: instructions per butterfly or element, and the port floors of known CPUs. No times are
invented for them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial

from momagen.bench.measure.machine import machine
from momagen.bench.report.kept import Once, afresh
from momagen.bench.suite.grid import Grid, Race, grid_races
from momagen.isa.compare.workload import OPERATIONS, SIZES
from momagen.screen.progress import Report as Progress
from momagen.screen.progress import part_of, silent

from .protocol import LENGTH, Protocol
from .races import Request, race_rows
from .ratios import Ratio, ratios
from .reported import of_paper
from .rows import FigureRow
from .tiers import absent, tiers_of


@dataclass(frozen=True)
class PaperFigure:
    """The data of a figure.

    Attributes:
        name: The name of its files.
        title: The title.
        rows: The rows, one for each contestant of each race.
        ratios: The ratios between contestants.
        protocol: The protocol by which it was timed.
        missing: For each library that did not take part, the reason.
    """

    name: str
    title: str
    rows: tuple[FigureRow, ...]
    ratios: tuple[Ratio, ...]
    protocol: Protocol
    missing: Mapping[str, str] = field(default_factory=dict)

    @property
    def right(self) -> bool:
        """Whether all contestants whose outputs were compared computed the same."""
        return not any(row.wrong for row in self.rows)

    def data(self) -> dict[str, object]:
        """Return the figure as plain data for JSON."""
        return {
            "figure": self.name, "title": self.title, "machine": machine(), "missing": dict(self.missing),
            "protocol": asdict(self.protocol), "rows": [row.data() for row in self.rows],
            "ratios": [each.data() for each in self.ratios],
        }  # fmt: skip


def figure_4(request: Request, progress: Progress = silent, once: Once[FigureRow] = afresh) -> PaperFigure:
    """Return Figure 4: sums, differences, products and axpy of vectors of 1,024 elements, by time per element.

    Args:
        request: The contestants, and how they are measured.
        progress: A function that reports progress.
        once: A function that returns the known rows of a race, or measures them.

    Raises:
        MomagenError: A target or baseline is unknown, there is no compiler, or no kernel has so wide a
            modulus.
    """
    title = f"Figure 4: vectors of {LENGTH:,} elements, {request.bits}-bit modulus"
    return figure_of("figure_4", title, races(OPERATIONS, (LENGTH,), request), request, progress, once)


def figure_5(
    request: Request, sizes: Sequence[int] = SIZES, progress: Progress = silent, once: Once[FigureRow] = afresh
) -> PaperFigure:
    """Return Figure 5: transforms, by time per butterfly.

    Args:
        request: The contestants, and how they are measured.
        sizes: The numbers of points.
        progress: A function that reports progress.
        once: A function that returns the known rows of a race, or measures them.

    Raises:
        MomagenError: The reason is one of those of :func:`figure_4`, or a size is not a power of two.
    """
    title = f"Figure 5: transforms, {request.bits}-bit modulus"
    return figure_of("figure_5", title, races(("ntt",), sizes, request), request, progress, once)


def races(kernels: Sequence[str], sizes: Sequence[int], request: Request) -> list[Race]:
    """Return the races of every kernel at every size.

    Raises:
        MomagenError: There is no kernel or no size, or one of them is invalid.
    """
    return grid_races(Grid(kernels=tuple(kernels), bits=(request.bits,), sizes=tuple(sizes)))


def figure_of(
    name: str, title: str, todo: Sequence[Race], request: Request, progress: Progress = silent,
    once: Once[FigureRow] = afresh,
) -> PaperFigure:  # fmt: skip
    """Return the figure of all contestants in all races.

    Args:
        name: The name of the figure's files.
        title: The title.
        todo: The races, which are all of one kind of kernel.
        request: The contestants, and how they are measured.
        progress: A function that reports progress.
        once: A function that returns the known rows of a race, or measures them.

    Raises:
        MomagenError: A target or baseline is unknown, or there is no compiler.
    """
    compiler, tiers = request.chosen_compiler(), tiers_of(request.tiers)
    wanted = request.baselines if request.timed else ()
    missing = absent(wanted, compiler)
    present = [each for each in wanted if each not in missing]
    rows: list[FigureRow] = []
    for at, race in enumerate(todo):
        measure = partial(race_rows, race, tiers, present, compiler, request, part_of(progress, at, len(todo)))
        rows += once(f"{name}: {race.kernel}, {race.spec.width} bits, {race.n}", measure)
    return PaperFigure(
        name, title, tuple(rows), tuple(ratios(rows, of_paper(name))), request.of(todo[0].spec.kind.name), missing
    )
