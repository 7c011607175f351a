"""The interpreter: runs a block on Python integers and checks every value against its interval as it goes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from .block import Block, Instr
from .masks import ACROSS
from .ops import OPS, fits
from .value import Value


class BoundError(AssertionError):
    """A value left its interval: a wrong rule, a wrong bound, or an input outside its range."""


def run(block: Block, inputs: Mapping[str, int | Sequence[int]]) -> dict[str, int]:
    """The outputs of ``block`` on ``inputs``: names to integers, wide ones whole or digit by digit, high part first.

    Raises:
        BoundError: an input, an intermediate value or a word argument lies outside its interval.
    """
    known: dict[int, int] = {}
    for name, value in block.inputs.items():
        _bind(known, value, inputs[name], name)
    for instr in block.instrs:
        _step(known, instr)
    return {name: _read(known, value) for name, value in block.outputs.items()}


def run_lanes(block: Block, inputs: Mapping[str, Sequence[int]], lanes: int) -> dict[str, list[int]]:
    """As :func:`run` for a block of vectors: every input and output is a list of ``lanes`` integers.

    Lane by lane all operations mean what they mean on one integer; ``perm2`` and those in ``ACROSS`` cross lanes.
    """
    known: list[dict[int, int]] = [{} for _ in range(lanes)]
    for name, value in block.inputs.items():
        for lane in range(lanes):
            _bind(known[lane], value, inputs[name][lane], name)
    for instr in block.instrs:
        if instr.lanes:
            a, b = ([_read(lane, arg) for lane in known] for arg in instr.args)
            for lane, source in enumerate(instr.lanes):
                _bind(known[lane], instr.results[0], (a + b)[source], "perm2")
        elif instr.op in ACROSS:
            made = ACROSS[instr.op](instr.k, *([_read(lane, arg) for lane in known] for arg in instr.args))
            for values, number in zip(known, made, strict=True):
                _bind(values, instr.results[0], number, instr.op)
        else:
            for values in known:
                _step(values, instr)
    return {name: [_read(lane, value) for lane in known] for name, value in block.outputs.items()}


def _bind(known: dict[int, int], value: Value, number: int | Sequence[int], what: str) -> None:
    if not isinstance(number, int):
        for digit, part in zip(value.digits, number, strict=True):
            _bind(known, digit, part, f"a digit of {what}")
        _read(known, value)
        return
    if not value.lo <= number <= value.hi:
        raise BoundError(f"{what} = {number:#x} lies outside [{value.lo:#x}, {value.hi:#x}]")
    known[id(value)] = number
    number = number & (1 << value.ring) - 1 if value.ring else number
    for digit in reversed(value.digits[1:]):
        _bind(known, digit, number & ((1 << value.weight) - 1), f"a digit of {what}")
        number >>= value.weight
    if value.digits:
        _bind(known, value.digits[0], number, f"the leading digit of {what}")


def _read(known: dict[int, int], value: Value) -> int:
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
    args = [_read(known, a) for a in instr.args]
    what = f"{instr.op}@{instr.w}{tuple(map(hex, args))}"
    for value, number in zip(instr.results, _answers(instr, args, what), strict=True):
        _bind(known, value, number, what)


def _answers(instr: Instr, args: Sequence[int], what: str) -> Iterable[int]:
    """What the operation means; of a call, what its procedure does."""
    if instr.procedure is not None:
        block = instr.procedure.block
        return run(block, dict(zip(block.inputs, args, strict=True))).values()
    row = OPS[instr.op]
    if not all(fits(kind, instr.w, number) for kind, number in zip(row.args, args, strict=True)):
        raise BoundError(f"{what} of what does not fit")
    return row.meaning(instr.w, instr.k, *args)
