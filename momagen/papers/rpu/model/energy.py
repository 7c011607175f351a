"""The energy of programs by events: products, sums, and words that pass through memories and crossbars."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from momagen.rpu.isa.instruction import COMPUTE, LOAD_STORE, SHUFFLE, RpuInstruction
from momagen.rpu.isa.table import OPERATIONS, b512
from momagen.tables import checked, read_toml

TABLE = Path(__file__).with_name("energy.toml")
NUMBER = "a number"
TOP = {"total_microjoules": NUMBER, "multiplier_milliwatts": NUMBER, "ghz": NUMBER, "program": "counts by name",
       "share": "a table"}  # fmt: skip
PARTS = ("law", "vrf", "vdm", "vbar", "sbar")
"""Arithmetic, register file, vector memory, its crossbar, and the crossbar of shuffles."""
LANES = b512().machine["lanes"]
BUTTERFLY_PORTS, SHUFFLE_PORTS, MEMORY_PORTS = 5, 3, 1
"""The number of register-file words that an element of a butterfly, a shuffle, and a load or store accesses."""


@functools.cache
def _table() -> Mapping[str, Any]:
    return checked(read_toml(TABLE, "energies in TOML", TABLE.name), TOP, TABLE.name)


@functools.cache
def stated_microjoules() -> Mapping[str, float]:
    """Return the energy of the paper's program in microjoules, by part."""
    row = _table()
    share = checked(row["share"], dict.fromkeys(PARTS, NUMBER), TABLE.name)
    return {part: row["total_microjoules"] * share[part] for part in PARTS}


@functools.cache
def event_picojoules() -> Mapping[str, float]:
    """Return the energy of a product, of a sum or difference, and of a word through each other part, in picojoules.

    A butterfly has a product and two sums. The energy of a product is the multiplier's power over its clock.
    The energy of a sum follows from the remainder of a butterfly's energy by the paper's share.
    """
    row, stated = _table(), stated_microjoules()
    words = {part: LANES * count for part, count in _words(row["program"]).items()}
    of: dict[str, float] = {part: 1e6 * stated[part] / words[part] for part in PARTS}
    product = row["multiplier_milliwatts"] / row["ghz"]
    return {"multiply": product, "add": (of.pop("law") - product) / 2, **of}


def _words(program: Mapping[str, int]) -> dict[str, int]:
    """Return the number of vectors of events in the paper's program, by part."""
    ports = BUTTERFLY_PORTS * program["compute"] + SHUFFLE_PORTS * program["shuffle"]
    moved = program["load_store"]
    return {"law": program["compute"], "vrf": ports + MEMORY_PORTS * moved, "vdm": moved, "vbar": moved,
            "sbar": program["shuffle"]}  # fmt: skip


def energy(program: Iterable[RpuInstruction]) -> dict[str, float]:
    """Return the energy of a program in microjoules, by part. Loads of scalars are not counted."""
    events: Counter[str] = Counter()
    for each in program:
        vectors = [name for file, name in (*each.reads, *each.writes) if file == "v"]
        events["vrf"] += LANES * len(vectors)
        if each.opcode.pipeline == LOAD_STORE and vectors:
            words = 1 if each.opcode.name == "vbroadcast" else LANES
            events["vdm"] += words
            events["vbar"] += LANES
        elif each.opcode.pipeline == SHUFFLE:
            events["sbar"] += LANES
        elif each.opcode.pipeline == COMPUTE:
            for operation, count in each.opcode.operations.items():
                events[operation] += LANES * count
    cost: Mapping[str, Any] = event_picojoules()
    parts = {name: events[name] * cost[name] / 1e6 for name in (*OPERATIONS, *PARTS[1:])}
    return {"law": sum(parts.pop(name) for name in OPERATIONS), **parts}
