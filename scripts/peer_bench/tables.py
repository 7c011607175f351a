"""The tables of ``scripts/peers``: libraries and how they are built, races and their bars."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from momagen.api.native import resolved
from momagen.errors import MomagenError
from momagen.kinds.modular.options.values import OPTIONS
from momagen.kinds.modular.parameters import modular_parameters
from momagen.kinds.modular.spec import Spec

PEERS = Path(__file__).resolve().parents[1] / "peers"
BUILDS = ("avx2", "avx512")
COLUMNS = 16
"""Of the kernel ntt_columns."""


@dataclass(frozen=True)
class PeerWay:
    """How a harness is built with one kind of folder; ``peers.toml`` explains the fields."""

    has: str
    at: str = "."
    flags: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    fill: Mapping[str, str] = field(default_factory=dict)
    undefine: Mapping[str, str] = field(default_factory=dict)
    crates: Mapping[str, str] = field(default_factory=dict)
    module: str = ""


@dataclass(frozen=True)
class Peer:
    """A library to race; ``peers.toml`` explains the fields. ``builds``: flags and features by the build's name."""

    name: str
    title: str
    root: str
    get: str
    source: str
    ways: tuple[PeerWay, ...]
    builds: Mapping[str, Mapping[str, list[str]]]

    def found(self) -> tuple[Path, PeerWay]:
        """The folder with the sources, and what to do with it.

        Raises:
            MomagenError: the variable is not set, or the folder holds something else.
        """
        told = os.environ.get(self.root, "")
        if not told:
            raise MomagenError(f"{self.root}, the folder of {self.get}", "none", self.title, "not raced")
        for way in self.ways:
            folder = Path(told).expanduser().resolve() / way.at
            if (folder / way.has).is_file():
                return folder.resolve(), way
        raise MomagenError(f"{self.get}, in {self.root}", told, self.title, "not raced")


@dataclass(frozen=True)
class PeerRace:
    """A row of ``races.toml``, which explains the fields."""

    name: str
    ours: Mapping[str, Any]
    sizes: tuple[int, ...]
    peer: str = ""
    kernel: str = "ntt"
    against: str = ""
    degree: int = 1
    most: float | None = None
    reach: float | None = None
    leaves: str = ""

    def left(self, n: int, target: str) -> list[str]:
        """What both sides leave, where the peer's range is told; ours is that of the kernel."""
        ranges = self.spec(n, target).ranges if self.leaves else None
        if not ranges:
            return []
        return [f"ranges of results: ours from 0 to {ranges.bound(ranges.output)}, theirs {self.leaves}"]

    @property
    def columns(self) -> int:
        """Transforms in one call of the peer's."""
        return COLUMNS if self.kernel == "ntt_columns" else 1

    def spec(self, n: int, target: str) -> Spec:
        """Ours, of n points.

        Raises:
            MomagenError: there is no such kernel.
        """
        asked = {**self.ours, "target": target}
        unknown = sorted(set(asked) - {*OPTIONS, *modular_parameters()})
        if unknown:
            raise MomagenError("a kernel of ours", f"an argument {unknown[0]} that none takes", self.name)
        found: Spec = resolved("ntt", n=n, **asked)
        return found

    def modulus(self, n: int) -> int:
        """Of the transform: as told, or as ours chooses it."""
        return int(self.ours.get("modulus") or self.spec(n, "c").modulus)

    def limit(self, target: str) -> float | None:
        """The bar, where ours is of the target that it is for."""
        return self.most if target in ("avx2", self.ours.get("target")) else None


def load_peers(path: Path = PEERS / "peers.toml") -> dict[str, Peer]:
    """All libraries by name."""
    rows: dict[str, dict[str, Any]] = tomllib.loads(path.read_text(encoding="utf-8"))
    return {name: _peer(name, dict(row)) for name, row in rows.items()}


def _peer(name: str, row: dict[str, Any]) -> Peer:
    builds = {build: row.pop(build) for build in BUILDS if build in row}
    return Peer(name=name, ways=tuple(map(_way, row.pop("way"))), builds=builds, **row)


def _way(row: dict[str, Any]) -> PeerWay:
    told: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
    return PeerWay(**told)


def load_races(path: Path = PEERS / "races.toml") -> list[PeerRace]:
    """All races."""
    told: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    rows = [{"sizes": told["sizes"], **row} for row in told["race"]]
    return [PeerRace(**{**row, "sizes": tuple(row["sizes"])}) for row in rows]
