"""Rows and estimates of sweeps as tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..race.report import cells_line, number

HEAD = ("case", "contestant", "median µs", "least to most", "compile s", "over first", "byte-MACs", "bytes", "v6e, µs",
        "CROSS has", "note")  # fmt: skip
TPU = "v6e"
"""The TPU whose roof a table shows; results have all of them."""


def head() -> Iterator[str]:
    """Yield the first lines of a table of rows."""
    yield cells_line(*HEAD)
    yield cells_line(*["---"] * len(HEAD))


def lines(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield a line for each row."""
    for row in rows:
        told = *_needs(row.get("needs")), _paper(row["paper"])
        if "median_us" not in row:
            yield cells_line(row["title"], row["name"], row["state"], "", "", "", *told, row["why"])
            continue
        spread = f"{number(row['least'])} to {number(row['most'])}"
        times = (number(row["median_us"]), spread, number(row["compile_s"]), number(row["ratio"]))
        yield cells_line(row["title"], row["name"], *times, *told, _note(row))


def _needs(found: dict[str, Any] | None) -> tuple[str, str, str]:
    """Return the byte-MACs, the bytes if each step reads and writes residues, and the least microseconds of a TPU."""
    if not found:
        return "", "", ""
    roof = found["roof_us"][TPU]
    return tuple(map(number, (sum(found["byte_macs"].values()), found["bytes"]["steps"], roof)))  # type: ignore[return-value]


def _paper(figures: Sequence[dict[str, Any]]) -> str:
    """Return the first and the last number of the paper with their sources; results have all of them."""
    shown = figures[:: max(len(figures) - 1, 1)]
    return "; ".join(f"{number(each['value'])} {each['unit']} ({each['of'].split(',')[0]})" for each in shown)


def _note(row: dict[str, Any]) -> str:
    told = [row["note"]] if row["note"] else []
    if row["per"] > 1:
        told.append(f"{row['rate']:,.0f} a second")
    if "energy" in row:
        told.append(f"model: {row['energy']['per_joule']:.3g} per joule at {row['energy']['watts']:g} W")
    return ", ".join(told)


def estimate_lines(found: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield a line for each estimate: milliseconds, shares in percent, and the paper's numbers."""
    yield cells_line("estimate", "set", "milliseconds", "shares, %", "CROSS has")
    yield cells_line(*["---"] * 5)
    for each in found:
        paper = each["paper"]
        told = [f"{number(paper['milliseconds'])} ms"] if "milliseconds" in paper else []
        told += [_shares(paper["shares"])] if "shares" in paper else []
        told += [f"transforms {paper['transforms']}"] if "transforms" in paper else []
        yield cells_line(each["title"], each["set"], number(each["milliseconds"]), _shares(each["groups"]),
                         "; ".join(told))  # fmt: skip


def _shares(shares: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:.0f}" for name, value in shares.items())


def efficiency_lines(found: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield CROSS's efficiency over each library: as stated, by latencies, and corrected by known watts."""
    stated = "throughput per watt that the paper states"
    yield cells_line(
        "compared library", "its device", "CROSS's device", stated, "ratio of latencies", "corrected by watts"
    )
    yield cells_line(*["---"] * 6)
    for row in found:
        numbers = (number(row[name]) for name in ("stated", "latencies", "watts"))
        yield cells_line(row["library"], row["device"], row["matched"], *numbers)
