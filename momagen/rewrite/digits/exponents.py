"""From integers in doubles to the machine: every value is held times a power of two, its *unit*; then three operations.

Digit i of a number is held times 2^(word·i). So a product of digits stands at the unit of its column and no result is
ever shifted: a sum that rounds to 2^k differs from one that does not by where its terms stand, and all operations on
doubles are an addition, a subtraction or a multiply-add. Constants become the bits of the double that holds them.

What rounds is held above a *bias*, so large that its last bit counts one unit, until a term is asked for without it.
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
    """What an operation is on the machine.

    Attributes:
        op: the machine's name; a product has its factors first there.
        above: by how many times k bits the unit of the first and of the second argument (of a product: of both factors
            together) is above the result's.
        rounds: whether it rounds, so that its result and the first argument are held above the bias.
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


def _held(value: Value) -> DoubleFormat:
    assert value.held is not None, value
    return value.held


def _biased(value: Value) -> bool:
    return not value.is_const and _held(value).bias > 0


class Units:
    """The machine's instructions for one block, whose inputs say how they are held; so does every result.

    Attributes:
        plain: values that are held above the bias and were asked for without it, by their id.
    """

    def __init__(self) -> None:
        self.plain: dict[int, Value] = {}
        self.instrs: list[Instr] = []

    def lower(self, instr: Instr) -> None:
        """Append ``instr`` as the machine has it.

        Raises:
            MomagenError: a double may not hold the result, or terms stand at different units.
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
        result.held = held
        self.instrs.append(Instr(op, 64, args, (result,)))

    def _terms(self, instr: Instr, rounds: bool) -> tuple[list[Value], int]:
        """The arguments, and the bias that constants among them take: the difference of two terms above it has none."""
        first, *rest = instr.args
        above = [_biased(a) for a in instr.args if not a.is_const]
        if instr.op == "minus" and above and all(above):
            return [first, *rest], BIAS
        if rounds and not (first.is_const or _biased(first)):
            raise MomagenError("a rounded term or a constant", str(first), "floating-point limbs")
        return [first if rounds else self.without(first), *map(self.without, rest)], BIAS * rounds

    def without(self, value: Value) -> Value:
        """``value``, or each of its digits, without the bias."""
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
        """The unit of the result: a product says it, else any term that is no constant."""
        if len(args) == 3:
            return sum(_held(a).unit for a in args[1:]) - row.above[1] * k
        return next(_held(a).unit - above * k for a, above in zip(args, row.above, strict=True) if not a.is_const)

    def _at(self, value: Value, unit: int, bias: int) -> Value:
        if value.is_const:
            return const(bits(value.lo + bias, unit))
        if _held(value).unit != unit:
            raise MomagenError(f"a term times 2^{unit}", f"2^{_held(value).unit}", "floating-point limbs")
        return value


def bits(number: int, unit: int) -> int:
    """The 64 bits of the double number·2^unit."""
    (found,) = struct.unpack("<Q", struct.pack("<d", float(number) * 2.0**unit))
    return int(found)


def _check_held(instr: Instr, rounds: bool) -> None:
    (result,) = instr.results
    low, high = (-1 << MANTISSA - 2, 1 << MANTISSA - 2) if rounds else (-1 << MANTISSA, 1 << MANTISSA)
    if instr.op != "leading" and not low <= result.lo <= result.hi <= high:
        raise MomagenError(f"{instr.op} from {low:#x} to {high:#x}", str(result), "floating-point limbs")


def machine_block(block: Block, unit: Callable[[str, int], int]) -> Block:
    """``block`` by the machine's operations on doubles; digit i of the input ``name`` is held times 2^unit(name, i)."""
    units, block = Units(), renewed(block)
    for name, value in block.inputs.items():
        for at, digit in enumerate(reversed([*leaves(value)])):
            digit.held = DoubleFormat(unit(name, at), 0)
    for instr in block.instrs:
        units.lower(instr)
    return Block(block.inputs, units.instrs, {name: units.without(value) for name, value in block.outputs.items()})
