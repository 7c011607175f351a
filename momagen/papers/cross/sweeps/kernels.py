"""The contestants of momagen in sweeps; those whose options this version lacks are absent."""

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

from ..race.entries import JaxEntry, MissingContestant
from ..race.own import applied, product_jax
from ..race.problems import JaxProblem
from .limbs import last


def taken(make: Callable[..., Any], *given: Any, **options: Any) -> Any:
    """Return the result of ``make``.

    Raises:
        MissingContestant: It lacks an option, or a value of one.
    """
    try:
        return make(*given, **options)
    except MomagenError as error:
        if error.where in options or error.where == "options":
            raise MissingContestant(f"not there: {error}") from None
        raise


def sparse_product(target: str, problem: JaxProblem) -> JaxEntry:
    """Return the contestant :func:`momagen.matmul` with the sparse matrix of Figure 7 of the paper."""
    left, right = problem.given
    kernel = mg.matmul(left.tolist(), modulus=problem.modulus, target=target, sparse=True)
    x = jax.device_put(right.astype(np.uint32))
    return applied(kernel, (x,), lambda found: np.asarray(found).astype(np.uint64))


def product(target: str, problem: JaxProblem) -> JaxEntry:
    """Return the contestant :func:`momagen.matmul`."""
    return product_jax(problem, target)


def loaded(numbers: Words) -> Any:
    """Return residues of one word as an array of the device."""
    return jax.device_put(numbers.astype(np.uint32))


def of_limbs(found: Any) -> Words:
    """Return an array of shape (…, limbs, n) in the shape of problems, whose last axis is that of limbs."""
    return last(np.asarray(found).astype(np.uint64))


def called(run: Callable[..., Any], *operands: Any, note: str = "") -> JaxEntry:
    """Return the contestant that calls a function of arrays of the device, of shape (…, limbs, n)."""
    return JaxEntry(lambda: run(*operands).block_until_ready(), of_limbs, note)


def transform(target: str, options: dict[str, Any], problem: JaxProblem) -> JaxEntry:
    """Return the contestant :func:`momagen.ntt` for all moduli of a problem."""
    kernel = taken(mg.ntt, problem.n, moduli=list(problem.moduli), negacyclic=True, target=target, **options)
    return called(kernel.function(), loaded(problem.given[0]), note=written(options))


def multiply(target: str, options: dict[str, Any], problem: JaxProblem) -> JaxEntry:
    """Return the contestant :func:`momagen.blas`, element by element."""
    kernel = taken(mg.blas, "vmul", moduli=list(problem.moduli), target=target, **options)
    return called(kernel.function(), *map(loaded, problem.given), note=written(options))


def scale(target: str, problem: JaxProblem) -> JaxEntry:
    """Return the contestant that multiplies by a constant for each modulus, which Shoup's reduction needs."""
    numbers = [int(each) for each in problem.given[1][0, :, 0]]
    kernel = mg.blas("scal", moduli=list(problem.moduli), target=target)
    basis = np.array(problem.moduli, np.uint64)
    entry = called(jax.jit(partial(kernel, numbers)), loaded(problem.given[0]), note="by one scalar for each modulus")
    return replace(entry, expected=last(problem.given[0]) * np.array(numbers, np.uint64) % basis)


def written(options: dict[str, Any]) -> str:
    """Return options as the text of a note."""
    return ", ".join(f"{name} {value}" for name, value in options.items())


def by_factors(target: str, rows: int, columns: int, problem: JaxProblem) -> JaxEntry:
    """Return the contestant that transforms by matrices of these sizes."""
    return transform(target, sizes(rows, columns), problem)


def sizes(rows: int, columns: int) -> dict[str, Any]:
    """Return the option for matrices of these sizes."""
    return {"factors": f"{rows}x{columns}"}
