"""Counts of matrix products, conversions and element-wise kernels: closed forms, and modules as JAX traces them."""

from __future__ import annotations

from importlib.util import find_spec

import pytest
from support.jax_traces import operations, products, traced

import momagen as mg
from momagen.errors import MomagenError
from momagen.explain.counts.needed import ONCE, STEPS, UNFUSED, ArrayCounts, DigitProduct
from momagen.explain.counts.products import conversion_counts, elementwise_counts, product_counts
from momagen.explain.counts.roofs import tpu_roof
from momagen.explain.counts.tpus import load_tpu
from momagen.kinds.matmul import MatmulSpec
from momagen.kinds.modular.make_spec import make_spec
from momagen.kinds.rns.conversion import ConversionSpec
from momagen.params.primes import prime_basis
from momagen.targets import load_target

TPU, COLUMNS = "jax_tpu", 11
"""No axis of a matrix is as long as there are columns."""
needs_jax = pytest.mark.skipif(find_spec("jax") is None, reason="JAX is missing")
BASIS = prime_basis(7, 28, 16)


@needs_jax
def test_a_matrix_product_is_that_of_the_traced_module() -> None:
    q, rows, inner = BASIS[0], 5, 3
    kernel = mg.matmul([[i + 7 * j for j in range(inner)] for i in range(rows)], modulus=q, target=TPU)
    counts, found = product_counts(kernel.spec, COLUMNS), traced(kernel.source, kernel.tables.tables, (inner, COLUMNS))
    assert counts.products == products(found) == {"int8": 16 * rows * inner * COLUMNS}
    assert counts.operations == operations(found, COLUMNS) > 0
    assert counts.table == kernel.tables.tables["m"].nbytes == 16 * rows * inner
    assert counts.bytes(ONCE) == counts.bytes(STEPS) == 4 * (rows + inner) * COLUMNS
    assert counts.bytes(UNFUSED) == counts.bytes(STEPS) + 2 * COLUMNS * 4 * (inner * 1 + rows * 4)


@needs_jax
def test_a_sparse_one_has_nearly_twice_the_rows() -> None:
    q, rows, inner = BASIS[0], 5, 3
    kernel = mg.matmul([[i + 7 * j for j in range(inner)] for i in range(rows)], modulus=q, target=TPU, sparse=True)
    counts, found = product_counts(kernel.spec, COLUMNS), traced(kernel.source, kernel.tables.tables, (inner, COLUMNS))
    assert counts.products == products(found) == {"int8": 7 * 4 * rows * inner * COLUMNS}
    assert counts.operations == operations(found, COLUMNS) > 0
    assert counts.table == kernel.tables.tables["m"].nbytes == 7 * 4 * rows * inner


@needs_jax
def test_what_overflows_is_multiplied_once_more() -> None:
    q, rows, inner = BASIS[0], 5, 3
    kernel = mg.matmul([[i + 7 * j for j in range(inner)] for i in range(rows)], modulus=q, target=TPU, sums="folded")
    counts, found = product_counts(kernel.spec, COLUMNS), traced(kernel.source, kernel.tables.tables, (inner, COLUMNS))
    assert counts.products == products(found)
    (fold,) = (table for name, table in kernel.tables.tables.items() if name.startswith("fold"))
    assert counts.table == kernel.tables.tables["m"].nbytes + fold.nbytes
    assert [each.name for each in counts.steps] == ["matrix of 5 × 3", "folding of the overflow"]


@needs_jax
def test_a_conversion_is_that_of_the_traced_module() -> None:
    kernel = mg.convert(BASIS[:3], to=BASIS[3:], exact=False, target=TPU)
    counts, found = conversion_counts(kernel.spec, COLUMNS), traced(kernel.source, kernel.tables.tables, (3, COLUMNS))
    assert counts.products == products(found) == {"int8": 16 * 3 * 4 * COLUMNS}
    assert counts.operations == operations(found, COLUMNS) > 0
    assert counts.bytes(ONCE) == 4 * 7 * COLUMNS and counts.bytes(STEPS) == 4 * (3 + 3 + 3 + 4) * COLUMNS


def test_an_exact_one_also_sums_up_fractions() -> None:
    exact, plain = (conversion(exact) for exact in (True, False))
    more = exact.products["int8"] - plain.products["int8"]
    assert more > 0 and more % (4 * 3 * COLUMNS) == 0
    assert [each.name for each in exact.steps] == ["shares", "matrix of 4 × 3", "fractions"]
    assert exact.operations > plain.operations and exact.table > plain.table


def conversion(exact: bool, target: str = TPU) -> ArrayCounts:
    """Three moduli to four."""
    spec = ConversionSpec(BASIS[:3], BASIS[3:], load_target(target), "exact" if exact else "fast")
    return conversion_counts(spec, COLUMNS)


def test_elements_are_read_and_written_once() -> None:
    spec = make_spec("vmul", target=TPU, modulus_bits=28)
    counts = elementwise_counts(spec, 100)
    assert counts.bytes(ONCE) == counts.bytes(STEPS) == counts.bytes(UNFUSED) == 3 * 4 * 100
    assert counts.operations == 100 * elementwise_counts(spec, 1).operations > 0 and not counts.products
    assert elementwise_counts(make_spec("vadd", target=TPU, modulus_bits=28), 100).operations < counts.operations


def test_a_matrix_fills_up_both_its_sides() -> None:
    one = DigitProduct("int8", side=5, vectors=3, columns=130)
    assert one.products == 5 * 130 * 3 and one.padded(128) == 128 * 256 * 3
    spec = MatmulSpec(BASIS[0], load_target(TPU), 128, 128)
    counts = product_counts(spec, 1 << 16)
    matrix = tpu_roof(counts, load_tpu("v6e")).parts["matrix"]
    assert matrix == pytest.approx(512 * 512 * (1 << 16) / (1836e12 / 2))


def test_what_is_not_made_of_digits_is_not_counted() -> None:
    with pytest.raises(MomagenError, match="an engine that multiplies limbs"):
        conversion(False, "jax")
    with pytest.raises(MomagenError, match="an element-wise kernel"):
        elementwise_counts(make_spec("ntt", n=16, target=TPU, modulus_bits=28), 4)
