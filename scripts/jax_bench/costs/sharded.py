"""Transforms on all devices of JAX: on a CPU as many as XLA_FLAGS=--xla_force_host_platform_device_count=8 makes."""

from __future__ import annotations

import random
from functools import partial

import jax
import numpy as np

import momagen as mg
from momagen.papers.cross.race.entries import JaxEntry, Maker
from momagen.papers.cross.race.own import waited
from momagen.papers.cross.race.problems import JaxProblem, reversed_bits
from momagen.params.primes import prime_of

CASES = {24: (31, True), 26: (60, True), 27: (31, False), 28: (60, False)}
"""By log2 of the points: bits of the modulus, and whether the ring is negacyclic."""
SHORT = (31, True)
"""Of other numbers of points."""
PLACES, COMPARED = 1 << 12, 4
"""Points that are not 0, and values that are compared with the definition."""


def spread_out(log: int) -> JaxProblem:
    """2^log points, most of them 0, and some values by the definition: Σ x[i]·r^i at powers of the root."""
    n, (bits, negacyclic) = 1 << log, CASES.get(log, SHORT)
    order = 2 * n if negacyclic else n
    q = prime_of(bits, order // 2)
    root, draw = root_of(order, q), random.Random(log)
    x = np.zeros((n, 1), np.uint64)
    x[[draw.randrange(n) for _ in range(min(n, PLACES))], 0] = [draw.randrange(q) for _ in range(min(n, PLACES))]
    filled = [(int(at), int(x[at, 0])) for at in np.flatnonzero(x[:, 0])]
    values = []
    for at in sampled(n):
        point = pow(root, 2 * reversed_bits(at, n) + 1 if negacyclic else reversed_bits(at, n), q)
        values.append([sum(v * pow(point, i, q) for i, v in filled) % q])
    ring = "negacyclic" if negacyclic else "cyclic"
    return JaxProblem("ntt", f"2^{log}, {ring}", n, bits, 1, 1, (q,), (x,), np.array(values, np.uint64), root)


def sampled(n: int) -> list[int]:
    """Places of the values that are compared."""
    return sorted({*random.Random(n).sample(range(n), COMPARED - 2), 0, n - 1})


def root_of(order: int, q: int) -> int:
    """Any root of that order, a power of two: the smallest takes minutes to find among 2^26."""
    powers = (pow(g, (q - 1) // order, q) for g in range(2, q))
    return next(w for w in powers if pow(w, order // 2, q) == q - 1)


def dealt(problem: JaxProblem) -> JaxEntry:
    """The transform of points that lie on the devices already."""
    negacyclic = "negacyclic" in problem.shape
    kernel = mg.sharded_ntt(problem.n, modulus=problem.modulus, root=problem.root, negacyclic=negacyclic)
    parts = problem.given[0].view("<u4").reshape(kernel.rows, kernel.columns, 2)
    x = kernel.place(tuple(np.ascontiguousarray(parts[..., at]) for at in range(kernel.count)))
    waited(kernel.twiddles)
    return JaxEntry(
        lambda: waited(kernel(x)),
        partial(picked, problem.n),
        f"{jax.device_count()} devices, {COMPARED} values compared",
    )


def picked(n: int, words: tuple[jax.Array, ...]) -> np.ndarray[tuple[int, int], np.dtype[np.uint64]]:
    """The values at :func:`sampled`, (…, 1)."""
    columns = words[0].shape[1]
    found = [
        [sum(int(word[at // columns, at % columns]) << 32 * k for k, word in enumerate(words))] for at in sampled(n)
    ]
    return np.array(found, np.uint64)


def makers(_: JaxProblem) -> dict[str, Maker]:
    """One alone."""
    return {"sharded": dealt}
