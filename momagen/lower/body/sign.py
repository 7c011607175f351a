"""From digits in doubles to residues below q: a number within ±q is finished by integers in lanes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from momagen.ir import Block, Instr, Value, const, leaves
from momagen.kernels.elementwise.double_products import HELD

Digits = list[Value]
"""Low first."""
LANE = 64
"""Bits of a register's lanes, which hold more than a digit."""


def digits_of(value: Value) -> Digits:
    return list(leaves(value))[::-1]


def lifted(outs: Digits, second: Block, unit: Callable[[int], int], word: int) -> list[Instr]:
    """``second``, a codelet on the number x in integers and the flag ``negative``, applied to the doubles ``outs``.

    Digit ``at`` is held times 2^unit(at). Each but the leading one gets an offset that the next one gives back: none is
    negative then, so carries are logical shifts.
    """
    found, high = list[Instr](), 1 << HELD
    for at, (out, come) in enumerate(zip(outs, digits_of(second.inputs["x"]), strict=True)):
        whole = Value(-high, high)
        found.append(Instr("unreal", LANE, (out,), (whole,), unit(at)))
        low, top = at == 0, at == len(outs) - 1
        op, by = ("minus", high >> word) if top else ("plus", high - (0 if low else high >> word))
        found.append(Instr(op, LANE, (whole, const(by)), (come,)))
    shifts = [replace(i, op="shr", w=LANE) if i.op == "sar" and i.args[0].lo >= 0 else i for i in second.instrs]
    return [*found, *sign(outs, second.inputs["negative"]), *shifts]


def sign(digits: Digits, flag: Value) -> list[Instr]:
    """Whether the number is negative: the sign of the sum of its digits from the leading one down.

    A sum that is not exact is larger than all lower digits together, so no rounding changes the sign.
    """
    total, instrs = digits[-1], list[Instr]()
    for digit in digits[-2::-1]:
        result = Value(0, (1 << LANE) - 1)
        instrs.append(Instr("radd", LANE, (total, digit), (result,)))
        total = result
    return [*instrs, Instr("negative", LANE, (total,), (flag,), LANE - 1)]
