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
from momagen.bench.measure.clock import Reading, quiet
from momagen.bench.measure.kernel import kernel_call
from momagen.bench.measure.sample import interleave, spread
from momagen.params import to_words

from .kernel import Kernel
from .make import blas, ntt, polymul

SIZES = (2, 16, 256)
BITS = (64, 128)
ROUNDS, SECONDS = 31, 2e-3
CHECKED = 4096
"""Numbers of the vectors on which the check of ranges is timed."""
MAKERS: dict[str, Callable[[int, int], Kernel]] = {
    "ntt": lambda n, bits: ntt(n, bits=bits, target="native"),
    "polymul": lambda n, bits: polymul(n, bits=bits, target="native"),
    "vmul": lambda n, bits: blas("vmul", bits=bits, target="native"),
    "axpy": lambda n, bits: blas("axpy", bits=bits, target="native"),
}


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
    for (kind, maker), bits, n in product(MAKERS.items(), BITS, SIZES):
        k = maker(n, bits)
        given = operands(k, n)
        out = np.empty((n, k.words), np.uint64)
        execute = kernel_call(k, 1 if k.n else n)
        for name, call in {"": partial(k, *given), ", out given": partial(k, *given, out=out)}.items():
            label = f"{kind}, {k.words} word{'s' * (k.words > 1)}{name}"
            yield (label, n), above(call, execute.time)


def operands(k: Kernel, n: int) -> list[Any]:
    """A scalar for each of the kernel's, and vectors of n residues."""
    rows = to_words([pow(3, i, k.modulus) for i in range(1, n + 1)], k.words)
    return [3 if name in k.spec.ranges.scalars else rows.copy() for name in k.operands]


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
        assert isinstance(caller, Caller)
        within = caller.within(0, x)
        found = [timed(within, 50) * 1e3 / CHECKED for _ in range(ROUNDS)]
        yield {"words": k.words, "ns": median(found)}


if __name__ == "__main__":
    print(json.dumps({"calls": [*overheads()], "checks": [*checks()]}))
