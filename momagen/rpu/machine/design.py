"""The description of a simulated machine, from a TOML file: units, memories, ports and latencies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from momagen.errors import MomagenError, among, build_error, quoted
from momagen.rpu.isa.table import b512
from momagen.tables import KINDS, checked, read_toml

FOLDER = Path(__file__).parent
COUNT = "a whole number"
TOP = {"title": "a text", "hples": COUNT, "banks": COUNT, "vdm_bytes": COUNT, "sdm_bytes": COUNT, "ghz": "a table",
       "fixed": "a table", "assumed": "a table"}  # fmt: skip
FIXED = {"stacked": COUNT, "share": "true or false", "hash": "a text"}
CYCLES = ("dispatch", "queue", "multiply", "add", "interval", "shuffle", "load_store")
MOST = 1024
"""The largest value of these entries, and of the number of cycles for which a compute instruction occupies
its pipeline. The simulator looks 8192 cycles ahead."""
ASSUMED = {"late": "true or false", **dict.fromkeys(CYCLES, COUNT)}
HASHES = ("modulo", "xor")
"""The mappings of addresses to banks."""
MOST_QUEUE, MOST_GHZ = 64, 1000


@dataclass(frozen=True)
class Design:
    """A Ring Processing Unit.

    Attributes:
        name: The name of the file.
        title: A description.
        hples: The number of lanes that compute at a time.
        banks: The number of banks of the vector memory.
        vdm_bytes: The number of bytes of the vector memory.
        sdm_bytes: The number of bytes of the scalar memory.
        ghz: The clock frequency by the number of banks.
        stacked: The number of vector registers in a memory with one port, or 0 if ports are not a limit.
        share: Whether instructions in flight may read the same register.
        hash: The mapping of addresses to banks, "modulo" or "xor".
        dispatch: The number of cycles from one instruction to the next.
        queue: The number of instructions that can wait for a pipeline.
        late: Whether source registers are busy until the results are available.
        multiply: The latency of a multiplication in cycles, from the first operand to the first result.
        add: The latency of an addition.
        interval: The number of cycles from one product of a multiplier to the next.
        shuffle: The latency of a shuffle.
        load_store: The latency of a load or store.
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
                raise MomagenError(f"a power of two from 1 to {lanes}", value, f"{self.name}, {key}")
        for key in CYCLES:
            if not 1 <= getattr(self, key) <= MOST:
                raise MomagenError(f"an integer from 1 to {MOST}", getattr(self, key), f"{self.name}, {key}")
        if (cycles := lanes // self.hples * self.interval) > MOST:
            problem = f"an instruction takes {cycles} cycles ({lanes} / hples · interval), more than the {MOST} allowed"
            raise build_error(problem, self.name, "increase `hples` or decrease `interval`")
        if self.queue > MOST_QUEUE:
            raise MomagenError(f"at most {MOST_QUEUE} instructions", self.queue, f"{self.name}, queue")
        if self.hash not in HASHES:
            raise among("one of the mappings of addresses to banks:", HASHES, self.hash, f"{self.name}, hash")
        for key in ("vdm_bytes", "sdm_bytes"):
            if not 16 <= getattr(self, key) <= sizes[key]:
                raise MomagenError(f"from 16 to {sizes[key]} bytes", getattr(self, key), f"{self.name}, {key}")
        if self.stacked not in (0, 1, 2, 4, 8, 16):
            raise MomagenError("0 or a power of two from 1 to 16", self.stacked, f"{self.name}, stacked")
        for banks, clock in self.ghz.items():
            if not KINDS["a number"](clock) or not 0 < clock <= MOST_GHZ:
                expected = f"a clock rate above 0 and at most {MOST_GHZ} GHz"
                raise MomagenError(expected, quoted(clock), f"{self.name}, ghz {banks}")
        if str(self.banks) not in self.ghz:
            expected = f"one of {', '.join(self.ghz)}, for which `ghz` has a clock rate"
            raise MomagenError(expected, self.banks, f"{self.name}, banks")

    @property
    def clock(self) -> float:
        """The clock frequency in GHz."""
        return self.ghz[str(self.banks)]

    def having(self, **changes: Any) -> Design:
        """Return a design with ``changes``."""
        return replace(self, **changes)


def load_design(name: str) -> Design:
    """Return the design ``name``: one that momagen ships, or the one in a TOML file.

    Raises:
        MomagenError: The name is unknown, or the file does not describe a design.
    """
    path = FOLDER / f"{name}.toml"
    if not path.exists():
        path = Path(name)
        if path.suffix != ".toml":
            raise among("the name of a .toml file, or one of the machines", design_names(), name, "machine")
    row = checked(read_toml(path, "a machine in TOML", path.name), TOP, path.name)
    fixed = checked(row.pop("fixed"), FIXED, f"{path.name}, [fixed]")
    assumed = checked(row.pop("assumed"), ASSUMED, f"{path.name}, [assumed]")
    return Design(path.stem, **row, **fixed, **assumed)


def design_names() -> list[str]:
    """Return the names of the designs that momagen ships."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))
