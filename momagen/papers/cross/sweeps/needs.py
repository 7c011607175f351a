"""The operations and bytes of kernels on TPUs, and the least time by their roofs; no TPU is needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from momagen.errors import MomagenError
from momagen.explain.counts.counts import array_counts
from momagen.explain.counts.needed import STEPS, TRAFFICS, WORD, ArrayCounts, StepCount
from momagen.explain.counts.products import conversion_counts, elementwise_counts, product_counts
from momagen.explain.counts.roofs import tpu_roof
from momagen.explain.counts.tpus import load_tpu, tpu_names
from momagen.kinds.matmul import MatmulSpec
from momagen.kinds.modular.make_spec import make_spec
from momagen.kinds.rns.conversion import ConversionSpec
from momagen.lower.arrays.program import array_program
from momagen.params.primes import prime_basis, prime_of
from momagen.values.targets import requested_target

TPU = "jax_tpu"
"""The target whose kernels are counted, on every device."""
BITS = 28
Needs = dict[str, Any]


def needs(counts: ArrayCounts, times: int = 1, tables: int = 1) -> Needs:
    """Return the counts of ``times`` kernels in one call, which read ``tables`` sets of tables.

    The counts are byte-MACs by engine, operations on 32 bits, bytes by three models (momagen/explain/counts), bytes of
    tables, and the least microseconds on one chip of each TPU.
    """
    shared = max(times // tables, 1)
    roofs = {name: tpu_roof(counts, load_tpu(name), STEPS, shared) for name in tpu_names()}
    return {
        "target": TPU, "byte_macs": {engine: each * times for engine, each in counts.products.items()},
        "operations": counts.operations * times,
        "bytes": {traffic: counts.bytes(traffic) * times for traffic in TRAFFICS}, "tables": counts.table * tables,
        "roof_us": {name: roof.seconds * times * 1e6 for name, roof in roofs.items()},
        "bound": {name: roof.bound for name, roof in roofs.items()},
    }  # fmt: skip


def summed(parts: Mapping[str, Needs], times: Mapping[str, float]) -> Needs:
    """Return the counts of an operator that calls kernels ``times`` times each, none of which overlap."""
    found: Needs = {"target": TPU, "byte_macs": {}, "operations": 0.0, "bytes": dict.fromkeys(TRAFFICS, 0.0)}
    found["roof_us"] = dict.fromkeys(tpu_names(), 0.0)
    for name, count in times.items():
        part = parts[name]
        for engine, each in part["byte_macs"].items():
            found["byte_macs"][engine] = found["byte_macs"].get(engine, 0) + each * count
        found["operations"] += part["operations"] * count
        for traffic in TRAFFICS:
            found["bytes"][traffic] += part["bytes"][traffic] * count
        for tpu in tpu_names():
            found["roof_us"][tpu] += part["roof_us"][tpu] * count
    return found


def tried(count: Callable[[], Needs]) -> Needs | None:
    """Return the result of ``count``, or None if the kernel cannot be counted."""
    try:
        return count()
    except MomagenError:
        return None


@cache
def _transform(n: int, options: tuple[tuple[str, str], ...], inverse: bool) -> ArrayCounts:
    spec = make_spec("ntt", n=n, target=TPU, options=dict(options), modulus_bits=BITS, negacyclic=True, inverse=inverse)
    return array_counts(array_program(spec, spec.kind.plans(spec)))


def transform(n: int, limbs: int, batch: int, options: Mapping[str, Any], inverse: bool = False) -> Needs | None:
    """Return the counts of transforms of all limbs of a batch."""
    given = tuple((name, str(value)) for name, value in options.items())
    return tried(lambda: needs(_transform(n, given, inverse), limbs * batch, limbs))


def product(rows: int, inner: int, columns: int, sparse: bool = False) -> Needs | None:
    """Return the counts of a constant matrix times ``columns`` columns."""
    spec = MatmulSpec(prime_of(BITS, 1 << 12), requested_target(TPU), rows, inner, sparse=sparse)
    return tried(lambda: needs(product_counts(spec, columns)))


def conversion(taken: int, made: int, columns: int, exact: bool) -> Needs | None:
    """Return the counts of a conversion between bases."""
    basis = prime_basis(taken + made, BITS, 1 << 4)
    spec = ConversionSpec(basis[:taken], basis[taken:], requested_target(TPU), "exact" if exact else "fast")
    return tried(lambda: needs(conversion_counts(spec, columns)))


def elementwise(kind: str, elements: int, options: Mapping[str, Any]) -> Needs | None:
    """Return the counts of an element-wise kernel."""
    given = {name: str(value) for name, value in options.items()}

    def count() -> Needs:
        spec = make_spec(kind, target=TPU, options=given, modulus_bits=BITS)
        return needs(elementwise_counts(spec, elements))

    return tried(count)


def moved(elements: int) -> Needs:
    """Return the counts of a permutation, which reads and writes residues and computes nothing."""
    bytes_ = 2 * WORD * elements
    return needs(ArrayCounts(elements, bytes_, [StepCount("moved", 0, bytes_, bytes_)]))
