"""The report on a generated kernel: panels for a terminal, or JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from momagen.emit.source import suffixes
from momagen.explain.counts.applied import applied
from momagen.explain.counts.limbs import limbs_of
from momagen.kinds.modular.kinds.modular_kind import TIMED

from .make import Made

if TYPE_CHECKING:
    from momagen.bench import Result
    from momagen.verify import Report

EMULATED = "emulated: this CPU lacks {}, so plain-C stand-ins replace the intrinsics; emulated kernels are not timed"
ON_CPU = "emulated: there is no GPU or no CuPy, so the CPU interprets the kernel's PTX; emulated kernels are not timed"


def show(made: Made, console: Console) -> None:
    """Print panels with the kernel, the rewrite rules applied, the verification and the time."""
    console.print(_panel(made.kernel.name, _kernel(made)))
    console.print(_panel("rewrite rules applied", _rules(made)))
    if made.report is not None:
        title, style = ("verified: PASS", "green") if made.right else ("verified: FAIL", "red")
        console.print(_panel(title, _report(made.report, "prime" if made.kernel.n else "number"), style))
    if made.result:
        points = f" of {min(made.kernel.n, TIMED)} points" * made.kernel.spec.sized
        console.print(_panel(f"time{points}", _time(made.result), "cyan"))
    elif made.kernel.emulated and made.compiler:
        missing = made.kernel.compiled.missing
        text = ON_CPU if "gpu" in missing else EMULATED
        console.print(_panel("time", Text(text.format(", ".join(missing))), "yellow"))


def _panel(title: str, content: RenderableType, style: str = "") -> Panel:
    return Panel(content, title=f"[bold]{title}[/]", title_align="left", border_style=style or "dim", padding=(0, 1))


def _rows(rows: Iterator[tuple[str, RenderableType]]) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, content in rows:
        table.add_row(name, content if not isinstance(content, str) else Text(content))
    return table


def _kernel(made: Made) -> Table:
    return _rows(_kernel_rows(made))


def _kernel_rows(made: Made) -> Iterator[tuple[str, RenderableType]]:
    kernel, spec = made.kernel, made.kernel.spec
    yield "kernel", kernel.kind.describe(spec)
    yield from kernel.kind.facts(spec).items()
    yield "supports", kernel.generated.moduli
    if limbs := limbs_of(kernel.generated.spec):
        yield "limbs", str(limbs)
    yield "target", f"{kernel.target.name}: {kernel.target.title}{_needs(made)}"
    if made.compiler:
        yield "compiler", made.compiler
    if kernel.wisdom:
        yield "wisdom", str(kernel.wisdom)
    for note in kernel.notes:
        yield "note", note
    yield "command", kernel.spec.command()
    if made.folder:
        yield "folder", str(made.folder)
        texts = kernel.generated.files
        yield "files", "\n".join(f"{kernel.name}{suffix}  ({_lines(text)})" for suffix, text in texts.items())


def _lines(text: str) -> str:
    return f"{text.count(chr(10)):,} lines"


def _needs(made: Made) -> str:
    features = ", ".join(made.kernel.target.features)
    if not features:
        return ""
    return f"; needs {features}, {'which this CPU lacks' if made.kernel.emulated else 'which this CPU has'}"


def _rules(made: Made) -> Group:
    kernel = made.kernel
    table = Table.grid(padding=(0, 2))
    for style, justify in (("bold", "right"), ("magenta", "left"), ("dim", "left")):
        table.add_column(style=style, justify=justify)  # type: ignore[arg-type]
    for rule, count in applied(kernel.rules_applied):
        table.add_row(f"{count} ×", Text(rule.label), Text(rule.why))
    total, kinds = sum(kernel.operations.values()), kernel.operations.most_common()
    counts = ", ".join(f"{op} ×{count}" for op, count in kinds)
    return Group(table, Text(), Text(f"{total} word operations in all codelets: {counts}"))


def _report(report: Report, noun: str) -> Table:
    return _rows(_report_rows(report, noun))


def _report_rows(report: Report, noun: str) -> Iterator[tuple[str, RenderableType]]:
    if report.mismatch:
        yield "mismatch", str(report.mismatch)
    moduli = f"{len(report.moduli)} {noun}{'s' * (len(report.moduli) > 1)}"
    yield "vectors", f"{report.vectors:,}, modulo {moduli}, through the same compiled code, compared with gmpy2"
    yield "edge cases", f"{len(report.edges)}: {', '.join(report.edges)}"
    for method, values in report.methods.items():
        yield method, f"{values:,} values"
    yield "took", f"{report.elapsed:.2f} s" + (f", {', '.join(report.emulated)} emulated" * bool(report.emulated))


def _time(result: Result) -> Group:
    ns, cycles = result.ns, result.cycles
    wall = " of wall time" * bool(result.cpu)
    line = Text.assemble((f"{number(ns.median)} ns", "bold cyan"), f"{wall} per {result.unit}")
    line.append(
        f" (median of {ns.count} samples; 10th to 90th percentile: {number(ns.low)} … {number(ns.high)})", "dim"
    )
    lines: list[RenderableType] = [line]
    if cycles:
        lines.append(
            Text(f"{number(cycles.median)} cycles per {result.unit}, derived from the latency of multiplications")
        )
    lines.append(Text(_other_time(result), "dim"))
    return Group(*lines)


def _other_time(result: Result) -> str:
    """Return the second time of the report: wall time, or with several threads their CPU time."""
    if result.cpu:
        return f"{number(result.cpu.median)} ns {result.summed}; the figures above are wall time"
    wall = f"{number(result.wall.median)} ns of wall time per {result.unit}"
    return f"{wall}; the figures above are CPU time of the thread"


def number(value: float) -> str:
    """Return a number with three significant digits, or without decimals: 1.84, 36.6, 2,950."""
    return f"{value:.3g}" if value < 999.5 else f"{value:,.0f}"


def as_json(made: Made) -> str:
    """Return the report as one JSON object, with large numbers in hexadecimal."""
    return json.dumps(data(made), indent=2, ensure_ascii=False)


def data(made: Made) -> dict[str, object]:
    """Return the report as plain data."""
    kernel, spec = made.kernel, made.kernel.spec
    files = [f"{made.folder}/{kernel.name}{suffix}" for suffix in (*suffixes(spec), ".json")] if made.folder else []
    rules = {rule.label: count for rule, count in applied(kernel.rules_applied)}
    limbs = limbs_of(kernel.generated.spec)
    return {
        "name": kernel.name, "command": spec.command(), **kernel.kind.data(spec),
        "words": kernel.words, "limbs": limbs and limbs.to_dict(),
        "target": kernel.target.name, "features": list(kernel.target.features),
        "emulated": kernel.emulated, "compiler": made.compiler, "files": files, "notes": kernel.notes,
        "wisdom": kernel.wisdom and kernel.wisdom.to_dict(),
        "rules_applied": rules, "operations": dict(kernel.operations),
        "seconds": {name: round(value, 4) for name, value in made.seconds.items()},
        "verify": None if made.report is None else made.report.to_dict(),
        "bench": made.result and made.result.to_dict(),
    }  # fmt: skip
