"""The passes that rewrite a block to the words of a machine.

For limbs there is a single pass. For words, products modulo q are rewritten first. Wide operations follow,
each pass halving the width, so that an unused high or low half is removed before it is split. The last passes
are on words of the target and keep the operations that it has.
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
"""A level above all widths, so that inputs are not split."""
DIGITS: dict[str, Callable[..., RewritePass]] = {
    "slack": on_call("momagen.rewrite.digits.slack", "SlackPass"),
    "real": on_call("momagen.rewrite.digits.doubles", "RealPass"),
    "chains": on_call("momagen.rewrite.chains.columns", "ChainPass"),
}
"""The passes to limbs by the kind of limbs of a machine. Only the pass that is used is imported."""


def rewrite(
    block: Block, table: RuleTable, machine: Machine, trace: Trace | None = None, whole: Whole | None = None
) -> Block:
    """Return a block in which every operation is legal on a machine.

    Args:
        block: The block.
        table: The rules.
        machine: The machine.
        trace: The trace to which applied rules are added.
        whole: The function that selects the operations to keep as wide as they are, or None.

    Raises:
        MomagenError: There is neither an instruction nor a rule for an operation, a lane cannot hold a sum of
            limbs, or an input has limbs of another size.
    """
    trace = trace if trace is not None else Trace()
    if machine.digits:
        return DIGITS[machine.digits](table, machine, trace).run(block)
    block = reduce_products(block, table, machine, trace)
    for level in levels(block.width, machine.word):
        block = RewritePass(table, machine, level, trace, whole).run(block)
    return block


def levels(width: int, word: int) -> list[int]:
    """Return the widths of the passes: the sizes word·2^j below ``width`` in descending order, and ``word``.

    The second pass on words, which comes last, rewrites the operations that the removal of dead code has
    narrowed.
    """
    level, found = word, []
    while level < width:
        found.append(level)
        level *= 2
    return [*reversed(found), word]


def reduce_products(block: Block, rules: RuleTable, machine: Machine, trace: Trace | None = None) -> Block:
    """Return a block without modular operations.

    Constants that rules derive become new inputs, each after the input from which it is derived.

    Args:
        block: The block.
        rules: The rules.
        machine: The machine.
        trace: The trace to which applied rules are added.
    """
    if not any(instr.op in REDUCED or instr.op in CONSTANTS for instr in block.instrs):
        return block
    return RewritePass(rules, machine, ANY, trace or Trace()).run(block)
