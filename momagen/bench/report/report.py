"""The output of ``momagen bench --sweep``: its tables and files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from momagen.bench.measure.machine import caption, described, machine
from momagen.bench.suite.grid import Grid, Race, grid_races
from momagen.bench.suite.suite import prepare
from momagen.bench.suite.sweep import sweep_race
from momagen.bench.x86 import issue
from momagen.bench.x86.rates import Rates
from momagen.errors import build_error
from momagen.plots import renderer
from momagen.runtime import find_compiler
from momagen.screen import console
from momagen.screen.progress import Phases, Report

from . import plot
from .kept import EARLIER, KeptRows, Once, afresh
from .point import Point, as_csv, as_json, markdown, missing, races, table

EXPLAINED = """\
Widths are those of the modulus; the container has 4 bits more. Times are medians of interleaved samples, with new
operands for every call. ns: CPU time of the thread. cycles: that time divided by the cycle time, which multiplications
of known latency measure next to each sample. “wall 1.5 ×”: other work shared the core, and the wall time was 1.5 times
as long. uops: vector instructions of the compiled kernel (for a scalar kernel all instructions), per butterfly or
element. spills: registers stored to the stack and loaded from it. floor: the port floor, the fewest cycles in which
this CPU can issue these instructions, by measured throughputs; “set by”: the class of instructions that limits it."""


@dataclass(frozen=True)
class Output:
    """The form of the output.

    Attributes:
        json: Whether JSON is printed instead of tables.
        csv: Whether CSV is printed instead of tables.
        folder: The folder in which NAME.md, NAME.csv and NAME.json are written, or None.
        plot: The format of the plots that are drawn there, "png" or "svg", or None.
    """

    json: bool = False
    csv: bool = False
    folder: Path | None = None
    plot: str | None = None


def sweep(
    grid: Grid, output: Output, keep: Callable[[], KeptRows[Point]] = lambda: KeptRows(None, "sweep", {}, Point)
) -> int:
    """Measure the races of a grid, and print and write the results.

    Args:
        grid: The kernels, sizes, widths and targets.
        output: The form of the output.
        keep: A function that opens the stored rows of an interrupted sweep, from which this one continues.

    Returns:
        The exit code: 1 if the results of a kernel or a baseline differ from the results of the others,
        otherwise 0.

    Raises:
        MomagenError: The grid is invalid, there is no compiler, or plots are requested of a single point,
            without a folder or without matplotlib. All of this is checked before the first measurement.
    """
    todo = grid_races(grid)
    if output.plot and not output.folder:
        raise build_error("`plot` needs a folder for the plots", "plot", "add `output`")
    renderer.check(output.plot)
    if output.plot and len({(race.n, race.spec.width) for race in todo}) < 2:
        raise build_error("`plot` needs at least two sizes or two widths", "plot", "add sizes or widths")
    compiler = find_compiler(grid.compiler)
    prepare(output.folder)
    facts, rates = machine() | {"compiler": str(compiler)}, issue.rates()
    screen = console(quiet=output.json or output.csv)
    screen.print(described(facts), EXPLAINED, sep="\n", soft_wrap=True)
    with keep() as kept:
        points = list[Point]()
        with Phases() as phases, phases.of("sweep") as progress:
            for found in measured(todo, grid, progress, once=kept.once):
                with phases.paused():
                    for title, rows in races(found):
                        screen.print(table(title, rows))
                points += found
        if kept.reused:
            screen.print(EARLIER.format(kept.reused), soft_wrap=True)
        _tell(points, output, screen, (facts, rates, caption(facts, compiler)))
    return int(any(point.wrong for point in points))


def _tell(points: list[Point], output: Output, screen: Console, about: tuple[dict[str, object], Rates, str]) -> None:
    """Print the missing contestants and the JSON or CSV output, and write the files."""
    facts, rates, text = about
    for name, why in missing(points).items():
        screen.print(f"missing: {name}: {why}", markup=False, soft_wrap=True)
    if output.json or output.csv:
        print(as_json(facts, rates, points) if output.json else as_csv(points), end="\n" if output.json else "")
    if output.folder:
        drawn = plot.draw(points, output.folder, output.plot, text) if output.plot else []
        for path in [*write(output.folder, facts, rates, points), *drawn]:
            screen.print(f"wrote {path}", soft_wrap=True)


def measured(
    todo: Sequence[Race], grid: Grid, progress: Report, more: Callable[[], bool] = lambda: True,
    once: Once[Point] = afresh,
) -> Iterator[Sequence[Point]]:  # fmt: skip
    """Yield the points of every race.

    Args:
        todo: The races.
        grid: The grid.
        progress: A function that is called before every race with the part done and a label.
        more: A function that is called before every race; no race is begun after it returns False.
        once: A function that returns the points of a race from an earlier run, or measures them.
    """
    for at, race in enumerate(todo):
        if not more():
            return
        label = f"{race.kernel}, {race.spec.width}-bit modulus, {race.n}"

        def measure(at: int = at, race: Race = race, label: str = label) -> list[Point]:
            progress(at / len(todo), label)
            return sweep_race(race, grid)

        yield once(label, measure)


def write(
    folder: Path, facts: dict[str, object], rates: Rates, points: list[Point], name: str = "sweep"
) -> Iterable[Path]:
    """Write NAME.json, NAME.csv and NAME.md, and yield their paths."""
    texts = {"json": as_json(facts, rates, points) + "\n", "csv": as_csv(points), "md": document(facts, points, name)}
    for end, text in texts.items():
        path = folder / f"{name}.{end}"
        path.write_text(text, encoding="utf-8")
        yield path


def document(facts: dict[str, object], points: list[Point], name: str) -> str:
    """Return the text of NAME.md."""
    absent = [f"- missing: {name}: {why}" for name, why in missing(points).items()]
    parts = [f"# {name.capitalize()}", described(facts).replace("\n", "  \n"), EXPLAINED, "\n".join(absent)]
    return "\n\n".join([*filter(None, parts), *(markdown(title, rows) for title, rows in races(points))])
