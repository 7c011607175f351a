"""``momagen bench``: every bar in one run, as tables, JSON or CSV."""

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
"""Stands for every section but "large"."""
WIDE = 200
"""Columns of the table of bars, whose last one has long notes."""
RACES = {"race": race, "x86": x86, "stopwatch": stopwatch}
"""Sections that take rounds and seconds for each of their races."""
MEASURES = {
    "everyday": everyday, "hexl": standin, "branches": branches, "generation": generation, "large": large,
}  # fmt: skip
"""All others."""
COUNTS = {"x86": count_figures}
"""How many figures a section has, where that is known before it is measured."""


@dataclass(frozen=True)
class Options:
    """What to run and how to tell it.

    Attributes:
        sections: those of ``TITLES`` to run; ALL, or (), for all but "large". large: that one too (minutes, several
            GB). repetitions: rounds of the race, at most. seconds: no round of it starts later.
        json, csv: print that instead of tables. folder: write bench.md and bench.json there.
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
    """Run the suite; 0 where every bar is met, 1 where one is missed.

    Args:
        keep: opens the file of figures that an interrupted run goes on with, section by section.

    Raises:
        MomagenError: an unknown section, or a folder that cannot be written; before anything is measured.
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
    """Return the sections to run, in the order of ``TITLES``."""
    for name in options.sections:
        if name not in (*TITLES, ALL):
            raise among("one of the sections", (*TITLES, ALL), name, "bench")
    most = tuple(name for name in TITLES if name != "large")
    wanted = (*options.sections, *most) if ALL in options.sections or not options.sections else options.sections
    return [name for name in TITLES if name in wanted or (name == "large" and options.large)]


def section(name: str, options: Options) -> Iterator[Figure]:
    """The figures of a section, as they are measured."""
    if name in RACES:
        return RACES[name](options.repetitions, options.seconds)
    return MEASURES[name]()


def collect(name: str, options: Options, progress: Report) -> list[Figure]:
    """Return the figures of a section; progress tells the latest one, and the part where their number is known."""
    found, total = list[Figure](), COUNTS.get(name, int)()
    progress(0.0, name)
    for figure in section(name, options):
        found.append(figure)
        progress(min(len(found) / total, 1.0) if total else 0.0, f"{name}: {figure.name}")
    return found


def by_section(figures: list[Figure]) -> dict[str, list[Figure]]:
    """The figures of every section that has some."""
    return {name: rows for name in TITLES if (rows := [figure for figure in figures if figure.section == name])}


def verdict(figures: list[Figure]) -> str:
    """One line: how many bars are met, and which are not."""
    judged = [figure for figure in shown(figures) if figure.ok is not None]
    missed = [figure.name for figure in judged if not figure.ok]
    met = f"{len(judged) - len(missed)} of {len(judged)} thresholds met"
    return f"{met}; missed: {'; '.join(missed)}" if missed else met


def prepare(folder: Path | None) -> None:
    """Create the output folder."""
    try:
        if folder:
            folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise build_error(f"the folder {folder} cannot be created ({reason(error)})", "bench") from None


def write(folder: Path, facts: dict[str, object], figures: list[Figure]) -> None:
    """bench.json and bench.md."""
    (folder / "bench.json").write_text(as_json(facts, figures) + "\n", encoding="utf-8")
    parts = ["# Benchmarks", described(facts).replace("\n", "  \n"), verdict(figures) + "."]
    parts += [markdown(TITLES[name], rows) for name, rows in by_section(figures).items()]
    (folder / "bench.md").write_text("\n\n".join(parts), encoding="utf-8")
