"""Views of a run: a trace for Perfetto or chrome://tracing, and a picture of the pipelines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape

from momagen.rpu.isa.assembly import line_of
from momagen.rpu.isa.instruction import RpuInstruction
from momagen.rpu.isa.table import PIPELINES

from .cycles import CycleCount

FRONT = "front end"
TRACKS = (FRONT, *PIPELINES)
WIDTH, ROW, MARGIN = 1200, 36, 110
"""The widths in pixels of the time axis, of a row, and of the margins of the picture."""
AXIS, TICKS = 60, 12
"""The height in pixels below the rows, and the largest number of steps of the time axis."""
COLORS = {"load/store": "#4477aa", "compute": "#228833", "shuffle": "#cc6677"}


def perfetto(program: Sequence[RpuInstruction], found: CycleCount) -> str:
    """Return the trace as JSON, with one cycle as a microsecond.

    In the front end, an instruction is shown when it is dispatched. A pipeline is occupied from the first operand on,
    and the results follow after the latency.
    """
    events: list[dict[str, object]] = [
        {"ph": "M", "name": "thread_name", "pid": 0, "tid": number, "args": {"name": name}}
        for number, name in enumerate(TRACKS)
    ]
    for at, (each, begin, holds) in enumerate(_held(program, found)):
        told = {"instruction": at, "dispatched": int(found.dispatched[at]), "ended": int(found.ended[at])}
        text = line_of(each)
        events.append({"ph": "X", "name": text, "pid": 0, "tid": 0, "ts": told["dispatched"], "dur": 1, "args": told})
        track = TRACKS.index(each.opcode.pipeline)
        events.append({"ph": "X", "name": text, "pid": 0, "tid": track, "ts": begin, "dur": holds, "args": told})
    return json.dumps({"traceEvents": events, "otherData": {"machine": found.design.name, "cycles": found.cycles}})


def picture(program: Sequence[RpuInstruction], found: CycleCount) -> str:
    """Return the pipelines over time as SVG: a bar for each time in which one is occupied, and the time axis below."""
    scale = WIDTH / max(1, found.cycles)
    height = ROW * len(PIPELINES) + AXIS
    size = f'width="{WIDTH + 2 * MARGIN}" height="{height}"'
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12">']
    lines += _time_axis(found, scale, ROW * len(PIPELINES))
    for row, name in enumerate(PIPELINES):
        spans = _spans([(begin, holds) for each, begin, holds in _held(program, found) if each.opcode.pipeline == name])
        busy, top = sum(end - begin for begin, end in spans), ROW * row + 6
        lines.append(f'<text x="4" y="{top + 16}">{escape(name)}</text>')
        lines += [
            f'<rect x="{MARGIN + begin * scale:.2f}" y="{top}" width="{(end - begin) * scale:.2f}" height="{ROW - 12}"'
            f' fill="{COLORS[name]}"/>'
            for begin, end in spans
        ]
        share = f"{busy:,} cycles, {busy / max(1, found.cycles):.0%}"
        lines.append(f'<text x="{MARGIN + WIDTH + 6}" y="{top + 16}">{share}</text>')
    told = f"{found.design.name}: {found.cycles:,} cycles, {found.microseconds:.2f} µs"
    return "\n".join([*lines, f'<text x="{MARGIN}" y="{height - 12}">{escape(told)}</text>', "</svg>", ""])


def _time_axis(found: CycleCount, scale: float, top: int) -> Iterator[str]:
    """Yield the time axis: a horizontal line, and vertical lines at round numbers of cycles.

    Each vertical line has the cycles and the microseconds below it.
    """
    yield f'<path d="M{MARGIN} {top}h{WIDTH}" stroke="#555555"/>'
    for text, below in (("cycles", 16), ("µs", 32)):
        yield f'<text x="4" y="{top + below}">{text}</text>'
    for cycle in range(0, found.cycles + 1, tick_step(found.cycles)):
        at, time = f"{MARGIN + cycle * scale:.2f}", cycle / found.design.clock / 1e3
        yield f'<path d="M{at} 0V{top + 4}" stroke="#cccccc"/>'
        for text, below in ((f"{cycle:,}", 16), (f"{time:.3g}", 32)):
            yield f'<text x="{at}" y="{top + below}" text-anchor="middle">{text}</text>'


def tick_step(cycles: int) -> int:
    """Return 1, 2 or 5 times a power of ten, so that at most TICKS steps of that many cycles fit the axis."""
    step = 1
    while step * TICKS < cycles:
        step = step * 5 // 2 if str(step)[0] == "2" else 2 * step
    return step


def _held(program: Sequence[RpuInstruction], found: CycleCount) -> Iterator[tuple[RpuInstruction, int, int]]:
    """Return each instruction with its start and the time for which it occupies its pipeline."""
    return zip(program, found.started.tolist(), found.holds.tolist(), strict=True)


def _spans(held: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the times in which a pipeline is occupied, with adjacent ones merged."""
    spans = list[tuple[int, int]]()
    for begin, holds in sorted(held):
        if spans and begin <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(spans[-1][1], begin + holds))
        else:
            spans.append((begin, begin + holds))
    return spans
