"""The phases of lowering: from a codelet on large integers to operations on words that the target has."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache, wraps
from typing import TypeVar, cast

from momagen.ir import Block, Instr
from momagen.ir.order.columns import by_columns, count_columns
from momagen.ir.order.registers import IssueTiming, schedule_within
from momagen.ir.order.rows import by_rows, ranks
from momagen.ir.order.schedule import schedule
from momagen.ir.real import MANTISSA
from momagen.kernels.residues.theorems import THEOREMS
from momagen.rewrite import (
    Machine,
    Procedures,
    Trace,
    accumulate,
    machine_block,
    reduce_products,
    rewrite,
    table,
)
from momagen.rewrite.engine.accumulate import LATENCY
from momagen.targets import Target

Unit = Callable[[str, int], int]
RuleChoices = tuple[tuple[str, str], ...]
Lowering = TypeVar("Lowering", bound=Callable[..., Block])
LONG = 1 << 20
"""The limit for the products in one chain of multiply-adds if rows of products hide its latency, so that it
never applies."""
OTHERS = 8
"""The registers reserved for values other than the two sums of each column, if not all columns fit at once."""
LEAST = 4
"""The registers reserved for other values if all columns fit at once. They suffice because no factor is then
read twice."""
WORD_LATENCY = {**LATENCY, "mulhalf": 5, "mullo": 15}
HIGH_LATENCY = {16: dict.fromkeys(("mullo", "mullos", "mulhi", "mulhis", "mulhrs"), 5),
                32: {"mullo": 10, "mulhi": 8, "redc": 14, "redc_signed": 14}}  # fmt: skip
"""The latencies, in cycles, of products on a machine with high products of short words, by the width of the
word."""
HIGH_SLOTS = {16: {}, 32: {"mullo": 2, "mulhi": 6, "redc": 13, "redc_signed": 13}}
"""The number of instructions of each such product, if it is more than one, by the width of the word."""
WIDTH = 3
"""The number of vector instructions that can start in one cycle."""
BESIDE = 3
"""The number of live values beyond the registers that a schedule may have: to spill a few costs less than to
wait for others."""
FAR = 3
"""The cost from which on a permute crosses quarters of a register, and the latency of such a permute in
cycles."""
BUTTERFLIES = ("butterfly", "inverse_butterfly")
REAL_LATENCY = dict.fromkeys(("radd", "rsub", "rmul", "rfma", "rfms", "rfnma"), 4)
"""The latencies of operations on doubles, in cycles."""


def remembered(lowered: Lowering) -> Lowering:
    """Return a lowering function that remembers results, because transforms of several sizes share codelets.

    The rules that were applied are added to the trace of every call, even if the result is remembered.
    """

    @lru_cache(maxsize=64)
    def once(block: Block, target: Target, **choices: Hashable) -> tuple[Block, Trace]:
        trace = Trace()
        return lowered(block, target, trace, **choices), trace

    @wraps(lowered)
    def told(block: Block, target: Target, trace: Trace | None = None, **choices: Hashable) -> Block:
        done, noted = once(block, target, **choices)
        if trace is not None:
            trace.add(noted)
        return done

    return cast(Lowering, told)


def noted(block: Block, trace: Trace | None) -> Block:
    """Return ``block`` unchanged, after adding the names of the theorems that it uses to ``trace``."""
    if trace is not None:
        named = (value.theorem for instr in block.instrs for value in instr.results if value.theorem)
        trace.rules_applied.update(THEOREMS[name].label for name in named)
    return block


@remembered
def reduced(block: Block, target: Target, trace: Trace | None = None) -> Block:
    """Return ``block`` with its products modulo q reduced as the rules of the target determine.

    Values that the rules derive from the modulus and from twiddles become new inputs of the block.
    """
    return reduce_products(noted(block, trace), table(target.rule), _machine(target, {}), trace)


@remembered
def without_butterflies(block: Block, target: Target, trace: Trace | None = None) -> Block:
    """Return ``block`` with its butterflies replaced by sums, differences and products modulo q."""
    machine = Machine(block.width, lambda op, width: op not in BUTTERFLIES, target.options)
    return rewrite(block, table(target.rule), machine, trace)


@remembered
def lower(block: Block, target: Target, trace: Trace | None = None, *, choices: RuleChoices = ()) -> Block:
    """Return ``block`` with only operations that ``target`` has.

    Args:
        block: The block to lower.
        target: The target.
        trace: A trace to which the applied rules are added, or None.
        choices: The chosen alternatives of the rule table, such as ("multiply", "karatsuba"). They override
            those of the target.
    """
    return rewrite(block, table(target.rule), _machine(target, dict(choices)), trace)


@remembered
def lower_digits(
    block: Block, target: Target, trace: Trace | None = None, *, digit: int = 0, rows: tuple[str, ...] = ()
) -> Block:
    """Return ``block`` on reduced-radix limbs, with sums of products gathered into multiply-adds.

    Args:
        block: The block to lower.
        target: The target.
        trace: A trace to which the applied rules are added, or None.
        digit: The number of bits of a limb, or 0 for the target's number.
        rows: The inputs whose limbs determine the order of the products, one row of products per limb. They
            are only named if a product is too long for the registers.
    """
    digit = digit or target.digit
    choices = {**target.options, "carry": "unsigned"}
    machine = Machine(digit, lambda op, w: w == digit and target.on_digits(op), choices, target.word, digits="slack")
    found = rewrite(noted(block, trace), table(), machine, trace)
    if not rows:
        return schedule(accumulate(found, digit, target.longest), LATENCY, 2)
    order = ranks(found, rows)
    return by_rows(accumulate(found, digit, LONG, order), LATENCY, order)


@remembered
def lower_words(block: Block, target: Target, trace: Trace | None = None) -> Block:
    """Return ``block`` on words, as :func:`lower` does, scheduled for a machine with a limited reorder window."""
    return schedule(lower(noted(block, trace), target, trace=trace), WORD_LATENCY, 2)


def with_half_products(block: Block, target: Target) -> Block:
    """Return ``block`` with the vector instruction for products of half words wherever it is sufficient.

    It is one micro-operation; `vpmullq` is three.
    """
    half, word = 1 << target.word // 2, target.word
    if target.lanes == 1 or not {"mullo", "mulhalf"} <= target.ops.keys():
        return block

    def halved(instr: Instr) -> Instr:
        halves = instr.op == "mullo" and instr.w == word and all(0 <= a.lo <= a.hi < half for a in instr.args)
        return replace(instr, op="mulhalf") if halves else instr

    return replace(block, instrs=[halved(instr) for instr in block.instrs])


def within_registers(block: Block, target: Target) -> Block:
    """Return ``block`` in an order that needs no more registers than ``target`` has, if possible.

    The operations of the block are on words for which the target has high products.
    """
    latency, slots = HIGH_LATENCY[target.word], HIGH_SLOTS[target.word]

    def time(instr: Instr) -> int:
        far = instr.op == "perm2" and target.cost(instr.lanes) >= FAR
        return FAR if far else latency.get(instr.op, 1)

    timing = IssueTiming(time, lambda instr: slots.get(instr.op, 1), WIDTH)
    return schedule_within(block, timing, target.registers + BESIDE)


@remembered
def lower_plain(block: Block, target: Target, trace: Trace | None = None) -> Block:
    """Return ``block`` on words, one butterfly after another.

    The values of one butterfly already fill the registers, and the machine looks ahead by itself.
    """
    return lower(noted(block, trace), target, trace=trace)


@remembered
def lower_real(block: Block, target: Target, trace: Trace | None = None, *, unit: Unit, digit: int) -> Block:
    """Return ``block`` on limbs of ``digit`` bits in doubles.

    Args:
        block: The block to lower.
        target: The target.
        trace: A trace to which the applied rules are added, or None.
        unit: A function of the name of an input and the index of a limb. The limb is stored times
            2^unit(name, index).
        digit: The number of bits of a limb.
    """
    machine = Machine(digit, lambda op, width: True, lane=MANTISSA + 1, digits="real")
    found = rewrite(noted(block, trace), table(), machine, trace)
    done = machine_block(by_columns(found, _at_once(count_columns(found), target.registers)), unit)
    return schedule(done, REAL_LATENCY, 2) if target.many_registers else done


def _at_once(columns: int, registers: int) -> int:
    """Return the number of columns, out of ``columns``, whose sums fit the registers at the same time; at least 1."""
    return columns if 0 < 2 * columns <= registers - LEAST else max((registers - OTHERS) // 2, 1)


def procedures(
    target: Target, choices: Mapping[str, str] | None = None, names: Iterator[int] | None = None
) -> Procedures:
    """Return the procedures of one file, which lower blocks as :func:`lower` does but share long products.

    A long product becomes a call of a procedure.

    Args:
        target: The target.
        choices: The chosen alternatives of the rule table, which override the target's choices.
        names: A counter for the names of the functions, if several objects share it.
    """
    return Procedures(table(target.rule), _machine(target, choices), names)


def _machine(target: Target, choices: Mapping[str, str] | None) -> Machine:
    digits = "chains" if target.chains_products else ""
    given = {**target.options, **(choices or {})}
    return Machine(target.word, target.legal, given, piece=target.piece, columns=target.columns, digits=digits)
