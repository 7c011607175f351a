"""``momagen bench --section``: all performance thresholds in one run, as tables, JSON or CSV."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from momagen.bench.measure.machine import described, machine
from momagen.bench.measure.stopwatch import stopwatch
from momagen.bench.report.figure import Figure, as_csv, as_json, markdown, shown, table
from momagen.bench.report.kept import EARLIER, KeptRows
from momagen.errors import among, build_error, reason
from momagen.screen import console
from momagen.screen.progress import Phases, Report, part_of

from .bars import count_figures, x86
from .branches import branches
from .everyday import everyday
from .generation import generation
from .large import large
from .racing import race
from .standin import standin

TITLES = {
    "race": "Transforms of 4096 points, 124-bit modulus, one interleaved run",
    "x86": "x86 kernels at every width, timed in one interleaved run with their baselines",
    "stopwatch": "The timer itself, on a kernel with branches",
    "everyday": "Everyday use: calls from Python, and start-up",
    "hexl": "The drop-in replacement for HEXL, and kernels of any size",
    "branches": "Branches that depend on data, in assembly and at run time",
    "generation": "Generation and compilation",
    "large": "Transforms of 2^22 points",
}


ALL = "all"
"""The name that selects every section except "large"."""
WIDE = 200
"""The width of the tables in columns of the terminal, because their last column has long notes."""
RACES = {"race": race, "x86": x86, "stopwatch": stopwatch}
"""The functions of sections that consist of races, which take the number of rounds and the seconds of each
race."""
MEASURES = {
    "everyday": everyday, "hexl": standin, "branches": branches, "generation": generation, "large": large,
}  # fmt: skip
"""The functions of all other sections."""
COUNTS = {"x86": count_figures}
"""Functions that return the number of figures of a section before it is measured."""


@dataclass(frozen=True)
class Options:
    """The choice of sections and the form of the output.

    Attributes:
        sections: The sections to run. ``ALL`` or no name selects all sections except "large".
        large: Whether the section "large" runs, too. It takes minutes and several GB of memory.
        repetitions: The largest number of rounds of a race.
        seconds: The time in seconds after which no round of a race begins.
        json: Whether JSON is printed instead of tables.
        csv: Whether CSV is printed instead of tables.
        folder: The folder in which bench.md and bench.json are written, or None.
    """

    sections: tuple[str, ...] = ()
    large: bool = False
    repetitions: int = 401
    seconds: float = 30.0
    json: bool = False
    csv: bool = False
    folder: Path | None = None


def main(
    options: Options, keep: Callable[[], KeptRows[Figure]] = lambda: KeptRows(None, "bench", {}, Figure)
) -> int:
    """Run the sections, and print and write their figures.

    Args:
        options: The sections and the form of the output.
        keep: A function that opens the stored figures of an interrupted run, from which this one continues.

    Returns:
        The exit code: 0 if all thresholds are met, 1 if one is missed.

    Raises:
        MomagenError: A section is unknown, or the folder cannot be written. Both are checked before the first
            measurement.
    """
    chosen = chosen_sections(options)
    prepare(options.folder)
    facts, figures, plain = machine(), list[Figure](), options.json or options.csv
    screen = console(WIDE, quiet=plain)
    screen.print(described(facts), soft_wrap=True)
    with keep() as kept:
        with Phases() as phases, phases.of("bench") as progress:
            for at, name in enumerate(chosen):
                measure = partial(collect, name, options, part_of(progress, at, len(chosen)))
                found = list(kept.once(name, measure))
                with phases.paused():
                    screen.print(table(TITLES[name], found))
                figures += found
        if kept.reused:
            screen.print(EARLIER.format(kept.reused), soft_wrap=True)
        screen.print(verdict(figures), soft_wrap=True)
        if plain:
            print(as_json(facts, figures) if options.json else as_csv(figures), end="\n" if options.json else "")
        if options.folder:
            write(options.folder, facts, figures)
    return int(any(figure.ok is False for figure in figures))


def chosen_sections(options: Options) -> list[str]:
    """Return the sections to run, in the order of ``TITLES``.

    Raises:
        MomagenError: A section is unknown.
    """
    for name in options.sections:
        if name not in (*TITLES, ALL):
            raise among("one of the sections", (*TITLES, ALL), name, "bench")
    most = tuple(name for name in TITLES if name != "large")
    wanted = (*options.sections, *most) if ALL in options.sections or not options.sections else options.sections
    return [name for name in TITLES if name in wanted or (name == "large" and options.large)]


def section(name: str, options: Options) -> Iterator[Figure]:
    """Return an iterator that measures the figures of a section."""
    if name in RACES:
        return RACES[name](options.repetitions, options.seconds)
    return MEASURES[name]()


def collect(name: str, options: Options, progress: Report) -> list[Figure]:
    """Return the figures of a section, and report the latest figure and, if their number is known, the part done."""
    found, total = list[Figure](), COUNTS.get(name, int)()
    progress(0.0, name)
    for figure in section(name, options):
        found.append(figure)
        progress(min(len(found) / total, 1.0) if total else 0.0, f"{name}: {figure.name}")
    return found


def by_section(figures: list[Figure]) -> dict[str, list[Figure]]:
    """Return the figures by section, for all sections that have figures."""
    return {name: rows for name in TITLES if (rows := [figure for figure in figures if figure.section == name])}


def verdict(figures: list[Figure]) -> str:
    """Return a line that says how many thresholds are met, and which are missed."""
    judged = [figure for figure in shown(figures) if figure.ok is not None]
    missed = [figure.name for figure in judged if not figure.ok]
    met = f"{len(judged) - len(missed)} of {len(judged)} thresholds met"
    return f"{met}; missed: {'; '.join(missed)}" if missed else met


def prepare(folder: Path | None) -> None:
    """Create the output folder.

    Raises:
        MomagenError: The folder cannot be created.
    """
    try:
        if folder:
            folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise build_error(f"the folder {folder} cannot be created ({reason(error)})", "bench") from None


def write(folder: Path, facts: dict[str, object], figures: list[Figure]) -> None:
    """Write bench.json and bench.md."""
    (folder / "bench.json").write_text(as_json(facts, figures) + "\n", encoding="utf-8")
    parts = ["# Benchmarks", described(facts).replace("\n", "  \n"), verdict(figures) + "."]
    parts += [markdown(TITLES[name], rows) for name, rows in by_section(figures).items()]
    (folder / "bench.md").write_text("\n\n".join(parts), encoding="utf-8")
