"""From terms to formulas: what the names and operators of the notation stand for."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from momagen.errors import MomagenError
from momagen.tables import shallow

from .atoms import D
from .expression import Compose, DirectSum, Formula, Tensor
from .index_expression import Env, integer
from .symbols import SYMBOLS
from .syntax import Big, Infix, LeafCall, Range, Term, parse

FACTORS, ENTRIES = 4096, 1 << 32
"""Factors of a product, or terms of a sum, at most; entries of a diagonal."""
JOINS: dict[str, Callable[..., Formula]] = {"·": Compose, "⊗": Tensor, "⊕": DirectSum}

Visit = Callable[[Formula], Formula]


def formula(text: str) -> Formula:
    """The formula written in ``text``, all sizes numbers: formula("(NTT(2) ⊗ I(4)) · T(8, 4)")."""
    with shallow(text, "formula"):
        return instantiate(parse(text), {})


def instantiate(term: Term, env: Env, visit: Visit = lambda leaf: leaf) -> Formula:
    """The formula that ``term`` is under ``env``; ``visit`` may put a formula in the place of a leaf."""
    match term:
        case LeafCall():
            return visit(_leaf(term, env))
        case Infix(symbol, parts):
            return JOINS[symbol](*(instantiate(part, env, visit) for part in parts))
        case Big(symbol, bounds, body):
            values = _values(bounds, env, FACTORS)
            return JOINS[symbol](*(instantiate(body, {**env, bounds.name: Fraction(i)}, visit) for i in values))


def free_names(term: Term) -> set[str]:
    """The names that ``term`` needs from its surroundings."""
    match term:
        case LeafCall(_, arguments, bounds):
            read = set().union(*(argument.names for argument in arguments))
            return _bound(read, bounds) if bounds else read
        case Infix(_, parts):
            return set().union(*map(free_names, parts))
        case Big(_, bounds, body):
            return _bound(free_names(body), bounds)


def _leaf(call: LeafCall, env: Env) -> Formula:
    if call.range:
        values = _values(call.range, env, ENTRIES)
        return D(call.arguments[0], call.range.name, values.start, len(values), tuple(sorted(env.items())))
    symbol = SYMBOLS[call.name]
    given = {f: a.value(env) for f, a in zip(symbol.fields, call.arguments, strict=False)}
    whole = {f: v if f == "turn" else integer(v, f"{call.name}(…): {f}") for f, v in given.items()}
    leaf: Formula = symbol.leaf(**whole, **symbol.fixed)
    return leaf


def _values(bounds: Range, env: Env, most: int) -> range:
    low, high = (integer(end.value(env), f"range of {bounds.name}") for end in (bounds.low, bounds.high))
    if high - low >= most:
        raise MomagenError(f"at most {most} values", high - low + 1, f"range of {bounds.name}")
    return range(low, high + 1)


def _bound(read: set[str], bounds: Range) -> set[str]:
    return read - {bounds.name} | bounds.low.names | bounds.high.names
