"""The rates of TPUs, read from tpus.toml: their matrix units, vector units and memory."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from momagen.errors import among
from momagen.tables import chosen, read_toml, with_sources

TABLE = Path(__file__).with_name("tpus.toml")
FIGURES = {
    "int8_tops": "a number", "bf16_tops": "a number", "memory_gb_s": "a number", "cores": "a whole number",
    "mxus": "a whole number", "side": "a whole number", "lanes": "a whole number", "sublanes": "a whole number",
    "alus": "a whole number", "ghz": "a number", "vmem_mib": "a whole number", "ici_links": "a whole number",
    "ici_gb_s": "a number", "chips": "a whole number",
}  # fmt: skip
ROW = {"title": "a text", **FIGURES, "sources": "options with texts as values"}
ENGINES = {"int8": "int8_tops", "bfloat16": "bf16_tops"}
"""The figure that gives the rate of an engine, by the name of the engine in target files."""


@dataclass(frozen=True)
class Tpu:
    """The figures of a chip.

    Attributes:
        int8_tops, bf16_tops: 10^12 operations per second; a product with its addition counts as two.
        memory_gb_s: the memory bandwidth in 10^9 bytes per second.
        cores: the cores. Each has ``mxus`` matrix units of ``side`` rows and columns, a vector unit that returns
            ``lanes`` · ``sublanes`` · ``alus`` results of 32 bits per cycle, and ``vmem_mib`` · 2^20 bytes of memory.
        ghz: the clock.
        ici_links, ici_gb_s: the links to other chips, and the 10^9 bytes per second of one link in one direction.
        chips: the chips of a pod.
        sources: the source of each figure; a key may name several figures.
    """

    name: str
    title: str
    int8_tops: float
    bf16_tops: float
    memory_gb_s: float
    cores: int
    mxus: int
    side: int
    lanes: int
    sublanes: int
    alus: int
    ghz: float
    vmem_mib: int
    ici_links: int
    ici_gb_s: float
    chips: int
    sources: Mapping[str, str] = field(default_factory=dict)

    @property
    def vector_operations(self) -> float:
        """The 32-bit operations per second of all vector units."""
        return self.cores * self.lanes * self.sublanes * self.alus * self.ghz * 1e9

    @property
    def bytes_a_second(self) -> float:
        """The bytes per second of the memory."""
        return self.memory_gb_s * 1e9

    def products(self, engine: str) -> float:
        """Return the products of limbs, each with an addition, per second of an engine of target files.

        Raises:
            MomagenError: if the matrix units do not have this engine.
        """
        if engine not in ENGINES:
            raise among("a TPU engine, one of", ENGINES, engine, f"TPU {self.name}")
        return float(getattr(self, ENGINES[engine])) * 1e12 / 2

    def assumed(self) -> list[str]:
        """Return the figures that are assumed, because no source states them."""
        return [key for keys, text in self.sources.items() if text.startswith("assumed") for key in keys.split()]


def load_tpu(name: str) -> Tpu:
    """Return the TPU ``name``, for example "v5e".

    Raises:
        MomagenError: if there is no TPU of this name.
    """
    return chosen(_tpus(), name, "TPU")


def tpu_names() -> list[str]:
    """Return the names of all TPUs, in the order of the file."""
    return list(_tpus())


@functools.cache
def _tpus() -> dict[str, Tpu]:
    raw = read_toml(TABLE, "a table of TPUs in TOML", TABLE.name)
    return {name: parse_tpu(name, row) for name, row in raw["tpu"].items()}


def parse_tpu(name: str, raw: object) -> Tpu:
    """Return the TPU of one row of the table.

    Raises:
        MomagenError: if a key is missing or unknown, or if a figure is not above 0 or has no source.
    """
    return Tpu(name, **with_sources(raw, ROW, FIGURES, f"{TABLE.name}, [tpu.{name}]"))
