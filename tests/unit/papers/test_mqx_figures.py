"""Figures 4 and 5 of the MQX paper: their protocol on a clock that tests set, who is timed or counted, ratios."""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from momagen.bench.measure.baselines import LIBRARIES, BaselineRow
from momagen.bench.measure.clock import Reading, latency
from momagen.bench.measure.sample import Spread
from momagen.bench.x86.assembly import disassembler
from momagen.bench.x86.floor import Floor, floor
from momagen.bench.x86.rates import Rates
from momagen.bench.x86.work import Work
from momagen.errors import MomagenError
from momagen.isa.compare.workload import OPERATIONS, SIZES
from momagen.isa.cores.cpus import load_core
from momagen.papers.mqx.figures import products as section_5_5
from momagen.papers.mqx.figures.draw import draw
from momagen.papers.mqx.figures.figures import PaperFigure, figure_4, figure_5, races
from momagen.papers.mqx.figures.protocol import TRANSFORMS, VECTORS, Protocol, Timing, follow, protocol_of
from momagen.papers.mqx.figures.races import Request
from momagen.papers.mqx.figures.ratios import compared, ratios
from momagen.papers.mqx.figures.report import notes, ratio_text, tables
from momagen.papers.mqx.figures.reported import of_paper
from momagen.papers.mqx.figures.rows import FigureRow
from momagen.papers.mqx.figures.tiers import BASELINES, TIERS, Tier, tiers_of
from momagen.runtime import missing_features
from momagen.targets import load_target

pytestmark = pytest.mark.study

counting = pytest.mark.skipif(
    bool(missing_features(["x86_64"])) or not disassembler() or latency() is None, reason="no x86-64 to count on"
)
SHORT = Protocol(4, 2, 1)
"""What the few kernels that run here are timed by."""

# The protocol


@dataclass
class Clock:
    """A contestant whose call number i lasts ``lasts(i)`` nanoseconds, and who notes how often it was asked."""

    lasts: Callable[[int], float]
    name: str = ""
    log: list[tuple[str, int]] = field(default_factory=list)
    done: int = 0

    def time(self, calls: int) -> Reading:
        self.log.append((self.name, calls))
        first, self.done = self.done, self.done + calls
        ns = sum(map(self.lasts, range(first, self.done))) / calls
        return Reading(ns, 3 * ns, pace=2.0, wall=ns)


def test_the_final_half_of_the_runs_counts() -> None:
    """Of calls that last 0, 1, 2, … ns: 50 to 99 in the first round of 100, 150 to 199 in the second."""
    found = follow({"c": [Clock(float)]}, "butterfly", 10, replace(TRANSFORMS, rounds=2))["c"]
    assert found.rounds == (7.45, 17.45) and found.ns.median == pytest.approx(12.45) and found.ns.count == 2
    assert found.ns_per_call == pytest.approx(124.5) and found.unit == "butterfly"
    assert found.cycles and found.cycles.median == pytest.approx(3 * 12.45)


def test_the_first_runs_do_not_count() -> None:
    slow_start = Clock(lambda call: 1e9 if call % 1000 < 500 else 1024.0)
    assert follow({"c": [slow_start]}, "element", 1024, VECTORS)["c"].rounds == (1.0,) * VECTORS.rounds


def test_contestants_take_turns() -> None:
    log: list[tuple[str, int]] = []
    done: list[int] = []
    clocks = {name: [Clock(lambda _: 1.0, name, log)] for name in "ab"}
    follow(clocks, "element", 1, Protocol(5, 2, 2), done.append)
    assert log == [("a", 3), ("a", 2), ("b", 3), ("b", 2), ("b", 3), ("b", 2), ("a", 3), ("a", 2)] and done == [1, 2]


def test_rounds_take_placements_in_turn() -> None:
    log: list[tuple[str, int]] = []
    placed = [Clock(lambda _, at=at: float(at), str(at), log) for at in (1, 2, 3)]
    found = follow({"c": placed}, "element", 1, Protocol(2, 2, 4))["c"]
    assert found.rounds == (1.0, 2.0, 3.0, 1.0) and log == [("1", 2), ("2", 2), ("3", 2), ("1", 2)]


def test_the_protocol_of_the_paper() -> None:
    assert protocol_of("ntt") is TRANSFORMS and {protocol_of(kernel) for kernel in OPERATIONS} == {VECTORS}
    assert (TRANSFORMS.runs, TRANSFORMS.kept, VECTORS.runs, VECTORS.kept) == (100, 50, 1000, 500)
    assert Request(rounds=7).of("vadd") == replace(VECTORS, rounds=7) and Request(protocol=SHORT).of("ntt") == SHORT


@pytest.mark.parametrize("counts", [(0, 0, 1), (2, 0, 1), (2, 3, 1), (2, 1, 0)])
def test_protocols_that_cannot_be(counts: tuple[int, int, int]) -> None:
    with pytest.raises(MomagenError, match="protocol: expected 1 <= kept <= runs and rounds >= 1, got runs"):
        Protocol(*counts)


# Who takes part


def test_the_figures_of_the_paper() -> None:
    assert [(str(race.spec.kind), race.n, race.spec.width) for race in races(OPERATIONS, (1024,), Request())] == [
        (kernel, 1024, 124) for kernel in ("vadd", "vsub", "vmul", "axpy")
    ]
    assert [*SIZES] == [2**log for log in range(10, 18)] and list(BASELINES) == ["gmp_mpz", "openfhe"]
    assert [race.spec.n for race in races(("ntt",), SIZES, Request())] == [*SIZES]


def test_a_proposal_is_timed_by_its_proxies() -> None:
    found = tiers_of(["c", "mqx", Tier(load_target("c"), {"radix": "2"}, "c, radix 2")])
    assert [(tier.name, tier.projected) for tier in found] == [("c", False), ("mqx:proxy", True), ("c, radix 2", False)]
    assert [str(tier.target) for tier in tiers_of(TIERS)] == [*TIERS]


@pytest.mark.parametrize(("change", "message"), [
    ({"tiers": ("vax",)}, "target: expected a target such as c, "),
    ({"tiers": ("c", "c")}, "tiers: expected tiers with different names, got c twice"),
    ({"tiers": ("mqx", "mqx:proxy")}, "tiers: expected tiers with different names, got mqx:proxy twice"),
    ({"baselines": ("gpm",)}, "baselines: expected one of the baselines scalar_word, scalar_shoup, gmp_mpz"),
    ({"bits": 3}, "modulus_bits: expected between 4 and"),
])  # fmt: skip
def test_figures_that_cannot_be(change: dict[str, Any], message: str) -> None:
    with pytest.raises(MomagenError, match=message):
        figure_5(replace(Request(baselines=()), **change), (8,))


def test_sizes_that_cannot_be() -> None:
    with pytest.raises(MomagenError, match="expected a power of two"):
        figure_5(Request(), (100,))


def small(*tiers: str | Tier, **change: Any) -> PaperFigure:
    """A transform of eight points."""
    request = Request(tiers, **{"baselines": (), "protocol": SHORT, "counted": False, **change})
    return figure_5(request, (8,))


def test_a_small_figure() -> None:
    """Timed for real, once, to see that the parts fit."""
    told: list[tuple[float, str]] = []
    request = Request(("c", "c64"), (), protocol=SHORT, counted=False)
    found = figure_5(request, (8, 16), lambda part, what: told.append((part, what)))
    assert [(row.name, row.n, row.status) for row in found.rows] == [
        (name, n, "measured") for n in (8, 16) for name in ("c", "c64")
    ]
    assert found.right and all(row.timing and row.timing.ns.median > 0 and not row.work for row in found.rows)
    assert found.rows[0].timing and found.rows[0].timing.units == 12  # 8/2 · log2 8 butterflies
    assert [list(each.by) for each in found.ratios] == [["time"]] and found.protocol == SHORT
    parts = [part for part, _ in told]
    assert all(a <= b for a, b in pairwise(parts)) and parts[-1] == pytest.approx(1.0)
    assert (told[0][1], told[-1][1]) == ("ntt, 2^3: c", "ntt, 2^4: 1 × 4 runs each")
    data = json.loads(json.dumps(found.data()))
    assert data["protocol"] == {"runs": 4, "kept": 2, "rounds": 1} and len(data["rows"]) == 4
    assert data["rows"][0]["timing"]["ns_per_call"] == pytest.approx(12 * data["rows"][0]["timing"]["ns"]["median"])


def test_a_figure_of_vectors() -> None:
    found = figure_4(Request(("c",), (), protocol=SHORT, counted=False))
    assert [(row.kernel, row.label, row.unit) for row in found.rows] == [(name, name, "element") for name in OPERATIONS]
    assert found.right and all(row.timing and row.timing.units == 1024 for row in found.rows)


def test_a_library_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(LIBRARIES, "gmp_mpz", BaselineRow("GMP mpz", libraries=("-lmomagen_nowhere",)))
    monkeypatch.setenv("OPENFHE_ROOT", "/nowhere")
    found = small("c", baselines=BASELINES)
    assert [row.name for row in found.rows] == ["c"] and list(found.missing) == ["gmp_mpz", "openfhe"]
    assert found.missing["openfhe"].startswith("OpenFHE was not found (")
    assert found.missing["openfhe"].endswith("; set OPENFHE_ROOT=PREFIX to its installation prefix")
    assert {*found.missing.values()} <= {*notes(found)}


def test_libraries_are_compared_with_kernels() -> None:
    found = small("c", baselines=("scalar_shoup",))
    assert [(row.name, row.status) for row in found.rows] == [("c", "measured"), ("hand-written", "library")]
    assert found.right and [(each.above, each.below) for each in found.ratios] == [("hand-written", "c")]


# What is counted


@pytest.mark.thorough
@counting
def test_what_this_cpu_lacks_is_counted_and_has_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOMAGEN_DISABLE", "avx512f")
    cpus = {"zen4": load_core("zen4").floor, "unknown": lambda done: floor(done, Rates())}
    found = small("c", "avx512dq", "mqx", counted=True, cpus=cpus)
    scalar, vector, proposal = found.rows
    assert [row.status for row in found.rows] == ["measured", "counted", "counted, projected (proxy)"]
    assert scalar.timing and vector.timing is None and proposal.timing is None
    assert all(row.work and row.work.instructions > 0 for row in found.rows)
    assert vector.note.startswith("no avx512f") and list(vector.quantities()) == ["port floor, zen4", "instructions"]
    assert vector.floors["zen4"].cycles and vector.floors["zen4"].by and vector.floors["unknown"].cycles is None
    assert [(each.above, each.below, list(each.by)) for each in found.ratios][:2] == [
        (above, below, ["port floor, zen4", "instructions"])
        for above, below in pairwise(("c", "avx512dq", "mqx:proxy"))
    ]
    data = json.loads(json.dumps(found.data()))["rows"][1]
    assert data["timing"] is None and data["status"] == "counted" and data["instructions"] == vector.work.instructions  # type: ignore[union-attr]
    shown = text_of(found)
    assert "counted, projected (proxy)" in shown and "port floor, zen4 per butterfly" in shown


@counting
def test_nothing_is_timed_where_that_is_asked() -> None:
    found = small("c", baselines=BASELINES, timed=False)
    assert [(row.name, row.status) for row in found.rows] == [("c", "counted")] and not found.missing
    assert not list(notes(found)) and "\nns per" not in f"\n{text_of(found)}"


def test_a_kernel_that_a_target_refuses_says_so() -> None:
    found = small(Tier(load_target("c"), {"levels": "3"}, "c, levels"), "c64")
    refused = found.rows[0]
    assert refused.status == "" and not refused.timing and not refused.work and "levels" in refused.note
    assert found.rows[1].timing and not found.ratios


# Ratios


def timing(*rounds: float) -> Timing:
    middle = sorted(rounds)[len(rounds) // 2]
    own = Spread(middle, min(rounds), max(rounds), len(rounds))
    return Timing("butterfly", 1, own, None, own, rounds)


def row(name: str, n: int, rounds: Sequence[float] = (), instructions: float = 0.0, **more: Any) -> FigureRow:
    work = Work(Counter(), instructions) if instructions else None
    floors = {"zen": Floor(instructions / 4, "ports", 0.0, work)} if work else {}
    return FigureRow("ntt", 124, n, name, timing=timing(*rounds) if rounds else None, work=work, floors=floors, **more)


ROWS = [
    row("c", 1024, (8, 12, 10), 80), row("c", 4096, (20, 20, 20), 120),
    row("mqx:proxy", 1024, (2, 2, 2), 20, projected=True), row("mqx:proxy", 4096, (4, 4, 4), 20, projected=True),
    row("OpenFHE", 1024, (80, 120, 100), baseline=True), row("OpenFHE", 4096, (400, 400, 400), baseline=True),
]  # fmt: skip


def test_ratios_are_taken_round_by_round_and_averaged_over_sizes() -> None:
    found = compared(("c", "mqx:proxy"), ROWS, {})
    assert found.by["time"] == {"2^10": Spread(5, 4, 6, 3), "2^12": Spread(5, 5, 5, 3)}
    assert (found.average("time"), found.average("instructions"), found.average("port floor, zen")) == (5, 5, 5)
    assert found.by["instructions"] == {"2^10": Spread(4, 4, 4, 1), "2^12": Spread(6, 6, 6, 1)}
    assert ratio_text(found.by["instructions"]) == "5.00 × (4.00 … 6.00)"


def test_which_pairs_there_are() -> None:
    rows = [*ROWS[:2], row("avx2", 1024, (4, 4, 4), 30), row("avx512dq", 1024, instructions=20), *ROWS[2:]]
    found = ratios(rows, {("c", "avx512dq"): {"Xeon": 2.4}, ("c", "vax"): {"Xeon": 9}})
    assert [(each.above, each.below) for each in found] == [
        ("c", "avx2"), ("avx2", "avx512dq"), ("avx512dq", "mqx:proxy"), ("c", "mqx:proxy"), ("avx2", "mqx:proxy"),
        ("c", "avx512dq"), ("OpenFHE", "c"), ("OpenFHE", "avx2"), ("OpenFHE", "mqx:proxy"),
    ]  # fmt: skip
    assert "time" not in found[1].by and found[5].paper == {"Xeon": 2.4}


def test_what_the_paper_says() -> None:
    """Its text, Sections 5.3 and 5.4."""
    assert of_paper("figure_5")["avx512dq", "mqx:proxy"] == {"Xeon 8352Y": 2.1, "EPYC 9654": 3.7}
    assert of_paper("figure_4")["avx512dq", "mqx:proxy"] == {"Xeon 8352Y": 2.2, "EPYC 9654": 3.2}
    assert of_paper("figure_5")["OpenFHE", "c"] == {"Xeon 8352Y": 13.5, "EPYC 9654": 11}
    names = {*TIERS, *(LIBRARIES[name].title for name in BASELINES)}
    assert all({*pair} <= names for figure in ("figure_4", "figure_5") for pair in of_paper(figure))


# Section 5.5


def test_both_ways_to_multiply() -> None:
    assert [(tier.name, tier.options) for tier in section_5_5.tiers(tiers_of(["c"]), "ntt")] == [
        (f"c, {way}", {"limbs": "full", "reduction": "montgomery", "multiply": value})
        for way, value in (("karatsuba", "karatsuba_words"), ("schoolbook", "schoolbook"))
    ]


@counting
def test_karatsuba_against_schoolbook() -> None:
    """One product of words less, and more sums: on x86-64 more instructions."""
    transforms, vectors = section_5_5.products(Request(timed=False), ["c"], [8])
    for found in (transforms, vectors):
        assert [row.name for row in found.rows] == ["c, karatsuba", "c, schoolbook"] and not found.missing
        products = [row.work.uses["wide product", "r"] for row in found.rows if row.work]
        assert products[0] < products[1]
        (own,) = found.ratios
        assert (own.above, own.below, list(own.by)) == (*[row.name for row in found.rows], ["instructions"])
        assert own.average("instructions") > 1


# What is shown


def text_of(found: PaperFigure) -> str:
    shown = io.StringIO()
    screen = Console(file=shown, width=200)
    for title, table in tables(found):
        screen.print(title)
        screen.print(table)
    return shown.getvalue()


FIGURE = PaperFigure("figure_5", "Figure 5", tuple(ROWS), tuple(ratios(ROWS, of_paper("figure_5"))), TRANSFORMS)


def test_tables() -> None:
    shown = text_of(FIGURE)
    assert "ns per butterfly" in shown and "cycles per" not in shown and "port floor, zen per butterfly" in shown
    (time,) = [line.split() for line in shown.splitlines() if line.split()[:2] == ["c", "10"]]
    assert time == ["c", "10", "20", "40", "%", "measured"]
    (line,) = [line for line in shown.splitlines() if line.strip().startswith("OpenFHE / c")]
    assert "12.00 × " not in line and "11 ×" in line and "13.5 ×" in line and "15.00 × (10.00 … 20.00)" in line


def test_notes() -> None:
    wrong = replace(FIGURE, rows=(replace(ROWS[0], wrong=True, note="radix 2"), *ROWS[1:]))
    assert list(notes(wrong)) == [
        "timed: the mean of the final 50 of 100 runs, 5 times; medians", "FAIL: wrong output of c, 2^10", "c: radix 2",
    ]  # fmt: skip
    assert FIGURE.right and not wrong.right and wrong.data()["missing"] == {}


@pytest.mark.parametrize("rows", [ROWS, [replace(row, kernel="vmul", n=1024) for row in ROWS[::2]], ROWS[2:4]])
def test_drawings(rows: list[FigureRow], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    path = draw(replace(FIGURE, rows=tuple(rows)), tmp_path, "svg")
    assert path == tmp_path / "figure_5.svg" and path.stat().st_size > 1000
    with pytest.raises(MomagenError, match="plot: expected one of the formats png, svg, got gif"):
        draw(FIGURE, tmp_path, "gif")
