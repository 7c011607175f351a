"""What an instruction costs on a machine: how long its first result takes, and for how long it holds its pipeline."""

from __future__ import annotations

import functools

import numpy as np

from momagen.rpu.isa.elements import LANES, places
from momagen.rpu.isa.instruction import COMPUTE, LOAD_STORE, SHUFFLE, RpuInstruction
from momagen.rpu.isa.table import b512

from .design import Design

ADDRESSES = (b512().machine["vdm_bytes"] // 16).bit_length()
"""Bits of an address of the vector memory."""


def latency(given: RpuInstruction, design: Design) -> int:
    """Cycles from the first operand to the first result: of a compute instruction those of its units, one behind the
    other."""
    if given.opcode.pipeline == SHUFFLE:
        return design.shuffle
    if given.opcode.pipeline == LOAD_STORE:
        return design.load_store
    return sum({"add": design.add, "multiply": design.multiply}[unit] for unit in given.opcode.operations)


def held(given: RpuInstruction, design: Design, base: int = 0) -> int:
    """Cycles that an instruction holds its pipeline, conflicts of ports apart; ``base``: what its address register
    holds."""
    if given.opcode.pipeline != LOAD_STORE:
        return -(-LANES // design.hples) * (design.interval if given.opcode.pipeline == COMPUTE else 1)
    if "v" not in dict((*given.writes, *given.reads)) or given.opcode.name == "vbroadcast":
        return 1 if "v" not in dict(given.writes) else -(-LANES // design.hples)
    return bank_cycles(base + given["ADDRESS"], given["MODE"], given["VALUE"], design.banks, design.hples, design.hash)


@functools.lru_cache(maxsize=1 << 16)
def bank_cycles(address: int, mode: int, value: int, banks: int, hples: int, mapping: str) -> int:
    """Cycles that 512 words take: of as many as go at a time, the bank that most of them ask for sets the pace. A word
    that several lanes ask for is read once."""
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
