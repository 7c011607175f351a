"""The lines of a module for transforms: a function for each transform, and its tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from momagen.lower.arrays.codelets import MODULUS
from momagen.lower.arrays.matrices import DenseStep, MatrixStep, TwiddleStep
from momagen.lower.arrays.program import ArrayProgram, ArrayStep
from momagen.lower.arrays.reductions import Reduction
from momagen.lower.arrays.twiddles import TwiddleArrays
from momagen.plan.schedule.arrays import interleavings, transposition
from momagen.plan.schedule.types import Bits

from .matrices import matrix_step, matrix_tables
from .parts import Lines, ModuleParts, Stored, called, kept, made_of
from .reductions import fold_tables


def transforms(of: ArrayProgram) -> ModuleParts:
    """Return the parts of a transform, or of a product of polynomials."""
    columns, parts = (of.spec.columns,) * (of.spec.columns > 1), ModuleParts()
    most, tables = of.spec.target.interleaved, list[str | Stored]()
    for name, steps in of.transforms.items():
        parts.functions[name] = [
            line for at, each in enumerate(steps) for line in _step(each, f"{name}{at}.", columns, most)
        ]
        tables += [line for at, each in enumerate(steps)
                         for line in _tables(each, f"{name}{at}.", of.spec.n, columns)]  # fmt: skip
    reductions = _reductions(of)
    read = [*([of.element] if of.element else []), *(each for one in reductions for each in one.codelets)]
    whole = {each.name for each in read}
    shared = [one for each in of.codelets.found.values() for one in each.constants
              if one.of == MODULUS or each.name in whole]  # fmt: skip
    parts.tables = [*kept(dict.fromkeys(shared)), *fold_tables(reductions), *tables]
    parts.body = _body(of)
    return parts


def _reductions(of: ArrayProgram) -> list[Reduction]:
    """Return the reductions of the steps by matrices."""
    return [each.reduction for steps in of.transforms.values() for each in steps if isinstance(each, DenseStep)]


def _body(of: ArrayProgram) -> Lines:
    """Return the lines that compute the kernel with its transforms."""
    if of.element is None:
        (name,) = of.transforms
        return [f"return {name}(t, x)"]
    forward, inverse = of.transforms
    product = called(of.element.name, of.element.operands, of.element.constants)
    return [f"x, y = {forward}(t, x), {forward}(t, y)", f"(z,) = {product}", f"return {inverse}(t, z)"]


def _moved(order: Bits, columns: Sequence[int]) -> str:
    """Return a line that transposes x into an order of the bits of the index."""
    shape, axes = transposition(order)
    places = [0, *(axis + 1 for axis in axes), *[len(axes) + 1] * len(columns)]
    return f"x = moved(x, {(*shape, *columns)}, {tuple(places)})"


def _ordered(order: Bits, columns: Sequence[int], most: int) -> Iterator[str]:
    """Yield lines that bring the results into their order.

    Args:
        order: The bits of the index in the order of memory.
        columns: The number of columns, if there are several.
        most: The largest number of bits of one interleaving, or 0 to transpose instead.
    """
    if columns or not most:
        yield _moved(order, columns)
        return
    for sizes in interleavings(order, most):
        yield f"x = behind(x, {sizes})"


def _step(of: ArrayStep | MatrixStep, key: str, columns: Sequence[int], most: int) -> Iterator[str]:
    """Yield the lines that replace x by the result of a step."""
    if isinstance(of, DenseStep | TwiddleStep):
        yield from matrix_step(of, key, columns)
        return
    if not isinstance(of, ArrayStep):
        yield from _ordered(of, columns, most)
        return
    if of.moved:
        yield _moved(of.moved, columns)
    axis, legs = of.axis + 1, len(of.takes)
    yield f"x = parted(x, {(*of.shape, *columns)}, {axis}, {legs})"
    operands = [f"x[{leg}]" for leg in of.takes]
    operands += [f't["{"" if one.of == MODULUS else key}{one.input}"]' for one in of.codelet.constants]
    yield f"y = {of.codelet.name}({', '.join(operands)})"
    yield f"x = joined([{', '.join(f'y[{[*of.gives].index(leg)}]' for leg in range(legs))}], {axis})"


def _tables(of: ArrayStep | MatrixStep, key: str, n: int, columns: Sequence[int]) -> Iterator[str | Stored]:
    """Yield the lines of ``create`` for the tables of a step."""
    if isinstance(of, DenseStep | TwiddleStep):
        yield from matrix_tables(of, key, n)
        return
    for each in of.tables if isinstance(of, ArrayStep) else ():
        yield from _twiddles(each, key, n, columns)


def _twiddles(each: TwiddleArrays, key: str, n: int, columns: Sequence[int]) -> Iterator[str | Stored]:
    """Yield the lines of ``create`` for the tables of some twiddles."""
    factor = f", pow({n}, -1, q){f' << {each.lifted}' * (each.lifted > 0)}" * each.scaled
    yield f"v = powers(q, root, {each.first}, {[*each.steps]}{factor})"
    shape = (*each.shape, *[1] * len(columns))
    for one in each.constants:
        yield Stored(f"{key}{one.input}", made_of(one, "v"), shape, one.words)
