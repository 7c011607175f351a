"""The times of operators and kernels on this device.

They are compiled ahead of time and run on uniformly random residues, which need no keys.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from statistics import median
from typing import Any

import numpy as np

from momagen.bench.measure.memory import keep_memory

from .kernels import RnsKernels, places
from .keys import uniform
from .operators import added, galois, multiplied, rescaled, rotated, subtracted
from .parameters import HeParameters

LEAST, MOST = 5, 200
"""The smallest and the largest number of calls that are timed."""
Row = dict[str, float]


def timed(function: Callable[..., Any], operands: tuple[Any, ...], seconds: float) -> Row:
    """Return the time of compilation in seconds, and the median, smallest and largest time of calls in microseconds.

    Args:
        function: The function.
        operands: The operands of a call.
        seconds: The time in seconds after which no call begins, unless too few have been timed.
    """
    import jax

    keep_memory()
    wait: Callable[[Any], Any] = jax.block_until_ready
    started = time.perf_counter()
    compiled = jax.jit(function).lower(*operands).compile()
    built = time.perf_counter() - started
    wait(compiled(*operands))
    samples: list[float] = []
    end = time.perf_counter() + seconds
    while len(samples) < LEAST or (time.perf_counter() < end and len(samples) < MOST):
        started = time.perf_counter()
        wait(compiled(*operands))
        samples.append((time.perf_counter() - started) * 1e6)
    return {"compile_s": built, "median_us": median(samples), "least_us": min(samples), "most_us": max(samples),
            "calls": len(samples)}  # fmt: skip


def operator_times(kernels: RnsKernels, p: HeParameters, seconds: float) -> dict[str, Row]:
    """Return the times of operators on ciphertexts with all RNS limbs: those of CROSS's Table VIII, and subtraction."""
    import jax.numpy as jnp

    rng, basis = np.random.default_rng(0), p.moduli + p.auxiliary
    x, y = (jnp.stack([uniform(rng, p.moduli, p.degree) for _ in range(2)]) for _ in range(2))
    pairs = [jnp.stack([uniform(rng, basis, p.degree) for _ in range(2)]) for _ in p.parts(p.limbs)]
    key, turn = jnp.stack(pairs), kernels.turn(galois(p.degree, 1), p.moduli)
    runs: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
        "add": (added, (x, y)), "subtract": (subtracted, (x, y)), "multiply": (multiplied, (x, y, key)),
        "rescale": (rescaled, (x,)), "rescale two": (partial(rescaled, dropped=2), (x,)),
        "rotate": (rotated, (x, turn, key)),
    }  # fmt: skip
    return {name: timed(partial(run, kernels, p), operands, seconds) for name, (run, operands) in runs.items()}


def kernel_times(kernels: RnsKernels, p: HeParameters, seconds: float) -> tuple[dict[str, Row], dict[str, float]]:
    """Return the times of each kernel alone on a ciphertext with all RNS limbs, and the time per vector in ns.

    The second result is the time of one vector of N residues, or, for conversions, of one pair of limbs.
    """
    import jax.numpy as jnp

    rng, moduli = np.random.default_rng(1), p.moduli
    x = jnp.stack([uniform(rng, moduli, p.degree) for _ in range(2)])
    others = moduli[p.digit :] + p.auxiliary
    moved, pairs, vectors = places(p.degree, galois(p.degree, 1)), p.digit * len(others), 2 * p.limbs
    first = moduli[: p.digit]
    runs: dict[str, tuple[Callable[..., Any], tuple[Any, ...], int]] = {
        "ntt": (partial(kernels.ntt, moduli=moduli), (x,), vectors),
        "intt": (partial(kernels.intt, moduli=moduli), (x,), vectors),
        "multiply": (partial(kernels.multiply, moduli=moduli), (x, x), vectors),
        "add": (partial(kernels.add, moduli=moduli), (x, x), vectors),
        "permute": (kernels.permute, (x, moved), vectors),
        "convert": (partial(kernels.convert, moduli=first, to=others), (x[0, : p.digit],), pairs),
        "convert approximately": (
            partial(kernels.convert, moduli=first, to=others, exact=False), (x[0, : p.digit],), pairs),
    }  # fmt: skip
    rows = {name: timed(run, operands, seconds) for name, (run, operands, _) in runs.items()}
    return rows, {name: rows[name]["median_us"] * 1e3 / runs[name][2] for name in rows}
