"""Count what transforms by JAX need, without a TPU, and keep the tables of docs/reference/jax-counts.md.

``python scripts/count_jax.py`` prints the tables, and with ``--write`` writes them to the page.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from momagen.explain.counts.counts import array_counts
from momagen.explain.counts.needed import TRAFFICS, ArrayCounts
from momagen.explain.counts.roofs import MATRIX, MEMORY, VECTOR, TpuRoof, tpu_roof
from momagen.explain.counts.tpus import Tpu, load_tpu, tpu_names
from momagen.kinds.modular.make_spec import make_spec
from momagen.lower.arrays.program import array_program
from momagen.papers.cross.rates import BATCH, CrossSet, cross_latencies, cross_rates, cross_sets

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "jax-counts.md"
BITS = 28
BUTTERFLIES = {"radix": "2"}
DENSE = ("256", "64", "16")
"""Points of a matrix at most."""
SIDES = (128, 256)
"""Of matrix units."""
LETTERS = {MATRIX: "x", VECTOR: "v", MEMORY: "m"}


def counted(n: int, options: dict[str, str]) -> ArrayCounts:
    """A negacyclic transform of the target jax_tpu."""
    spec = make_spec("ntt", n=n, target="jax_tpu", options=options, modulus_bits=BITS, negacyclic=True)
    return array_counts(array_program(spec, spec.kind.plans(spec)))


def factors(counts: ArrayCounts) -> str:
    """How a transform is taken apart, for people."""
    return " × ".join(str(counts.coefficients // each.vectors) for each in counts.digit_products) or "butterflies"


def ways(n: int) -> dict[str, ArrayCounts]:
    """Counts by factors, each once."""
    found = [counted(n, BUTTERFLIES), *(counted(n, {"dense": dense}) for dense in DENSE)]
    return {factors(each): each for each in found}


def tpu_rows() -> Iterator[str]:
    """Figures of TPUs; * where something is assumed."""
    for tpu in map(load_tpu, tpu_names()):
        star = "*" if tpu.assumed() else ""
        yield _row([
            tpu.title, f"{tpu.int8_tops:,}", f"{tpu.bf16_tops:,}", f"{tpu.vector_operations / 1e12:.1f}{star}",
            f"{tpu.memory_gb_s:,}", str(tpu.cores * tpu.vmem_mib), f"{tpu.cores * tpu.mxus} of {tpu.side}",
            f"{tpu.ici_links} · {tpu.ici_gb_s}",
        ])  # fmt: skip


def count_rows() -> Iterator[str]:
    """Of a coefficient, by degree and factors."""
    for which in cross_sets():
        for name, counts in ways(1 << which.log_n).items():
            n = counts.coefficients
            padded = [sum(each.padded(side) for each in counts.digit_products) / n for side in SIDES]
            numbers = [sum(counts.products.values()) / n, *padded, counts.operations / n]
            moved = [counts.bytes(traffic) / n for traffic in TRAFFICS]
            cells = [f"{each:,.4g}" if each < 1000 else f"{each:,.0f}" for each in (*numbers, *moved)]
            yield _row([_power(which.log_n), name, *cells, f"{counts.table / 1024:,.0f}"])


def roof_rows() -> Iterator[str]:
    """Thousand transforms a second of a chip, by degree and factors, and what bounds them."""
    for which in cross_sets():
        for name, counts in ways(1 << which.log_n).items():
            found = [tpu_roof(counts, load_tpu(tpu), traffic, which.batch) for tpu in tpu_names()
                     for traffic in TRAFFICS]  # fmt: skip
            yield _row([_power(which.log_n), str(which.batch), name, *map(_roof, found)])


def measured_rows() -> Iterator[str]:
    """CROSS's rates beside roofs of three steps."""
    for which in cross_sets():
        for rate in cross_rates():
            measured = rate.per_chip(which)
            if measured:
                given = [f"{rate.tpu}, {rate.chips}", f"{rate.thousands[str(which.log_n)]:,}", str(which.limbs)]
                yield _row([_power(which.log_n), *given, *_beside(measured, load_tpu(rate.tpu), which)])


def latency_rows() -> Iterator[str]:
    """CROSS's latencies on a v4 beside roofs of three steps."""
    for one in cross_latencies():
        which = CrossSet("", one.log_n, 1, BATCH)
        given = [f"{one.rows} × {one.columns}", f"{one.microseconds:,}"]
        yield _row([_power(one.log_n), *given, *_beside(one.rate, load_tpu("v4"), which)])


def _beside(rate: float, tpu: Tpu, which: CrossSet) -> list[str]:
    """A rate, three roofs, and which part of the highest the rate is."""
    counts = counted(1 << which.log_n, {"dense": DENSE[0]})
    roofs = [tpu_roof(counts, tpu, traffic, which.batch) for traffic in TRAFFICS]
    return [f"{rate / 1e3:,.0f}", *map(_roof, roofs), f"{100 * rate / roofs[-1].rate:.0f} %"]


def _roof(roof: TpuRoof) -> str:
    return f"{roof.rate / 1e3:,.0f} {LETTERS[roof.bound]}"


def _power(log_n: int) -> str:
    return f"2^{log_n}"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


TABLES = {
    "<!-- tpus -->": tpu_rows, "<!-- counts -->": count_rows, "<!-- roofs -->": roof_rows,
    "<!-- measured -->": measured_rows, "<!-- latencies -->": latency_rows,
}  # fmt: skip
"""What makes the rows behind a mark."""


def page(text: str) -> str:
    """The page ``text`` with the rows that are counted now."""
    for mark, rows in TABLES.items():
        head, rest = text.split(mark)
        table, _, tail = rest.partition("\n\n")
        text = "\n".join([f"{head}{mark}", *table.strip("\n").splitlines()[:2], *rows()]) + "\n\n" + tail
    return text


def main() -> None:
    parser = argparse.ArgumentParser(description="count what transforms by JAX need")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name}")
    given = parser.parse_args()
    for rows in TABLES.values():
        print("\n".join([*rows(), ""]))
    if given.write:
        PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
