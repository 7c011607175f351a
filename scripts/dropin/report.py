"""What came out: as tables for people, as JSON for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from rich.console import Console
from rich.table import Table
from rich.text import Text

from .benches import Figure, Times
from .gtests import FAILED, LEFT_OUT, PASSED, Outcome
from .suites import VARIANTS


@dataclass
class Report:
    """Tests by program and variant, benchmark times by row and variant, and what did not build or run."""

    tests: dict[tuple[str, str], list[Outcome]] = field(default_factory=dict)
    times: Times = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)

    def missed(self) -> dict[str, list[Outcome]]:
        """By program, tests that fail with the package and pass with at least one of the originals."""
        found: dict[str, list[Outcome]] = {}
        for program, variant in self.tests:
            if VARIANTS[variant].is_ours:
                found.setdefault(program, []).extend(self._missed(program, variant))
        return {program: tests for program, tests in found.items() if tests}

    def _missed(self, program: str, ours: str) -> list[Outcome]:
        others = [tests for (name, variant), tests in self.tests.items()
                  if name == program and not VARIANTS[variant].is_ours]  # fmt: skip
        passed = {test.name for tests in others for test in tests if test.status == PASSED}
        return [t for t in self.tests[program, ours] if t.status == FAILED and (t.name in passed or not others)]

    def as_json(self) -> dict[str, object]:
        """Everything, in plain lists and numbers."""
        tests = [{"program": program, "variant": variant, "seconds": round(_seconds(tests), 3),
                  "passed": _count(tests, PASSED), "left_out": dict(_reasons(tests)),
                  "failed": [{"test": t.name, "message": t.note} for t in tests if t.status == FAILED]}
                 for (program, variant), tests in self.tests.items()]  # fmt: skip
        benchmarks = [{"row": row, "microseconds": by} for row, by in self.times.items()]
        return {"tests": tests, "benchmarks": benchmarks, "broken": self.broken}

    def show(self, console: Console) -> None:
        """Tables of what there is, then why tests were left out, then every failure."""
        if self.tests:
            console.print(self._tests())
            _lines(console, self._notes())
        if self.times:
            console.print(self._benchmarks())
        _lines(console, self._failures())
        _lines(console, self.broken)

    def _tests(self) -> Table:
        table = Table("tests", "with", title="Tests")
        for name in (PASSED, FAILED, LEFT_OUT, "seconds"):
            table.add_column(name, justify="right")
        for (program, variant), tests in self.tests.items():
            counts = [str(_count(tests, status)) for status in (PASSED, FAILED, LEFT_OUT)]
            style = "red" if counts[1] != "0" else ""
            table.add_row(program, VARIANTS[variant].title, *counts, f"{_seconds(tests):.1f}", style=style)
        return table

    def _benchmarks(self) -> Table:
        variants = [v for v in VARIANTS if any(v in by for by in self.times.values())]
        table = Table("benchmark, µs of processor time (median ± half the quartiles' distance)", title="Times")
        last = next((v for v in reversed(variants) if VARIANTS[v].is_ours), None)
        ratios = [(v, last) for v in variants if last and v != last]
        for title in (*(VARIANTS[v].title for v in variants),
                      *(f"{VARIANTS[v].title} / {VARIANTS[o].title}" for v, o in ratios)):  # fmt: skip
            table.add_column(title, justify="right")
        for row, by in self.times.items():
            found = {v: Figure.of(by[v]) for v in variants if v in by}
            cells = [_cell(found.get(v)) for v in variants] + [_ratio(found.get(v), found.get(o)) for v, o in ratios]
            table.add_row(row, *cells)
        return table

    def _notes(self) -> Iterator[str]:
        reasons = Counter[tuple[str, str, int]]()
        for (program, _), tests in self.tests.items():
            reasons.update({(program, why, count) for why, count in _reasons(tests).items()})
        yield from (f"left out of {program}: {count}, {why}" for program, why, count in sorted(reasons))

    def _failures(self) -> Iterator[str]:
        """Of one test with many parameters the first alone."""
        for (program, variant), tests in self.tests.items():
            failed = [test for test in tests if test.status == FAILED]
            times = Counter(test.plain for test in failed)
            for plain, count in times.items():
                test = next(test for test in failed if test.plain == plain)
                more = f" and {count - 1} more of {plain}" if count > 1 else ""
                yield f"FAIL {program}, {VARIANTS[variant].title}: {test.name}{more}: {_brief(test.note)}"


def _count(tests: Iterable[Outcome], status: str) -> int:
    return sum(test.status == status for test in tests)


def _seconds(tests: Iterable[Outcome]) -> float:
    return sum(test.seconds for test in tests)


def _reasons(tests: Iterable[Outcome]) -> Counter[str]:
    return Counter(test.note for test in tests if test.status == LEFT_OUT)


def _cell(figure: Figure | None) -> str:
    return f"{figure.median:.1f} ±{figure.spread:4.0%}" if figure else "-"


def _ratio(other: Figure | None, ours: Figure | None) -> str:
    return f"{other.median / ours.median:.2f}" if other and ours and ours.median else "-"


def _brief(message: str) -> str:
    return " | ".join(line.strip() for line in message.splitlines() if line.strip())[:400]


def _lines(console: Console, lines: Iterable[str]) -> None:
    for line in lines:
        console.print(Text(line), soft_wrap=True)
