"""The translation of operations on integers in doubles to instructions.

Each value is stored times a power of two, its *unit*; limb i of a number is stored times 2^(word·i). A
product of limbs therefore has the unit of its column, and no result needs a shift: a sum that rounds to
multiples of 2^k differs from an exact one only in the units of its terms. All operations on doubles become
additions, subtractions and multiply-adds. Constants become the bits of the doubles that represent them.

Results that are rounded are stored with a *bias*, which is so large that the last bit of the double counts
one unit. The bias remains until a term is used without it.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from momagen.errors import MomagenError
from momagen.ir import Block, Instr, Value, const, leaves
from momagen.ir.block import renewed
from momagen.ir.real import BIAS, MANTISSA
from momagen.ir.value import DoubleFormat


class Spelled(NamedTuple):
    """The instruction for an operation.

    Attributes:
        op: The name of the instruction. A product has its factors first.
        above: The distance of the units of the first and second arguments from the unit of the result, in
            multiples of k bits. For a multiply-add, the second number is for the product of the factors.
        rounds: Whether the instruction rounds, so that its result and its first argument have the bias.
    """

    op: str
    above: tuple[int, int] = (0, 0)
    rounds: bool = False


TABLE = {
    "plus": Spelled("radd"), "minus": Spelled("rsub"),
    "near": Spelled("radd", (0, -1), True), "rest": Spelled("rsub", (0, 1)),
    "leading": Spelled("radd", (1, 0)),
    "fmanear": Spelled("rfma", (0, -1), True), "fmarest": Spelled("rfma", (1, 0)),
    "fmadown": Spelled("rfma", (-1, -1)), "fmsrest": Spelled("rfms", (1, 0)), "fnmarest": Spelled("rfnma", (1, 0)),
    "mulleading": Spelled("rmul"),
}  # fmt: skip
"""The instructions by operation."""


def _held(value: Value) -> DoubleFormat:
    """Return the format of a value."""
    assert value.held is not None, value
    return value.held


def _biased(value: Value) -> bool:
    """Return whether a value is stored with the bias."""
    return not value.is_const and _held(value).bias > 0


class Units:
    """A builder of the instructions for one block.

    It determines the format of every result from the formats of the inputs.

    Attributes:
        plain: The values without bias for values that have it, by the id of the latter.
        instrs: The instructions.
    """

    def __init__(self) -> None:
        self.plain: dict[int, Value] = {}
        self.instrs: list[Instr] = []

    def lower(self, instr: Instr) -> None:
        """Append the instruction for an operation.

        Raises:
            MomagenError: A double cannot hold the result, or terms have different units.
        """
        (result,), row = instr.results, TABLE[instr.op]
        if row.op == "rmul":
            factors = tuple(map(self.without, instr.args))
            self._append(row.op, factors, result, DoubleFormat(sum(_held(a).unit for a in factors), 0))
            return
        _check_held(instr, row.rounds)
        args, bias = self._terms(instr, row.rounds)
        unit = self._unit(args, instr.k, row)
        asked = [unit + above * instr.k for above in row.above]
        found = [self._at(args[0], asked[0], bias)]
        found += [self._at(args[1], asked[1], bias * (not row.rounds))] if len(args) == 2 else args[1:]
        placed = found if len(found) == 2 else [*found[1:], found[0]]
        self._append(row.op, tuple(placed), result, DoubleFormat(unit, BIAS * row.rounds))

    def _append(self, op: str, args: tuple[Value, ...], result: Value, held: DoubleFormat) -> None:
        """Append an instruction, and record the format of its result."""
        result.held = held
        self.instrs.append(Instr(op, 64, args, (result,)))

    def _terms(self, instr: Instr, rounds: bool) -> tuple[list[Value], int]:
        """Return the arguments, and the bias that constants among them need.

        The difference of two biased terms has no bias.
        """
        first, *rest = instr.args
        above = [_biased(a) for a in instr.args if not a.is_const]
        if instr.op == "minus" and above and all(above):
            return [first, *rest], BIAS
        if rounds and not (first.is_const or _biased(first)):
            raise MomagenError("a rounded term or a constant", str(first), "floating-point limbs")
        return [first if rounds else self.without(first), *map(self.without, rest)], BIAS * rounds

    def without(self, value: Value) -> Value:
        """Return a value, or each of its limbs, without the bias."""
        if value.digits:
            return replace(value, digits=tuple(map(self.without, value.digits)))
        if not _biased(value):
            return value
        if id(value) not in self.plain:
            self.plain[id(value)] = plain = Value(value.lo, value.hi)
            unit = _held(value).unit
            self._append("rsub", (value, self._at(const(0), unit, BIAS)), plain, DoubleFormat(unit, 0))
        return self.plain[id(value)]

    def _unit(self, args: list[Value], k: int, row: Spelled) -> int:
        """Return the unit of the result, which a product or any term that is not constant determines.

        A product by zero has no unit.
        """
        first, *rest = args
        if len(rest) == 2 and (first.is_const or not any(a.is_const and a.lo == 0 for a in rest)):
            return sum(_held(a).unit for a in rest) - row.above[1] * k
        return next(_held(a).unit - above * k for a, above in zip(args, row.above, strict=False) if not a.is_const)

    def _at(self, value: Value, unit: int, bias: int) -> Value:
        """Return a value with the required unit; a constant becomes the bits of a double.

        Raises:
            MomagenError: The value has another unit.
        """
        if value.is_const:
            return const(bits(value.lo + bias, unit))
        if _held(value).unit != unit:
            raise MomagenError(f"a term times 2^{unit}", f"2^{_held(value).unit}", "floating-point limbs")
        return value


def bits(number: int, unit: int) -> int:
    """Return the 64 bits of the double number·2^unit."""
    (found,) = struct.unpack("<Q", struct.pack("<d", float(number) * 2.0**unit))
    return int(found)


def _check_held(instr: Instr, rounds: bool) -> None:
    """Check that a double can hold the result of an operation."""
    (result,) = instr.results
    low, high = (-1 << MANTISSA - 2, 1 << MANTISSA - 2) if rounds else (-1 << MANTISSA, 1 << MANTISSA)
    if instr.op != "leading" and not low <= result.lo <= result.hi <= high:
        raise MomagenError(f"{instr.op} from {low:#x} to {high:#x}", str(result), "floating-point limbs")


def machine_block(block: Block, unit: Callable[[str, int], int]) -> Block:
    """Return a block with instructions on doubles.

    Args:
        block: The block, with operations on integers in doubles.
        unit: The function ``unit(name, i)`` that returns the exponent of the power of two by which limb i of
            an input is multiplied.

    Raises:
        MomagenError: A double cannot hold a result, or terms have different units.
    """
    units, block = Units(), renewed(block)
    for name, value in block.inputs.items():
        for at, digit in enumerate(reversed([*leaves(value)])):
            digit.held = DoubleFormat(unit(name, at), 0)
    for instr in block.instrs:
        units.lower(instr)
    return Block(block.inputs, units.instrs, {name: units.without(value) for name, value in block.outputs.items()})
