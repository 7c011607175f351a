"""The lines of a module for transforms by matrices: the lines of each step and of its tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from momagen.lower.arrays.codelets import MODULUS
from momagen.lower.arrays.matrices import DenseStep, TwiddleStep

from .parts import Stored, made_of
from .reductions import constants_of, reduced, table_type


def matrix_step(of: DenseStep | TwiddleStep, key: str, columns: Sequence[int]) -> Iterator[str]:
    """Yield the lines that replace x by the result of a step.

    Args:
        of: The step.
        key: The prefix of the names of its tables.
        columns: The number of columns, if there are several.
    """
    width = of.right * (columns[0] if columns else 1)
    if isinstance(of, TwiddleStep):
        rows = of.size // of.powers.columns
        yield f"x = shaped(x, {(of.left, rows, of.powers.columns, width)})"
        constants = (f't["{"" if one.of == MODULUS else key}{one.input}"]' for one in of.codelet.constants)
        yield f"(x,) = {of.codelet.name}({', '.join(['x', *constants])})"
        return
    engine, count = of.choice.engine, of.choice.digits.count
    yield f"x = shaped(x, {(of.points, width) if of.lanes else (of.left, of.points, width)})"
    if of.lanes:
        yield f"x = {_fused(of, key)}"
        return
    yield f"x = side_by_side({of.split.name}({', '.join(['x', *constants_of(of.split)])}), jnp.{engine.takes})"
    yield f's = products(t["{key}m"], x, jnp.{engine.gives}, {count})'
    yield from reduced(of.reduction, "x")


def _fused(of: DenseStep, key: str) -> str:
    """Return the call that computes the whole step in one Pallas kernel."""
    both, engine = (of.split, of.reduction.merged), of.choice.engine
    names = ", ".join(each.name for each in both)
    constants = ", ".join(f"[{', '.join(constants_of(each))}]" for each in both)
    kinds = f"(jnp.{engine.takes}, jnp.{engine.gives})"
    return f'fused(({names}), t["{key}m"], x, ({constants}), {kinds}, {of.choice.digits.count}, {of.lanes})'


def matrix_tables(of: DenseStep | TwiddleStep, key: str, n: int) -> Iterator[str | Stored]:
    """Yield the lines of ``create`` for the tables of a step.

    Args:
        of: The step.
        key: The prefix of the names of its tables.
        n: The number of points of the transform.
    """
    yield f"v = rising(q, powers(q, root, {of.powers.first}, {[*of.powers.steps]}), {of.powers.columns})"
    if isinstance(of, TwiddleStep):
        shape = (of.size // of.powers.columns, of.powers.columns, 1)
        for one in of.codelet.constants:
            if one.of != MODULUS:
                yield Stored(f"{key}{one.input}", f"{made_of(one, 'v')}.reshape(-1)", shape, one.words)
        return
    digits, factor = of.choice.digits, f"pow({n}, -1, q) << {of.lifted}" if of.scaled else f"1 << {of.lifted}"
    kind, turned = table_type(of.choice.engine), "v.T" if of.transposed else "v"
    yield f't["{key}m"] = cut({turned}, q, {factor}, {digits.size}, {digits.count}, np.{kind})'
