"""The costs of an instruction on a machine: its latency, and the time for which it occupies its pipeline."""

from __future__ import annotations

import functools

import numpy as np

from momagen.rpu.isa.elements import LANES, places
from momagen.rpu.isa.instruction import COMPUTE, LOAD_STORE, SHUFFLE, RpuInstruction
from momagen.rpu.isa.table import b512

from .design import Design

ADDRESSES = (b512().machine["vdm_bytes"] // 16).bit_length()
"""The number of bits of an address of the vector memory."""


def latency(given: RpuInstruction, design: Design) -> int:
    """Return the number of cycles from the first operand to the first result.

    A compute instruction passes through its units one after another.
    """
    if given.opcode.pipeline == SHUFFLE:
        return design.shuffle
    if given.opcode.pipeline == LOAD_STORE:
        return design.load_store
    return sum({"add": design.add, "multiply": design.multiply}[unit] for unit in given.opcode.operations)


def held(given: RpuInstruction, design: Design, base: int = 0) -> int:
    """Return the number of cycles for which an instruction occupies its pipeline, without conflicts of register ports.

    Args:
        given: The instruction.
        design: The machine.
        base: The contents of its address register.
    """
    if given.opcode.pipeline != LOAD_STORE:
        return -(-LANES // design.hples) * (design.interval if given.opcode.pipeline == COMPUTE else 1)
    if "v" not in dict((*given.writes, *given.reads)) or given.opcode.name == "vbroadcast":
        return 1 if "v" not in dict(given.writes) else -(-LANES // design.hples)
    return bank_cycles(base + given["ADDRESS"], given["MODE"], given["VALUE"], design.banks, design.hples, design.hash)


@functools.lru_cache(maxsize=1 << 16)
def bank_cycles(address: int, mode: int, value: int, banks: int, hples: int, mapping: str) -> int:
    """Return the number of cycles in which 512 words are accessed.

    Words are accessed in groups. Each group takes as many cycles as the largest number of its words in one
    bank. A word that several lanes of a group need is read once.
    """
    words = address + places(mode, value)
    group, bits = min(hples, banks), banks.bit_length() - 1
    chosen = words % banks
    if mapping == "xor":
        for shift in range(bits, ADDRESSES, max(bits, 1)):
            chosen ^= (words >> shift) % banks
    total = 0
    for begin in range(0, LANES, group):
        pairs = {*zip(words[begin : begin + group].tolist(), chosen[begin : begin + group].tolist(), strict=True)}
        total += int(np.bincount([bank for _, bank in pairs]).max())
    return total
