"""The transforms of standards by name, which are read from ``presets.toml``: every preset is a table there."""

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
        title: A description of the standard.
        source: The source of the parameters.
        n: The number of coefficients.
        depth: The number of butterfly levels.
        modulus: The modulus q.
        root: The root of order 2^(depth + 1).
        reference: The exponent k by kind of kernel ("inverse", "product"), if the reference implementation returns 2^k
            times the coefficients, or products divided by 2^k.
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
        """The arguments of the functions that build kernels."""
        return {
            "n": self.n, "depth": self.depth, "modulus": self.modulus, "root": self.root, "negacyclic": True,
        }  # fmt: skip


@cache
def presets() -> MappingProxyType[str, Preset]:
    """Return all presets by name, in the order of the table."""
    rows = tomllib.loads(_TABLE.read_text(encoding="utf-8"))
    made = {name: Preset(**{**row, "reference": MappingProxyType(row["reference"])}) for name, row in rows.items()}
    return MappingProxyType(made)


def preset(name: object) -> Preset:
    """Return the preset of that name.

    Raises:
        MomagenError: There is no such preset.
    """
    if not isinstance(name, str) or name not in presets():
        raise among("one of the presets", tuple(presets()), name, "preset")
    return presets()[name]
