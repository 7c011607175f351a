"""The cost of a call from Python in addition to the kernel; ``python -m momagen.api.overhead`` prints it as JSON.

A round times k(x) in a Python loop and the same kernel in a C loop, one after the other, both by the CPU time of this
thread. The difference is the cost of the call: reading and checking the operands, allocating the result and entering C.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from functools import partial
from itertools import product
from statistics import median
from typing import Any

import numpy as np

from momagen.api.calls.call import Caller
from momagen.api.calls.running.checked import CheckedCall
from momagen.bench.measure.clock import Reading, quiet
from momagen.bench.measure.kernel import kernel_call
from momagen.bench.measure.sample import interleave, spread
from momagen.params import to_words

from .kernel import Kernel
from .makers import blas, ntt, polymul

Words = type[np.unsignedinteger[Any]]
SIZES = (2, 64, 1024)
ROUNDS, SECONDS = 31, 2e-3
CHECKED = 4096
"""The length of the vectors on which the range check is timed."""
MAKERS: dict[str, Callable[..., Kernel]] = {
    "ntt": ntt, "polymul": polymul, **{kind: partial(blas, kind) for kind in ("vmul", "axpy", "vmuladd", "dot")},
}
WIDTHS: dict[str, tuple[int, Words]] = {
    "30 bits, uint32": (30, np.uint32), "30 bits, uint64": (30, np.uint64), "31 bits, uint64": (31, np.uint64),
    "60 bits": (60, np.uint64), "124 bits": (124, np.uint64),
}
"""The width of the modulus in bits and the dtype of the arrays, by name."""
MODULI = 3
"""The number of moduli of the timed kernels that have several."""


def overheads() -> Iterator[dict[str, Any]]:
    """Yield the overhead of each kind of call in microseconds, median and percentiles, with ``out`` and without.

    A round takes one sample of every call, so that a disturbance of the machine affects all calls equally. Samples
    during which the thread lost its core are discarded.
    """
    calls = dict(_calls())
    for (name, n), found in interleave(calls, repetitions=ROUNDS).items():
        yield {"kernel": name, "n": n, **asdict(spread([reading.ns / 1e3 for reading in quiet(found)]))}


def _calls() -> Iterator[tuple[tuple[str, int], Callable[[], Reading]]]:
    """Yield, for each call and size, its name, its size and the function that takes one sample."""
    for (kind, (width, (bits, words))), n in product(product(MAKERS, WIDTHS.items()), SIZES):
        yield from _samples(f"{kind}, {width}", made(kind, n, bits), n, words)
    for kind, n in product(("ntt", "axpy"), SIZES):
        k = made(kind, n, 60, moduli=MODULI)
        yield from _samples(f"{kind}, 60 bits, {MODULI} moduli", k, n, np.uint64)


def made(kind: str, n: int, bits: int, **more: Any) -> Kernel:
    """Return the kernel that is timed: a transform or product of n points, or an element-wise kernel."""
    size = {} if kind not in ("ntt", "polymul") else {"n": n}
    return MAKERS[kind](**size, modulus_bits=bits, target="native", **more)


def _samples(label: str, k: Kernel, n: int, words: Words) -> Iterator[tuple[tuple[str, int], Callable[[], Reading]]]:
    """Yield the calls of one kernel on vectors of n residues, with ``out`` and without."""
    given = operands(k, n, words)
    execute, out = kernel_call(k, 1 if k.n else n), np.empty_like(k(*given))
    for name, call in {"": partial(k, *given), ", out given": partial(k, *given, out=out)}.items():
        yield (label + name, n), above(call, execute.time)


def operands(k: Kernel, n: int, words: Words = np.uint64) -> list[Any]:
    """Return the operands of a call: scalars, and vectors of n residues in arrays of ``words``."""
    q, rows = min(k.moduli), len(k.spec.basis)
    numbers = to_words([pow(3, i, q) for i in range(1, n + 1)] * max(rows, 1), k.words)
    vector = numbers.astype(words).reshape(*[rows] * bool(rows), n, k.words)
    scalar = np.array([[3]] * rows, np.uint64) if rows else 3
    return [scalar if name in k.spec.ranges.scalars else vector.copy() for name in k.operands]


def above(call: Callable[[], object], execute: Callable[[int], Reading]) -> Callable[[], Reading]:
    """Return a function that samples the time of ``call`` minus the time of the same number of runs of ``execute``."""
    call()
    count = max(1, round(SECONDS * 1e6 / max(timed(call, 3), 1.0)))

    def sample() -> Reading:
        whole, kernel = timed(call, count) * 1e3, execute(count)
        return replace(kernel, ns=whole - kernel.ns)

    return sample


def timed(call: Callable[[], object], count: int) -> float:
    """Return the mean time of ``count`` calls in microseconds."""
    start = time.thread_time()
    for _ in range(count):
        call()
    return (time.thread_time() - start) * 1e6 / count


def checks() -> Iterator[dict[str, Any]]:
    """Yield the time of the range check in nanoseconds per number, for residues of several lengths in words."""
    for bits in (64, 128, 256, 768):
        k = blas("vadd", bits=bits, target="native")
        x = operands(k, CHECKED)[0]
        caller = k.caller
        assert isinstance(caller, Caller) and isinstance(caller.run, CheckedCall)
        within = caller.run.within(0, x)
        found = [timed(within, 50) * 1e3 / CHECKED for _ in range(ROUNDS)]
        yield {"words": k.words, "ns": median(found)}


if __name__ == "__main__":
    print(json.dumps({"calls": [*overheads()], "checks": [*checks()]}))
