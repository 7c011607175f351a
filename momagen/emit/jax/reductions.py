"""The lines of a module that reduce the sums of an engine to residues."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from momagen.lower.arrays.codelets import ArrayCodelet
from momagen.lower.arrays.reductions import FoldStep, Reduction
from momagen.targets import Engine


def table_type(engine: Engine) -> str:
    """Return the type of a table of digits.

    It is the type that the engine multiplies, or int32 if NumPy, or a call without 64-bit types, lacks that
    type.
    """
    return engine.takes if engine.takes in ("int8", "float32") else "int32"


def constants_of(codelet: ArrayCodelet) -> list[str]:
    """Return the constants of a codelet that reads no twiddles."""
    return [f't["{one.key}"]' for one in codelet.constants]


def reduced(of: Reduction, goal: str, given: Sequence[str] = ("*s",)) -> Iterator[str]:
    """Yield the lines that compute ``goal`` from sums.

    Args:
        of: The reduction.
        goal: The name of the result.
        given: The arguments that the first codelet reduces; by default, the sums s.
    """
    if fold := of.fold:
        kinds = f"(jnp.{fold.engine.takes}, jnp.{fold.engine.gives})"
        yield f"low, *high = {fold.parted.name}({', '.join([*given, *constants_of(fold.parted)])})"
        yield f's = folded_in(t["{_name(fold)}"], high, low[0].shape, {kinds}, {fold.fold.sums.count})'
        given = "low", "*s"
    yield f"({goal},) = {of.merged.name}({', '.join([*given, *constants_of(of.merged)])})"


def fold_tables(reductions: Iterable[Reduction]) -> list[str]:
    """Return the lines of ``create`` for the reductions that fold."""
    return [*dict.fromkeys(_fold_table(each.fold) for each in reductions if each.fold)]


def _name(of: FoldStep) -> str:
    """Return the name of the table of digits by which a fold multiplies; the lengths of sums determine its size."""
    return f"fold_{of.fold.digits.count}_{of.fold.size}"


def _fold_table(of: FoldStep) -> str:
    """Return the line that stores the digits of 2^(bit + size·j) modulo q."""
    fold, kind = of.fold, table_type(of.engine)
    one, inner = "np.array([[1]], object)", fold.digits.count
    return f't["{_name(of)}"] = cut({one}, q, 1 << {fold.bit}, {fold.size}, {fold.sums.count}, np.{kind}, {inner})'
