"""The figures of the RPU paper, drawn from the results of a simulation. Each one names its machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from momagen.papers.rpu.model.area import PARTS
from momagen.papers.rpu.model.energy import stated_microjoules
from momagen.plots import renderer
from momagen.plots.looks import Look, look
from momagen.plots.picture import STACKED, Band, Bars, Curve, Heat, Note, Panel, Picture

from .measures import Studied, off_chip, theoretical
from .stated import others, stated
from .studies import BANKS, INTERVALS, LOAD_STORES, MULTIPLIES, SHUFFLES
from .sweep import DesignPoint

Drawing = Callable[[Studied], Picture]
KIND = "svg"
AXES = {"hples": "HPLEs", "banks": "banks"}
PARETO = Look("#c00000", width=1.0)


def draw_all(of: Studied, folder: Path) -> list[Path]:
    """Write every figure of a study, and return the paths."""
    return [keep(draw(of), folder, f"{of.study.machine.name}-{name}") for name, draw in DRAWINGS.items()]


def keep(picture: Picture, folder: Path, name: str) -> Path:
    """Write a figure to ``folder``, and return its path.

    Raises:
        MomagenError: The package matplotlib is not installed.
    """
    return renderer.write(picture, folder / f"{name}.{KIND}")


def trade_off(points: Sequence[DesignPoint], machine: str) -> Picture:
    """Return Figure 3: runtime over area, with the Pareto points named and connected."""
    curves = []
    for at, banks in enumerate(sorted({each.banks for each in points})):
        own = [each for each in points if each.banks == banks]
        curves.append(_over_area(f"{banks} banks", own, look(at), joined=False))
    best = sorted((each for each in points if each.pareto), key=lambda each: each.mm2)
    curves.append(_over_area("Pareto", best, PARETO, joined=True))
    notes = [Note(f"({each.hples},{each.banks})", each.mm2, each.microseconds) for each in best]
    panel = Panel("area in mm² (model)", "runtime in µs", curves=curves, notes=notes, logarithmic=True)
    return Picture(f"{machine}: area and latency", [panel])


def _over_area(label: str, points: Sequence[DesignPoint], style: Look, joined: bool) -> Curve:
    return Curve(label, [each.mm2 for each in points], [each.microseconds for each in points], style, joined)


def per_area(points: Sequence[DesignPoint], machine: str) -> Picture:
    """Return Figure 4: performance per area."""
    hples, banks = (sorted({getattr(each, name) for each in points}) for name in ("hples", "banks"))
    by = {(each.hples, each.banks): each.per_area for each in points}
    values = [[by[h, b] for b in banks] for h in hples]
    heat = Heat(banks, hples, values, "{:.2f}", "transforms per ms and mm²")
    return Picture(f"{machine}: transforms a ms and mm²", [Panel("banks", "HPLEs", heat=heat)])


def _areas(of: Studied) -> Picture:
    """Return Figure 5 (a) and (b): the parts of the area, over banks and over HPLEs."""
    panels = []
    for own, fixed in (("banks", "hples"), ("hples", "banks")):
        points = [each for each in of.points if getattr(each, fixed) == BANKS]
        rows = {part: {str(getattr(each, own)): each.parts[part] for each in points} for part in PARTS}
        panels.append(Panel(AXES[own], "mm²", bars=_bars(rows), arrangement=STACKED))
    return Picture(f"{of.study.machine.name}: area by part (model)", panels)


def _bars(rows: Mapping[str, Mapping[str, float]]) -> list[Bars]:
    return [Bars(name, heights, look(at)) for at, (name, heights) in enumerate(rows.items())]


def _energy(of: Studied) -> Picture:
    """Return Figure 5 (c): the energy by part, simulated and stated."""
    here, paper = of.own.joules, stated_microjoules()
    rows = {"here": {name.upper(): here[name] for name in paper},
            "the paper": {name.upper(): value for name, value in paper.items()}}  # fmt: skip
    panel = Panel("parts", "µJ", bars=_bars(rows))
    return Picture(f"{of.study.machine.name}: energy by part (model)", [panel])


def _schedules(of: Studied) -> Picture:
    """Return Figure 6: the runtimes of the naive and the optimised schedule, over HPLEs."""
    clock = of.study.machine.having(banks=BANKS).clock
    hples = of.study.grid.hples
    labels = {"naive": "naive {}", "optimised": f"({{}},{BANKS})"}
    curves = [
        Curve(name, hples, [of.found[label.format(h)].cycles / clock / 1e3 for h in hples], look(at))
        for at, (name, label) in enumerate(labels.items())
    ]
    ticks = {float(each): f"{each:g}" for each in hples}
    panel = Panel("HPLEs", "runtime in µs", curves=curves, ticks=ticks, base=2, logarithmic=True)
    return Picture(f"{of.study.machine.name}: {BANKS} banks", [panel])


def _pipelines(of: Studied) -> Picture:
    """Return Figure 7: the cycles of one program over the multiplier's latency and initiation interval."""
    values = [[of.changed({"multiply": deep, "interval": every}) for deep in MULTIPLIES] for every in INTERVALS]
    heat = Heat(MULTIPLIES, INTERVALS, values, "{:,.0f}", "cycles")
    panel = Panel("multiplier latency in cycles", "initiation interval in cycles", heat=heat)
    return Picture(f"{of.study.machine.name}: cycles", [panel])


def _crossbars(of: Studied) -> Picture:
    """Return Figure 8: the cycles of one program over the latencies of both crossbars."""
    values = [[of.changed({"shuffle": one, "load_store": other}) for one in SHUFFLES] for other in LOAD_STORES]
    heat = Heat(SHUFFLES, LOAD_STORES, values, "{:,.0f}", "cycles")
    panel = Panel("shuffle latency in cycles", "load/store latency in cycles", heat=heat)
    return Picture(f"{of.study.machine.name}: cycles", [panel])


def _sizes(of: Studied) -> Picture:
    """Return Figure 9: runtimes by points, with runtimes of off-chip memory and lower bounds of the multipliers."""
    sizes, clock = of.study.sizes, of.study.machine.having(banks=BANKS).clock
    names = {n: f"{n >> 10}K" for n in sizes}
    rows = {"simulated": {names[n]: of.microseconds(n) for n in sizes},
            "HBM2": {names[n]: off_chip(n) for n in sizes},
            "theoretical": {names[n]: theoretical(n, BANKS, clock) for n in sizes}}  # fmt: skip
    notes = [Note(f"{of.ratio(n):.2f}", at - 0.4, of.microseconds(n)) for at, n in enumerate(sizes)]
    panel = Panel("points", "runtime in µs", bars=_bars(rows), notes=notes, logarithmic=True)
    return Picture(f"{of.study.machine.name}: µs; above: over theoretical", [panel])


def _speedups(of: Studied) -> Picture:
    """Return Figure 10: the speed-up over momagen's kernel on one core here.

    The ranges of the paper are speed-ups over OpenFHE on 32 cores.
    """
    sizes = [n for n in of.study.sizes if n in of.cpu]
    rows = {"128 bits": {f"{n >> 10}K": of.cpu[n] / 1e3 / of.microseconds(n) for n in sizes}}
    bands = [Band(f"the paper, {name}", low, high) for name, (low, high) in _stated_ranges().items()]
    panel = Panel("points", "times as fast", bars=_bars(rows), bands=bands, logarithmic=True)
    return Picture(f"{of.study.machine.name}: speed-up over a core here", [panel])


def _stated_ranges() -> Mapping[str, tuple[float, float]]:
    return {"128 bits": (stated()["cpu_least"].low, stated()["cpu_most"].low),
            "64 bits": (others()["cpu_64"]["least"], others()["cpu_64"]["most"])}  # fmt: skip


DRAWINGS: Mapping[str, Drawing] = {
    "figure-3": lambda of: trade_off(of.points, of.study.machine.name),
    "figure-4": lambda of: per_area(of.points, of.study.machine.name),
    "figure-5ab": _areas, "figure-5c": _energy, "figure-6": _schedules, "figure-7": _pipelines,
    "figure-8": _crossbars, "figure-9": _sizes, "figure-10": _speedups,
}  # fmt: skip
"""The functions that draw the figures, by the part of the file's name that follows the machine's name."""
