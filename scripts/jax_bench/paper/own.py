"""Our contestants of sweeps, with options that this version may not have yet: then they are absent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import jax
import numpy as np

import momagen as mg
from momagen.errors import MomagenError
from momagen.params.words import Words

from ..entries import Entry, Missing
from ..own import applied, product_jax
from ..problems import Problem
from .limbs import last


def taken(make: Callable[..., Any], *given: Any, **options: Any) -> Any:
    """What ``make`` makes.

    Raises:
        Missing: it has no such option, or not this value of it.
    """
    try:
        return make(*given, **options)
    except MomagenError as error:
        if error.where in options or error.where == "options":
            raise Missing(f"not there: {error}") from None
        raise


def sparse_product(target: str, problem: Problem) -> Entry:
    """:func:`momagen.matmul` with the sparse matrix of Fig. 7 of the paper."""
    left, right = problem.given
    kernel = mg.matmul(left.tolist(), modulus=problem.modulus, target=target, sparse=True)
    x = jax.device_put(right.astype(np.uint32))
    return applied(kernel, (x,), lambda found: np.asarray(found).astype(np.uint64))


def product(target: str, problem: Problem) -> Entry:
    """:func:`momagen.matmul`."""
    return product_jax(problem, target)


def loaded(numbers: Words) -> Any:
    """Residues of one word on the device."""
    return jax.device_put(numbers.astype(np.uint32))


def of_limbs(found: Any) -> Words:
    """(…, limbs, n) as problems have it."""
    return last(np.asarray(found).astype(np.uint64))


def called(run: Callable[..., Any], *operands: Any, note: str = "") -> Entry:
    """A function of arrays of the device, (…, limbs, n)."""
    return Entry(lambda: run(*operands).block_until_ready(), of_limbs, note)


def transform(target: str, options: dict[str, Any], problem: Problem) -> Entry:
    """:func:`momagen.ntt` of all moduli of a problem."""
    kernel = taken(mg.ntt, problem.n, moduli=list(problem.moduli), negacyclic=True, target=target, **options)
    return called(kernel.function(), loaded(problem.given[0]), note=written(options))


def multiply(target: str, options: dict[str, Any], problem: Problem) -> Entry:
    """:func:`momagen.blas`, element by element."""
    kernel = taken(mg.blas, "vmul", moduli=list(problem.moduli), target=target, **options)
    return called(kernel.function(), *map(loaded, problem.given), note=written(options))


def scale(target: str, problem: Problem) -> Entry:
    """The same by a number for each modulus that is known beforehand, which Shoup's reduction needs."""
    numbers = [int(each) for each in problem.given[1][0, :, 0]]
    kernel = mg.blas("scal", moduli=list(problem.moduli), target=target)
    basis = np.array(problem.moduli, np.uint64)
    entry = called(jax.jit(partial(kernel, numbers)), loaded(problem.given[0]), note="by one scalar for each modulus")
    return replace(entry, expected=last(problem.given[0]) * np.array(numbers, np.uint64) % basis)


def written(options: dict[str, Any]) -> str:
    """Options for a note."""
    return ", ".join(f"{name} {value}" for name, value in options.items())


def by_factors(target: str, rows: int, columns: int, problem: Problem) -> Entry:
    """A transform by matrices of these sizes."""
    return transform(target, sizes(rows, columns), problem)


def sizes(rows: int, columns: int) -> dict[str, Any]:
    """The option for matrices of these sizes."""
    return {"factors": f"{rows}x{columns}"}
