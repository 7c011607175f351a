"""The figures of CPUs, from the shipped file cpus.toml or from a user's file of the same form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path

from momagen.bench.x86.rates import Rates
from momagen.errors import MomagenError, among, build_error, quoted
from momagen.files import path_of
from momagen.tables import checked, read_toml

from .core import Core, read_core

SHIPPED = Path(__file__).with_name("cpus.toml")
EXPECTED = "a file of CPUs in TOML"
FIGURES = {"cores": 65536, "base_ghz": 16, "max_ghz": 16, "all_core_ghz": 16, "l2_mb": 65536, "l3_mb": 65536}
"""The upper bound of each figure. It detects wrong units, such as a clock in MHz or a cache in bytes."""
KINDS = {"title": "a text", "core": "a text", "cores": "a whole number", "sources": "options with texts as values"}
NEEDED = ("title", "cores", "sources")


@dataclass(frozen=True)
class Cpu:
    """The figures of a CPU. Figures that the file does not state are None.

    Attributes:
        name: The name.
        title: The full name.
        cores: The number of cores of one socket.
        base_ghz: The base clock of a core in GHz.
        max_ghz: The highest clock of a core in GHz.
        all_core_ghz: The boost clock in GHz with all cores active.
        l2_mb: The size of a core's second-level cache in MB.
        l3_mb: The total size of the third-level cache in MB.
        core: The microarchitecture of its cores.
        sources: The source of each figure by its key.
        where: The name of the file.
    """

    name: str
    title: str
    cores: int
    base_ghz: float | None = None
    max_ghz: float | None = None
    all_core_ghz: float | None = None
    l2_mb: float | None = None
    l3_mb: float | None = None
    core: Core | None = None
    sources: Mapping[str, str] = field(default_factory=dict)
    where: str = SHIPPED.name

    @cached_property
    def rates(self) -> Rates:
        """The issue rates of one core; empty if the file names no core."""
        return self.core.rates() if self.core else Rates(cpu=self.title)

    @property
    def boost(self) -> float:
        """The boost clock with all cores active, in GHz; f_max of Equation (13) of the MQX paper.

        Raises:
            MomagenError: The file does not state it.
        """
        if self.all_core_ghz is None:
            problem = "the key `all_core_ghz`, the boost clock with all cores active, is missing"
            raise build_error(problem, f"{self.where}, [cpu.{self.name}]")
        return self.all_core_ghz

    def row(self) -> dict[str, object]:
        """Return plain data: the figures, the name of the core, and the sources."""
        figures = {key: getattr(self, key) for key in ("name", "title", *FIGURES)}
        return {**figures, "core": self.core and self.core.name, "sources": dict(self.sources)}


def load_cpu(name: str) -> Cpu:
    """Return the shipped CPU ``name``, or the only CPU in the .toml file with this path.

    Raises:
        MomagenError: The name is unknown, or the file is invalid or has several CPUs.
    """
    found = load_cpus(name)
    if len(found) != 1:
        raise MomagenError("a file with exactly one CPU", ", ".join(cpu.name for cpu in found), f"CPU {name}")
    return found[0]


def load_cpus(name: str) -> list[Cpu]:
    """Return the shipped CPU ``name``, or all CPUs in the .toml file with this path, at least one.

    Raises:
        MomagenError: The name is unknown, or the file is invalid or has no CPU.
    """
    if name.endswith(".toml"):
        found = list(_read(path_of(name, "CPU"))[0].values())
        if not found:
            raise build_error("the file has no table [cpu.NAME]", name)
        return found
    if name not in _shipped()[0]:
        raise among("one of the CPUs", cpu_names(), name, "CPU")
    return [_shipped()[0][name]]


def cpu_names() -> list[str]:
    """Return the names of all shipped CPUs, in the order of the file."""
    return list(_shipped()[0])


def load_core(name: str) -> Core:
    """Return the shipped microarchitecture ``name``.

    Raises:
        MomagenError: The name is unknown.
    """
    if name not in _shipped()[1]:
        raise among("one of the cores", core_names(), name, "core")
    return _shipped()[1][name]


def core_names() -> list[str]:
    """Return the names of all shipped microarchitectures."""
    return list(_shipped()[1])


@lru_cache(maxsize=1)
def _shipped() -> tuple[dict[str, Cpu], dict[str, Core]]:
    return _read(SHIPPED)


def _read(path: Path) -> tuple[dict[str, Cpu], dict[str, Core]]:
    raw = read_toml(path, EXPECTED, path.name)
    if unknown := raw.keys() - {"cpu", "core"}:
        raise MomagenError("only tables [cpu.NAME] and [core.NAME]", ", ".join(sorted(unknown)), path.name)
    rows = {kind: checked({kind: raw.get(kind, {})}, {kind: "a table"}, path.name)[kind] for kind in ("cpu", "core")}
    cores = {name: read_core(name, row, f"{path.name}, [core.{name}]") for name, row in rows["core"].items()}
    known = cores if path == SHIPPED else _shipped()[1] | cores
    return {name: _cpu(name, row, known, path.name) for name, row in rows["cpu"].items()}, cores


def _cpu(name: str, raw: object, cores: Mapping[str, Core], file: str) -> Cpu:
    where = f"{file}, [cpu.{name}]"
    if not isinstance(raw, dict):
        raise MomagenError("a table", quoted(raw), where)
    every = dict.fromkeys(FIGURES, "a number") | KINDS
    if unknown := raw.keys() - every.keys():
        raise among("only the keys", every, ", ".join(sorted(unknown)), where)
    row = checked(raw, {key: kind for key, kind in every.items() if key in NEEDED or key in raw}, where)
    for key in FIGURES.keys() & row.keys():
        if not 0 < row[key] <= FIGURES[key]:
            raise MomagenError(f"a number above 0 and at most {FIGURES[key]:g}", row[key], f"{where} {key}")
    sources = dict(_sources(row))
    for key in row.keys() - {"title", "sources"} - sources.keys():
        raise build_error(f"`sources` must state where the figure for `{key}` is from", where)
    if "core" in row and row["core"] not in cores:
        raise among("one of the cores", cores, row["core"], f"{where} core")
    return Cpu(name, **{**row, "core": cores.get(row.get("core", "")), "sources": sources}, where=file)


def _sources(row: Mapping[str, dict[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield each figure with its source. A key of the table may name several figures."""
    for keys, source in row["sources"].items():
        for key in keys.split():
            yield key, source
