"""From integers in doubles to the machine: every value is held times a power of two, its *unit*; then three operations.

Digit i of a number is held times 2^(word·i). So a product of digits stands at the unit of its column and no result is
ever shifted: a sum that rounds to 2^k differs from one that does not by where its terms stand, and all operations on
doubles are an addition, a subtraction or a multiply-add. Constants become the bits of the double that holds them.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass, replace

from momagen.errors import MomagenError
from momagen.ir import Block, Instr, Value, const, leaves
from momagen.ir.real import MANTISSA


@dataclass(frozen=True)
class Spelled:
    """What an operation is on the machine.

    Attributes:
        op: the machine's name. order: its arguments there.
        above: by how many times k bits the unit of the first and of the second argument (of a product: of both factors
            together) is above the result's.
        rounds: whether the result must lie where the last bit counts one.
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
    """The units of one block's values, found from those of its inputs' digits."""

    def __init__(self) -> None:
        self.known: dict[int, int] = {}

    def lowered(self, instr: Instr) -> Instr:
        """``instr`` as the machine has it.

        Raises:
            MomagenError: a double may not hold the result, or terms stand at different units.
        """
        (result,) = instr.results
        row = TABLE[instr.op]
        _check_held(instr, row.rounds)
        self.known[id(result)] = unit = self._unit(instr, row)
        asked = [unit + above * instr.k for above in row.above]
        args = [self._at(instr.args[0], asked[0])]
        args += [self._at(instr.args[1], asked[1])] if len(instr.args) == 2 else instr.args[1:]
        return replace(instr, op=row.op, args=tuple(args["abc".index(letter)] for letter in row.order), k=0)

    def _unit(self, instr: Instr, row: Spelled) -> int:
        """The unit of the result: a product says it, else any term that is no constant."""
        if len(instr.args) == 3:
            return sum(self.known[id(a)] for a in instr.args[1:]) - row.above[1] * instr.k
        return next(
            self.known[id(a)] - above * instr.k
            for a, above in zip(instr.args, row.above, strict=True) if not a.is_const
        )  # fmt: skip

    def _at(self, value: Value, unit: int) -> Value:
        if value.is_const:
            return const(bits(value.lo, unit))
        if self.known[id(value)] != unit:
            raise MomagenError(f"a term times 2^{unit}", f"2^{self.known[id(value)]}", "digits in doubles")
        return value


def bits(number: int, unit: int) -> int:
    """The 64 bits of the double number·2^unit."""
    (found,) = struct.unpack("<Q", struct.pack("<d", float(number) * 2.0**unit))
    return int(found)


def _check_held(instr: Instr, rounds: bool) -> None:
    (result,) = instr.results
    low, high = (1 << MANTISSA - 1, 1 << MANTISSA) if rounds else (-1 << MANTISSA, 1 << MANTISSA)
    if instr.op != "leading" and not low <= result.lo <= result.hi <= high:
        raise MomagenError(f"{instr.op} from {low:#x} to {high:#x}", str(result), "digits in doubles")


def machine_block(block: Block, unit: Callable[[str, int], int]) -> Block:
    """``block`` by the machine's operations on doubles; digit i of the input ``name`` is held times 2^unit(name, i)."""
    units = Units()
    for name, value in block.inputs.items():
        units.known.update((id(digit), unit(name, at)) for at, digit in enumerate(reversed(list(leaves(value)))))
    return Block(block.inputs, [units.lowered(instr) for instr in block.instrs], block.outputs)
