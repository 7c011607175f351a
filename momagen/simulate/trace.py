"""A run to look at: a trace for Perfetto or chrome://tracing, and a picture of the pipelines."""

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
"""Of the picture: pixels of its time axis, of a row, and beside them."""
COLORS = {"load/store": "#4477aa", "compute": "#228833", "shuffle": "#cc6677"}


def perfetto(program: Sequence[RpuInstruction], found: CycleCount) -> str:
    """The trace as JSON, one cycle as a microsecond: in the front end an instruction is dispatched; a pipeline is held
    from its first operand on; the results come ``latency`` later."""
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
    """The pipelines over time as SVG: a bar where one is held; neighbours are one bar."""
    scale = WIDTH / max(1, found.cycles)
    height = ROW * (len(PIPELINES) + 1)
    size = f'width="{WIDTH + 2 * MARGIN}" height="{height}"'
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12">']
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


def _held(program: Sequence[RpuInstruction], found: CycleCount) -> Iterator[tuple[RpuInstruction, int, int]]:
    """Each instruction, when it starts, and for how long it holds its pipeline."""
    return zip(program, found.started.tolist(), found.holds.tolist(), strict=True)


def _spans(held: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    spans = list[tuple[int, int]]()
    for begin, holds in sorted(held):
        if spans and begin <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(spans[-1][1], begin + holds))
        else:
            spans.append((begin, begin + holds))
    return spans
