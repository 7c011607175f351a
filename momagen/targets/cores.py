"""Core families: groups of CPUs for which a target states tuned values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from momagen.errors import MomagenError, among, build_error, quoted

NAME = re.compile(r"[a-z][a-z0-9_]*")
CPU = re.compile(r"\w+ [0-9]+ [0-9]+", re.ASCII)
TUNED = (
    "ahead", "operands", "packed", "prefetch", "saved", "word_storage_from", "memory", "tiles", "long", "radix", "sums",
)  # fmt: skip
"""The keys that a core family may set; none of them changes what a kernel computes or which CPUs run it."""


class CoreFamily(NamedTuple):
    """The CPUs of one core family, and the keys of the target file that have other values for them.

    Attributes:
        cpus: The CPUs: vendor, family and model, as in "GenuineIntel 6 143".
        values: The values by key.
    """

    cpus: tuple[str, ...]
    values: Mapping[str, Any]


def parse_cores(rows: Mapping[str, Any], where: str) -> dict[str, CoreFamily]:
    """Return the core families of a table ``[cores]``.

    Raises:
        MomagenError: A name, a key or a CPU is invalid.
    """
    return {name: _family(name, row, f"{where}, [cores.{name}]") for name, row in rows.items()}


def _family(name: str, row: object, where: str) -> CoreFamily:
    if not NAME.fullmatch(name) or name == "proxy":
        raise MomagenError('a name of lower-case letters, digits and _ other than "proxy"', name, where)
    if not isinstance(row, dict):
        raise MomagenError("a table", quoted(row), where)
    cpus, values = row.get("cpus"), {key: value for key, value in row.items() if key != "cpus"}
    if not isinstance(cpus, list) or not cpus or not all(isinstance(cpu, str) and CPU.fullmatch(cpu) for cpu in cpus):
        expected = 'CPUs such as ["GenuineIntel 6 143"]: vendor, family and model'
        raise MomagenError(expected, quoted(cpus), f"{where}, cpus")
    if unknown := sorted(values.keys() - {*TUNED}):
        raise among("only cpus and the keys", TUNED, ", ".join(unknown), where)
    return CoreFamily(tuple(cpus), values)


def family_named(families: Mapping[str, CoreFamily], name: str, target: str) -> CoreFamily:
    """Return the core family ``name`` of a target.

    Raises:
        MomagenError: The target has no such family.
    """
    if not families:
        raise build_error(f"`{target}` has no core families", "target", f"use `{target}`")
    if name not in families:
        raise among(f"one of {target}'s core families", families, name, "target")
    return families[name]
