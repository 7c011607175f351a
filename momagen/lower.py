"""The named phases from a codelet on big integers to words that a target has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from momagen.ir import Block
from momagen.ir.schedule import schedule
from momagen.rewrite import Machine, Procedures, Trace, accumulate, rewrite, rewrite_slack, table
from momagen.rewrite.accumulate import LATENCY
from momagen.targets import Target


def lower(block: Block, target: Target, options: Mapping[str, str] | None = None, trace: Trace | None = None) -> Block:
    """``block`` with every operation legal on ``target``.

    Args:
        options: alternatives of the rule table ("multiply": "karatsuba", …); they go before the target's own.
    """
    return rewrite(block, table(), _machine(target, options), trace)


def lower_digits(block: Block, target: Target, trace: Trace | None = None) -> Block:
    """``block`` on the target's digits with slack, sums of products gathered into multiply-adds."""
    factor = 1 << target.factor - 1 if target.factor else 0
    options = {**target.options, "carry": "unsigned", "digits": "slack", "factor": "whole" if factor else "halves"}
    machine = Machine(target.digit, target.legal_digit, options, target.word, factor)
    done = accumulate(rewrite_slack(block, table(), machine, trace), target.digit, target.longest)
    return schedule(done, LATENCY, 2)


def procedures(
    target: Target, options: Mapping[str, str] | None = None, names: Iterator[int] | None = None
) -> Procedures:
    """What lowers many blocks of one file, as :func:`lower` does, with calls where products are too long."""
    return Procedures(table(), _machine(target, options), names)


def _machine(target: Target, options: Mapping[str, str] | None) -> Machine:
    return Machine(target.word, target.legal, {**target.options, **(options or {})})
