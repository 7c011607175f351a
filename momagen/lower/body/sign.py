"""The last step from floating-point limbs to residues below q, which integer operations do on numbers within ±q."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from momagen.ir import Block, Instr, Value, const, leaves
from momagen.kernels.elementwise.double_products import HELD

Digits = list[Value]
"""The limbs of a number, low limb first."""
LANE = 64
"""The number of bits of a lane, which is larger than the number of bits of a limb."""


def digits_of(value: Value) -> Digits:
    """Return the limbs of a multi-word value, low limb first."""
    return list(leaves(value))[::-1]


def lifted(outs: Digits, second: Block, unit: Callable[[int], int], word: int) -> list[Instr]:
    """Return ``second`` applied to the number in the doubles ``outs``.

    Each limb except the leading one gets an offset, which the next limb subtracts again. No limb is negative
    then, so that carries are logical shifts.

    Args:
        outs: The limbs as doubles, low limb first.
        second: A codelet on the number x in integers and on the flag ``negative``.
        unit: A function of the index of a limb. The double of the limb is the limb times 2^unit(index).
        word: The number of bits of a limb.
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
    """Return instructions that set ``flag`` if the number is negative.

    They add the limbs from the leading one down and take the sign of the sum. A sum that is not exact is
    larger than all lower limbs together, so no rounding changes the sign.
    """
    total, instrs = digits[-1], list[Instr]()
    for digit in digits[-2::-1]:
        result = Value(0, (1 << LANE) - 1)
        instrs.append(Instr("radd", LANE, (total, digit), (result,)))
        total = result
    return [*instrs, Instr("negative", LANE, (total,), (flag,), LANE - 1)]
