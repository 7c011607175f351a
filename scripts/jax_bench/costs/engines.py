"""What a matrix product costs on each engine of targets/jax.toml: ``jnp.matmul`` of square matrices."""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

from momagen.papers.cross.race.entries import JaxEntry, Maker, MissingContestant
from momagen.papers.cross.race.problems import JaxProblem
from momagen.targets import load_target

DIGIT, MOST = 7, 24
"""Bits of the numbers at most, and of sums: what every engine has exactly."""
VECTORS = "words"
"""The engine that has no product of matrices."""


def squares(log: int) -> JaxProblem:
    """Two matrices of 2^log × 2^log numbers from 0 on, so short that sums are exact everywhere."""
    size, bits = 1 << log, min(DIGIT, (MOST - log) // 2)
    draw = np.random.default_rng(log)
    a, b = (draw.integers(0, 1 << bits, (size, size), np.uint64) for _ in range(2))
    return JaxProblem("engine", f"{size} × {size} × {size}", size, bits, 1, 1, (1 << MOST,), (a, b), a @ b)


def multiplied(problem: JaxProblem, takes: str, gives: str) -> JaxEntry:
    """The product in one type, with sums in another."""
    if jax.dtypes.canonicalize_dtype(takes) != takes:
        raise MissingContestant("JAX_ENABLE_X64=1 is not set")
    a, b = (jax.device_put(jnp.asarray(each.astype(np.int32)).astype(takes)) for each in problem.given)
    run = jax.jit(partial(jnp.matmul, preferred_element_type=gives))
    note = f"1 ns a product is {problem.n**3 / 1000:,.0f} µs"
    return JaxEntry(
        lambda: run(a, b).block_until_ready(), lambda found: np.asarray(found).astype(np.int64).astype(np.uint64), note
    )


def makers(_: JaxProblem) -> dict[str, Maker]:
    """By the engine's name; types of 64 bits are there where JAX has them (JAX_ENABLE_X64=1)."""
    engines = [engine for engine in load_target("jax").engine if engine.name != VECTORS]
    return {each.name: partial(multiplied, takes=each.takes, gives=each.gives) for each in engines}
