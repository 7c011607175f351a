"""Figures like 2 to 5 of the MoMA paper, of one file of results, with what texts state of others beside them.

A filled point is a number that a text states; a hollow one follows from a ratio that it states. Other ratios are
written below the figure, as what they are: they are of other machines.
"""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from momagen.errors import MomagenError

PAPER = Path(__file__).with_name("paper.toml")
FIGURES = {
    "ntt": "NTT: ps per butterfly over log2 n", "widths": "NTT of 2^16 points: ps per butterfly over bits",
    "blas": "Element-wise kernels: ps per element over bits", "sweep": "NTT of 4096 points: ns over bits",
    "products": "NTT of 4096 points: ns, schoolbook and Karatsuba",
}  # fmt: skip
MIDDLE = 1 << 16
Lines = dict[str, list[tuple[float, float]]]


def paper() -> dict[str, list[dict[str, Any]]]:
    """What the texts state."""
    return tomllib.loads(PAPER.read_text(encoding="utf-8"))


def lines(figure: str, rows: Mapping[str, Any]) -> Lines:
    """The lines of a figure: by label, pairs of where and how much; medians at the stated batch, and least times."""
    found: Lines = defaultdict(list)
    for name, row in rows.items():
        if row.get("state") != "measured" or (row["section"] != figure and figure != "widths"):
            continue
        times, bits, size = row["times"], row["bits"], row["n"].bit_length() - 1
        ps, least = times["median_ps_per_butterfly"], times["minimum_ps_per_butterfly"]
        match figure:
            case "ntt":
                found[f"{bits} bits"].append((size, ps))
                found[f"{bits} bits, least over batches"].append((size, least))
            case "widths" if row["section"] == "ntt" and row["n"] == MIDDLE:
                found["momagen"].append((bits, ps))
                if "floor" in row:
                    found["its floor"].append((bits, row["floor"]["floor_ns"] * 1e3 * ps / _ns(times)))
            case "blas":
                found[row["kind"]].append((bits, ps))
            case "sweep":
                found["momagen"].append((bits, _ns(times)))
            case "products":
                found[name.rsplit("-", 1)[1]].append((bits, _ns(times)))
    return {label: sorted(points) for label, points in found.items()}


def notes(figure: str) -> Iterator[str]:
    """The ratios that the texts state for a figure, with where they stand."""
    section = "ntt" if figure == "widths" else figure
    told = paper()
    for row in told["ratio"]:
        if row["section"] == section:
            width = f", {row['bits']} bits" if row["bits"] else ""
            yield f"{row['what']}{width}: {row['times']} × ({row['source']})"
    for row in [*told["slowdown"], *told["products"]]:
        if row["section"] == section:
            steps = ", ".join(f"{step}: {times} ×" for step, times in row["steps"].items())
            yield f"{row['what']}: {steps} ({row['source']})"


def plot(told: Mapping[str, Any], path: Path) -> list[Path]:
    """Write the figures beside ``path``; those for which there are rows.

    Raises:
        MomagenError: no matplotlib.
    """
    try:
        import matplotlib
    except ImportError:
        raise MomagenError("matplotlib", "none", "plot", "python3 -m pip install matplotlib") from None
    matplotlib.use("Agg")
    written = []
    for figure, title in FIGURES.items():
        if found := lines(figure, told["rows"]):
            written.append(path.with_name(f"{path.stem}-{figure}.svg"))
            _draw(figure, f"{title}; {told['machine']['device']}, {told['date'][:10]}", found, written[-1])
    return written


def _draw(figure: str, title: str, found: Lines, path: Path) -> None:
    from matplotlib.figure import Figure

    drawn = Figure(figsize=(9, 6.5), layout="constrained")
    axes = drawn.add_subplot()
    for label, points in found.items():
        axes.plot(*zip(*points, strict=True), marker=".", label=label, linestyle=":" if "least" in label else "-")
    for point in paper()["point"] if figure in ("ntt", "widths") else ():
        at = point["n"].bit_length() - 1 if figure == "ntt" else point["bits"]
        face: dict[str, Any] = {"markerfacecolor": "none"} if point["derived"] else {}
        label = f"{point['what']}, {point['bits']} bits{' (from a ratio)' * point['derived']}"
        axes.plot([at], [point["ps"]], "s", label=label, **face)
    axes.set_yscale("log")
    axes.set_title(title, fontsize=10)
    axes.legend(fontsize=7, ncols=2)
    drawn.supxlabel("\n".join(notes(figure)), fontsize=6)
    drawn.savefig(path)


def _ns(times: Mapping[str, Any]) -> float:
    return float(times["stated"]["median_ns"])
