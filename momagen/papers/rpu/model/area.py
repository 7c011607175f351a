"""Area of machines, by part: memories from their macros, arithmetic by lane, crossbars, and logic by its gates.

What the reference has beyond its other parts is logic of the banks: ports, address modes, conflicts. So the model gives
back the area that the paper states of the reference, exactly; other machines are predictions.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, log2
from pathlib import Path
from typing import Any

from momagen.rpu.isa.table import PIPELINES, b512
from momagen.rpu.machine.design import Design, load_design
from momagen.tables import checked, read_toml

TABLE = Path(__file__).with_name("area.toml")
NUMBER = "a number"
TOP: Mapping[str, Mapping[str, str]] = {
    "reference": {"machine": "a text", "total_mm2": NUMBER, "hple_mm2": NUMBER},
    "macro": {"base_um2": NUMBER, "byte_um2": NUMBER}, "vbar": {"mm2": NUMBER},
    "sbar": {"of_vbar": NUMBER, "growth": NUMBER, "growth_beyond": NUMBER},
    "gates": dict.fromkeys(("um2", "utilisation", "flag", "counter_bit", "exclusive_or"), NUMBER),
}  # fmt: skip
PARTS = ("law", "vrf", "vdm", "vbar", "sbar", "im", "sdm", "front", "hash")
"""Arithmetic, register file, vector memory, its crossbar, the crossbar of shuffles, instruction memory, scalar memory,
front end (scalar registers, busyboard), hashed banks."""
WORD = 16
"""Bytes of a word."""
SCALAR_FILES = 3
"""Registers for scalars, addresses, moduli."""


@dataclass(frozen=True)
class AreaModel:
    """Areas in mm²; ``gates``: of gate counts.

    Attributes:
        macro_base, macro_byte: a memory takes base + byte times its size. vbar: of the reference. sbar_of_vbar: the
            reference's crossbar of shuffles over that. growth, growth_beyond: of that one as HPLEs double, up to those
            of the reference and beyond.
    """

    reference: Design
    total: float
    hple: float
    macro_base: float
    macro_byte: float
    vbar: float
    sbar_of_vbar: float
    growth: float
    growth_beyond: float
    gates: Mapping[str, float]

    def macro(self, size: float) -> float:
        """A memory of ``size`` bytes with one port."""
        return self.macro_base + self.macro_byte * size

    def logic(self, gates: float) -> float:
        return gates * self.gates["um2"] / self.gates["utilisation"] / 1e6

    @functools.cached_property
    def lane(self) -> float:
        """The arithmetic of an HPLE: what the paper states of all, less their register file."""
        return (self.hple - register_file(self.reference, self)) / self.reference.hples

    @functools.cached_property
    def bank(self) -> float:
        """Logic of a bank of the vector memory: the reference's total, less all else."""
        return (self.total - sum(_parts(self.reference, self, 0.0).values())) / self.reference.banks


@functools.cache
def area_model() -> AreaModel:
    """The model of area.toml."""
    raw = checked(read_toml(TABLE, "areas in TOML", TABLE.name), dict.fromkeys(TOP, "a table"), TABLE.name)
    row = {name: checked(raw[name], kinds, f"{TABLE.name}, [{name}]") for name, kinds in TOP.items()}
    reference, macro, sbar = row["reference"], row["macro"], row["sbar"]
    return AreaModel(
        load_design(reference["machine"]), reference["total_mm2"], reference["hple_mm2"], macro["base_um2"] / 1e6,
        macro["byte_um2"] / 1e6, row["vbar"]["mm2"], sbar["of_vbar"], sbar["growth"], sbar["growth_beyond"],
        row["gates"],
    )  # fmt: skip


def area(design: Design, model: AreaModel | None = None) -> dict[str, float]:
    """mm² of ``design`` by part, in the order of PARTS."""
    model = model or area_model()
    return _parts(design, model, model.bank)


def _parts(design: Design, model: AreaModel, bank: float) -> dict[str, float]:
    sizes: Mapping[str, Any] = b512().machine
    doublings = log2(design.hples / model.reference.hples)
    crosspoints = design.hples * design.banks / (model.reference.hples * model.reference.banks)
    found = {
        "law": design.hples * model.lane,
        "vrf": register_file(design, model),
        "vdm": design.banks * (model.macro(design.vdm_bytes / design.banks) + bank),
        "vbar": model.vbar * crosspoints,
        "sbar": model.vbar * model.sbar_of_vbar * (model.growth if doublings < 0 else model.growth_beyond) ** doublings,
        "im": model.macro(sizes["im_bytes"]),
        "sdm": model.macro(design.sdm_bytes),
        "front": SCALAR_FILES * model.macro(sizes["registers"] * WORD) + model.logic(busyboard_gates(design, model)),
        "hash": model.logic(hash_gates(design, model)),
    }
    return {name: found[name] for name in PARTS}


def register_file(design: Design, model: AreaModel) -> float:
    """Of each HPLE's slice the memories, of ``stacked`` registers each; of one where ports are no limit."""
    stacked = design.stacked or 1
    memories = design.hples * b512().machine["registers"] / stacked
    return memories * model.macro(stacked * b512().machine["lanes"] / design.hples * WORD)


def busyboard_gates(design: Design, model: AreaModel) -> float:
    """A flag for each vector register; where instructions share sources, too, a counter that reaches all that are in
    flight: in the queues, and one in each pipeline."""
    flying = len(PIPELINES) * (design.queue + 1)
    counters = ceil(log2(flying + 1)) * model.gates["counter_bit"] if design.share else 0
    return b512().machine["registers"] * (model.gates["flag"] + counters)


def hash_gates(design: Design, model: AreaModel) -> float:
    """For each lane the exclusive or of all groups of log2(banks) bits of an address."""
    bits, address = design.banks.bit_length() - 1, (b512().machine["vdm_bytes"] // WORD - 1).bit_length()
    trees = max(0, address - bits) if bits and design.hash == "xor" else 0
    return design.hples * trees * model.gates["exclusive_or"]
