"""The named phases from a codelet on big integers to words that a target has."""

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
from momagen.plan.digit_plan import MANY
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
"""Products in one chain of multiply-adds where rows of products hide its latency."""
OTHERS = 8
"""Registers for values other than the two sums of each column."""
LEAST = 4
"""The fewest of them: enough where all columns fit at once, as no factor is then read twice."""
WORD_LATENCY = {**LATENCY, "mulhalf": 5, "mullo": 15}
HIGH_LATENCY = {16: dict.fromkeys(("mullo", "mullos", "mulhi", "mulhis", "mulhrs"), 5),
                32: {"mullo": 10, "mulhi": 8, "redc": 14, "redc_signed": 14}}  # fmt: skip
"""Of products of words of so many bits whose high halves the machine has."""
HIGH_SLOTS = {16: {}, 32: {"mullo": 2, "mulhi": 6, "redc": 13, "redc_signed": 13}}
"""The instructions that they are, where they are several."""
WIDTH = 3
"""Vector instructions that begin in one cycle."""
BESIDE = 3
"""Values that may wait beyond those that registers hold: to store some costs less than to wait for others."""
FAR = 3
"""What a permute costs that goes beyond a quarter of a register, and its latency."""
BUTTERFLIES = ("butterfly", "inverse_butterfly")
REAL_LATENCY = dict.fromkeys(("radd", "rsub", "rmul", "rfma", "rfms", "rfnma"), 4)
"""Cycles until the result of an operation on doubles is ready."""


def remembered(lowered: Lowering) -> Lowering:
    """Lower a block once: transforms of several sizes share codelets. A trace is told the rules every time."""

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
    """``block``, whose theorems ``trace`` is told."""
    if trace is not None:
        named = (value.theorem for instr in block.instrs for value in instr.results if value.theorem)
        trace.rules_applied.update(THEOREMS[name].label for name in named)
    return block


@remembered
def reduced(block: Block, target: Target, trace: Trace | None = None) -> Block:
    """``block`` with products modulo q as the rules reduce them; what they derive of the modulus and of twiddles is new
    inputs."""
    return reduce_products(noted(block, trace), table(target.rule), _machine(target, {}), trace)


@remembered
def without_butterflies(block: Block, target: Target, trace: Trace | None = None) -> Block:
    """``block`` with the sums, differences and products modulo q of its butterflies, as big integers."""
    machine = Machine(block.width, lambda op, width: op not in BUTTERFLIES, target.options)
    return rewrite(block, table(target.rule), machine, trace)


@remembered
def lower(block: Block, target: Target, trace: Trace | None = None, *, choices: RuleChoices = ()) -> Block:
    """``block`` with every operation legal on ``target``.

    Args:
        choices: alternatives of the rule table ("multiply", "karatsuba"), …; they go before the target's own.
    """
    return rewrite(block, table(target.rule), _machine(target, dict(choices)), trace)


@remembered
def lower_digits(
    block: Block, target: Target, trace: Trace | None = None, *, digit: int = 0, rows: tuple[str, ...] = ()
) -> Block:
    """``block`` on digits with slack, sums of products gathered into multiply-adds.

    Args:
        digit: bits of a digit; by default the target's.
        rows: the inputs digit after digit of which products go, where a product is too long for the registers.
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
    """``block`` on words, as :func:`lower` does, in an order for a machine that looks ahead only so far."""
    return schedule(lower(noted(block, trace), target, trace=trace), WORD_LATENCY, 2)


def with_half_products(block: Block, target: Target) -> Block:
    """Return ``block`` with the instruction of vectors for products of half words: one uop where `vpmullq` is three."""
    half, word = 1 << target.word // 2, target.word
    if target.lanes == 1 or not {"mullo", "mulhalf"} <= target.ops.keys():
        return block

    def halved(instr: Instr) -> Instr:
        halves = instr.op == "mullo" and instr.w == word and all(0 <= a.lo <= a.hi < half for a in instr.args)
        return replace(instr, op="mulhalf") if halves else instr

    return replace(block, instrs=[halved(instr) for instr in block.instrs])


def within_registers(block: Block, target: Target) -> Block:
    """``block``, which is on words whose products have high halves, in an order for as few registers as ``target``
    has."""
    latency, slots = HIGH_LATENCY[target.word], HIGH_SLOTS[target.word]

    def time(instr: Instr) -> int:
        far = instr.op == "perm2" and target.cost(instr.lanes) >= FAR
        return FAR if far else latency.get(instr.op, 1)

    timing = IssueTiming(time, lambda instr: slots.get(instr.op, 1), WIDTH)
    return schedule_within(block, timing, target.registers + BESIDE)


@remembered
def lower_plain(block: Block, target: Target, trace: Trace | None = None) -> Block:
    """``block`` on words, butterfly after butterfly: those in work fill the registers, and machines look ahead."""
    return lower(noted(block, trace), target, trace=trace)


@remembered
def lower_real(block: Block, target: Target, trace: Trace | None = None, *, unit: Unit, digit: int) -> Block:
    """``block`` on digits of ``digit`` bits in doubles: digit i of the input ``name`` held times 2^unit(name, i)."""
    machine = Machine(digit, lambda op, width: True, lane=MANTISSA + 1, digits="real")
    found = rewrite(noted(block, trace), table(), machine, trace)
    done = machine_block(by_columns(found, _at_once(count_columns(found), target.registers)), unit)
    return schedule(done, REAL_LATENCY, 2) if target.registers >= MANY else done


def _at_once(columns: int, registers: int) -> int:
    """Of so many columns those whose sums registers hold."""
    return columns if 0 < 2 * columns <= registers - LEAST else (registers - OTHERS) // 2


def procedures(
    target: Target, choices: Mapping[str, str] | None = None, names: Iterator[int] | None = None
) -> Procedures:
    """What lowers many blocks of one file, as :func:`lower` does, with calls where products are too long."""
    return Procedures(table(target.rule), _machine(target, choices), names)


def _machine(target: Target, choices: Mapping[str, str] | None) -> Machine:
    digits = "chains" if target.chains_products else ""
    given = {**target.options, **(choices or {})}
    return Machine(target.word, target.legal, given, piece=target.piece, columns=target.columns, digits=digits)
