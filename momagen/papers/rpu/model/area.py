"""The area of machines by part: memories from macros, arithmetic by lane, crossbars, and logic from gate counts.

The remainder of the reference machine's area is logic of its banks, such as ports, address modes and
conflicts. The model therefore reproduces the area that the paper states for the reference exactly; the areas
of other machines are predictions.
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
"""The names of the parts.

They are arithmetic, register file, vector memory and its crossbar, the crossbar of shuffles, instruction
memory, scalar memory, front end (scalar registers and busyboard), and hashed banks."""
WORD = 16
"""The number of bytes of a word."""
SCALAR_FILES = 3
"""The number of scalar register files: for scalars, addresses and moduli."""


@dataclass(frozen=True)
class AreaModel:
    """The parameters of the model, with areas in mm².

    Attributes:
        reference: The machine whose area the paper states.
        total: The area of the reference.
        hple: The area of the arithmetic and the register file of the reference.
        macro_base: The constant term of the area of a memory.
        macro_byte: The area of a memory per byte, in addition to the constant term.
        vbar: The area of the vector memory's crossbar in the reference.
        sbar_of_vbar: The area of the crossbar of shuffles over that, in the reference.
        growth: The factor by which the crossbar of shuffles grows when HPLEs double, up to those of the
            reference.
        growth_beyond: The same factor beyond the HPLEs of the reference.
        gates: The parameters of logic, by name: the area of a gate in µm², the utilisation, and gate counts.
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
        """Return the area of a single-port memory of ``size`` bytes."""
        return self.macro_base + self.macro_byte * size

    def logic(self, gates: float) -> float:
        """Return the area of logic with a number of gates."""
        return gates * self.gates["um2"] / self.gates["utilisation"] / 1e6

    @functools.cached_property
    def lane(self) -> float:
        """The area of the arithmetic of one HPLE, which is the stated area without the register file."""
        return (self.hple - register_file(self.reference, self)) / self.reference.hples

    @functools.cached_property
    def bank(self) -> float:
        """The area of the logic of a bank, which is the total of the reference without all other parts."""
        return (self.total - sum(_parts(self.reference, self, 0.0).values())) / self.reference.banks


@functools.cache
def area_model() -> AreaModel:
    """Return the model with the parameters of area.toml."""
    raw = checked(read_toml(TABLE, "areas in TOML", TABLE.name), dict.fromkeys(TOP, "a table"), TABLE.name)
    row = {name: checked(raw[name], kinds, f"{TABLE.name}, [{name}]") for name, kinds in TOP.items()}
    reference, macro, sbar = row["reference"], row["macro"], row["sbar"]
    return AreaModel(
        load_design(reference["machine"]), reference["total_mm2"], reference["hple_mm2"], macro["base_um2"] / 1e6,
        macro["byte_um2"] / 1e6, row["vbar"]["mm2"], sbar["of_vbar"], sbar["growth"], sbar["growth_beyond"],
        row["gates"],
    )  # fmt: skip


def area(design: Design, model: AreaModel | None = None) -> dict[str, float]:
    """Return the areas of ``design`` in mm² by part, in the order of ``PARTS``."""
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
    """Return the area of the register file.

    The slice of each HPLE consists of memories with ``stacked`` registers each, or with one if ports are not
    limited.
    """
    stacked = design.stacked or 1
    memories = design.hples * b512().machine["registers"] / stacked
    return memories * model.macro(stacked * b512().machine["lanes"] / design.hples * WORD)


def busyboard_gates(design: Design, model: AreaModel) -> float:
    """Return the number of gates of the busyboard.

    It has a flag for each vector register. If instructions may share sources, it also has a counter for each
    register that can count all instructions in flight, which are those in the queues and one in each
    pipeline.
    """
    flying = len(PIPELINES) * (design.queue + 1)
    counters = ceil(log2(flying + 1)) * model.gates["counter_bit"] if design.share else 0
    return b512().machine["registers"] * (model.gates["flag"] + counters)


def hash_gates(design: Design, model: AreaModel) -> float:
    """Return the number of gates that hash banks.

    For each lane they compute the exclusive or of all groups of log2(banks) address bits.
    """
    bits, address = design.banks.bit_length() - 1, (b512().machine["vdm_bytes"] // WORD - 1).bit_length()
    trees = max(0, address - bits) if bits and design.hash == "xor" else 0
    return design.hples * trees * model.gates["exclusive_or"]
