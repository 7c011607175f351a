"""The table of ``momagen bench``: the times of common kernels on this machine, measured in under a minute."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

from rich.text import Text

from momagen.bench.measure.machine import described, machine
from momagen.bench.report.figure import number
from momagen.bench.report.point import Point, as_csv, as_json, missing
from momagen.bench.report.report import Output, measured, write
from momagen.bench.x86.rates import Rates
from momagen.runtime import find_compiler
from momagen.screen import console
from momagen.screen.progress import Phases
from momagen.screen.tables import ReportTable, number_table
from momagen.signals import noting

from .bars import lacking
from .grid import Grid, Race, grid_races
from .suite import prepare

BUDGET = 45.0
"""The time in seconds after which no row of the table is begun."""
TARGETS = ("c", "avx2", "avx512", "avx512ifma")
BASELINES = ("scalar_word", "scalar_shoup", "gmp_mpz")
GRID = Grid(rounds=101, seconds=1.0, targets=TARGETS, baselines=BASELINES, floors=False)
ROWS = (
    (("ntt",), (60, 124), 4096), (("vmul", "axpy"), (60, 124), 1024), (("ntt",), (252,), 4096),
    (("vmul", "axpy"), (252,), 1024),
)  # fmt: skip
"""The kernels, the bits of the modulus and the size of each group of rows. The kernels that compile fastest
come first."""
EXPLAINED = """\
Cycles and nanoseconds per butterfly (NTT) or element: medians of interleaved samples of the CPU time of one thread,
with new operands for every call, compiled by {compiler}. “wall 1.5 ×”: other work shared the core, and the wall time
was 1.5 times as long. See also `momagen bench --sweep` and `momagen bench --section NAME`."""


def quick(output: Output, rounds: int | None = None, seconds: float | None = None, compiler: str | None = None) -> int:
    """Time the kernels of the table, and print and write it.

    Args:
        output: The form of the output.
        rounds: The largest number of rounds of each row.
        seconds: The time in seconds after which no round of a row begins.
        compiler: The command of the compiler, or None for the best one.

    Returns:
        The exit code: 1 if the results of a kernel or a baseline differ from the results of the others,
        otherwise 0.

    Raises:
        MomagenError: There is no compiler, or the folder cannot be written. Both are checked before the first
            measurement.
    """
    chosen = find_compiler(compiler)
    prepare(output.folder)
    grid = replace(GRID, compiler=compiler, rounds=rounds or GRID.rounds, seconds=seconds or GRID.seconds)
    began, facts = time.monotonic(), machine() | {"compiler": str(chosen)}
    screen = console(quiet=output.json or output.csv)
    screen.print(described(facts), EXPLAINED.format(compiler=chosen), sep="\n", soft_wrap=True, markup=False)
    points, todo = list[Point](), races(grid)
    unfinished = noting(lambda: f"the table has {len(points)} of its points; nothing was written")
    with unfinished, Phases() as phases, phases.of("bench") as progress:
        for found in measured(todo, grid, progress, lambda: time.monotonic() - began < BUDGET):
            points += found
    screen.print(table(points))
    for line in untold(points, todo):
        screen.print(line, markup=False, soft_wrap=True)
    if output.json or output.csv:
        print(as_json(facts, Rates(), points) if output.json else as_csv(points), end="\n" if output.json else "")
    for path in write(output.folder, facts, Rates(), points, "bench") if output.folder else ():
        screen.print(f"wrote {path}", soft_wrap=True)
    return int(any(point.wrong for point in points))


def races(grid: Grid) -> list[Race]:
    """Return the races of the table in the order in which they are timed."""
    return [
        race for kernels, bits, n in ROWS for race in grid_races(replace(grid, kernels=kernels, bits=bits, sizes=(n,)))
    ]


def table(points: Sequence[Point]) -> ReportTable:
    """Return a table with a row for each kernel and width, and a column for each target and baseline that ran."""
    ran = [point for point in points if point.ns]
    columns = dict.fromkeys(point.name for point in ran)
    result = number_table(columns)
    rows = dict.fromkeys((point.kernel, point.bits, point.n) for point in ran)
    for kernel, bits, n in sorted(rows, key=lambda key: (key[0] != "ntt", key)):
        cells = {point.name: cell(point) for point in ran if (point.kernel, point.bits, point.n) == (kernel, bits, n)}
        title = f"{kernel}, {n} {'points' if kernel == 'ntt' else 'elements'}, {bits}-bit modulus"
        result.add_row(title, *(cells.get(name, Text("–", "dim")) for name in columns))
    return result


def cell(point: Point) -> Text:
    """Return the text of a cell: cycles, nanoseconds, and whether the core was shared, on a line each."""
    assert point.ns
    if point.wrong:
        return Text("FAIL: wrong output", "bold red")
    cycles = f"{number(point.cycles.median)} cycles\n" if point.cycles else ""
    figures = f"{cycles}{number(point.ns.median)} ns"
    return Text.assemble((figures, "dim" if point.baseline else ""), (f"\n{point.shared}".rstrip(), "yellow"))


def untold(points: Sequence[Point], todo: Sequence[Race]) -> Iterator[str]:
    """Yield a line for each contestant or row that the table lacks, with the reason."""
    for name, why in missing(points).items():
        lacks = ", ".join(lacking(name))
        yield f"not timed: {name}: {f'this CPU lacks {lacks}' if lacks else why}"
    begun = {(point.kernel, point.bits) for point in points}
    late = [f"{race.kernel} at {race.spec.width} bits" for race in todo if (race.kernel, race.spec.width) not in begun]
    if late:
        yield f"not timed: {', '.join(late)}: the limit of {BUDGET:g} s was reached"
