"""The named phases from a codelet on big integers to words that a target has."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from momagen.ir import Block
from momagen.ir.columns import by_columns
from momagen.ir.real import MANTISSA
from momagen.ir.rows import by_rows, ranks
from momagen.ir.schedule import schedule
from momagen.rewrite import (
    Machine,
    Procedures,
    Trace,
    accumulate,
    machine_block,
    rewrite,
    rewrite_real,
    rewrite_slack,
    table,
)
from momagen.rewrite.accumulate import LATENCY
from momagen.targets import Target

Unit = Callable[[str, int], int]
MANY = 32
"""Registers from which a schedule pays: with fewer, it makes values wait in memory."""
LONG = 1 << 20
"""Products in one chain where rows of products give the machine enough to do."""
OTHERS = 8
"""Registers for other values than the two sums of each column."""
REAL_LATENCY = dict.fromkeys(("radd", "rsub", "rfma"), 4)
"""Cycles until the result of an operation on doubles is ready."""


def lower(block: Block, target: Target, options: Mapping[str, str] | None = None, trace: Trace | None = None) -> Block:
    """``block`` with every operation legal on ``target``.

    Args:
        options: alternatives of the rule table ("multiply": "karatsuba", …); they go before the target's own.
    """
    return rewrite(block, table(), _machine(target, options), trace)


def lower_digits(
    block: Block, target: Target, trace: Trace | None = None, *, digit: int = 0, rows: Sequence[str] = ()
) -> Block:
    """``block`` on digits with slack, sums of products gathered into multiply-adds.

    Args:
        digit: bits of a digit; by default the target's.
        rows: the inputs digit after digit of which products go, where a product is too long for the registers.
    """
    digit = digit or target.digit
    options = {**target.options, "carry": "unsigned", "digits": "slack"}
    machine = Machine(digit, lambda op, width: width == digit and target.on_digits(op), options, target.word)
    found = rewrite_slack(block, table(), machine, trace)
    if not rows:
        return schedule(accumulate(found, digit, target.longest), LATENCY, 2)
    order = ranks(found, rows)
    return by_rows(accumulate(found, digit, LONG, order), LATENCY, order)


def lower_real(block: Block, target: Target, unit: Unit, digit: int, trace: Trace | None = None) -> Block:
    """``block`` on digits of ``digit`` bits in doubles: digit i of the input ``name`` held times 2^unit(name, i)."""
    machine = Machine(digit, lambda op, width: True, lane=MANTISSA + 1)
    found = by_columns(rewrite_real(block, table(), machine, trace), (target.registers - OTHERS) // 2)
    done = machine_block(found, unit)
    return schedule(done, REAL_LATENCY, 2) if target.registers >= MANY else done


def procedures(
    target: Target, options: Mapping[str, str] | None = None, names: Iterator[int] | None = None
) -> Procedures:
    """What lowers many blocks of one file, as :func:`lower` does, with calls where products are too long."""
    return Procedures(table(), _machine(target, options), names)


def _machine(target: Target, options: Mapping[str, str] | None) -> Machine:
    return Machine(target.word, target.legal, {**target.options, **(options or {})})
