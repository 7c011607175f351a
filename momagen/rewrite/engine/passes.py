"""Pass after pass down to the words of a machine.

Digits take one pass of their own. Of words, products modulo q are reduced before all else. Wide operations go first,
one halving of the width after another, so that dead code can drop an unused high or low half before it is taken apart;
the last pass takes the target's own words and keeps what its table spells.
"""

from __future__ import annotations

from collections.abc import Callable

from momagen.ir import Block
from momagen.lazy import on_call
from momagen.rewrite.rules.operations import CONSTANTS, REDUCED
from momagen.rewrite.rules.table import RuleTable

from .engine import RewritePass, Whole
from .machine import Machine, Trace

ANY = 1 << 20
"""A level above all widths: inputs stay whole."""
DIGITS: dict[str, Callable[..., RewritePass]] = {
    "slack": on_call("momagen.rewrite.digits.slack", "SlackPass"),
    "real": on_call("momagen.rewrite.digits.doubles", "RealPass"),
    "chains": on_call("momagen.rewrite.chains.columns", "ChainPass"),
}
"""The passes to digits, by what a machine says of them; only the one that is used is imported."""


def rewrite(
    block: Block, table: RuleTable, machine: Machine, trace: Trace | None = None, whole: Whole | None = None
) -> Block:
    """``block`` with every operation legal on ``machine``, but for those that stay ``whole`` between their words.

    Raises:
        MomagenError: an operation has neither a row in the target nor a rule; a lane may not hold a sum of digits; or
            an input has digits of another size.
    """
    trace = trace if trace is not None else Trace()
    if machine.digits:
        return DIGITS[machine.digits](table, machine, trace).run(block)
    block = reduce_products(block, table, machine, trace)
    for level in levels(block.width, machine.word):
        block = RewritePass(table, machine, level, trace, whole).run(block)
    return block


def levels(width: int, word: int) -> list[int]:
    """The widths that the passes rewrite to: half the least word·2^j that holds ``width``, and so on; one word twice.

    The second pass at one word takes up what dead code has narrowed.
    """
    level, found = word, []
    while level < width:
        found.append(level)
        level *= 2
    return [*reversed(found), word]


def reduce_products(block: Block, rules: RuleTable, machine: Machine, trace: Trace | None = None) -> Block:
    """``block`` without modular operations; constants that rules derive are new inputs, after what they come of."""
    if not any(instr.op in REDUCED or instr.op in CONSTANTS for instr in block.instrs):
        return block
    return RewritePass(rules, machine, ANY, trace or Trace()).run(block)
