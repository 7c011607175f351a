"""Tables V, VI, VII and X and Figures 11b and 13 as trials."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from ..cross_sums import CONVERSIONS, PRODUCTS
from ..entries import OURS, Maker
from ..own import conversion_jax, exact_jax
from ..problems import conversion
from . import limbs, needs, own
from .cross_limbs import LIMBS
from .published import Row, figure, published, rows
from .trials import Counted, Settings, Trial

SPARSE, EXACT, RADIX_2, MATRICES = "jax, sparse", "jax, exact", "jax, radix 2", "jax, matrices"
NUMBER = 40
"""Bytes that a residue takes while it is in a race, about: of 8 on the host, and of 4 on the device."""
KNOWN = 16
"""Times that of one of a matrix that is known beforehand, whose digits are made of integers of Python."""


def table5(settings: Settings) -> Iterator[Trial]:
    """M(H×V)·M(V×W) mod q."""
    of = published()["table5"]["of"]
    for row in rows("table5", settings):
        shape = height, inner, columns = row["rows"], row["inner"], row["columns"]
        size = NUMBER * (KNOWN * height * inner + (height + inner) * columns)
        paper = {
            OURS: [figure(row["bat"], "µs", f"BAT, {of}")], SPARSE: [figure(row["sparse"], "µs", f"baseline, {of}")]
        }  # fmt: skip
        makers: dict[str, Maker] = {
            OURS: partial(own.product, settings.target), SPARSE: partial(own.sparse_product, settings.target),
            **PRODUCTS,
        }  # fmt: skip
        counts = {name: partial(needs.product, *shape, name == SPARSE) for name in (OURS, SPARSE)}
        yield Trial("table5", "table5", _times(*shape), size, partial(limbs.matrix, *shape),
                    makers, _stated(paper), counts)  # fmt: skip


def table6(settings: Settings) -> Iterator[Trial]:
    """Conversions between bases."""
    of = published()["table6"]["of"]
    for row in rows("table6", settings):
        taken, made, degree = row["taken"], row["made"], row["degree"]
        plain = [figure(row["bat"], "µs", f"BAT, {of}"), figure(row["baseline"], "µs", f"baseline, {of}")]
        makers: dict[str, Maker] = {
            OURS: lambda problem: conversion_jax(problem, settings.target),
            EXACT: lambda problem: exact_jax(problem, settings.target), **CONVERSIONS,
        }  # fmt: skip
        counts = {name: partial(needs.conversion, taken, made, degree, name == EXACT) for name in (OURS, EXACT)}
        yield Trial("table6", "table6", f"{taken} → {made}", NUMBER * 4 * degree * made,
                    partial(conversion, degree.bit_length() - 1, taken, made), makers, _stated({OURS: plain}),
                    counts)  # fmt: skip


def table7(settings: Settings) -> Iterator[Trial]:
    """Transforms of all limbs, at the batch of the text."""
    of = published()["table7"]["of"]
    for row in rows("table7", settings):
        paper = [figure(1e3 * value, "transforms/s", f"{who}, {of}") for who, value in row["thousands"].items()]
        for batch in settings.batches or [row["best"]]:
            yield _transforms("table7", settings, row, batch, {OURS: paper})


def fig11b(settings: Settings) -> Iterator[Trial]:
    """The same by batch."""
    every = published()["table7"]["batches"]
    for row in rows("table7", settings):
        known = dict(zip(every, row["by_batch"], strict=False))
        for batch in settings.batches or (every[:2] if settings.quick else every):
            paper = [figure(known[batch], "over batch 1", "Figure 11b, a TPUv6e")] if batch in known else []
            yield _transforms("fig11b", settings, row, batch, {OURS: paper})


def _transforms(section: str, settings: Settings, row: Row, batch: int, paper: Mapping[str, Any]) -> Trial:
    log, count = row["log_n"], row["limbs"]
    return Trial(
        section, f"{section} {row['name']}", f"Set {row['name']}, batch {batch}", NUMBER * (batch * count << log),
        partial(limbs.transforms, log, count, batch), {OURS: partial(own.transform, settings.target, {}), **LIMBS},
        paper, {OURS: partial(needs.transform, 1 << log, count, batch, {})}, per=batch, more={"set": row["name"]},
    )  # fmt: skip


def table10(settings: Settings) -> Iterator[Trial]:
    """Butterflies of two against matrices of R × C, modulo one prime."""
    table = published()["table10"]
    for row in rows("table10", settings):
        n, (r, c) = 1 << row["log_n"], row["taken"]
        for batch in settings.batches or [4 if settings.quick else table["batch"]]:
            same = batch == table["batch"]
            paper = {name: [figure(row[key], "µs", f"{key}, {table['of']}")] * same
                     for name, key in ((RADIX_2, "radix_2"), (MATRICES, "matrices"))}  # fmt: skip
            makers: dict[str, Maker] = {
                RADIX_2: partial(own.transform, settings.target, {"radix": 2}),
                MATRICES: partial(own.by_factors, settings.target, r, c), **LIMBS,
            }  # fmt: skip
            counts: dict[str, Counted] = {
                RADIX_2: partial(needs.transform, n, 1, batch, {"radix": 2}),
                MATRICES: partial(needs.transform, n, 1, batch, own.sizes(r, c)),
            }  # fmt: skip
            yield Trial("table10", f"table10 batch {batch}", f"2^{row['log_n']}, batch {batch}",
                        NUMBER * batch * n, partial(limbs.transforms, row["log_n"], 1, batch), makers, _stated(paper),
                        counts, RADIX_2, batch, {"rows_columns": [r, c], "stated": row["stated"]})  # fmt: skip


def fig13(settings: Settings) -> Iterator[Trial]:
    """Products and transforms of Set D by reduction; quick: of a small one."""
    table = published()["fig13"]
    degree, count, dense = (64, 2, 8) if settings.quick else (table["degree"], table["limbs"], table["dense"])
    log = degree.bit_length() - 1
    for batch in settings.batches or (table["batches"][:2] if settings.quick else table["batches"]):
        size = NUMBER * batch * count * degree
        options: dict[str, dict[str, Any]] = {
            "montgomery": {"reduction": "montgomery"}, "barrett": {"reduction": "barrett"},
            "folded": {"reduction": "folded"},
        }  # fmt: skip
        makers: dict[str, Maker] = {name: partial(own.multiply, settings.target, each)
                                    for name, each in options.items()}  # fmt: skip
        makers["shoup"] = partial(own.scale, settings.target)
        counts: dict[str, Counted] = {name: partial(needs.elementwise, "vmul", batch * count * degree, each)
                                      for name, each in options.items()}  # fmt: skip
        counts["shoup"] = partial(needs.elementwise, "scal", batch * count * degree, {})
        yield Trial("fig13", "fig13 vmul", f"VecModMul, batch {batch}", size,
                    partial(limbs.products, degree, count, batch), makers, _series("vmul", batch), counts,
                    "montgomery", batch, {"part": "vmul"})  # fmt: skip
        ways: dict[str, dict[str, Any]] = {
            "montgomery": {"radix": 2, "reduction": "montgomery"}, "shoup": {"radix": 2},
            "montgomery, matrices": {"dense": dense},
            **{name: {"dense": dense, "sums": name} for name in ("barrett", "folded")},
        }  # fmt: skip
        makers = {name: partial(own.transform, settings.target, each) for name, each in ways.items()}
        counts = {name: partial(needs.transform, degree, count, batch, each) for name, each in ways.items()}
        yield Trial("fig13", "fig13 ntt", f"NTT, batch {batch}", 2 * size,
                    partial(limbs.transforms, log, count, batch), makers, _series("ntt", batch), counts, "montgomery",
                    batch, {"part": "ntt"})  # fmt: skip


def _series(part: str, batch: int) -> Mapping[str, Any]:
    """What the figure has at a batch; that of its transforms is by matrices."""
    table = published()["fig13"]
    found = {}
    for name, values in table[part].items():
        known = dict(zip(table["batches"], values, strict=False))
        if batch in known:
            ours = "montgomery, matrices" if (part, name) == ("ntt", "montgomery") else name
            found[ours] = [figure(known[batch], "µs", f"{name}, {table['of']}")]
    return found


def _stated(paper: Mapping[str, list[dict[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
    """Without the zeros of small shapes."""
    return {name: [each for each in figures if each["value"]] for name, figures in paper.items()}


def _times(*sizes: int) -> str:
    return " × ".join(map(str, sizes))
