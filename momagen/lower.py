"""The named phases from a codelet on big integers to words that a target has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from momagen.ir import Block
from momagen.rewrite import Machine, Procedures, Trace, rewrite, table
from momagen.targets import Target


def lower(block: Block, target: Target, options: Mapping[str, str] | None = None, trace: Trace | None = None) -> Block:
    """``block`` with every operation legal on ``target``.

    Args:
        options: alternatives of the rule table ("multiply": "karatsuba", …); they go before the target's own.
    """
    return rewrite(block, table(), _machine(target, options), trace)


def procedures(
    target: Target, options: Mapping[str, str] | None = None, names: Iterator[int] | None = None
) -> Procedures:
    """What lowers many blocks of one file, as :func:`lower` does, with calls where products are too long."""
    return Procedures(table(), _machine(target, options), names)


def _machine(target: Target, options: Mapping[str, str] | None) -> Machine:
    return Machine(target.word, target.legal, {**target.options, **(options or {})})
