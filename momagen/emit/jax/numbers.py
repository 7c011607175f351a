"""Functions on the host that compute tables. Generated modules contain their text, without types."""

from __future__ import annotations

import ast
import inspect
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np


def words(numbers: Iterable[int], shape: Sequence[int], count: int) -> tuple[Any, ...]:
    """Return integers as ``count`` arrays of 32-bit words, least significant word first."""
    whole = [int(each) for each in numbers]
    if any(each >> 32 * count for each in whole):
        raise OverflowError(f"a number of more than {count} words")
    parts = ([each >> 32 * at & 0xFFFFFFFF for each in whole] for at in range(count))
    return tuple(np.array(part, np.uint32).reshape(shape) for part in parts)


def packed(t: Mapping[str, Any], shapes: Mapping[str, tuple[Sequence[int], int]]) -> dict[str, Any]:
    """Return tables with the words of all numbers in one array, because each argument of a call costs time."""
    parts = [word.reshape(-1) for name, row in shapes.items() for word in words(t[name], *row)]
    others = {name: each for name, each in t.items() if name not in shapes}
    return {"words": np.concatenate([np.zeros(0, np.uint32), *parts]), **others}


def unpacked(t: Mapping[str, Any], shapes: Mapping[str, tuple[Sequence[int], int]]) -> dict[str, Any]:
    """Return packed tables as tuples of words by name, together with the other tables."""
    found, at = {name: each for name, each in t.items() if name != "words"}, 0
    for name, (shape, count) in shapes.items():
        size = math.prod(shape)
        parts = (t["words"][at + size * i : at + size * (i + 1)] for i in range(count))
        found[name], at = tuple(part.reshape(shape) for part in parts), at + size * count
    return found


def number(parts: Iterable[Any]) -> int:
    """Return the integer that has these words, least significant word first."""
    return sum(int(word) << 32 * at for at, word in enumerate(parts))


def powers(q: int, root: int, first: int, steps: Iterable[int], factor: int = 1) -> Any:
    """Return factor · root^(first + the sum of steps[b] over the bits b that are set in i) modulo q, for all i."""
    found = [factor * pow(root, first, q) % q]
    for step in steps:
        turn = pow(root, step, q)
        found += [each * turn % q for each in found]
    return np.array(found, object)


def rising(q: int, bases: Any, count: int) -> Any:
    """Return the powers 0 to count - 1 of each base modulo q; each base has a row."""
    rows = [np.ones(len(bases), object)]
    for _ in range(count - 1):
        rows.append(rows[-1] * bases % q)
    return np.stack(rows, axis=1)


def cut(matrix: Any, q: Any, factor: int, size: int, count: int, kind: Any, inner: int = 0) -> Any:
    """Return the signed digits of factor · 2^(size·k) · matrix modulo q for k < inner, or k < count if inner is 0.

    Digits are stacked vertically and the matrices of all k horizontally: the shape is (count · rows, inner · columns).
    q is one modulus, or one for each row."""  # noqa: D209 (modules contain this text)
    blocks = [np.concatenate(digits(around(matrix, q, factor << size * k), size, count)) for k in range(inner or count)]
    return np.concatenate(blocks, axis=1).astype(kind)


def spread(matrix: Any, q: Any, factor: int, size: int, count: int, kind: Any) -> Any:
    """Return the signed digits of factor · matrix modulo q, arranged for a product by digits.

    Block row i + k of block column k, which is multiplied by digit k of the other factor, contains digit i. There are
    2·count - 1 block rows."""  # noqa: D209 (modules contain this text)
    parts = digits(around(matrix, q, factor), size, count)
    none = np.zeros_like(parts[0])
    blocks = [np.concatenate([*[none] * k, *parts, *[none] * (count - 1 - k)]) for k in range(count)]
    return np.concatenate(blocks, axis=1).astype(kind)


def around(matrix: Any, q: Any, factor: int) -> Any:
    """Return factor · matrix modulo q, between -q/2 and q/2, in int64 if all products fit, which is much faster."""
    q = np.asarray(q, object)
    numbers, times = matrix % q, np.asarray(factor % q, object)
    if q.max() < 1 << 31:
        numbers, times, q = (each.astype(np.int64) for each in (numbers, times, q))
    return (numbers * times + q // 2) % q - q // 2


def digits(numbers: Any, size: int, count: int) -> Any:
    """Return ``count`` signed digits of ``size`` bits, lowest digit first. int64 holds several digits at a time."""
    whole = numbers if size * count < 63 else numbers.astype(object)
    lifted, some = whole + sum(1 << size - 1 + size * at for at in range(count)), 60 // size
    found = []
    for at in range(0, count, some):
        part = ((lifted >> size * at if at else lifted) % (1 << size * some)).astype(np.int64)
        found += [(part >> size * i) % (1 << size) - (1 << size - 1) for i in range(min(some, count - at))]
    return found


CUTS: tuple[Callable[..., Any], ...] = (cut, around, digits)
"""The functions that split matrices into digits."""


def texts(*, transforms: bool, cuts: bool) -> list[str]:
    """Return the texts of the functions that a module needs.

    Args:
        transforms: Whether it has transforms, which need tables of powers and of digits.
        cuts: Whether it has tables of digits.
    """
    functions: list[Callable[..., Any]] = [words, packed, unpacked, number]
    functions += [powers, rising] if transforms else []
    functions += [*CUTS] if transforms or cuts else []
    return [plain_text(each) for each in functions]


def plain_text(function: Callable[..., Any]) -> str:
    """Return the text of a function without annotations."""
    tree = ast.parse(inspect.getsource(function))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        elif isinstance(node, ast.arg):
            node.annotation = None
    return ast.unparse(tree)
