"""How a C program asks for a CPU feature at run time: CPUID's bits, read from ``features.toml`` beside this file."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from momagen.errors import MomagenError

_TABLE = Path(__file__).with_name("features.toml")
REGISTERS = ("eax", "ebx", "ecx", "edx")


@dataclass(frozen=True)
class Feature:
    """One bit: of ``register`` (an index into EAX, EBX, ECX, EDX) after CPUID(leaf, subleaf).

    Attributes:
        name: as Linux writes it. state: the bits of XCR0 that must be set for the feature's registers to be saved.
    """

    name: str
    leaf: int
    subleaf: int
    register: int
    bit: int
    state: int


@cache
def known_features() -> dict[str, Feature]:
    """Every feature of the table, by its name without underscores, as compilers and kernels differ in them."""
    table = tomllib.loads(_TABLE.read_text(encoding="utf-8"))
    return {
        _plain(name): Feature(name, row["leaf"], row["subleaf"], at, bit, table["states"][row["state"]])
        for row in table["leaf"]
        for at, register in enumerate(REGISTERS)
        for name, bit in row.get(register, {}).items()
    }


def known(name: str) -> bool:
    """Whether the table has the feature."""
    return _plain(name) in known_features()


def feature(name: str, where: str) -> Feature:
    """Return the feature called ``name``, which may have underscores or not.

    Raises:
        MomagenError: the table does not have it.
    """
    if not known(name):
        expected = "only CPU features that a program can detect at run time"
        raise MomagenError(expected, name, where, f"{_TABLE.name} has {_all()}")
    return known_features()[_plain(name)]


def leaves(features: Iterable[Feature]) -> list[tuple[int, int]]:
    """The pairs (leaf, subleaf) to read, each once."""
    return sorted({(feature.leaf, feature.subleaf) for feature in features})


def _all() -> str:
    return ", ".join(feature.name for feature in known_features().values())


def _plain(name: str) -> str:
    return name.strip().lower().replace("_", "")
