"""From terms to formulas: what the names and operators of the notation stand for."""

from __future__ import annotations

from collections.abc import Callable

from momagen.errors import MomagenError
from momagen.tables import shallow

from .atoms import D
from .expression import Compose, DirectSum, Formula, Tensor
from .syntax import SYMBOLS, parse
from .term import Env, Range, Term, integer

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
    if term.head not in JOINS:
        return visit(_leaf(term, env))
    bounds, within = term.range, [env]
    if bounds:
        within = [{**env, bounds.name: i} for i in _values(bounds, env, FACTORS)]
    return JOINS[term.head](*(instantiate(part, each, visit) for each in within for part in term.parts))


def _leaf(term: Term, env: Env) -> Formula:
    if term.range:
        values = _values(term.range, env, ENTRIES)
        return D(term.parts[0], term.range.name, values.start, len(values), tuple(sorted(env.items())))
    symbol = SYMBOLS[term.head]
    given = {f: a.value(env) for f, a in zip(symbol.fields, term.parts, strict=False)}
    whole = {f: v if f == "turn" else integer(v, f"{term.head}(…): {f}") for f, v in given.items()}
    leaf: Formula = symbol.leaf(**whole, **symbol.fixed)
    return leaf


def _values(bounds: Range, env: Env, most: int) -> range:
    low, high = (integer(end.value(env), f"range of {bounds.name}") for end in (bounds.low, bounds.high))
    if high - low >= most:
        raise MomagenError(f"at most {most} values", high - low + 1, f"range of {bounds.name}")
    return range(low, high + 1)
