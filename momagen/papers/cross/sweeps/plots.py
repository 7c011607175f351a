"""Figures 11b, 12, 13 and 14 as SVG, with the paper's numbers next to ours."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from momagen.plots import renderer
from momagen.plots.looks import Look, look
from momagen.plots.picture import ACROSS, Bars, Curve, Panel, Picture

from ..race.contest import MEASURED
from ..race.entries import OURS

Told = Mapping[str, Any]
Draw = Callable[[Told], Picture | None]
KIND = "svg"
SIZE = (8.0, 5.0)
"""The width and height of a figure in inches."""
CROSS = "CROSS, TPUv6e"
Lines = dict[str, list[tuple[float, float]]]
KINDS = ("VecModOps", "NTT", "INTT", "BConv", "Permutation", "Copy+Reshape", "Type Conversion")
"""The parts of bars, in order; parts of a matrix product in the paper count as the kernel that they belong to."""


def plot(told: Told, folder: Path) -> list[Path]:
    """Write the figures for which there are results and return their paths.

    Raises:
        MomagenError: matplotlib is not installed.
        OSError: The folder cannot be written.
    """
    renderer.check(KIND)
    folder.mkdir(parents=True, exist_ok=True)
    pictures = {name: draw(told) for name, draw in FIGURES.items()}
    return [renderer.write(picture, folder / f"{name}.{KIND}") for name, picture in pictures.items() if picture]


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


def _batches(title: str, label: str, section: str, part: str = "", scaled: bool = False) -> Draw:
    def draw(told: Told) -> Picture | None:
        ours, paper = by_batch(told, section, part, scaled)
        if not ours:
            return None
        curves = [_curve(name, points, look(at)) for at, (name, points) in enumerate(ours.items())]
        for at, (name, points) in enumerate(paper.items()):
            curves.append(_curve(f"{name}, {CROSS}", points, look(at, other=True)))
        panel = Panel("batch", label, curves=curves, base=2, logarithmic=True)
        return Picture(_title(title, told), [panel], SIZE)

    return draw


def _curve(label: str, points: Sequence[tuple[float, float]], style: Look) -> Curve:
    return Curve(label, [at for at, _ in points], [value for _, value in points], style)


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


def _bars(title: str, section: str) -> Draw:
    def draw(told: Told) -> Picture | None:
        found = bars(told, section)
        if not found:
            return None
        parts = {kind: {name: shares.get(kind, 0.0) for name, shares in found.items()} for kind in KINDS}
        drawn = [
            Bars(kind, shares, look(at)) for at, (kind, shares) in enumerate(parts.items()) if any(shares.values())
        ]
        panel = Panel("percent of time", "", bars=drawn, groups=[*found], arrangement=ACROSS)
        return Picture(_title(f"{title}, from kernels alone", told), [panel], SIZE)

    return draw


def _title(title: str, told: Told) -> str:
    device = told["device"]
    where = device["host"] if device["platform"] == "cpu" else device["kind"]
    return f"{title}\n{where}, {told['date'][:10]}"


FIGURES: Mapping[str, Draw] = {
    "fig11b": _batches("Transforms a second by batch", "over that of a batch of 1", "fig11b", scaled=True),
    "fig12": _bars("HE-Mult and Rotate by kernel", "fig12"),
    "fig13a": _batches("VecModMul by reduction", "microseconds", "fig13", "vmul"),
    "fig13b": _batches("NTT by reduction", "microseconds", "fig13", "ntt"),
    "fig14": _bars("Operators by kernel", "fig14"),
}
