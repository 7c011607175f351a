"""A machine to simulate, from a TOML file: units, memories, ports and latencies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from momagen.errors import MomagenError, among, quoted
from momagen.rpu.isa.table import b512
from momagen.tables import KINDS, checked, read_toml

FOLDER = Path(__file__).parent
COUNT = "a whole number"
TOP = {"title": "a text", "hples": COUNT, "banks": COUNT, "vdm_bytes": COUNT, "sdm_bytes": COUNT, "ghz": "a table",
       "fixed": "a table", "assumed": "a table"}  # fmt: skip
FIXED = {"stacked": COUNT, "share": "true or false", "hash": "a text"}
CYCLES = ("dispatch", "queue", "multiply", "add", "interval", "shuffle", "load_store")
MOST = 1024
"""Of these, and of the cycles that a compute instruction holds its pipeline: the simulator sees 8192 cycles ahead."""
ASSUMED = {"late": "true or false", **dict.fromkeys(CYCLES, COUNT)}
HASHES = ("modulo", "xor")
MOST_QUEUE, MOST_GHZ = 64, 1000


@dataclass(frozen=True)
class Design:
    """A Ring Processing Unit.

    Attributes:
        hples: lanes that compute at a time. banks: of the vector memory. ghz: the clock, by the number of banks.
        stacked: vector registers in a memory with one port; 0: ports are no limit. share: whether instructions in
            flight may read the same register. hash: how addresses go to banks, "modulo" or "xor".
        dispatch: cycles from one instruction to the next. queue: instructions that wait for a pipeline. late: whether
            sources are busy until the results are there.
        multiply, add, shuffle, load_store: cycles from the first operand to the first result. interval: cycles from one
            product of a multiplier to the next.
    """

    name: str
    title: str
    hples: int
    banks: int
    vdm_bytes: int
    sdm_bytes: int
    ghz: Mapping[str, float]
    stacked: int
    share: bool
    hash: str
    dispatch: int
    queue: int
    late: bool
    multiply: int
    add: int
    interval: int
    shuffle: int
    load_store: int

    def __post_init__(self) -> None:
        lanes, sizes = b512().machine["lanes"], b512().machine
        for key in ("hples", "banks"):
            value = getattr(self, key)
            if not 1 <= value <= lanes or value & value - 1:
                raise MomagenError(f"a power of two up to {lanes}", value, f"{self.name}, {key}")
        for key in CYCLES:
            if not 1 <= getattr(self, key) <= MOST:
                raise MomagenError(f"a number from 1 to {MOST}", getattr(self, key), f"{self.name}, {key}")
        if (cycles := lanes // self.hples * self.interval) > MOST:
            raise MomagenError(f"at most {MOST} cycles of {lanes} / hples · interval", cycles, self.name)
        if self.queue > MOST_QUEUE:
            raise MomagenError(f"at most {MOST_QUEUE} instructions", self.queue, f"{self.name}, queue")
        if self.hash not in HASHES:
            raise among("a mapping to banks among", HASHES, self.hash, self.name)
        for key in ("vdm_bytes", "sdm_bytes"):
            if not 16 <= getattr(self, key) <= sizes[key]:
                raise MomagenError(f"from 16 to {sizes[key]} bytes", getattr(self, key), f"{self.name}, {key}")
        if self.stacked not in (0, 1, 2, 4, 8, 16):
            raise MomagenError("a power of two up to 16, or 0", self.stacked, f"{self.name}, stacked")
        for banks, clock in self.ghz.items():
            if not KINDS["a number"](clock) or not 0 < clock <= MOST_GHZ:
                raise MomagenError(f"a number above 0, at most {MOST_GHZ}", quoted(clock), f"{self.name}, ghz {banks}")
        if str(self.banks) not in self.ghz:
            raise MomagenError(f"banks among {', '.join(self.ghz)}, whose clock is known", self.banks, self.name)

    @property
    def clock(self) -> float:
        """GHz."""
        return self.ghz[str(self.banks)]

    def having(self, **changes: Any) -> Design:
        """The same but for ``changes``."""
        return replace(self, **changes)


def load_design(name: str) -> Design:
    """The machine ``name``, one that comes with momagen or a file.

    Raises:
        MomagenError: there is none, or the file does not describe one.
    """
    path = FOLDER / f"{name}.toml"
    if not path.exists():
        path = Path(name)
        if path.suffix != ".toml":
            raise among("a machine, or a file .toml, among", design_names(), name, "machine")
    row = checked(read_toml(path, "a machine in TOML", path.name), TOP, path.name)
    fixed = checked(row.pop("fixed"), FIXED, f"{path.name}, [fixed]")
    assumed = checked(row.pop("assumed"), ASSUMED, f"{path.name}, [assumed]")
    return Design(path.stem, **row, **fixed, **assumed)


def design_names() -> list[str]:
    """Machines that come with momagen."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))
