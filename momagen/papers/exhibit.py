"""The tables and figures of a paper, with what it states and what momagen measures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from momagen.errors import MomagenError, among
from momagen.screen.progress import Report
from momagen.tables import checked, parse_json, read_toml

from .series import OUTCOMES, Place, ResultSeries, Series, StatedSeries, parse_measured, parse_stated

TABLE = "paper.toml"
"""The file of a paper's folder that has its stated numbers."""
RESULTS = "results"
"""The folder of a paper's stored results."""
HEAD = {"title": "a text", "authors": "a text", "venue": "a text", "link": "a text", "exhibit": "a list"}
TEXTS = ("name", "title", "where", "form", "across", "unit", "outcome", "why", "command", "panel_of")
EXHIBIT = {**dict.fromkeys(TEXTS, "a text"), "unprinted": "a list", "series": "a list"}
USUAL = {"form": "table", **dict.fromkeys(TEXTS[4:], ""), "unprinted": [], "series": []}
FORMS = ("table", "list", "lines", "bars")
"""How an exhibit is shown: as a table of places, as a list of single numbers, as lines over numbers, or as groups of
bars."""
AS_RATIOS = FORMS[:2]
"""The forms of exhibits whose numbers have no common axis, so that a picture shows their ratios."""
BEYOND = "beyond the paper"
"""The outcome of an exhibit that has only numbers of momagen, because the paper states none of the kind."""
RESULT = {"machine": "a text", "date": "a text", "command": "a text", "series": "a list"}
Measure = Callable[[Report], Sequence[ResultSeries]]
"""A function that measures one exhibit on this machine."""
Derive = Callable[[Sequence[ResultSeries]], Sequence[ResultSeries]]
"""A function that returns series which follow from measured ones, such as ratios."""
Convert = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""A function that turns the output of a benchmark script into results in the common format."""


def _nothing(_: Sequence[ResultSeries]) -> Sequence[ResultSeries]:
    return ()


def _as_it_is(told: Mapping[str, Any]) -> Mapping[str, Any]:
    return told


@dataclass(frozen=True)
class Exhibit:
    """A table, a figure, or a group of numbers in the text of a paper.

    Attributes:
        name: The name on the command line: ``table-2``, ``figure-3a``, ``text``.
        title: What it shows.
        where: The location: "Figure 3a, page 9".
        form: How it is drawn, one of ``FORMS``.
        across: The label of the horizontal axis.
        unit: The label of the vertical axis.
        outcome: The outcome of the exhibit as a whole, if it has no numbers; empty otherwise.
        why: The reason for that outcome.
        command: The command that repeats the measurement; empty if no command does.
        panel_of: The exhibit in whose picture this one is a further panel; empty if it has its own picture.
        unprinted: What the paper draws without printing a number, so that there is nothing to compare.
        stated: The paper's series.
        measured: The series of momagen.
    """

    name: str
    title: str
    where: str
    form: str
    across: str
    unit: str
    outcome: str
    why: str
    command: str
    panel_of: str
    unprinted: Sequence[str]
    stated: Sequence[StatedSeries]
    measured: Sequence[ResultSeries] = ()

    def places(self, series: Sequence[Series]) -> list[Place]:
        """Return the places of ``series``: numbers by size, names in the order of the longest series."""
        longest = sorted(series, key=lambda each: -len(each.points))
        found = list(dict.fromkeys(at for each in longest for at in each.points))
        numbers = sorted(at for at in found if not isinstance(at, str))
        return [*(at for at in found if isinstance(at, str)), *numbers]

    def with_measured(self, series: Sequence[ResultSeries]) -> Exhibit:
        """Return the exhibit with those of ``series`` that belong to it, in place of measured ones of the same name."""
        own = {each.what: each for each in (*self.measured, *series) if each.exhibit in (self.name, "")}
        return replace(self, measured=tuple(own.values()))


@dataclass(frozen=True)
class Paper:
    """A paper and the folder of its stated numbers and stored results.

    Attributes:
        name: The name on the command line.
        folder: The folder with ``paper.toml`` and ``results/``.
        measure: By exhibit, the function that measures it on this machine.
        model: A function that returns series which follow from models and take no measurement, if there are any.
        derive: A function that returns series which follow from all others.
        convert: A function that turns the output of the paper's benchmark script into results in the common format, and
            returns other data unchanged.
    """

    name: str
    folder: Path
    measure: Mapping[str, Measure] = field(default_factory=dict)
    model: Callable[[], Sequence[ResultSeries]] = tuple
    derive: Derive = _nothing
    convert: Convert = _as_it_is

    @property
    def about(self) -> Mapping[str, str]:
        """The title, authors, venue and link."""
        return {name: value for name, value in self._table().items() if name != "exhibit"}

    def exhibits(self, more: Sequence[ResultSeries] = ()) -> list[Exhibit]:
        """Return all exhibits in the order of the paper, with models, stored results, and ``more`` results.

        Raises:
            MomagenError: A file of the paper is invalid.
        """
        known = [*self.model(), *self.stored(), *more]
        known += self.derive(known)
        found = read_exhibits(self.folder / TABLE)
        return [each.with_measured([row for row in known if row.exhibit == each.name]) for each in found]

    def chosen(self, names: Sequence[str], more: Sequence[ResultSeries] = ()) -> list[Exhibit]:
        """Return the exhibits ``names``, or all of them if there are no names; ``more`` as in :meth:`exhibits`.

        Raises:
            MomagenError: A name is unknown.
        """
        every = {each.name: each for each in self.exhibits(more)}
        for name in names:
            if name not in every:
                raise among(f"a table or figure of {self.name} among", every, name, "paper")
        return [every[name] for name in names] or [*every.values()]

    def stored(self) -> Iterator[ResultSeries]:
        """Yield the series of all stored results, older files first.

        Raises:
            MomagenError: A file is invalid.
        """
        for path in sorted((self.folder / RESULTS).glob("*.json")):
            yield from self.read(path.read_text(encoding="utf-8"), f"{self.name}/{RESULTS}/{path.name}")

    def read(self, text: str, where: str) -> Iterator[ResultSeries]:
        """Yield the series of a file of results, in the common format or in that of the paper's benchmark script.

        Raises:
            MomagenError: The file is invalid.
        """
        told = parse_json(text, "results in JSON", where)
        head = checked(self.convert(told) if isinstance(told, dict) else told, RESULT, where)
        source = f"{head['machine']}, {head['date']}: {head['command']}"
        for at, raw in enumerate(head["series"], 1):
            yield parse_measured(raw, source, f"{where}, series {at}")

    def _table(self) -> dict[str, Any]:
        return _read_table(self.folder / TABLE)


def read_exhibits(path: Path) -> list[Exhibit]:
    """Return the exhibits in a paper's table, with what the paper states and without results.

    Raises:
        MomagenError: The table is invalid.
    """
    where = f"{path.parent.name}/{path.name}"
    rows = _read_table(path)["exhibit"]
    return [_exhibit(raw, f"{where}, [[exhibit]] {at}") for at, raw in enumerate(rows, 1)]


def _read_table(path: Path) -> dict[str, Any]:
    where = f"{path.parent.name}/{path.name}"
    return checked(read_toml(path, "the numbers of a paper in TOML", where), HEAD, where)


def _exhibit(raw: object, where: str) -> Exhibit:
    row = checked({**USUAL, **raw} if isinstance(raw, dict) else raw, EXHIBIT, where)
    if row["form"] not in FORMS:
        raise among("a form among", FORMS, row["form"], where)
    if not row["series"] and row["outcome"] not in (*OUTCOMES, BEYOND):
        raise MomagenError("series, or an outcome of the whole exhibit", row["outcome"] or "neither", where)
    usual = {name: row[name] for name in ("where", "unit", "outcome", "why") if row[name]}
    stated = [parse_stated(each, usual, f"{where}, series {at}") for at, each in enumerate(row["series"], 1)]
    return Exhibit(**{name: row[name] for name in EXHIBIT if name != "series"}, stated=tuple(stated))
