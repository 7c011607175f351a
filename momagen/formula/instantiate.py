"""The conversion of terms to formulas, which gives the names and operators of the notation their meaning."""

from __future__ import annotations

from collections.abc import Callable

from momagen.errors import MomagenError
from momagen.tables import shallow

from .atoms import D
from .expression import Compose, DirectSum, Formula, Tensor
from .syntax import SYMBOLS, parse
from .term import Env, Range, Term, integer

FACTORS, ENTRIES = 4096, 1 << 32
"""The largest number of factors of a product or terms of a sum, and of entries of a diagonal matrix."""
JOINS: dict[str, Callable[..., Formula]] = {"·": Compose, "⊗": Tensor, "⊕": DirectSum}
"""The classes that represent the operators."""

Visit = Callable[[Formula], Formula]
"""A function that may replace a leaf by another formula."""


def formula(text: str) -> Formula:
    """Return the formula that a text describes.

    Args:
        text: The formula, in which all sizes are numbers, such as "(NTT(2) ⊗ I(4)) · T(8, 4)".

    Raises:
        MomagenError: The text is no formula, or its sizes do not fit each other.
    """
    with shallow(text, "formula"):
        return instantiate(parse(text), {})


def instantiate(term: Term, env: Env, visit: Visit = lambda leaf: leaf) -> Formula:
    """Return the formula that a term describes.

    Args:
        term: The term.
        env: The values of its names.
        visit: The function that is applied to each leaf, and whose result takes the place of the leaf.

    Raises:
        MomagenError: A name has no value, or a value is invalid.
    """
    if term.head not in JOINS:
        return visit(_leaf(term, env))
    bounds, within = term.range, [env]
    if bounds:
        within = [{**env, bounds.name: i} for i in _values(bounds, env, FACTORS)]
    return JOINS[term.head](*(instantiate(part, each, visit) for each in within for part in term.parts))


def _leaf(term: Term, env: Env) -> Formula:
    """Return the leaf that a term describes."""
    if term.range:
        values = _values(term.range, env, ENTRIES)
        return D(term.parts[0], term.range.name, values.start, len(values), tuple(sorted(env.items())))
    symbol = SYMBOLS[term.head]
    given = {f: a.value(env) for f, a in zip(symbol.fields, term.parts, strict=False)}
    whole = {f: v if f == "turn" else integer(v, f"{term.head}(…): {f}") for f, v in given.items()}
    leaf: Formula = symbol.leaf(**whole, **symbol.fixed)
    return leaf


def _values(bounds: Range, env: Env, most: int) -> range:
    """Return the indices of a range, and raise MomagenError if there are more than ``most`` of them."""
    low, high = (integer(end.value(env), f"range of {bounds.name}") for end in (bounds.low, bounds.high))
    if high - low >= most:
        raise MomagenError(f"at most {most} values", high - low + 1, f"range of {bounds.name}")
    return range(low, high + 1)
