"""Transforms by matrices in a module: lines of a step, and of its tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from momagen.lower.arrays.codelets import MODULUS, ArrayCodelet
from momagen.lower.arrays.matrices import DenseStep, TwiddleStep
from momagen.plan.engines import EngineChoice

from .parts import Stored, made_of


def matrix_step(of: DenseStep | TwiddleStep, key: str, columns: Sequence[int]) -> Iterator[str]:
    """Lines that make x of x."""
    width = of.right * (columns[0] if columns else 1)
    if isinstance(of, TwiddleStep):
        rows = of.size // of.powers.columns
        yield f"x = shaped(x, {(of.left, rows, of.powers.columns, width)})"
        yield f"(x,) = {_call(of.codelet, key, 'x')}"
        return
    engine, count = of.choice.engine, of.choice.digits.count
    yield f"x = shaped(x, {(of.points, width) if of.lanes else (of.left, of.points, width)})"
    if of.lanes:
        yield f"x = {_fused(of, key)}"
        return
    yield f"x = side_by_side({_call(of.split, key, 'x')}, jnp.{engine.takes})"
    yield f's = products(t["{key}m"], x, jnp.{engine.gives}, {count})'
    yield f"(x,) = {_call(of.merge, key, '*s')}"


def _fused(of: DenseStep, key: str) -> str:
    """A call that does all of the step."""
    both, engine = (of.split, of.merge), of.choice.engine
    names = ", ".join(each.name for each in both)
    constants = ", ".join(f"[{', '.join(_constants(each, key))}]" for each in both)
    kinds = f"(jnp.{engine.takes}, jnp.{engine.gives})"
    return f'fused(({names}), t["{key}m"], x, ({constants}), {kinds}, {of.choice.digits.count}, {of.lanes})'


def _call(of: ArrayCodelet, key: str, *operands: str) -> str:
    return f"{of.name}({', '.join([*operands, *_constants(of, key)])})"


def _constants(of: ArrayCodelet, key: str) -> list[str]:
    return [f't["{"" if one.of == MODULUS else key}{one.input}"]' for one in of.constants]


def matrix_tables(of: DenseStep | TwiddleStep, key: str, n: int) -> Iterator[str | Stored]:
    """Lines of create."""
    yield f"v = rising(q, powers(q, root, {of.powers.first}, {[*of.powers.steps]}), {of.powers.columns})"
    if isinstance(of, TwiddleStep):
        shape = (of.size // of.powers.columns, of.powers.columns, 1)
        for one in of.codelet.constants:
            if one.of != MODULUS:
                yield Stored(f"{key}{one.input}", f"{made_of(one, 'v')}.reshape(-1)", shape, one.words)
        return
    digits, factor = of.choice.digits, f"pow({n}, -1, q) << {of.lifted}" if of.scaled else f"1 << {of.lifted}"
    turned = "v.T" if of.transposed else "v"
    yield f't["{key}m"] = cut({turned}, q, {factor}, {digits.size}, {digits.count}, np.{table_type(of.choice)})'


def table_type(choice: EngineChoice) -> str:
    """The type of a table: what the engine takes, or where NumPy or a call without 64 bits has none, integers."""
    return choice.engine.takes if choice.engine.takes in ("int8", "float32") else "int32"
