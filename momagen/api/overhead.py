"""What a call from Python costs above the kernel itself; ``python -m momagen.api.overhead`` prints it as JSON.

A round times k(x) in a loop of Python and the same kernel in a loop of C, one after the other, both by the CPU time of
this thread; the difference is the call: reading and checking its operands, the result's array, the way into C.
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
from .make import blas, ntt, polymul

Words = type[np.unsignedinteger[Any]]
SIZES = (2, 64, 1024)
ROUNDS, SECONDS = 31, 2e-3
CHECKED = 4096
"""Numbers of the vectors on which the check of ranges is timed."""
MAKERS: dict[str, Callable[..., Kernel]] = {
    "ntt": ntt, "polymul": polymul, **{kind: partial(blas, kind) for kind in ("vmul", "axpy", "vmuladd", "dot")},
}
WIDTHS: dict[str, tuple[int, Words]] = {
    "30 bits, uint32": (30, np.uint32), "30 bits, uint64": (30, np.uint64), "31 bits, uint64": (31, np.uint64),
    "60 bits": (60, np.uint64), "124 bits": (124, np.uint64),
}
"""Bits of the modulus and words of the arrays."""
MODULI = 3
"""Moduli of the kernels of several that are timed."""


def overheads() -> Iterator[dict[str, Any]]:
    """For each kind, width and size, with ``out`` and without: µs above the kernel, median and percentiles.

    A round takes a sample of every call, so that what disturbs the machine for a while disturbs all of them a little;
    of the samples those count that had the core for themselves.
    """
    calls = dict(_calls())
    for (name, n), found in interleave(calls, repetitions=ROUNDS).items():
        yield {"kernel": name, "n": n, **asdict(spread([reading.ns / 1e3 for reading in quiet(found)]))}


def _calls() -> Iterator[tuple[tuple[str, int], Callable[[], Reading]]]:
    """What takes one sample, by the call's name and its size."""
    for (kind, (width, (bits, words))), n in product(product(MAKERS, WIDTHS.items()), SIZES):
        yield from _samples(f"{kind}, {width}", made(kind, n, bits), n, words)
    for kind, n in product(("ntt", "axpy"), SIZES):
        k = made(kind, n, 60, moduli=MODULI)
        yield from _samples(f"{kind}, 60 bits, {MODULI} moduli", k, n, np.uint64)


def made(kind: str, n: int, bits: int, **more: Any) -> Kernel:
    """The kernel that is timed: of n points, or for vectors of any length."""
    size = {} if kind not in ("ntt", "polymul") else {"n": n}
    return MAKERS[kind](**size, modulus_bits=bits, target="native", **more)


def _samples(label: str, k: Kernel, n: int, words: Words) -> Iterator[tuple[tuple[str, int], Callable[[], Reading]]]:
    """Calls of one kernel on vectors of n residues, with ``out`` and without."""
    given = operands(k, n, words)
    execute, out = kernel_call(k, 1 if k.n else n), np.empty_like(k(*given))
    for name, call in {"": partial(k, *given), ", out given": partial(k, *given, out=out)}.items():
        yield (label + name, n), above(call, execute.time)


def operands(k: Kernel, n: int, words: Words = np.uint64) -> list[Any]:
    """A scalar for each of the kernel's, and vectors of n residues in arrays of ``words``."""
    q, rows = min(k.moduli), len(k.spec.basis)
    numbers = to_words([pow(3, i, q) for i in range(1, n + 1)] * max(rows, 1), k.words)
    vector = numbers.astype(words).reshape(*[rows] * bool(rows), n, k.words)
    scalar = np.array([[3]] * rows, np.uint64) if rows else 3
    return [scalar if name in k.spec.ranges.scalars else vector.copy() for name in k.operands]


def above(call: Callable[[], object], execute: Callable[[int], Reading]) -> Callable[[], Reading]:
    """What samples the time of ``call`` above that which ``execute`` gives for so many runs."""
    call()
    count = max(1, round(SECONDS * 1e6 / max(timed(call, 3), 1.0)))

    def sample() -> Reading:
        whole, kernel = timed(call, count) * 1e3, execute(count)
        return replace(kernel, ns=whole - kernel.ns)

    return sample


def timed(call: Callable[[], object], count: int) -> float:
    """µs of a call, over ``count`` of them."""
    start = time.thread_time()
    for _ in range(count):
        call()
    return (time.thread_time() - start) * 1e6 / count


def checks() -> Iterator[dict[str, Any]]:
    """ns per number that the check of ranges takes, by words."""
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
