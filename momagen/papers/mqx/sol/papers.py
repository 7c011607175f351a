"""The results that papers report for other hardware, from papers.toml: times, or ratios if their text has no times."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from momagen.errors import MomagenError, among, quoted
from momagen.tables import checked, read_toml

SHIPPED = Path(__file__).with_name("papers.toml")
WHOLE = ("ASIC", "GPU", "CPU")
"""The kinds of hardware with which whole CPUs are compared."""
KINDS = (*WHOLE, "core", "SOL")
SYSTEM = {"name": "a text", "title": "a text", "kind": "a text"}
TIME = {"system": "a text", "n": "a whole number", "us": "a number", "source": "a text"}
RATIO = {"faster": "a text", "slower": "a text", "source": "a text"}
TIMES = ("times", "least", "most")


@dataclass(frozen=True)
class ReportedSystem:
    """Hardware with its program.

    Attributes:
        name: The name of the system.
        title: Its name in tables.
        kind: The kind of hardware, one of ``KINDS``.
        sizes: The smallest and the largest number of points, or nothing.
        of: The name under which papers refer to it if they do not say which one they mean.
    """

    name: str
    title: str
    kind: str
    sizes: tuple[int, ...] = ()
    of: str = ""


@dataclass(frozen=True)
class ReportedTime:
    """A reported time of one transform.

    Attributes:
        system: The name of the system.
        n: The number of points.
        us: The time in microseconds.
        source: Where it is reported.
        derived: How it is derived, if the text does not state it.
    """

    system: str
    n: int
    us: float
    source: str
    derived: str = ""


@dataclass(frozen=True)
class ReportedRatio:
    """A reported ratio of the times of two systems.

    Attributes:
        faster: The faster system.
        slower: The slower system.
        source: Where it is reported.
        times: The mean time of ``slower`` over that of ``faster``, or None.
        least: The least ratio of all sizes, or None.
        most: The greatest ratio of all sizes, or None.
        about: Whether the ratio is rounded.
    """

    faster: str
    slower: str
    source: str
    times: float | None = None
    least: float | None = None
    most: float | None = None
    about: bool = False


@dataclass(frozen=True)
class Papers:
    """The results of all papers.

    Attributes:
        systems: The systems by name.
        times: The reported times.
        ratios: The reported ratios.
    """

    systems: Mapping[str, ReportedSystem]
    times: tuple[ReportedTime, ...]
    ratios: tuple[ReportedRatio, ...]

    def seconds(self, system: str) -> dict[int, float]:
        """Return the seconds of one transform by points, or nothing if only ratios are reported."""
        return {time.n: time.us / 1e6 for time in self.times if time.system == system}

    def ratio(self, faster: str, slower: str) -> tuple[float, ReportedRatio] | None:
        """Return the mean time of ``slower`` over that of ``faster``, and the row that states it, or None.

        The ratio is below 1 if ``slower`` is in fact the faster one.
        """
        names = [{name, self.systems[name].of} if name in self.systems else {name} for name in (faster, slower)]
        for row in self.ratios:
            if row.times and row.faster in names[0] and row.slower in names[1]:
                return row.times, row
            if row.times and row.faster in names[1] and row.slower in names[0]:
                return 1 / row.times, row
        return None

    def through(self, system: str, known: str) -> tuple[float, list[ReportedRatio]] | None:
        """Return the time of ``known`` over that of ``system`` by a chain of mean ratios, and the rows of the chain.

        The chain is a shortest one. It contains no projections, since these are not measurements. The result
        is None if there is no chain.
        """
        ways: list[tuple[str, float, list[ReportedRatio]]] = [(system, 1.0, [])]
        seen = {system}
        for at, factor, rows in ways:
            if at == known:
                return factor, rows
            for other in self.systems.values():
                step = self.ratio(at, other.name) if other.kind in WHOLE and other.name not in seen else None
                if step:
                    seen.add(other.name)
                    ways.append((other.name, factor * step[0], [*rows, step[1]]))
        return None


@lru_cache(maxsize=1)
def load_papers() -> Papers:
    """Return the results of the file that is part of momagen."""
    return read_papers(SHIPPED)


def read_papers(path: Path) -> Papers:
    """Return the results of papers in the file ``path``.

    Raises:
        MomagenError: A row is invalid, or names a system that the file does not describe.
    """
    raw = read_toml(path, "figures of papers in TOML", path.name)
    if unknown := raw.keys() - {"system", "time", "ratio"}:
        raise MomagenError("only tables [[system]], [[time]] and [[ratio]]", ", ".join(sorted(unknown)), path.name)
    rows = {kind: raw.get(kind, []) for kind in ("system", "time", "ratio")}
    for kind, found in rows.items():
        if not isinstance(found, list):
            raise MomagenError(f"tables [[{kind}]]", f"the single table [{kind}]", path.name)
    systems = [_system(row, f"{path.name}, [[system]] {at}") for at, row in enumerate(rows["system"], 1)]
    names = {system.name: system for system in systems}
    times = tuple(_time(row, names, f"{path.name}, [[time]] {at}") for at, row in enumerate(rows["time"], 1))
    ratios = tuple(_ratio(row, names, f"{path.name}, [[ratio]] {at}") for at, row in enumerate(rows["ratio"], 1))
    return Papers(names, times, ratios)


def _row(raw: object, needed: Mapping[str, str], more: Mapping[str, str], where: str) -> dict[str, Any]:
    """Return a row with all keys of ``needed``, and those keys of ``more`` that it has."""
    return checked(raw, {**needed, **{k: v for k, v in more.items() if isinstance(raw, dict) and k in raw}}, where)


def _system(raw: Any, where: str) -> ReportedSystem:
    sizes = raw.get("sizes", []) if isinstance(raw, dict) else []
    if not isinstance(sizes, list) or len(sizes) not in (0, 2) or not all(type(n) is int and n > 0 for n in sizes):
        raise MomagenError("[FEWEST, MOST], the range of points", quoted(sizes), f"{where}, sizes")
    rest = {key: value for key, value in raw.items() if key != "sizes"} if isinstance(raw, dict) else raw
    row = _row(rest, SYSTEM, {"of": "a text"}, where)
    if row["kind"] not in KINDS:
        raise among("one of the kinds", KINDS, row["kind"], where)
    return ReportedSystem(**row, sizes=tuple(sizes))


def _time(raw: Any, systems: Mapping[str, object], where: str) -> ReportedTime:
    row = _row(raw, TIME, {"derived": "a text"}, where)
    if row["system"] not in systems or row["n"] < 2 or not row["us"] > 0:
        raise MomagenError("a `system` that the file describes, n >= 2 and us > 0", quoted(row), where)
    return ReportedTime(**row)


def _ratio(raw: Any, systems: Mapping[str, object], where: str) -> ReportedRatio:
    row = _row(raw, RATIO, dict.fromkeys(TIMES, "a number") | {"about": "true or false"}, where)
    values = [row[key] for key in TIMES if key in row]
    if not {row["faster"], row["slower"]} <= systems.keys() or not values or min(values) <= 0:
        expected = f"`faster` and `slower` that the file describes, and at least one of {', '.join(TIMES)}, above 0"
        raise MomagenError(expected, quoted(row), where)
    return ReportedRatio(**row)
