"""Counts and rooflines as text for a terminal and as data for JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict

from momagen.targets import Target

from .needed import TRAFFICS, ArrayCounts
from .roofs import MATRIX, MEMORY, VECTOR, TpuRoof, tpu_roof
from .tpus import ENGINES, load_tpu, tpu_names

BATCH = 16
"""The default number of transforms in a batch, which share one read of the tables."""
LEGEND = (
    f"roofs: thousands of transforms per second and chip, in batches of {BATCH}; least: the lowest roof, "
    "for bytes unfused, per step, or once"
)
TOLD = {
    "unfused": "bytes, if each step is a kernel", "steps": "bytes, if steps move residues",
    "once": "bytes, if residues move once",
}  # fmt: skip
"""The names of the ways of counting bytes in tables."""


def has_roofs(target: Target) -> bool:
    """Return whether TPUs have all engines of a target."""
    return bool(target.engine) and all(each.name in ENGINES for each in target.engine)


def counts_text(counts: ArrayCounts, target: Target) -> list[str]:
    """Return the lines of the tables for a terminal."""
    head = ["counts", "per transform", "per coefficient"]
    rows = [[name, f"{count:,.0f}", f"{count / counts.coefficients:,.4g}"] for name, count in _rows(counts)]
    lines = _table([head, *rows])
    if has_roofs(target):
        lines += ["", *_table([*_roof_rows(counts)]), LEGEND]
    return lines


def _rows(counts: ArrayCounts) -> Iterator[tuple[str, float]]:
    for engine, count in counts.products.items():
        yield f"products on the engine {engine}", count
    yield "operations on 32-bit words", counts.operations
    for traffic in TRAFFICS:
        yield TOLD[traffic], counts.bytes(traffic)
    yield "bytes of tables, per batch", counts.table


def _roof_rows(counts: ArrayCounts) -> Iterator[list[str]]:
    yield ["roofs", MATRIX, VECTOR, *(f"{MEMORY}, {traffic}" for traffic in TRAFFICS),
           *(f"least, {traffic}" for traffic in TRAFFICS)]  # fmt: skip
    for name in tpu_names():
        roofs = [tpu_roof(counts, load_tpu(name), traffic, BATCH) for traffic in TRAFFICS]
        memory, bounds = [_rate(roof, MEMORY) for roof in roofs], [roof.bound for roof in roofs]
        yield [f"TPU {name}", _rate(roofs[0], MATRIX), _rate(roofs[0], VECTOR), *memory, *bounds]


def _rate(roof: TpuRoof, part: str) -> str:
    """Return thousands of transforms per second as text."""
    return f"{1e-3 / roof.parts[part]:,.0f}" if roof.parts[part] else "-"


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows as lines of aligned columns, the first one aligned to the left and the others to the right."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    return [
        "  ".join(cell.rjust(width) if at else cell.ljust(width)
                  for at, (cell, width) in enumerate(zip(row, widths, strict=True))).rstrip()
        for row in rows
    ]  # fmt: skip


def counts_data(counts: ArrayCounts, target: Target) -> dict[str, object]:
    """Return data for JSON: the counts of one transform, and its rooflines in transforms per second."""
    found: dict[str, object] = {
        "coefficients": counts.coefficients, "products": dict(counts.products), "operations": counts.operations,
        "bytes": {traffic: counts.bytes(traffic) for traffic in TRAFFICS} | {"tables": counts.table},
        "steps": [asdict(each) for each in counts.steps],
    }  # fmt: skip
    if has_roofs(target):
        roofs = {name: {traffic: _roof_data(tpu_roof(counts, load_tpu(name), traffic, BATCH)) for traffic in TRAFFICS}
                 for name in tpu_names()}  # fmt: skip
        found["roofs"] = {"batch": BATCH, **roofs}
    return found


def _roof_data(roof: TpuRoof) -> dict[str, object]:
    return {"rate": roof.rate, "bound": roof.bound, "seconds": dict(roof.parts)}
