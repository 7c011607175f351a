"""Rows and estimates of sweeps as tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..report import cells_line, number

HEAD = ("case", "contestant", "median µs", "least to most", "compile s", "over first", "byte-MACs", "bytes, steps",
        "CROSS has", "note")  # fmt: skip


def head() -> Iterator[str]:
    """The first lines of a table of rows."""
    yield cells_line(*HEAD)
    yield cells_line(*["---"] * len(HEAD))


def lines(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """A line for each row."""
    for row in rows:
        told = (_needs(row, "byte_macs"), _needs(row, "bytes"), _paper(row["paper"]))
        if "median_us" not in row:
            yield cells_line(row["title"], row["name"], row["state"], "", "", "", *told, row["why"])
            continue
        spread = f"{number(row['least'])} to {number(row['most'])}"
        times = (number(row["median_us"]), spread, number(row["compile_s"]), number(row["ratio"]))
        yield cells_line(row["title"], row["name"], *times, *told, _note(row))


def _needs(row: dict[str, Any], what: str) -> str:
    found = row.get("needs")
    if not found:
        return ""
    return f"{sum(found[what].values()):.3g}" if what == "byte_macs" else f"{found[what]['steps']:.3g}"


def _paper(figures: Sequence[dict[str, Any]]) -> str:
    """The first and the last; results have all."""
    shown = figures[:: max(len(figures) - 1, 1)]
    return "; ".join(f"{number(each['value'])} {each['unit']} ({each['of']})" for each in shown)


def _note(row: dict[str, Any]) -> str:
    told = [row["note"]] if row["note"] else []
    if row["per"] > 1:
        told.append(f"{row['rate']:,.0f} a second")
    if "energy" in row:
        told.append(f"model: {row['energy']['per_joule']:.3g} per joule at {row['energy']['watts']:g} W")
    return ", ".join(told)


def estimate_lines(found: Sequence[dict[str, Any]]) -> Iterator[str]:
    """A line for each estimate: milliseconds, shares in percent, the paper's."""
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
