"""The contestants of momagen: modules of the target jax on arrays of the device, and the target c on this CPU."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import jax
import numpy as np

import momagen as mg
from momagen.api.kernel import Kernel
from momagen.params.words import Words

from .entries import JaxEntry
from .problems import JaxProblem, centred


def module(source: str) -> dict[str, Any]:
    """Return the names that the source of a kernel for jax defines."""
    names: dict[str, Any] = {}
    exec(compile(source, "momagen_jax.py", "exec"), names)
    return names


def waited(words: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return arrays after they are complete."""
    for word in words:
        word.block_until_ready()
    return words


def halves(numbers: Words, count: int) -> tuple[Any, ...]:
    """Return the low 32-bit words of numbers as arrays on the device.

    Args:
        numbers: The numbers; their last axis holds 64-bit words.
        count: The number of 32-bit words.
    """
    parts = np.ascontiguousarray(numbers).view("<u4")
    return tuple(jax.device_put(np.ascontiguousarray(parts[..., at])) for at in range(count))


def whole(parts: tuple[Any, ...], words: int) -> Words:
    """Return numbers of ``words`` 64-bit words, from arrays of their 32-bit words."""
    made = np.zeros((*parts[0].shape, 2 * words), "<u4")
    for at, part in enumerate(parts):
        made[..., at] = np.asarray(part)
    return made.view("<u8").astype(np.uint64)


def transform_jax(problem: JaxProblem) -> JaxEntry:
    """Return the contestant that calls ``execute`` of the module, with its tables on the device."""
    kernel = mg.ntt(problem.n, modulus=problem.modulus, root=problem.root, negacyclic=True, target="jax")
    own = module(kernel.source)
    tables = jax.device_put(own["create"](problem.modulus, problem.root))
    x, words = halves(problem.given[0], own["WORDS"]), problem.expected.shape[-1]
    execute = own["execute"]
    return JaxEntry(lambda: waited(execute(tables, x)), lambda found: whole(found, words))


def transform_c(problem: JaxProblem) -> JaxEntry:
    """Return the contestant that calls ``execute`` of the plan on arrays of the host."""
    kernel = mg.ntt(problem.n, modulus=problem.modulus, root=problem.root, negacyclic=True, target="c")
    plan, x = kernel.tables, problem.given[0].copy()
    y = np.zeros_like(x)
    rows, out = (array.reshape(-1, x.shape[-1]) for array in (x, y))
    return JaxEntry(lambda: plan.execute(out, rows, count=problem.batch), lambda _: y.copy(), "on the host", False)


def product_jax(problem: JaxProblem, target: str = "jax") -> JaxEntry:
    """Return the contestant for the module of :func:`momagen.matmul`."""
    left, right = problem.given
    kernel = mg.matmul(left.tolist(), modulus=problem.modulus, target=target)
    x = jax.device_put(right.astype(np.uint32))
    return applied(kernel, (x,), lambda found: np.asarray(found).astype(np.uint64))


def conversion_jax(problem: JaxProblem, target: str = "jax") -> JaxEntry:
    """Return the contestant for the module of :func:`momagen.convert`.

    Its results are correct up to multiples of the product of the source moduli, like those of the other contestants.
    """
    return _converted(problem, False, target)


def exact_jax(problem: JaxProblem, target: str = "jax") -> JaxEntry:
    """Return the contestant for an exact conversion of numbers around 0."""
    return _converted(problem, True, target)


def _converted(problem: JaxProblem, exact: bool, target: str) -> JaxEntry:
    kernel = mg.convert(problem.sources, to=problem.moduli, exact=exact, target=target)
    x = jax.device_put(np.ascontiguousarray(problem.given[0].T).astype(np.uint32))
    expected = centred(problem.given[0], problem.sources, problem.moduli) if exact else None
    entry = applied(kernel, (x,), lambda found: np.asarray(found).T.astype(np.uint64))
    return replace(entry, expected=expected, note="for numbers from -Q/2 to Q/2" * exact)


def applied(kernel: Kernel, x: tuple[Any, ...], result: Callable[[Any], Words]) -> JaxEntry:
    """Return the contestant for a kernel with a matrix, on words that are arrays of the device."""
    run, tables = kernel.tables.names["compiled"], kernel.tables.tables
    return JaxEntry(lambda: waited(run(tables, x)), lambda found: result(found[0]))
