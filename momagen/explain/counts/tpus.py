"""TPUs as data, from tpus.toml: what a chip's matrix units, vector units and memory do in a second."""

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
"""The figure of an engine, by the name that target files have for it."""


@dataclass(frozen=True)
class Tpu:
    """A chip.

    Attributes:
        int8_tops, bf16_tops: 10^12 operations a second, a product and its sum two. memory_gb_s: 10^9 bytes a second of
            its memory. cores: each has ``mxus`` matrix units of ``side`` rows and columns, a vector unit that gives
            ``lanes`` · ``sublanes`` · ``alus`` results of 32 bits a cycle, and ``vmem_mib`` · 2^20 bytes of memory.
        ghz: the clock. ici_links, ici_gb_s: to other chips; 10^9 bytes a second of one, one way. chips: of a pod.
        sources: where each figure stands, by keys, several in one.
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
        """Operations on 32 bits a second of all vector units."""
        return self.cores * self.lanes * self.sublanes * self.alus * self.ghz * 1e9

    @property
    def bytes_a_second(self) -> float:
        """Of its memory."""
        return self.memory_gb_s * 1e9

    def products(self, engine: str) -> float:
        """Products and sums of digits a second of an engine of target files.

        Raises:
            MomagenError: its matrix units have no such engine.
        """
        if engine not in ENGINES:
            raise among("an engine of TPUs among", ENGINES, engine, f"TPU {self.name}")
        return float(getattr(self, ENGINES[engine])) * 1e12 / 2

    def assumed(self) -> list[str]:
        """The figures that no source has."""
        return [key for keys, text in self.sources.items() if text.startswith("assumed") for key in keys.split()]


def load_tpu(name: str) -> Tpu:
    """The TPU ``name`` ("v5e").

    Raises:
        MomagenError: none of this name.
    """
    return chosen(_tpus(), name, "TPU")


def tpu_names() -> list[str]:
    """All TPUs, in the order of the file."""
    return list(_tpus())


@functools.cache
def _tpus() -> dict[str, Tpu]:
    raw = read_toml(TABLE, "a table of TPUs in TOML", TABLE.name)
    return {name: parse_tpu(name, row) for name, row in raw["tpu"].items()}


def parse_tpu(name: str, raw: object) -> Tpu:
    """A row of the table.

    Raises:
        MomagenError: a key is missing or unknown, a figure is not above 0, or has no source.
    """
    return Tpu(name, **with_sources(raw, ROW, FIGURES, f"{TABLE.name}, [tpu.{name}]"))
