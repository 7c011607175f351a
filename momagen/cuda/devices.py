"""The figures of GPUs from devices.toml: multiprocessors, clocks, and the throughput of their pipes."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from momagen.errors import MomagenError
from momagen.tables import checked, chosen, read_toml, with_sources

TABLE = Path(__file__).with_name("devices.toml")
WARP = 32
"""The number of lanes of a warp."""
DEVICE = {"title": "a text", "core": "a text", "sms": "a whole number", "ghz": "a number", "memory_gb_s": "a number",
          "sources": "options with texts as values"}  # fmt: skip
CORE = {"title": "a text", "issue": "a number", "lanes": "a table", "slots": "a table", "source": "a text"}
FIGURES = ("sms", "ghz", "memory_gb_s")


@dataclass(frozen=True)
class GpuCore:
    """A kind of streaming multiprocessor.

    Attributes:
        name: The name.
        title: The full name.
        issue: The number of issue slots for warp instructions per cycle.
        lanes: The number of results per cycle, by pipe or rate.
        source: The source of the figures.
        slots: The number of issue slots that one instruction takes, by pipe or rate; 1 by default.
    """

    name: str
    title: str
    issue: float
    lanes: Mapping[str, float]
    source: str = ""
    slots: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Gpu:
    """The figures of a GPU.

    Attributes:
        name: The name, such as "h100-sxm".
        title: The full name.
        core: The kind of its streaming multiprocessors.
        sms: The number of its streaming multiprocessors.
        ghz: The boost clock in GHz.
        memory_gb_s: The memory bandwidth in 10^9 bytes per second.
        sources: The source of each figure. A key may name several figures.
    """

    name: str
    title: str
    core: GpuCore
    sms: int
    ghz: float
    memory_gb_s: float
    sources: Mapping[str, str] = field(default_factory=dict)

    def picoseconds(self, lanes: float) -> float:
        """Return the time in picoseconds that the device takes for one lane of one instruction.

        Args:
            lanes: The number of lanes that each multiprocessor executes per cycle.
        """
        return 1e3 / (lanes * self.sms * self.ghz)


def load_gpu(name: str) -> Gpu:
    """Return the GPU ``name``, such as "h100-sxm".

    Raises:
        MomagenError: The name is unknown.
    """
    return chosen(_gpus(), name, "GPU")


def gpu_names() -> list[str]:
    """Return the names of all GPUs, in the order of the file."""
    return list(_gpus())


@functools.cache
def _gpus() -> dict[str, Gpu]:
    raw = read_toml(TABLE, "a table of GPUs in TOML", TABLE.name)
    cores = {name: _core(name, row) for name, row in raw["core"].items()}
    return {name: _gpu(name, row, cores) for name, row in raw["device"].items()}


def _core(name: str, raw: object) -> GpuCore:
    where = f"{TABLE.name}, [core.{name}]"
    row = checked(raw, CORE, where)
    for key, lanes in row["lanes"].items():
        if not isinstance(lanes, int | float) or not 0 < lanes <= 4 * WARP:
            raise MomagenError(f"a number of lanes above 0 and at most {4 * WARP}", lanes, f"{where} {key}")
    for key, slots in row["slots"].items():
        if not isinstance(slots, int | float) or slots < 1:
            raise MomagenError("at least 1 issue slot per instruction", slots, f"{where} {key}")
    return GpuCore(name, **row)


def _gpu(name: str, raw: object, cores: Mapping[str, GpuCore]) -> Gpu:
    where = f"{TABLE.name}, [device.{name}]"
    row = with_sources(raw, DEVICE, FIGURES, where)
    return Gpu(name, **{**row, "core": chosen(cores, row["core"], "core", where)})
