"""The paper's figures, drawn from what a study simulated; each names its machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from momagen.bench.report.plot import COLOURS, scale_up
from momagen.papers.rpu.model.area import PARTS
from momagen.papers.rpu.model.energy import stated_microjoules

from .canvas import STATED, bars, canvas, heat, keep, lines, stacks
from .measures import Studied, off_chip, theoretical
from .stated import others, stated
from .studies import BANKS, INTERVALS, LOAD_STORES, MULTIPLIES, SHUFFLES
from .sweep import DesignPoint

Drawing = Callable[[Studied], Any]
AXES = {"hples": "HPLEs", "banks": "banks"}


def draw_all(of: Studied, folder: Path) -> list[Path]:
    """Write every figure of a study."""
    return [keep(draw(of), folder, f"{of.study.machine.name}-{name}") for name, draw in DRAWINGS.items()]


def trade_off(points: Sequence[DesignPoint], machine: str) -> Any:
    """Figure 3: runtime over area, Pareto points named and joined."""
    figure, (ax,) = canvas(f"{machine}: area and latency")
    for at, banks in enumerate(sorted({each.banks for each in points})):
        own = [each for each in points if each.banks == banks]
        ax.plot([each.mm2 for each in own], [each.microseconds for each in own], "o", markersize=4,
                color=COLOURS[at % len(COLOURS)],
                label=f"{banks} banks")  # fmt: skip
    best = sorted((each for each in points if each.pareto), key=lambda each: each.mm2)
    ax.plot([each.mm2 for each in best], [each.microseconds for each in best], color="#c00000", linewidth=1,
            label="Pareto")  # fmt: skip
    for each in best:
        ax.annotate(f"({each.hples},{each.banks})", (each.mm2, each.microseconds), fontsize=6, xytext=(3, 3),
                    textcoords="offset points")  # fmt: skip
    scale_up(ax)
    ax.set_xlabel("area in mm² (model)")
    ax.set_ylabel("runtime in µs")
    ax.legend(frameon=False, fontsize=7)
    return figure


def per_area(points: Sequence[DesignPoint], machine: str) -> Any:
    """Figure 4: performance per area."""
    hples, banks = (sorted({getattr(each, name) for each in points}) for name in ("hples", "banks"))
    by = {(each.hples, each.banks): each.per_area for each in points}
    figure, (ax,) = canvas(f"{machine}: transforms a ms and mm²")
    values = [[by[h, b] for b in banks] for h in hples]
    heat(ax, banks, hples, values, "{:.2f}", "banks", "HPLEs", "transforms per ms and mm²")
    return figure


def _areas(of: Studied) -> Any:
    """Figure 5 (a) and (b): parts of the area, over banks and over HPLEs."""
    figure, axes = canvas(f"{of.study.machine.name}: area by part (model)", 2)
    for ax, own, fixed in zip(axes, ("banks", "hples"), ("hples", "banks"), strict=True):
        points = [each for each in of.points if getattr(each, fixed) == BANKS]
        rows = {part: [each.parts[part] for each in points] for part in PARTS}
        stacks(ax, [str(getattr(each, own)) for each in points], rows, AXES[own], "mm²")
    axes[0].get_legend().remove()
    return figure


def _energy(of: Studied) -> Any:
    """Figure 5 (c)."""
    figure, (ax,) = canvas(f"{of.study.machine.name}: energy by part (model)")
    here, paper = of.own.joules, stated_microjoules()
    rows = {"here": [here[name] for name in paper], "the paper": [*paper.values()]}
    bars(ax, [name.upper() for name in paper], rows, "parts", "µJ")
    return figure


def _schedules(of: Studied) -> Any:
    """Figure 6: naive and optimised, over HPLEs."""
    clock = of.study.machine.having(banks=BANKS).clock
    hples = of.study.grid.hples
    rows = {name: [of.found[label.format(h)].cycles / clock / 1e3 for h in hples]
            for name, label in (("naive", "naive {}"), ("optimised", f"({{}},{BANKS})"))}  # fmt: skip
    figure, (ax,) = canvas(f"{of.study.machine.name}: {BANKS} banks")
    lines(ax, hples, rows, "HPLEs", "runtime in µs")
    return figure


def _pipelines(of: Studied) -> Any:
    """Figure 7: cycles over the multiplier's latency and interval, the same program."""
    values = [[of.changed({"multiply": deep, "interval": every}) for deep in MULTIPLIES] for every in INTERVALS]
    figure, (ax,) = canvas(f"{of.study.machine.name}: cycles")
    heat(
        ax,
        MULTIPLIES,
        INTERVALS,
        values,
        "{:,.0f}",
        "multiplier latency in cycles",
        "initiation interval in cycles",
        "cycles",
    )
    return figure


def _crossbars(of: Studied) -> Any:
    """Figure 8: cycles over the latencies of both crossbars, the same program."""
    values = [[of.changed({"shuffle": one, "load_store": other}) for one in SHUFFLES] for other in LOAD_STORES]
    figure, (ax,) = canvas(f"{of.study.machine.name}: cycles")
    heat(
        ax,
        SHUFFLES,
        LOAD_STORES,
        values,
        "{:,.0f}",
        "shuffle latency in cycles",
        "load/store latency in cycles",
        "cycles",
    )
    return figure


def _sizes(of: Studied) -> Any:
    """Figure 9: runtimes by points, beside the memory off chip and the multipliers' least."""
    sizes, clock = of.study.sizes, of.study.machine.having(banks=BANKS).clock
    rows = {"simulated": [of.microseconds(n) for n in sizes], "HBM2": [off_chip(n) for n in sizes],
            "theoretical": [theoretical(n, BANKS, clock) for n in sizes]}  # fmt: skip
    figure, (ax,) = canvas(f"{of.study.machine.name}: µs; above: over theoretical")
    bars(ax, [f"{n >> 10}K" for n in sizes], rows, "points", "runtime in µs")
    scale_up(ax)
    for at, n in enumerate(sizes):
        ax.annotate(f"{of.ratio(n):.2f}", (at - 0.27, rows["simulated"][at]), ha="center", va="bottom", fontsize=7)
    return figure


def _speedups(of: Studied) -> Any:
    """Figure 10: over momagen's kernel on one core here; the paper's ranges are over OpenFHE on 32 cores."""
    sizes = [n for n in of.study.sizes if n in of.cpu]
    figure, (ax,) = canvas(f"{of.study.machine.name}: speed-up over a core here")
    bars(ax, [f"{n >> 10}K" for n in sizes], {"128 bits": [of.cpu[n] / 1e3 / of.microseconds(n) for n in sizes]},
         "points", "times as fast")  # fmt: skip
    for name, (low, high) in _stated_ranges().items():
        ax.axhspan(low, high, color=STATED, alpha=0.2)
        ax.annotate(f"the paper, {name}", (-0.4, low), fontsize=7, va="bottom")
    scale_up(ax)
    return figure


def _stated_ranges() -> Mapping[str, tuple[float, float]]:
    return {"128 bits": (stated()["cpu_least"].low, stated()["cpu_most"].low),
            "64 bits": (others()["cpu_64"]["least"], others()["cpu_64"]["most"])}  # fmt: skip


DRAWINGS: Mapping[str, Drawing] = {
    "figure-3": lambda of: trade_off(of.points, of.study.machine.name),
    "figure-4": lambda of: per_area(of.points, of.study.machine.name),
    "figure-5ab": _areas, "figure-5c": _energy, "figure-6": _schedules, "figure-7": _pipelines,
    "figure-8": _crossbars, "figure-9": _sizes, "figure-10": _speedups,
}  # fmt: skip
"""By the name of their files behind the machine's."""
