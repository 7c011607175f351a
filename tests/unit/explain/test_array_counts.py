"""Counts of transforms on arrays: closed forms, and what the printed modules do as JAX traces them."""

from __future__ import annotations

from functools import cache
from math import prod
from typing import Any

import pytest
from support.jax_traces import operations, products, size, traced

import momagen as mg
from momagen.errors import MomagenError
from momagen.explain.counts.counts import array_counts
from momagen.explain.counts.needed import ONCE, STEPS, UNFUSED, ArrayCounts
from momagen.kinds.modular.make_spec import make_spec
from momagen.lower.arrays.program import array_program

MATRICES = [
    {"n": 64, "modulus_bits": 28, "dense": 8}, {"n": 64, "modulus_bits": 28, "dense": 4, "inverse": True},
    {"n": 256, "modulus_bits": 28, "dense": 256}, {"n": 128, "modulus_bits": 28, "dense": 16, "engine": "bfloat16"},
    {"n": 64, "modulus_bits": 60, "dense": 16}, {"n": 32, "modulus_bits": 28, "dense": 8, "columns": 3},
    {"n": 64, "modulus_bits": 28, "dense": 8, "order": "natural"},
]  # fmt: skip
BUTTERFLIES = [
    {"n": 256, "modulus_bits": 28, "radix": 2}, {"n": 64, "modulus_bits": 60, "radix": 2},
    {"n": 64, "modulus_bits": 31, "radix": 2, "inverse": True, "columns": 3},
    {"n": 128, "modulus_bits": 28, "radix": 4}, {"n": 64, "modulus_bits": 28, "radix": 8, "inverse": True},
]  # fmt: skip
BATCH = 5
"""Transforms: no axis of one is as long."""


def counted(n: int, bits: int = 28, target: str = "jax_tpu", **options: str) -> ArrayCounts:
    """Of a negacyclic transform."""
    spec = make_spec("ntt", n=n, target=target, options=options, modulus_bits=bits, negacyclic=True)
    return array_counts(array_program(spec, spec.kind.plans(spec)))


@cache
def _both(*asked: tuple[str, Any]) -> tuple[ArrayCounts, list[Any], dict[str, Any]]:
    pytest.importorskip("jax", reason="JAX is missing")
    kernel = mg.ntt(target="jax_tpu", negacyclic=True, **dict(asked))
    spec, tables = kernel.spec, kernel.compiled.names["create"](kernel.modulus, kernel.root)
    shape = (BATCH, spec.n, *(spec.columns,) * (spec.columns > 1))
    return array_counts(array_program(spec, spec.kind.plans(spec))), traced(kernel.source, tables, shape), tables


def stored(value: Any) -> int:
    return size(value) * int(value.aval.dtype.itemsize)


def named(asked: dict[str, Any]) -> str:
    return "-".join(map(str, asked.values()))


@pytest.mark.parametrize("asked", MATRICES, ids=named)
def test_products_are_those_of_the_traced_module(asked: dict[str, Any]) -> None:
    counts, found, _ = _both(*asked.items())
    moved = 0
    for each in found:
        if each.primitive.name == "dot_general":
            vectors = max(each.invars, key=lambda value: len(value.aval.shape))
            moved += 2 * (stored(vectors) + stored(each.outvars[0])) // BATCH
    assert products(found) == {engine: BATCH * each for engine, each in counts.products.items()}
    assert counts.bytes(UNFUSED) == counts.bytes(STEPS) + moved


@pytest.mark.parametrize("asked", [*MATRICES, *BUTTERFLIES], ids=named)
def test_operations_are_those_of_the_traced_module(asked: dict[str, Any]) -> None:
    counts, found, _ = _both(*asked.items())
    assert operations(found, BATCH) == BATCH * counts.operations


@pytest.mark.parametrize("asked", [*MATRICES, *BUTTERFLIES], ids=named)
def test_tables_are_those_that_a_module_makes(asked: dict[str, Any]) -> None:
    counts, _, tables = _both(*asked.items())
    matrices = sum(each.nbytes for key, each in tables.items() if key != "words")
    shapes = mg.ntt(target="jax_tpu", negacyclic=True, **asked).compiled.names["SHAPES"]
    packed = sum(4 * prod(shape) * words for key, (shape, words) in shapes.items() if "." in key)
    assert counts.table == matrices + packed and packed < tables["words"].nbytes


@pytest.mark.parametrize(("log_n", "rows"), [(12, 64), (13, 64), (14, 128), (16, 256)])
def test_three_steps_have_n_times_both_sides_times_squared_digits(log_n: int, rows: int) -> None:
    n, digits = 1 << log_n, 4
    counts, columns = counted(n), n // rows
    assert counts.products == {"int8": n * (rows + columns) * digits**2}
    assert [each.name for each in counts.steps] == [
        f"matrix of {rows} × {rows}", f"twiddles, {n}", f"matrix of {columns} × {columns}"
    ]  # fmt: skip
    assert counts.bytes(ONCE) == 8 * n and counts.bytes(STEPS) == 3 * 8 * n
    assert counts.bytes(UNFUSED) == 3 * 8 * n + 2 * 2 * n * digits * (1 + 4)
    assert counts.table == digits**2 * (rows**2 + columns**2) + 2 * 4 * n


def test_four_factors_of_16_need_8_times_fewer_products_than_two_of_256() -> None:
    four, two = (counted(1 << 16, dense=dense) for dense in ("16", "256"))
    assert [each.side for each in four.digit_products] == [4 * 16] * 4
    assert [each.side for each in two.digit_products] == [4 * 256] * 2
    assert two.products["int8"] == 8 * four.products["int8"]


def test_what_overflows_is_counted() -> None:
    """Of sums below 2^46 15 bits overflow 31: 2 digits for each element, times 4 digits of a power of two."""
    spec = make_spec("ntt", n=4096, modulus_bits=28, target="jax_tpu", negacyclic=True,
                     options={"dense": "64", "sums": "folded"})  # fmt: skip
    counts = array_counts(array_program(spec, spec.kind.plans(spec)))
    small = [each for each in counts.digit_products if each.columns]
    assert [(each.side, each.columns, each.products) for each in small] == [(4, 2, 4 * 2 * 4096)] * 2
    assert small[0].padded(128) == 128 * 128 * 4096


def test_butterflies_have_words_only() -> None:
    n, log_n = 1 << 12, 12
    butterfly = (2 + 3 + 4) + 3 + 1 + 2  # a quotient by leading halves; the remainder; a sum; a difference, plus 2q
    counts = counted(n, radix="2")
    assert not counts.products and not counts.digit_products
    assert len(counts.steps) == log_n + 1 and counts.bytes(ONCE) == 8 * n
    assert counts.bytes(STEPS) == (log_n + 1) * 8 * n
    first = counts.steps[0]
    assert first.operations == butterfly * n // 2


def test_bytes_take_their_part_of_tables() -> None:
    counts = counted(1 << 12)
    assert counts.bytes(ONCE, 16) == counts.bytes(ONCE) + counts.table / 16
    for traffic, batch, text in (("all", 1, "one of unfused"), (ONCE, 0, "at least 1")):
        with pytest.raises(MomagenError, match=text):
            counts.bytes(traffic, batch)


def test_only_transforms_are_counted() -> None:
    with pytest.raises(MomagenError, match="a transform"):
        array_counts(array_program(make_spec("vmul", target="jax", modulus_bits=28), None))
