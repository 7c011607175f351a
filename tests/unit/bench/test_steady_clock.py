"""Samples during which the clock changed: neither the cycles of kernels nor the rates of the port floor use them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from momagen.bench.measure import clock
from momagen.bench.measure.clock import STEADY, Reading, TimedCall, steady
from momagen.bench.measure.kernel import summary
from momagen.bench.x86 import issue
from momagen.bench.x86.issue import orders


def reading(cycles: float, drift: float = 0.0, pace: float = 10.0) -> Reading:
    return Reading(cycles / 4, cycles, pace, cycles / 4, drift=drift)


def test_readings_with_a_changing_clock_do_not_count() -> None:
    good = [reading(100 + i, drift=STEADY) for i in range(3)]
    wrong = [reading(50, drift=STEADY * 1.01), reading(70, drift=0.1)]
    assert steady([*wrong, *good]) == good
    assert steady([*wrong, *good[:2]]) == [*wrong, *good[:2]], "two readings are too few"
    assert (good[0] / 10).drift == STEADY


def test_cycles_of_kernels_are_those_of_a_steady_clock() -> None:
    readings = [*(reading(100, drift=0.0) for _ in range(3)), *(reading(80, drift=0.2) for _ in range(4))]
    ns, cycles, wall = summary(readings)
    assert cycles and (cycles.median, cycles.low, cycles.count) == (100, 100, 3)
    assert (ns.count, wall.count) == (7, 7)


def test_rates_are_those_of_a_steady_clock_on_a_core_of_our_own() -> None:
    """The best pace is that of all streams: a stream whose every sample shared the core says so only beside others."""
    good, moving = [reading(100 + i) for i in range(3)], [reading(60, drift=0.2) for _ in range(5)]
    shared = [reading(200, pace=5.0) for _ in range(5)]
    assert issue.cycles_of([*moving, *good, *shared], best=10.0) == 101


class FakeLibrary:
    """The C clock: the chains before the call and after it have these links, in nanoseconds."""

    def __init__(self, before: float, after: float) -> None:
        self._links = before, after

    def momagen_time(self, job: Any, calls: int, chains: int, rounds: int, links: Any, sums: Any, wall: Any) -> float:
        links[:chains], links[chains : 2 * chains] = [self._links[0]] * chains, [self._links[1]] * chains
        sums[0] = sums[1] = 0.1
        return 300.0


@pytest.mark.parametrize(("before", "after", "drift"), [(1.0, 1.0, 0.0), (1.0, 1.1, 0.1), (1.25, 1.0, 0.2)])
def test_a_reading_says_how_far_the_clock_moved(
    before: float, after: float, drift: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "library", lambda: FakeLibrary(before, after))
    monkeypatch.setattr(clock, "latency", lambda: 3)
    call = TimedCall(clock.TimerJob(), ())
    assert call.time(1).drift == pytest.approx(drift)


def numbers(order: Sequence[str]) -> dict[str, int]:
    return {name: order.count(name) for name in order}


def test_groups_are_measured_in_several_orders() -> None:
    assert [*orders("alone", ["a"])] == [["a"]]
    assert [*orders("mixed", ["a", "b", "b"])] == [["a", "b", "b"]]
    found = [*orders("group", ["a", "b", "c"])]
    assert len({tuple(order) for order in found}) == len(found) > 1
    assert found[0] == ["a", "b", "c"]
    assert all(len({*numbers(order).values()}) == 1 for order in found), "equal parts"


@pytest.mark.parametrize("kind", ["alone", "group"])
def test_the_fastest_order_of_a_stream_is_its_rate(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each stream has as many readings as orders; the second order is the fastest here."""
    stream = (kind, "x", "r")
    cycles = {at: 1000.0 * issue.ROUNDS / (2 if at == 1 else 1) for at in range(4)}
    monkeypatch.setattr(issue, "streams", lambda: iter([(stream, (("nop", "clc"), ()))]))
    monkeypatch.setattr(issue, "lines", lambda order, registers: ["nop"] * 1000)
    monkeypatch.setattr(issue, "interleave", lambda runs, repetitions: {at: [reading(cycles[at])] * 3 for at in runs})
    monkeypatch.setattr(issue, "compile_shared", lambda *given, **more: None)
    monkeypatch.setattr(issue, "load", lambda path: {f"stream_{at}": None for at in range(4)})
    monkeypatch.setattr(issue, "latency", lambda: 3)
    monkeypatch.setattr(issue, "missing_features", lambda features: [])
    assert issue.rates.__wrapped__().streams == {stream: 2.0 if kind == "group" else 1.0}
