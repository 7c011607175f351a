"""Transforms of standards by their names, read from ``presets.toml`` beside this file: a preset is one table there."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from momagen.errors import among

_TABLE = Path(__file__).with_name("presets.toml")


@dataclass(frozen=True)
class Preset:
    """The transforms of one standard, of polynomials modulo x^n + 1.

    Attributes:
        title, source: what it is, and where it stands. n: coefficients. depth: levels of butterflies.
        modulus, root: q and the root of order 2^(depth + 1).
        reference: k by what a kernel does ("inverse", "product"), where the reference code gives 2^k times coefficients
            or 1/2^k times products.
    """

    title: str
    source: str
    n: int
    depth: int
    modulus: int
    root: int
    reference: MappingProxyType[str, int]

    @property
    def given(self) -> dict[str, Any]:
        """What a maker of kernels is asked for."""
        return {
            "n": self.n, "depth": self.depth, "modulus": self.modulus, "root": self.root, "negacyclic": True,
        }  # fmt: skip


@cache
def presets() -> MappingProxyType[str, Preset]:
    """All of them by name, in the order of the table."""
    rows = tomllib.loads(_TABLE.read_text(encoding="utf-8"))
    made = {name: Preset(**{**row, "reference": MappingProxyType(row["reference"])}) for name, row in rows.items()}
    return MappingProxyType(made)


def preset(name: object) -> Preset:
    """The preset of that name.

    Raises:
        MomagenError: there is none.
    """
    if not isinstance(name, str) or name not in presets():
        raise among("one of the presets", tuple(presets()), name, "preset")
    return presets()[name]
