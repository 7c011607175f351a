"""Register allocation in program order: each register is free again after its last reader."""

from __future__ import annotations

from collections.abc import Sequence

from momagen.errors import build_error
from momagen.rpu.isa.instruction import RpuInstruction, instruction
from momagen.rpu.isa.table import b512

from .virtual import ARGUMENTS, RESULTS, VirtualOp


def last_reads(ops: Sequence[VirtualOp]) -> dict[int, int]:
    """Return the index of the last instruction that reads each register, or that writes it if none reads it."""
    return {register: at for at, op in enumerate(ops) for register in (*op.results, *op.arguments)}


def allocate(ops: Sequence[VirtualOp]) -> list[RpuInstruction]:
    """Return the instructions with physical vector registers, in the same order.

    Raises:
        MomagenError: more vectors are live at once than there are registers.
    """
    ends, made = last_reads(ops), dict[int, int]()
    free = list(range(b512().machine["registers"]))
    found = []
    for at, op in enumerate(ops):
        arguments = [made[each] for each in op.arguments]
        free += [made.pop(each) for each in set(op.arguments) if ends[each] == at]
        if len(free) < len(op.results):
            problem = f"more than {b512().machine['registers']} vectors are live at once"
            raise build_error(problem, f"instruction {at}", "enable the back end's step `spilling`")
        for each in op.results:
            made[each] = free.pop(0)
        found.append(placed(op, arguments, [made[each] for each in op.results]))
        free += [made.pop(each) for each in op.results if ends[each] == at]
    return found


def placed(op: VirtualOp, arguments: Sequence[int], results: Sequence[int]) -> RpuInstruction:
    """Return ``op`` with these physical registers."""
    names = ("VD",) if op.name == "vstore" else ARGUMENTS
    fields = {**dict(zip(names, arguments, strict=False)), **dict(zip(RESULTS, results, strict=False)), **op.fields}
    return instruction(op.name, fields)
