"""From integers in doubles to the machine: every value is held times a power of two, its *unit*; then three operations.

Digit i of a number is held times 2^(word·i). So a product of digits stands at the unit of its column and no result is
ever shifted: a sum that rounds to 2^k differs from one that does not by where its terms stand, and all operations on
doubles are an addition, a subtraction or a multiply-add. Constants become the bits of the double that holds them.

What rounds is held above a *bias*, so large that its last bit counts one unit, until a term is asked for without it.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass, replace

from momagen.errors import MomagenError
from momagen.ir import Block, Instr, Value, const, leaves
from momagen.ir.block import renewed
from momagen.ir.real import BIAS, MANTISSA
from momagen.ir.value import DoubleFormat


@dataclass(frozen=True)
class Spelled:
    """What an operation is on the machine.

    Attributes:
        op: the machine's name. order: its arguments there.
        above: by how many times k bits the unit of the first and of the second argument (of a product: of both factors
            together) is above the result's.
        rounds: whether it rounds, so that its result and the first argument are held above the bias.
    """

    op: str
    order: str
    above: tuple[int, int] = (0, 0)
    rounds: bool = False


TABLE = {
    "plus": Spelled("radd", "ab"), "minus": Spelled("rsub", "ab"),
    "near": Spelled("radd", "ab", (0, -1), True), "rest": Spelled("rsub", "ab", (0, 1)),
    "leading": Spelled("radd", "ab", (1, 0)),
    "fmanear": Spelled("rfma", "bca", (0, -1), True), "fmarest": Spelled("rfma", "bca", (1, 0)),
    "fmadown": Spelled("rfma", "bca", (-1, -1)),
}  # fmt: skip


class Units:
    """The units of one block's values, found from those of its inputs' digits, and the machine's instructions.

    Attributes:
        biased: the values held above the bias. plain: those of them that were asked for without it, by their id.
    """

    def __init__(self) -> None:
        self.known: dict[int, int] = {}
        self.biased: set[int] = set()
        self.plain: dict[int, Value] = {}
        self.instrs: list[Instr] = []

    def lower(self, instr: Instr) -> None:
        """Append ``instr`` as the machine has it.

        Raises:
            MomagenError: a double may not hold the result, or terms stand at different units.
        """
        (result,) = instr.results
        row = TABLE[instr.op]
        _check_held(instr, row.rounds)
        args, bias = self._terms(instr, row.rounds)
        unit = self._unit(args, instr.k, row)
        asked = [unit + above * instr.k for above in row.above]
        found = [self._at(args[0], asked[0], bias)]
        found += [self._at(args[1], asked[1], bias * (not row.rounds))] if len(args) == 2 else args[1:]
        self._append(row.op, tuple(found["abc".index(letter)] for letter in row.order), result, unit)
        self.biased |= {id(result)} if row.rounds else set()

    def _append(self, op: str, args: tuple[Value, ...], result: Value, unit: int) -> None:
        self.known[id(result)] = unit
        self.instrs.append(Instr(op, 64, args, (result,)))

    def _terms(self, instr: Instr, rounds: bool) -> tuple[list[Value], int]:
        """The arguments, and the bias that constants among them take: the difference of two terms above it has none."""
        args = [*instr.args]
        both = instr.op == "minus" and all(a.is_const or id(a) in self.biased for a in args)
        if both and any(id(a) in self.biased for a in args):
            return args, BIAS
        first = [self._above(args[0])] if rounds else []
        return [*first, *map(self.without, args[len(first) :])], BIAS * rounds

    def _above(self, value: Value) -> Value:
        if not (value.is_const or id(value) in self.biased):
            raise MomagenError("a term that was rounded, or a number", str(value), "digits in doubles")
        return value

    def without(self, value: Value) -> Value:
        """``value`` without the bias."""
        if id(value) not in self.biased:
            return value
        if id(value) not in self.plain:
            self.plain[id(value)] = plain = Value(value.lo, value.hi)
            unit = self.known[id(value)]
            self._append("rsub", (value, self._at(const(0), unit, BIAS)), plain, unit)
        return self.plain[id(value)]

    def _unit(self, args: list[Value], k: int, row: Spelled) -> int:
        """The unit of the result: a product says it, else any term that is no constant."""
        if len(args) == 3:
            return sum(self.known[id(a)] for a in args[1:]) - row.above[1] * k
        return next(
            self.known[id(a)] - above * k for a, above in zip(args, row.above, strict=True) if not a.is_const
        )  # fmt: skip

    def _at(self, value: Value, unit: int, bias: int) -> Value:
        if value.is_const:
            return const(bits(value.lo + bias, unit))
        if self.known[id(value)] != unit:
            raise MomagenError(f"a term times 2^{unit}", f"2^{self.known[id(value)]}", "digits in doubles")
        return value

    def hold(self, block: Block) -> None:
        """Tell every value of ``block``, which came of these units, how it is held."""
        inputs = [digit for value in block.inputs.values() for digit in leaves(value)]
        for value in (*inputs, *(result for instr in block.instrs for result in instr.results)):
            value.held = DoubleFormat(self.known[id(value)], BIAS * (id(value) in self.biased))

    def told(self, value: Value) -> Value:
        """``value``, its digits without the bias."""
        digits = tuple(map(self.told, value.digits))
        return replace(value, digits=digits) if digits else self.without(value)


def bits(number: int, unit: int) -> int:
    """The 64 bits of the double number·2^unit."""
    (found,) = struct.unpack("<Q", struct.pack("<d", float(number) * 2.0**unit))
    return int(found)


def _check_held(instr: Instr, rounds: bool) -> None:
    (result,) = instr.results
    low, high = (-1 << MANTISSA - 2, 1 << MANTISSA - 2) if rounds else (-1 << MANTISSA, 1 << MANTISSA)
    if instr.op != "leading" and not low <= result.lo <= result.hi <= high:
        raise MomagenError(f"{instr.op} from {low:#x} to {high:#x}", str(result), "digits in doubles")


def machine_block(block: Block, unit: Callable[[str, int], int]) -> Block:
    """``block`` by the machine's operations on doubles; digit i of the input ``name`` is held times 2^unit(name, i)."""
    units, block = Units(), renewed(block)
    for name, value in block.inputs.items():
        units.known.update((id(digit), unit(name, at)) for at, digit in enumerate(reversed(list(leaves(value)))))
    for instr in block.instrs:
        units.lower(instr)
    outputs = {name: units.told(value) for name, value in block.outputs.items()}
    done = Block(block.inputs, units.instrs, outputs)
    units.hold(done)
    return done
