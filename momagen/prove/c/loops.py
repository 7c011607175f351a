"""Loops of unknown length, which are proven by induction.

The body is executed once to see by how much each variable changes, and once more for an iteration of which nothing is
known but how far the loop has come, the *progress* P: a variable that was v before the loop is then v + k * P. The
second execution must change every variable in the same way, and what it stores must lie in its own part of each array,
so that no iteration depends on what another one stored.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pycparser import c_ast

from momagen.prove.c.memory import Block, Pointer
from momagen.prove.checker import ProofError
from momagen.prove.polynomial import Polynomial, plus, quotient_by, scaled, times
from momagen.prove.words import Value

if TYPE_CHECKING:
    from momagen.prove.c.machine import Machine

LONGEST = 1 << 60
"""No array has more elements, because addresses have 64 bits."""


@dataclass
class _Saved:
    """What a block held before the loop."""

    cells: dict[Any, Any]
    written: list[Polynomial]
    mark: Polynomial
    size: Value


def run_generic(program: Machine, condition: Any, step: Any, body: Any) -> None:
    """Prove a loop that is entered at least once, and leave the state that holds after it."""
    _align_marks(program)
    saved = {
        block: _Saved(dict(block.cells), list(block.written), block.mark, block.size) for block in program.all_blocks()
    }
    outer = {block: block.accesses for block in saved}
    start = _counter(program, condition)
    end = scaled(start, -1)
    with program.facts.trying():
        first = _changes(program, saved, step, body)
        unit = plus(_counter(program, condition), start, -1)
    stored = {
        block: {key for key, held in block.cells.items() if held is not before.cells.get(key)}
        for block, before in saved.items()
    }
    _restore(saved)
    rates = _rates(first, unit)
    progress = program.index_for(end if unit == {(): 1} else None)
    program.facts.require_not_negative(plus(end, {(): -1}), "a loop may pass its bound")
    program.facts.state_not_negative(plus(plus(end, progress.polynomial, -1), {(): -1}), "progress")
    _set(program, saved, rates, progress.polynomial)
    for block in saved:
        if block not in rates:
            for key in stored[block]:
                block.cells.pop(key, None)
        block.accesses = []
    program.holds(condition, is_assumed=True)
    inside = {block: _Saved(dict(block.cells), [], block.mark, block.size) for block in saved}
    here = _counter(program, condition)
    with program.inside(progress):
        second = _changes(program, inside, step, body)
    unit = plus(_counter(program, condition), here, -1)
    _check_changes(second, rates, unit)
    if here != plus(start, progress.polynomial):
        raise ProofError("the counter of a loop does not measure its progress")
    left = plus(plus(end, progress.polynomial, -1), unit, -1)
    program.facts.require_not_negative(left, "a loop may pass its bound")
    program.facts.require_not_negative(plus(unit, {(): -1}), "a loop may make no progress")
    for block in saved:
        operands = [access for other in saved if other.result is block for access in other.accesses]
        _check_accesses(program, block, [*block.accesses, *operands], progress, unit)
    for block in saved:
        if rates.get(block, ("", 0))[0] != "value":
            _check_kept(program, block, inside[block], progress)
        _drop_overwritten(program, block, inside[block], progress)
        block.accesses = outer[block] + block.accesses
    index = program.words.number_of(progress)
    for block in saved:
        for key in [k for k in block.cells if not any(index in m for m, _ in k if m and m[0] != -1)]:
            if block.cells[key] is not saved[block].cells.get(key) and not isinstance(block.cells[key], Block):
                del block.cells[key]
    _set(program, saved, rates, end)


def _align_marks(program: Machine) -> None:
    """Write the mark of the result as the offset of a pointer into it, if the two are proven to be equal."""
    result = program.result
    for variable in program.all_blocks():
        pointer = variable.cells.get(frozenset())
        if result is not None and isinstance(pointer, Pointer) and pointer.block is result:
            offset = pointer.offset.polynomial
            if offset != result.mark and program.facts.are_equal(offset, result.mark):
                result.mark = offset


def _changes(program: Machine, saved: dict[Block, _Saved], step: Any, body: Any) -> dict[Block, tuple[str, Polynomial]]:
    """Execute the body once, and return by how much each variable and each mark changed."""
    program.iterate_to_end(step, body)
    program.flush()
    changes: dict[Block, tuple[str, Polynomial]] = {}
    for block, before in saved.items():
        if block.mark != before.mark:
            changes[block] = "mark", plus(block.mark, before.mark, -1)
        old, new = before.cells.get(frozenset()), block.cells.get(frozenset())
        if old is not new and old is not None and not block.is_array and new is not None:
            if isinstance(old, Pointer) and (not isinstance(new, Pointer) or new.block is not old.block):
                raise ProofError(f"a loop changes which array {block.name} points to")
            changes[block] = "value", plus(_position(new), _position(old), -1)
    return {block: change for block, change in changes.items() if change[1]}


def _position(value: Any) -> Polynomial:
    found: Polynomial = value.offset.polynomial if isinstance(value, Pointer) else value.value.polynomial
    return found


def _rates(changes: dict[Block, tuple[str, Polynomial]], unit: Polynomial) -> dict[Block, tuple[str, int]]:
    """Return how fast each variable changes, as a multiple of the progress of one iteration."""
    if not unit:
        raise ProofError("a loop does not change its counter")
    monomial = next(iter(unit))
    rates = {}
    for block, (what, change) in changes.items():
        rate, rest = divmod(change.get(monomial, 0), unit[monomial])
        if rest or scaled(unit, rate) != change:
            raise ProofError("the variables of a loop do not change in step")
        rates[block] = what, int(rate)
    return rates


def _check_changes(
    changes: dict[Block, tuple[str, Polynomial]], rates: dict[Block, tuple[str, int]], unit: Polynomial
) -> None:
    """Check that an iteration changes the variables at these rates."""
    if changes.keys() != rates.keys():
        raise ProofError("an iteration of a loop changes other variables than the first one")
    for block, (what, change) in changes.items():
        if (what, change) != (rates[block][0], scaled(unit, rates[block][1])):
            raise ProofError("the variables of a loop do not change in step")


def _set(
    program: Machine, saved: dict[Block, _Saved], rates: dict[Block, tuple[str, int]], progress: Polynomial
) -> None:
    """Set the variables to their values after some progress."""
    for block, (what, rate) in rates.items():
        if what == "mark":
            block.mark = plus(saved[block].mark, progress, rate)
            block.written = []
            continue
        old = saved[block].cells[frozenset()]
        position = program.words.value_of(plus(_position(old), progress, rate))
        if position.low < 0 and program.facts.is_not_negative(position.polynomial):
            position = Value(position.polynomial, 0, position.high)
        block.cells[frozenset()] = (
            Pointer(old.block, position) if isinstance(old, Pointer) else type(old)(old.kind, position)
        )


def _restore(saved: dict[Block, _Saved]) -> None:
    for block, before in saved.items():
        block.cells, block.written, block.mark = dict(before.cells), list(before.written), before.mark


def _counter(program: Machine, condition: Any) -> Polynomial:
    """Return how far a loop has come, up to a constant: it ends when this number is 0."""
    if callable(condition):
        return condition()  # type: ignore[no-any-return]  # a loop of machine code
    if isinstance(condition, c_ast.BinaryOp):
        left, right = program.evaluate(condition.left).value, program.evaluate(condition.right).value
        if condition.op == "<":
            return plus(left.polynomial, right.polynomial, -1)
        if condition.op == "!=" and right.is_constant and right.low == 0:
            return scaled(left.polynomial, -1)
    raise ProofError("the condition of a loop with an unknown number of iterations is not supported")


def _check_accesses(
    program: Machine, block: Block, accesses: list[tuple[Polynomial, bool]], progress: Value, unit: Polynomial
) -> None:
    """Check that what an iteration stores into an array lies in a part that no other iteration accesses.

    Args:
        program: The program.
        block: The array.
        accesses: The accesses of the iteration to the array, and to arrays that may be the same one.
        progress: How far the loop has come.
        unit: The progress of one iteration.
    """
    if not block.is_array or not any(is_store for _, is_store in accesses):
        return
    index = program.words.number_of(progress)
    rates = {frozenset(quotient_by(offset, index).items()) for offset, _ in accesses}
    if rates == {frozenset()}:
        if block.content is not None or len(accesses) > len(block.accesses):
            raise ProofError(f"every iteration of a loop stores into the same element of {block.name}")
        return
    if len(rates) != 1:
        raise ProofError(f"the accesses of a loop to {block.name} do not move in step")
    rate = dict(next(iter(rates)))
    if rate.keys() != {()} or rate[()] < 1:
        raise ProofError(f"the accesses of a loop to {block.name} do not move by a fixed distance")
    offsets = [plus(offset, times(rate, progress.polynomial), -1) for offset, _ in accesses]
    width = plus(times(rate, unit), {(): -1})
    if not any(_all_within(program, offsets, base, width) for base in offsets):
        raise ProofError(f"two iterations of a loop may access the same element of {block.name}")


def _check_kept(program: Machine, block: Block, before: _Saved, progress: Value) -> None:
    """Check that an iteration leaves every element unchanged that it may have taken from before the loop.

    An element whose offset depends on the progress belongs to one iteration.
    """
    if block.size is not before.size:
        raise ProofError(f"a loop frees {block.name} or gives it a type")
    index = program.words.number_of(progress)
    for key, held in before.cells.items():
        if block.cells.get(key) is not held and not any(index in monomial for monomial, _ in key):
            raise ProofError(f"an iteration of a loop may read what an earlier one stored into {block.name}")


def _drop_overwritten(program: Machine, block: Block, before: _Saved, progress: Value) -> None:
    """Forget what elements held before the loop if other iterations may have stored into them."""
    index = program.words.number_of(progress)
    if any(is_store and any(index in monomial for monomial in offset) for offset, is_store in block.accesses):
        for key in [key for key, held in before.cells.items() if block.cells.get(key) is held]:
            del block.cells[key]


def _all_within(program: Machine, offsets: list[Polynomial], base: Polynomial, width: Polynomial) -> bool:
    facts = program.facts
    unique = {frozenset(offset.items()): offset for offset in offsets}.values()
    return all(
        facts.is_not_negative(plus(offset, base, -1)) and facts.is_not_negative(plus(plus(width, base), offset, -1))
        for offset in unique
    )
