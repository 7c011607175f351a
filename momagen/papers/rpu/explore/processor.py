"""The same transform on this CPU, by momagen's own kernel: what the paper's Figure 10 has of another CPU."""

from __future__ import annotations

from collections.abc import Iterable

from momagen.bench.measure.built import build
from momagen.bench.measure.kernel import bench_kernel
from momagen.kinds.modular.make_spec import make_spec
from momagen.runtime import find_compiler
from momagen.runtime.native import NATIVE, named

from .pool import Step

SAMPLES, SECONDS = 31, 1.0
"""Of each size at most."""
BITS = 128
"""Of a number; the modulus has the usual ones."""


def target() -> str:
    """The best of this CPU."""
    return named([NATIVE])[0]


def nanoseconds(sizes: Iterable[int], step: Step = lambda name: None) -> dict[int, float]:
    """Of one negacyclic transform of 128 bits on one core, by points: medians.

    Raises:
        MomagenError: there is no compiler.
    """
    compiler, found = find_compiler(None), dict[int, float]()
    for n in sizes:
        spec = make_spec("ntt", n=n, bits=BITS, negacyclic=True, target=target())
        timed = bench_kernel(build(spec, compiler), repetitions=SAMPLES, seconds=SECONDS)
        found[n] = timed.ns.median * (n // 2) * (n.bit_length() - 1)
        step(f"{spec.target}, {n} points")
    return found
