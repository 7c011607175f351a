"""The interpreter, which runs a block on Python integers and checks every value against its interval."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from .block import Block, Instr
from .masks import ACROSS
from .ops import OPS, fits
from .real import double
from .value import Value

SHIFTS = ("shl", "shrd")
"""The operations whose arguments are reduced modulo 2^w first.

These shifts discard the bits above the word anyway. Lowering therefore omits the mask of a negative limb
before them, and the limb arrives in two's complement.
"""


class BoundError(AssertionError):
    """A value outside its interval: a rule or a bound is incorrect, or an input is out of range."""


class Registers:
    """The values of a running block: one integer for each value and lane.

    Attributes:
        known: The integers of each lane by the id of the value.
    """

    def __init__(self, lanes: int = 1) -> None:
        self.known: list[dict[int, int]] = [{} for _ in range(lanes)]

    def give(self, value: Value, numbers: Sequence[int | Sequence[int]], what: str) -> None:
        """Assign numbers to a value and check their ranges.

        Args:
            value: The value.
            numbers: The number in each lane: an integer, or the list of its limbs, the high one first.
            what: The name of the value in errors.

        Raises:
            BoundError: A number or limb is outside its interval.
        """
        for known, number in zip(self.known, numbers, strict=True):
            _bind(known, value, number, what)

    def take(self, value: Value) -> list[int]:
        """Return the integer that ``value`` is in each lane."""
        return [_read(known, value) for known in self.known]

    def run(self, instrs: Iterable[Instr]) -> None:
        """Execute instructions.

        The instruction ``perm2`` and the operations in ``ACROSS`` exchange data between lanes. All others act
        on each lane separately, as on one integer.

        Raises:
            BoundError: A result is outside its interval.
        """
        for instr in instrs:
            if instr.lanes:
                a, b = map(self.take, instr.args)
                self.give(instr.results[0], [(a + b)[source] for source in instr.lanes], "perm2")
            elif instr.op in ACROSS and len(self.known) > 1:
                self.give(instr.results[0], ACROSS[instr.op](instr.k, *map(self.take, instr.args)), instr.op)
            else:
                for known in self.known:
                    _step(known, instr)


def run(block: Block, inputs: Mapping[str, int | Sequence[int]]) -> dict[str, int]:
    """Return the outputs of a block by name.

    Args:
        block: The block.
        inputs: The inputs by name: integers, or lists of limbs, the high one first.

    Raises:
        BoundError: An input, an intermediate value or an argument that must be a word is outside its
            interval.
    """
    registers = Registers()
    for name, value in block.inputs.items():
        registers.give(value, [inputs[name]], name)
    registers.run(block.instrs)
    return {name: registers.take(value)[0] for name, value in block.outputs.items()}


def run_lanes(block: Block, inputs: Mapping[str, Sequence[int]], lanes: int) -> dict[str, list[int]]:
    """Return the outputs of a block on vectors, as :func:`run` does for single integers.

    Args:
        block: The block.
        inputs: A list of ``lanes`` integers for each input.
        lanes: The number of lanes.

    Raises:
        BoundError: An input, an intermediate value or an argument that must be a word is outside its
            interval.
    """
    registers = Registers(lanes)
    for name, value in block.inputs.items():
        registers.give(value, inputs[name], name)
    registers.run(block.instrs)
    return {name: registers.take(value) for name, value in block.outputs.items()}


def _bind(known: dict[int, int], value: Value, number: int | Sequence[int], what: str) -> None:
    """Assign a number to a value in one lane, and its limbs to the limbs of the value."""
    if not isinstance(number, int):
        for digit, part in zip(value.digits, number, strict=True):
            _bind(known, digit, part, f"a limb of {what}")
        _read(known, value)
        return
    _check(value, number, what)
    known[id(value)] = number
    number = number & (1 << value.ring) - 1 if value.ring else number
    for digit in reversed(value.digits[1:]):
        _bind(known, digit, number & ((1 << value.weight) - 1), f"a limb of {what}")
        number >>= value.weight
    if value.digits:
        _bind(known, value.digits[0], number, f"the leading limb of {what}")


def _check(value: Value, number: int, what: str) -> None:
    """Check that a number is in the interval of a value.

    The bits of a double count as the integer that they represent.
    """
    if value.held is not None:
        meant = Fraction(double(number)) / Fraction(2) ** value.held.unit - value.held.bias
        if meant.denominator != 1:
            raise BoundError(f"{what} = {double(number)} is no multiple of 2^{value.held.unit}")
        number = int(meant)
    if not value.lo <= number <= value.hi:
        raise BoundError(f"{what} = {number:#x} lies outside [{value.lo:#x}, {value.hi:#x}]")


def _read(known: dict[int, int], value: Value) -> int:
    """Return the integer that a value is in one lane."""
    if value.is_const:
        return value.lo
    if not value.digits:
        return known[id(value)]
    total = 0
    for digit in value.digits:
        total = (total << value.weight) + _read(known, digit)
    if value.ring:
        total = value.lo + (total - value.lo) % (1 << value.ring)
    if not value.lo <= total <= value.hi:
        raise BoundError(f"a joined value {total:#x} lies outside [{value.lo:#x}, {value.hi:#x}]")
    return total


def _step(known: dict[int, int], instr: Instr) -> None:
    """Execute an instruction in one lane."""
    args = [_read(known, a) for a in instr.args]
    what = f"{instr.op}@{instr.w}{tuple(map(hex, args))}"
    for value, number in zip(instr.results, _answers(instr, args, what), strict=True):
        _bind(known, value, number, what)


def _answers(instr: Instr, args: Sequence[int], what: str) -> Iterable[int]:
    """Return the results of an operation, or of the procedure that a call executes."""
    if instr.procedure is not None:
        block = instr.procedure.block
        return run(block, dict(zip(block.inputs, args, strict=True))).values()
    row = OPS[instr.op]
    if instr.op in SHIFTS:
        args = [number % (1 << instr.w) for number in args]
    if not all(fits(kind, instr.w, number) for kind, number in zip(row.args, args, strict=True)):
        raise BoundError(f"{what} has an argument that is out of range")
    if not row.requires(instr.w, instr.k, *args):
        raise BoundError(f"{what} is undefined for these arguments")
    return row.meaning(instr.w, instr.k, *args)
