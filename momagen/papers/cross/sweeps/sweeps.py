"""Tables V, VI, VII and X and Figures 11b and 13 as trials."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from ..published import Row, figure, published, rows
from ..race.cross_sums import CONVERSIONS, PRODUCTS
from ..race.entries import OURS, Maker
from ..race.own import conversion_jax, exact_jax
from ..race.problems import conversion
from ..race.trials import Counted, JaxTrial, SweepSettings
from . import kernels, limbs, needs
from .cross_limbs import LIMBS

SPARSE, EXACT, RADIX_2, MATRICES = "jax, sparse", "jax, exact", "jax, radix 2", "jax, matrices"
NUMBER = 40
"""The approximate number of bytes that a residue occupies during a race: 8 per copy on the host, 4 on the device."""
KNOWN = 16
"""The factor by which a residue of a constant matrix takes more, since its bytes come from Python's integers."""


def table5(settings: SweepSettings) -> Iterator[JaxTrial]:
    """Yield the trials of M(H×V)·M(V×W) mod q."""
    of = published()["table5"]["of"]
    for row in rows("table5", settings):
        shape = height, inner, columns = row["rows"], row["inner"], row["columns"]
        size = NUMBER * (KNOWN * height * inner + (height + inner) * columns)
        paper = {
            OURS: [figure(row["bat"], "µs", f"BAT, {of}")], SPARSE: [figure(row["sparse"], "µs", f"baseline, {of}")]
        }  # fmt: skip
        makers: dict[str, Maker] = {
            OURS: partial(kernels.product, settings.target), SPARSE: partial(kernels.sparse_product, settings.target),
            **PRODUCTS,
        }  # fmt: skip
        counts = {name: partial(needs.product, *shape, name == SPARSE) for name in (OURS, SPARSE)}
        yield JaxTrial("table5", "table5", _times(*shape), size, partial(limbs.matrix, *shape),
                    makers, _stated(paper), counts)  # fmt: skip


def table6(settings: SweepSettings) -> Iterator[JaxTrial]:
    """Yield the trials of conversions between bases."""
    of = published()["table6"]["of"]
    for row in rows("table6", settings):
        taken, made, degree = row["taken"], row["made"], row["degree"]
        plain = [figure(row["bat"], "µs", f"BAT, {of}"), figure(row["baseline"], "µs", f"baseline, {of}")]
        makers: dict[str, Maker] = {
            OURS: lambda problem: conversion_jax(problem, settings.target),
            EXACT: lambda problem: exact_jax(problem, settings.target), **CONVERSIONS,
        }  # fmt: skip
        counts = {name: partial(needs.conversion, taken, made, degree, name == EXACT) for name in (OURS, EXACT)}
        yield JaxTrial("table6", "table6", f"{taken} → {made}", NUMBER * 4 * degree * made,
                    partial(conversion, degree.bit_length() - 1, taken, made), makers, _stated({OURS: plain}),
                    counts)  # fmt: skip


def table7(settings: SweepSettings) -> Iterator[JaxTrial]:
    """Yield the trials of transforms of all limbs, at the batch that the text states."""
    of = published()["table7"]["of"]
    for row in rows("table7", settings):
        paper = [figure(1e3 * value, "transforms/s", f"{who}, {of}") for who, value in row["thousands"].items()]
        for batch in settings.batches or [row["best"]]:
            yield _transforms("table7", settings, row, batch, {OURS: paper})


def fig11b(settings: SweepSettings) -> Iterator[JaxTrial]:
    """Yield the trials of transforms of all limbs, by batch."""
    every = published()["table7"]["batches"]
    for row in rows("table7", settings):
        known = dict(zip(every, row["by_batch"], strict=False))
        for batch in settings.batches or (every[:2] if settings.quick else every):
            paper = [figure(known[batch], "over batch 1", "Figure 11b, a TPUv6e")] if batch in known else []
            yield _transforms("fig11b", settings, row, batch, {OURS: paper})


def _transforms(section: str, settings: SweepSettings, row: Row, batch: int, paper: Mapping[str, Any]) -> JaxTrial:
    log, count = row["log_n"], row["limbs"]
    return JaxTrial(
        section, f"{section} {row['name']}", f"Set {row['name']}, batch {batch}", NUMBER * (batch * count << log),
        partial(limbs.transforms, log, count, batch), {OURS: partial(kernels.transform, settings.target, {}), **LIMBS},
        paper, {OURS: partial(needs.transform, 1 << log, count, batch, {})}, per=batch, more={"set": row["name"]},
    )  # fmt: skip


def table10(settings: SweepSettings) -> Iterator[JaxTrial]:
    """Yield the trials of radix-2 butterflies against matrices of R × C, modulo one prime."""
    table = published()["table10"]
    for row in rows("table10", settings):
        n, (r, c) = 1 << row["log_n"], row["taken"]
        for batch in settings.batches or [4 if settings.quick else table["batch"]]:
            same = batch == table["batch"]
            paper = {name: [figure(row[key], "µs", f"{key}, {table['of']}")] * same
                     for name, key in ((RADIX_2, "radix_2"), (MATRICES, "matrices"))}  # fmt: skip
            makers: dict[str, Maker] = {
                RADIX_2: partial(kernels.transform, settings.target, {"radix": 2}),
                MATRICES: partial(kernels.by_factors, settings.target, r, c), **LIMBS,
            }  # fmt: skip
            counts: dict[str, Counted] = {
                RADIX_2: partial(needs.transform, n, 1, batch, {"radix": 2}),
                MATRICES: partial(needs.transform, n, 1, batch, kernels.sizes(r, c)),
            }  # fmt: skip
            yield JaxTrial("table10", f"table10 batch {batch}", f"2^{row['log_n']}, batch {batch}",
                        NUMBER * batch * n, partial(limbs.transforms, row["log_n"], 1, batch), makers, _stated(paper),
                        counts, RADIX_2, batch, {"rows_columns": [r, c], "stated": row["stated"]})  # fmt: skip


def fig13(settings: SweepSettings) -> Iterator[JaxTrial]:
    """Yield the trials of products and transforms of Set D by reduction, or of a small set if the run is quick."""
    table = published()["fig13"]
    degree, count, dense = (64, 2, 8) if settings.quick else (table["degree"], table["limbs"], table["dense"])
    log = degree.bit_length() - 1
    for batch in settings.batches or (table["batches"][:2] if settings.quick else table["batches"]):
        size = NUMBER * batch * count * degree
        options: dict[str, dict[str, Any]] = {
            "montgomery": {"reduction": "montgomery"}, "barrett": {"reduction": "barrett"},
            "folded": {"reduction": "folded"},
        }  # fmt: skip
        makers: dict[str, Maker] = {name: partial(kernels.multiply, settings.target, each)
                                    for name, each in options.items()}  # fmt: skip
        makers["shoup"] = partial(kernels.scale, settings.target)
        counts: dict[str, Counted] = {name: partial(needs.elementwise, "vmul", batch * count * degree, each)
                                      for name, each in options.items()}  # fmt: skip
        counts["shoup"] = partial(needs.elementwise, "scal", batch * count * degree, {})
        yield JaxTrial("fig13", "fig13 vmul", f"VecModMul, batch {batch}", size,
                    partial(limbs.products, degree, count, batch), makers, _series("vmul", batch), counts,
                    "montgomery", batch, {"part": "vmul"})  # fmt: skip
        ways: dict[str, dict[str, Any]] = {
            "montgomery": {"radix": 2, "reduction": "montgomery"}, "shoup": {"radix": 2},
            "montgomery, matrices": {"dense": dense},
            **{name: {"dense": dense, "sums": name} for name in ("barrett", "folded")},
        }  # fmt: skip
        makers = {name: partial(kernels.transform, settings.target, each) for name, each in ways.items()}
        counts = {name: partial(needs.transform, degree, count, batch, each) for name, each in ways.items()}
        yield JaxTrial("fig13", "fig13 ntt", f"NTT, batch {batch}", 2 * size,
                    partial(limbs.transforms, log, count, batch), makers, _series("ntt", batch), counts, "montgomery",
                    batch, {"part": "ntt"})  # fmt: skip


def _series(part: str, batch: int) -> Mapping[str, Any]:
    """Return the numbers of the figure at a batch; its Montgomery transforms are those by matrices."""
    table = published()["fig13"]
    found = {}
    for name, values in table[part].items():
        known = dict(zip(table["batches"], values, strict=False))
        if batch in known:
            ours = "montgomery, matrices" if (part, name) == ("ntt", "montgomery") else name
            found[ours] = [figure(known[batch], "µs", f"{name}, {table['of']}")]
    return found


def _stated(paper: Mapping[str, list[dict[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
    """Return the numbers without the zeros of small shapes."""
    return {name: [each for each in figures if each["value"]] for name, figures in paper.items()}


def _times(*sizes: int) -> str:
    return " × ".join(map(str, sizes))
