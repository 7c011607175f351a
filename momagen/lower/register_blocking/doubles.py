"""Register-blocked passes on doubles, with the conversions from words at the beginning and to words at the end."""

from __future__ import annotations

from momagen.ir import Block, Instr, Value, const, words
from momagen.ir.real import BIAS
from momagen.kernels.butterflies.levels import canonical
from momagen.kernels.butterflies.single_double_levels import DoubleCodelet
from momagen.kernels.residues.reduced_radix import ReducedRadix
from momagen.kernels.residues.single_double import OneDouble
from momagen.kernels.residues.theorems import THEOREMS, bounded
from momagen.lower.body.sign import LANE, sign
from momagen.lower.phases import lower_digits, lower_real
from momagen.rewrite import Trace
from momagen.rewrite.digits.exponents import bits
from momagen.targets import Target

EVERY = (1 << LANE) - 1
"""The largest word."""


def on_doubles(step: DoubleCodelet, a: OneDouble, target: Target, trace: Trace) -> Block:
    """Return the codelet of a step in the operations of the target."""
    block = lower_real(step.block, target, trace, unit=a.unit, digit=a.word)
    block = _opened(block, step.radix) if step.opens else block
    return _ended(block, step.radix, a, target, trace) if step.ends else block


def _opened(block: Block, radix: int) -> Block:
    """Return ``block`` with words as inputs, which it converts to doubles."""
    wires, inputs = list[Instr](), dict(block.inputs)
    for i in range(radix):
        (digit,) = words(inputs[f"x{i}"], LANE, 1)
        inputs[f"x{i}"] = Value(0, digit.hi)
        wires.append(Instr("real", LANE, (inputs[f"x{i}"],), (digit,)))
    return Block(inputs, wires + block.instrs, block.outputs)


def _by_sign(block: Block, radix: int, a: OneDouble) -> Block:
    """Return ``block`` with words below q as outputs, for targets that select by the sign of a double.

    The bits of x + 3·2^51 are those of 3·2^51 plus x. The selected word subtracts the former, and adds q if x
    is negative.
    """
    n, shifted = Value(a.least, a.top, name="n"), Value(0, EVERY)
    middle, wires, outputs = bits(BIAS, 0), list[Instr](), dict[str, Value]()
    wires.append(Instr("sublo", LANE, (n, const(middle)), (shifted,)))
    for i in range(radix):
        (out,), placed, chosen, found = words(block.outputs[f"y{i}"], LANE, 1), *(Value(0, EVERY) for _ in range(3))
        wires += [
            Instr("radd", LANE, (out, const(middle)), (placed,)),
            Instr("select_top", LANE, (out, shifted, const(-middle % (1 << LANE))), (chosen,)),
            Instr("addlo", LANE, (placed, chosen), (found,)),
        ]
        outputs[f"y{i}"] = bounded(found, 0, a.top - 1, "sign_correction")
    return Block({**block.inputs, "n": n}, block.instrs + wires, outputs)


def _ended(block: Block, radix: int, a: OneDouble, target: Target, trace: Trace) -> Block:
    """Return ``block``, whose results are within ±q, with words below q as outputs."""
    if {"select_top", "addlo", "sublo"} <= target.ops.keys():
        trace.rules_applied.update([THEOREMS["sign_correction"].label] * radix)
        return _by_sign(block, radix, a)
    ends = tuple(map(str, range(radix)))
    held = ReducedRadix(a.bits, a.word, real=True, words=1, reach=1)
    last = lower_digits(canonical(held, ends), target, trace, digit=a.word)
    wires = list[Instr]()
    for end in ends:
        (out,), (come,) = (words(value, LANE, 1) for value in (block.outputs[f"y{end}"], last.inputs[f"x{end}"]))
        wires += [Instr("unreal", LANE, (out,), (come,)), *sign([out], last.inputs[f"negative{end}"])]
    outputs = {f"y{end}": last.outputs[f"X{end}"] for end in ends}
    return Block({**block.inputs, "n": last.inputs["q"]}, block.instrs + wires + last.instrs, outputs)
