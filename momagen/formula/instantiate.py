"""From terms to formulas: what the names and operators of the notation stand for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from momagen.errors import MomagenError
from momagen.tables import shallow

from .atoms import D, I, L, R, Scale, T
from .expression import Compose, DirectSum, Formula, Tensor
from .index_expression import Env, Index, Var, evaluate, integer, names
from .syntax import Big, Infix, LeafCall, Range, Term, parse
from .transforms import NTT, Ring

FACTORS = 4096
"""Factors of a product, or terms of a sum, at most."""


class LeafSymbol(NamedTuple):
    """A leaf's name in the notation: its class, the fields its arguments give, how many of them must be there."""

    leaf: type[Any]
    fields: tuple[str, ...]
    required: int
    fixed: Mapping[str, object]


_FORWARD: Mapping[str, object] = {}
_INVERSE: Mapping[str, object] = {"inverse": True}

SYMBOLS = {
    "I": LeafSymbol(I, ("n",), 1, _FORWARD),
    "L": LeafSymbol(L, ("n", "k"), 2, _FORWARD),
    "R": LeafSymbol(R, ("n", "radix"), 1, _FORWARD),
    "Scale": LeafSymbol(Scale, ("n",), 1, _FORWARD),
    "T": LeafSymbol(T, ("n", "k"), 2, _FORWARD),
    "iT": LeafSymbol(T, ("n", "k"), 2, _INVERSE),
    "NTT": LeafSymbol(NTT, ("n", "turn"), 1, _FORWARD),
    "iNTT": LeafSymbol(NTT, ("n", "turn"), 1, _INVERSE),
    "Ring": LeafSymbol(Ring, ("n", "turn"), 2, _FORWARD),
    "iRing": LeafSymbol(Ring, ("n", "turn"), 2, _INVERSE),
    "Rings": LeafSymbol(Ring, ("blocks", "n", "turn"), 3, _FORWARD),
    "iRings": LeafSymbol(Ring, ("blocks", "n", "turn"), 3, _INVERSE),
}
JOINS: dict[str, Callable[..., Formula]] = {"·": Compose, "⊗": Tensor, "⊕": DirectSum}

Visit = Callable[[Formula, LeafCall], Formula]


@dataclass(frozen=True)
class TurnRule:
    """The turns ``index`` for name = low, low + 1, …, computed when asked for: a table of any length in no space."""

    index: Index
    name: str
    low: int
    count: int
    bindings: tuple[tuple[str, Fraction], ...]

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, at: int, /) -> Fraction:
        return evaluate(self.index, {**dict(self.bindings), self.name: Fraction(self.low + at)})


def formula(text: str) -> Formula:
    """The formula written in ``text``, all sizes numbers: formula("(NTT(2) ⊗ I(4)) · T(8, 4)")."""
    with shallow(text, "formula"):
        return instantiate(parse(text), {})


def instantiate(term: Term, env: Env, visit: Visit = lambda leaf, call: leaf) -> Formula:
    """The formula that ``term`` is under ``env``; ``visit`` may put a formula in the place of a leaf."""
    match term:
        case LeafCall(range=Range() as bounds):
            return _diagonal(term, bounds, env)
        case LeafCall():
            return visit(_leaf(term, env), term)
        case Infix(symbol, parts):
            return JOINS[symbol](*(instantiate(part, env, visit) for part in parts))
        case Big(symbol, bounds, body):
            values = _values(bounds, env, FACTORS)
            return JOINS[symbol](*(instantiate(body, {**env, bounds.name: Fraction(i)}, visit) for i in values))


def free_names(term: Term) -> set[str]:
    """The names that ``term`` needs from its surroundings."""
    match term:
        case LeafCall(_, arguments, bounds):
            read = set().union(*map(names, arguments))
            return _bound(read, bounds) if bounds else read
        case Infix(_, parts):
            return set().union(*map(free_names, parts))
        case Big(_, bounds, body):
            return _bound(free_names(body), bounds)


def calls(term: Term) -> Iterator[LeafCall]:
    """The leaves of ``term``."""
    match term:
        case LeafCall():
            yield term
        case Infix(_, parts):
            for part in parts:
                yield from calls(part)
        case Big(_, _, body):
            yield from calls(body)


def check_call(call: LeafCall, where: str) -> None:
    """Raise MomagenError unless the notation has a leaf of this name with so many arguments."""
    symbol = SYMBOLS.get(call.name)
    if call.range is not None:
        if call.name != "D" or len(call.arguments) != 1:
            raise MomagenError("D[j=0..n−1](turn)", f"{call.name}[…] with {len(call.arguments)} argument(s)", where)
    elif symbol is None:
        raise MomagenError(f"one of {', '.join(SYMBOLS)}, D[…]", call.name, where)
    elif not symbol.required <= len(call.arguments) <= len(symbol.fields):
        raise MomagenError(f"{call.name}({', '.join(symbol.fields)})", f"{len(call.arguments)} argument(s)", where)


def size_name(call: LeafCall) -> str:
    """The name that alone is the size of a leaf, as r in NTT(r); "" where it is an expression."""
    size = call.arguments[SYMBOLS[call.name].fields.index("n")]
    return size.name if isinstance(size, Var) else ""


def _leaf(call: LeafCall, env: Env) -> Formula:
    check_call(call, "formula")
    symbol = SYMBOLS[call.name]
    values: dict[str, Any] = {f: evaluate(a, env) for f, a in zip(symbol.fields, call.arguments, strict=False)}
    whole = {f: v if f == "turn" else integer(v, f"{call.name}(…): {f}") for f, v in values.items()}
    leaf: Formula = symbol.leaf(**whole, **symbol.fixed)
    return leaf


def _diagonal(call: LeafCall, bounds: Range, env: Env) -> D:
    check_call(call, "formula")
    values = _values(bounds, env, 1 << 32)
    return D(TurnRule(call.arguments[0], bounds.name, values.start, len(values), tuple(sorted(env.items()))))


def _values(bounds: Range, env: Env, most: int) -> range:
    low, high = (integer(evaluate(end, env), f"range of {bounds.name}") for end in (bounds.low, bounds.high))
    if high - low >= most:
        raise MomagenError(f"at most {most} values", high - low + 1, f"range of {bounds.name}")
    return range(low, high + 1)


def _bound(read: set[str], bounds: Range) -> set[str]:
    return read - {bounds.name} | names(bounds.low) | names(bounds.high)
