"""Our contestants: modules of the target jax on arrays of the device, and the target c on this CPU."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import jax
import numpy as np

import momagen as mg
from momagen.api.matrices import MatrixKernel
from momagen.params.words import Words

from .entries import Entry
from .problems import Problem, centred


def module(source: str) -> dict[str, Any]:
    """What the text of a kernel for jax defines."""
    names: dict[str, Any] = {}
    exec(compile(source, "momagen_jax.py", "exec"), names)
    return names


def waited(words: tuple[Any, ...]) -> tuple[Any, ...]:
    """Arrays, when they are there."""
    for word in words:
        word.block_until_ready()
    return words


def halves(numbers: Words, count: int) -> tuple[Any, ...]:
    """The low ``count`` 32-bit words of numbers whose 64-bit words are the last axis, as arrays on the device."""
    parts = np.ascontiguousarray(numbers).view("<u4")
    return tuple(jax.device_put(np.ascontiguousarray(parts[..., at])) for at in range(count))


def whole(parts: tuple[Any, ...], words: int) -> Words:
    """Numbers of so many 64-bit words, of arrays of their 32-bit words."""
    made = np.zeros((*parts[0].shape, 2 * words), "<u4")
    for at, part in enumerate(parts):
        made[..., at] = np.asarray(part)
    return made.view("<u8").astype(np.uint64)


def transform_jax(problem: Problem) -> Entry:
    """The module's ``execute``, its tables on the device."""
    kernel = mg.ntt(problem.n, modulus=problem.modulus, root=problem.root, negacyclic=True, target="jax")
    own = module(kernel.source)
    tables = jax.device_put(own["create"](problem.modulus, problem.root))
    x, words = halves(problem.given[0], own["WORDS"]), problem.expected.shape[-1]
    execute = own["execute"]
    return Entry(lambda: waited(execute(tables, x)), lambda found: whole(found, words))


def transform_c(problem: Problem) -> Entry:
    """The plan's ``execute`` on arrays of the host."""
    kernel = mg.ntt(problem.n, modulus=problem.modulus, root=problem.root, negacyclic=True, target="c")
    plan, x = kernel.tables, problem.given[0].copy()
    y = np.zeros_like(x)
    rows, out = (array.reshape(-1, x.shape[-1]) for array in (x, y))
    return Entry(lambda: plan.execute(out, rows, count=problem.batch), lambda _: y.copy(), "on the host", False)


def product_jax(problem: Problem, target: str = "jax") -> Entry:
    """The module of :func:`momagen.matmul`."""
    left, right = problem.given
    kernel = mg.matmul(left.tolist(), modulus=problem.modulus, target=target)
    x = jax.device_put(right.astype(np.uint32))
    return applied(kernel, (x,), lambda found: np.asarray(found).astype(np.uint64))


def conversion_jax(problem: Problem, target: str = "jax") -> Entry:
    """The module of :func:`momagen.convert`, up to multiples of the product of the moduli as the others."""
    return _converted(problem, False, target)


def exact_jax(problem: Problem, target: str = "jax") -> Entry:
    """The same, of the numbers around 0."""
    return _converted(problem, True, target)


def _converted(problem: Problem, exact: bool, target: str) -> Entry:
    kernel = cast(MatrixKernel, mg.convert(problem.sources, to=problem.moduli, exact=exact, target=target))
    x = jax.device_put(np.ascontiguousarray(problem.given[0].T).astype(np.uint32))
    expected = centred(problem.given[0], problem.sources, problem.moduli) if exact else None
    entry = applied(kernel, (x,), lambda found: np.asarray(found).T.astype(np.uint64))
    return replace(entry, expected=expected, note="for numbers from -Q/2 to Q/2" * exact)


def applied(kernel: MatrixKernel, x: tuple[Any, ...], result: Callable[[Any], Words]) -> Entry:
    """A kernel with a matrix on words of arrays of the device."""
    run, tables = kernel.names["compiled"], kernel.tables
    return Entry(lambda: waited(run(tables, x)), lambda found: result(found[0]))
