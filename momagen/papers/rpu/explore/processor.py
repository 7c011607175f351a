"""The same transform on this CPU by momagen's kernel, for a comparison like that of the paper's Figure 10."""

from __future__ import annotations

from collections.abc import Iterable

from momagen.bench.measure.built import build
from momagen.bench.measure.kernel import bench_kernel
from momagen.kinds.modular.make_spec import make_spec
from momagen.runtime import find_compiler
from momagen.runtime.native import NATIVE, named

from .pool import Step

SAMPLES, SECONDS = 31, 1.0
"""The largest number of samples, and the time limit in seconds, for each size."""
BITS = 128
"""The number of bits of a container. The modulus has four bits less."""


def target() -> str:
    """Return the best target of this CPU."""
    return named([NATIVE])[0]


def nanoseconds(sizes: Iterable[int], step: Step = lambda name: None) -> dict[int, float]:
    """Return the nanoseconds of one negacyclic transform of 128 bits on one core, as medians, by points.

    Args:
        sizes: The numbers of points.
        step: A function that is called after each size.

    Raises:
        MomagenError: There is no compiler.
    """
    compiler, found = find_compiler(None), dict[int, float]()
    for n in sizes:
        spec = make_spec("ntt", n=n, bits=BITS, negacyclic=True, target=target())
        timed = bench_kernel(build(spec, compiler), repetitions=SAMPLES, seconds=SECONDS)
        found[n] = timed.ns.median * (n // 2) * (n.bit_length() - 1)
        step(f"{spec.target}, {n} points")
    return found
