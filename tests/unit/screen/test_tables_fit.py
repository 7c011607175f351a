"""Tables lose nothing at any width: each part has the row names, and no cell is cut."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from rich.console import Console
from rich.text import Text

from momagen.api.lookup.target_table import info_of
from momagen.bench.measure.sample import Spread
from momagen.bench.report import figure, point
from momagen.bench.suite import quick
from momagen.bench.x86.work import Work
from momagen.cli.commands import help as help_command
from momagen.cli.commands import targets
from momagen.isa.compare import report
from momagen.isa.compare.workload import Measured, Workload
from momagen.papers.mqx.figures import report as figures_report
from momagen.papers.mqx.figures.ratios import Ratio
from momagen.papers.mqx.studies import sensitivity_report
from momagen.papers.mqx.studies.sensitivity import Normalised
from momagen.papers.mqx.studies.validate import PAIRS, ProxyError
from momagen.screen.tables import ReportTable, number_table, plain_table
from momagen.targets import load_target

PACKAGE = Path(__file__).resolve().parents[3] / "momagen"
SAMPLE = Spread(1.2345, 1.1, 123.4, 9)
WIDTHS = range(60, 121)
EVERY = ("validate", "numbers", "texts")
"""Tables that are printed at each of the widths; others at some of them."""


def _errors() -> ReportTable:
    names = ("instructions", "port floor, sunny-cove", "port floor, zen4", "port floor, this CPU", "cycles")
    return sensitivity_report.error_table([ProxyError(pair, dict.fromkeys(names, SAMPLE)) for pair in PAIRS])


def _compared() -> ReportTable:
    rows = [Measured(Workload("ntt", bits, 4096), target, False, Work({}, bits / 7))
            for bits in (50, 60, 124, 252, 381, 753) for target in ("c", "avx512dq", "avx512ifma")]  # fmt: skip
    return next(table for _, table in report.tables(rows, "c"))


def _ratios() -> ReportTable:
    by = {what: dict.fromkeys(("2^10", "2^11"), SAMPLE) for what in ("time", "port floor, zen4", "instructions")}
    paper = {"EPYC 9654": 3.7, "Xeon 8352Y": 2.1}
    return figures_report.ratio_table([Ratio("OpenFHE BigInteger", "avx512dq", by, paper)])


def _points() -> list[point.Point]:
    return [point.Point("ntt", 124, 4096, name, ns=SAMPLE, cycles=SAMPLE, wall=SAMPLE, note="a note of several words")
            for name in ("avx512ifma_words32", "hand-written", "GMP mpz")]  # fmt: skip


def _bars() -> ReportTable:
    rows = [figure.Figure("x86", f"ntt, 124 bits, {n}: avx512ifma", 2.5, "cycles/butterfly", 3.0, low=2.4, high=2.6,
                          note="1.2 × the floor, reaches 3.1") for n in (1024, 4096)]  # fmt: skip
    return figure.table("bars", rows)


TABLES = {
    "validate": _errors, "compare": _compared, "figures": _ratios, "bars": _bars,
    "sensitivity": lambda: next(sensitivity_report.tables(
        [Normalised("ntt", bits, "mqx", "cycles", 0.5) for bits in (124, 252, 380, 764)]))[1],
    "sweep": lambda: point.table("ntt, 124-bit modulus, 4096 points: per butterfly", _points()),
    "bench": lambda: quick.table(_points()),
    "targets": lambda: targets._overview([info_of(load_target(name)) for name in ("avx512ifma", "c")]),
    "operations": lambda: targets._operations(load_target("c")),
    "help environment": help_command._environment,
    "numbers": lambda: _filled(number_table([f"2^{log}" for log in range(10, 18)], ("target", "options"))),
    "texts": lambda: _filled(plain_table("candidate", "speed-up over the default (p10 … p90)", "note", "one more")),
}  # fmt: skip


def _filled(table: ReportTable) -> ReportTable:
    for row in range(3):
        table.add_row(*(f"row {row} column {at} of the table" if at < table.names else f"{row}{at}.25"
                        for at in range(len(table.columns))))  # fmt: skip
    return table


def _printed(table: ReportTable, width: int) -> str:
    out = io.StringIO()
    Console(file=out, width=width).print(table)
    return out.getvalue()


def _letters(text: object) -> str:
    """The text without spaces, as cells may wrap."""
    return re.sub(r"\s", "", text.plain if isinstance(text, Text) else Text.from_markup(str(text)).plain)


@pytest.mark.parametrize("name", TABLES)
def test_a_table_loses_nothing_at_any_width(name: str) -> None:
    table = TABLES[name]()
    cells = [cell for column in table.columns for cell in [column.header, *column.cells]]
    whole = "".join(map(_letters, cells))
    for width in WIDTHS if name in EVERY else WIDTHS[::12]:
        printed = _printed(table, width)
        assert all(len(line) <= width for line in printed.splitlines()), width
        found = re.sub(r"\s", "", printed)
        assert not [letter for letter in set(whole) if found.count(letter) < whole.count(letter)], width


@pytest.mark.parametrize("name", ["validate", "compare", "bench"])
def test_a_number_is_never_folded_and_a_row_name_is_in_every_part(name: str) -> None:
    table = TABLES[name]()
    for width in (80, 100, 120):
        printed = _printed(table, width)
        parts = [part for part in re.split(r"\n\s*\n", printed) if part.strip()]
        for column in table.columns[table.names :]:
            for cell in column.cells:
                assert all(line in printed for line in str(cell).split("\n")), width
        for row_name in table.columns[0].cells:
            assert sum(str(row_name) in part for part in parts) == len(parts), width


def test_a_table_that_fits_stays_one() -> None:
    wide, narrow = (_printed(TABLES["numbers"](), width) for width in (120, 60))
    assert (wide.count(" 2^"), narrow.count(" 2^")) == (8, 8)
    assert (wide.count("row 0 column 0"), narrow.count("row 0 column 0")) == (1, 3)


def test_all_tables_are_made_to_fit() -> None:
    """Only facts in two columns, whose second one wraps, are tables of rich itself."""
    imported = re.compile(r"^from rich.table import .*\bTable\b", re.MULTILINE)
    texts = {path.relative_to(PACKAGE).as_posix(): path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
    plain = {name for name, text in texts.items() if imported.search(text)}
    assert plain == {"screen/tables.py", "cli/show.py", "cli/commands/tune.py"}
    for name in plain - {"screen/tables.py"}:
        assert not re.search(r"(?<!\w)Table\(", texts[name]), name
