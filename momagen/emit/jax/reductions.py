"""From what an engine sums up to residues, in a module."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from momagen.lower.arrays.codelets import ArrayCodelet
from momagen.lower.arrays.reductions import FoldStep, Reduction
from momagen.targets import Engine

FOLD = "fold"
"""The table of digits that a fold multiplies by."""


def table_type(engine: Engine) -> str:
    """The type of a table: what the engine takes, or where NumPy or a call without 64 bits has none, integers."""
    return engine.takes if engine.takes in ("int8", "float32") else "int32"


def constants_of(codelet: ArrayCodelet) -> list[str]:
    """The constants of a codelet that reads none of twiddles."""
    return [f't["{one.key}"]' for one in codelet.constants]


def reduced(of: Reduction, goal: str, given: Sequence[str] = ("*s",)) -> Iterator[str]:
    """Lines that make ``goal`` of the sums s, or of what else is ``given``."""
    if fold := of.fold:
        kinds = f"(jnp.{fold.engine.takes}, jnp.{fold.engine.gives})"
        yield f"low, *high = {fold.parted.name}({', '.join([*given, *constants_of(fold.parted)])})"
        yield f's = folded_in(t["{FOLD}"], high, low[0].shape, {kinds}, {fold.fold.sums.count})'
        given = "low", "*s"
    yield f"({goal},) = {of.merged.name}({', '.join([*given, *constants_of(of.merged)])})"


def fold_tables(reductions: Iterable[Reduction]) -> list[str]:
    """Lines of create for those that fold."""
    return [*dict.fromkeys(_fold_table(each.fold) for each in reductions if each.fold)]


def _fold_table(of: FoldStep) -> str:
    """Digits of 2^(k + size·j) modulo q."""
    fold, kind = of.fold, table_type(of.engine)
    one, inner = "np.array([[1]], object)", fold.digits.count
    return f't["{FOLD}"] = cut({one}, q, 1 << {fold.bit}, {fold.size}, {fold.sums.count}, np.{kind}, {inner})'
