"""Figures 11b, 12, 13 and 14 as SVG, with the paper's numbers next to ours."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from momagen.errors import MomagenError

from ..race.contest import MEASURED
from ..race.entries import OURS

Told = Mapping[str, Any]
CROSS = "CROSS, TPUv6e"
Lines = dict[str, list[tuple[float, float]]]
KINDS = ("VecModOps", "NTT", "INTT", "BConv", "Permutation", "Copy+Reshape", "Type Conversion")
"""The parts of bars, in order; parts of a matrix product in the paper count as the kernel that they belong to."""


def check_plots() -> None:
    """Check that matplotlib is installed.

    Raises:
        MomagenError: It is not.
    """
    try:
        import matplotlib
    except ImportError:
        hint = "python3 -m pip install matplotlib, or the extra “bench”"
        raise MomagenError("matplotlib", "none", "--plots", hint) from None
    matplotlib.use("Agg")


def plot(told: Told, folder: Path) -> list[Path]:
    """Write the figures for which there are results and return their paths.

    Raises:
        MomagenError: matplotlib is not installed.
        OSError: The folder cannot be written.
    """
    check_plots()
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, draw in FIGURES.items():
        path = folder / f"{name}.svg"
        if draw(told, path):
            written.append(path)
    return written


def by_batch(told: Told, section: str, part: str = "", scaled: bool = False) -> tuple[Lines, Lines]:
    """Return lines over batches, ours and the paper's.

    Args:
        told: The results.
        section: The section.
        part: The part of the section; empty: all.
        scaled: Whether values are rates over the rate of the first batch, instead of microseconds.
    """
    ours: Lines = defaultdict(list)
    paper: Lines = defaultdict(list)
    for row in told["rows"]:
        if row.get("section") != section or (part and row["part"] != part):
            continue
        label = f"Set {row['set']}" if scaled else row["name"]
        if row["state"] == MEASURED and (row["name"] == OURS or not scaled):
            ours[label].append((row["batch"], row["rate"] if scaled else row["median_us"]))
        for each in row["paper"]:
            paper[label].append((row["batch"], each["value"]))
    if scaled:
        first = {label: points[0][1] for label, points in ours.items()}
        ours = {label: [(at, rate / first[label]) for at, rate in points] for label, points in ours.items()}
    return dict(ours), dict(paper)


def _batches(
    title: str, label: str, section: str, part: str = "", scaled: bool = False
) -> Callable[[Told, Path], bool]:
    def draw(told: Told, path: Path) -> bool:
        ours, paper = by_batch(told, section, part, scaled)
        if not ours:
            return False
        figure, axes = _axes(f"{title}\ndotted: {CROSS}", told)
        for at, name in enumerate(dict.fromkeys([*ours, *paper])):
            for found, style, whose in ((ours, "-", ""), (paper, ":", f", {CROSS}")):
                if name in found:
                    points = zip(*found[name], strict=True)
                    axes.plot(*points, marker=".", color=f"C{at}", label=f"{name}{whose}", linestyle=style)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_xlabel("batch")
        axes.set_ylabel(label)
        figure.legend(fontsize=7, loc="outside right upper")
        figure.savefig(path)
        return True

    return draw


def bars(told: Told, section: str) -> dict[str, dict[str, float]]:
    """Return percentages by kernel, by the name of a bar; the paper's bars follow ours."""
    found: dict[str, dict[str, float]] = {}
    for each in told.get("estimates", ()):
        if each["section"] == section:
            found[f"{each['title']}, Set {each['set']}"] = each["groups"]
            if shares := each["paper"].get("shares"):
                whole = {name.removesuffix("-MatMul"): value for name, value in shares.items()}
                found[f"{each['title']}, {CROSS}"] = whole
    return found


def _bars(title: str, section: str) -> Callable[[Told, Path], bool]:
    def draw(told: Told, path: Path) -> bool:
        found = bars(told, section)
        if not found:
            return False
        figure, axes = _axes(f"{title}, from kernels alone", told)
        left = [0.0] * len(found)
        for kind in KINDS:
            widths = [shares.get(kind, 0.0) for shares in found.values()]
            if any(widths):
                axes.barh([*found], widths, left=left, label=kind)
                left = [start + width for start, width in zip(left, widths, strict=True)]
        axes.invert_yaxis()
        axes.set_xlabel("percent of time")
        figure.legend(fontsize=7, loc="outside right upper")
        figure.savefig(path)
        return True

    return draw


def _axes(title: str, told: Told) -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.add_subplot()
    device = told["device"]
    where = device["host"] if device["platform"] == "cpu" else device["kind"]
    axes.set_title(f"{title}\n{where}, {told['date'][:10]}", fontsize=9)
    return figure, axes


FIGURES: Mapping[str, Callable[[Told, Path], bool]] = {
    "fig11b": _batches("Transforms a second by batch", "over that of a batch of 1", "fig11b", scaled=True),
    "fig12": _bars("HE-Mult and Rotate by kernel", "fig12"),
    "fig13a": _batches("VecModMul by reduction", "microseconds", "fig13", "vmul"),
    "fig13b": _batches("NTT by reduction", "microseconds", "fig13", "ntt"),
    "fig14": _bars("Operators by kernel", "fig14"),
}
