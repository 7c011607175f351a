"""CPU features that a C program can detect at run time, with their CPUID bits, as ``features.toml`` lists them."""

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
    """One CPU feature: a bit of a register after CPUID(leaf, subleaf).

    Attributes:
        name: The name of the feature, as Linux writes it.
        leaf: The leaf of CPUID.
        subleaf: The subleaf of CPUID.
        register: The index of the register in (EAX, EBX, ECX, EDX).
        bit: The index of the bit.
        state: The bits of XCR0 that must be set, so that the operating system saves the feature's registers.
    """

    name: str
    leaf: int
    subleaf: int
    register: int
    bit: int
    state: int


@cache
def known_features() -> dict[str, Feature]:
    """Return every feature of the table, by its name without underscores.

    Compilers and operating-system kernels differ in the underscores.
    """
    table = tomllib.loads(_TABLE.read_text(encoding="utf-8"))
    return {
        _plain(name): Feature(name, row["leaf"], row["subleaf"], at, bit, table["states"][row["state"]])
        for row in table["leaf"]
        for at, register in enumerate(REGISTERS)
        for name, bit in row.get(register, {}).items()
    }


def known(name: str) -> bool:
    """Return whether the table has the feature."""
    return _plain(name) in known_features()


def feature(name: str, where: str) -> Feature:
    """Return the feature called ``name``, with underscores or without.

    Args:
        name: The name of the feature.
        where: The argument or file that an error names.

    Raises:
        MomagenError: The table does not have the feature.
    """
    if not known(name):
        expected = "only CPU features that a program can detect at run time"
        raise MomagenError(expected, name, where, f"{_TABLE.name} has {_all()}")
    return known_features()[_plain(name)]


def leaves(features: Iterable[Feature]) -> list[tuple[int, int]]:
    """Return the pairs (leaf, subleaf) that a program must read, each once."""
    return sorted({(feature.leaf, feature.subleaf) for feature in features})


def _all() -> str:
    """Return the names of all features."""
    return ", ".join(feature.name for feature in known_features().values())


def _plain(name: str) -> str:
    """Return a name without underscores, in lower case."""
    return name.strip().lower().replace("_", "")
