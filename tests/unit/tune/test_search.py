"""The search with a clock and kernels of its own: who is dropped, who stays, how long it lasts. Nothing is timed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest

from momagen.errors import MomagenError
from momagen.kinds.modular.make_spec import make_spec
from momagen.kinds.modular.options.values import OPTIONS
from momagen.tune.heat import LEAST, MOST, better, heat
from momagen.tune.search import FINAL, FINAL_LEAST, LEAST_KEPT, NO_TIME, SPARE, Search
from momagen.tune.space import AXES, RULES, SEARCHED, TriedOptions, axes, matters

# Heats


def counted(time: float, calls: list[str], name: str) -> Callable[[], float]:
    """A sample of always the same time that notes its name."""

    def sample() -> float:
        calls.append(name)
        return time

    return sample


def test_the_slower_is_dropped_and_the_first_stays() -> None:
    calls: list[str] = []
    times = heat({"old": counted(2, calls, "old"), "slow": counted(3, calls, "slow"), "new": counted(1, calls, "new")})
    assert len(times["slow"]) == LEAST
    assert len(times["old"]) == len(times["new"]) == MOST
    assert better(times["old"], times["new"]) and not better(times["old"], times["slow"])


def test_nobody_always_comes_first() -> None:
    calls: list[str] = []
    heat({name: counted(1, calls, name) for name in "abc"}, rounds=6)
    rounds = ["".join(calls[at : at + 3]) for at in range(0, 18, 3)]
    assert rounds == ["abc", "bca", "cab", "abc", "bca", "cab"]


def test_a_heat_ends_when_only_one_is_left() -> None:
    times = heat({"old": lambda: 1.0, "new": lambda: 1.1})
    assert len(times["old"]) == len(times["new"]) == LEAST


def test_a_heat_ends_when_time_does_in_the_middle_of_a_round() -> None:
    left = iter([True] * 4 + [False])
    times = heat({"a": lambda: 1.0, "b": lambda: 1.0, "c": lambda: 1.0}, more=lambda: next(left))
    assert [len(times[name]) for name in "abc"] == [1, 2, 2]
    assert heat({"a": lambda: 1.0, "b": lambda: 1.0}, more=lambda: False) == {"a": [1.0], "b": []}


def test_better_is_nine_rounds_of_ten() -> None:
    old = [1.0] * 40
    assert better(old, [0.9] * 37 + [1.1] * 3)
    assert not better(old, [0.9] * 35 + [1.1] * 5)
    assert not better(old, old)
    assert not better([1.0] * (LEAST - 1), [0.5] * (LEAST - 1))  # too few to tell


# Searches


@dataclass
class Bench:
    """A machine of our own: the time of each kernel by its options; a clock that every step moves on.

    Attributes:
        generate, build, sample, verify: how long steps take. longest: the longest step so far.
        bias: factors by kernel, for one build of it after the other: where its memory lies.
    """

    times: Callable[[TriedOptions], Iterator[float]]
    build: float = 1.0
    sample: float = 0.01
    generate: float = 0.0
    verify: float = 0.0
    now: float = 0.0
    longest: float = 0.0
    wrong: set[str] = field(default_factory=set)
    built: list[str] = field(default_factory=list)
    sampled: list[str] = field(default_factory=list)
    bias: dict[str, list[float]] = field(default_factory=dict)
    running: dict[str, Iterator[float]] = field(default_factory=dict)

    def clock(self) -> float:
        return self.now

    def step(self, seconds: float) -> None:
        self.now += seconds
        self.longest = max(self.longest, seconds)

    def draft(self, choice: TriedOptions) -> Drafted:
        self.step(self.generate)
        if "refused" in choice.options.values():
            raise MomagenError("another value", "refused", "radix")
        return Drafted(self, choice)


@dataclass
class Drafted:
    bench: Bench
    choice: TriedOptions

    @property
    def code(self) -> str:
        return str(self.choice).replace("radix 4", "the default")  # the default radix, by its own name

    def matters(self, axis: str) -> bool:
        return axis != "idle"

    def build(self, seconds: float | None) -> Running:
        if seconds is not None and seconds < self.bench.build:
            self.bench.step(seconds)
            raise MomagenError("C that compiles in time", "more", "k.c")
        name = str(self.choice)
        if name not in self.bench.running:
            self.bench.step(self.bench.build)
            self.bench.built.append(name)
            self.bench.running[name] = self.bench.times(self.choice)
        factors = self.bench.bias.get(name, [])
        return Running(self.bench, name, self.bench.running[name], factors.pop(0) if factors else 1.0)


@dataclass
class Running:
    bench: Bench
    name: str
    times: Iterator[float]
    factor: float

    def sample(self) -> float:
        self.bench.step(self.bench.sample)
        self.bench.sampled.append(self.name)
        return next(self.times) * self.factor

    def fault(self) -> str:
        self.bench.step(self.bench.verify)
        return "transform at index 3: expected 1, got 2" if self.name in self.bench.wrong else ""


def steady(**gains: float) -> Callable[[TriedOptions], Iterator[float]]:
    """Kernels whose options divide the time by what ``gains`` say: radix_8=1.25."""

    def times(choice: TriedOptions) -> Iterator[float]:
        time = 10.0
        for name, value in choice.options.items():
            time /= gains.get(f"{name}_{value}", 1.0)
        while True:
            yield time

    return times


RADIX = ("radix", ("2", "4", "8", "16"))
UNROLL = ("unroll", ("1", "2"))


def search(bench: Bench, *lines: tuple[str, tuple[str, ...]], seconds: float = 1000) -> Search:
    return Search(bench.draft, lines, seconds, bench.clock)


def test_the_best_of_each_axis_adds_up() -> None:
    bench = Bench(steady(radix_8=1.25, radix_2=1.1, unroll_2=1.2))
    found = search(bench, RADIX, UNROLL)
    verdict = found.run()
    assert verdict.choice.options == {"radix": "8", "unroll": "2"}
    assert verdict.ratio.median == pytest.approx(1.5) and verdict.ratio.count == FINAL
    assert (verdict.default.median, verdict.winner.median) == (10.0, pytest.approx(10 / 1.5))
    assert verdict.sweeps == 2  # the second finds nothing more
    first = {str(trial.choice): trial.ratio.median for trial in found.trials[:3] if trial.ratio}
    assert first == {"radix 8": pytest.approx(1.25), "radix 2": pytest.approx(1.1), "radix 16": 1.0}


def test_the_same_code_is_built_once() -> None:
    bench = Bench(steady())
    search(bench, RADIX).run()
    assert bench.built == ["the default", "radix 2", "radix 8", "radix 16"]


def test_losers_are_dropped_early() -> None:
    bench = Bench(steady(radix_2=0.5, radix_8=0.9, radix_16=1.1))
    search(bench, RADIX).run()
    assert bench.sampled.count("radix 2") == bench.sampled.count("radix 8") == LEAST
    assert bench.sampled.count("radix 16") >= MOST


def test_a_tie_keeps_the_default() -> None:
    bench = Bench(steady())
    verdict = search(bench, RADIX, UNROLL).run()
    assert verdict.choice == TriedOptions() and verdict.ratio.median == 1.0


def test_a_gain_within_the_spread_keeps_the_default() -> None:
    """Faster by 2 % in the median, but not in nine rounds of ten."""

    def times(choice: TriedOptions) -> Iterator[float]:
        while True:
            yield from [9.8, 9.8, 9.8, 9.8, 10.6] if choice.options else [10.0] * 5

    assert search(Bench(times), RADIX).run().choice == TriedOptions()


def test_time_is_kept_for_rounds_enough_of_the_final() -> None:
    """One round in ten is disturbed: that is no reason to lose a gain of a half."""

    def times(choice: TriedOptions) -> Iterator[float]:
        while True:
            yield from [5.0] * 8 + [20.0] + [5.0] * 18 if choice.options else [10.0] * 27

    bench = Bench(times, sample=0.25)
    verdict = search(bench, ("radix", ("8",)), seconds=33).run()
    assert bench.now <= 33.25 and verdict.choice.options == {"radix": "8"}
    assert FINAL_LEAST <= verdict.ratio.count < FINAL and verdict.ratio.median == 2.0


def test_luck_in_a_heat_does_not_survive_the_final() -> None:
    """Faster while it is chosen, slower ever after."""

    def times(choice: TriedOptions) -> Iterator[float]:
        yield from [5.0 if choice.options.get("radix") == "8" else 10.0] * MOST
        while True:
            yield 11.0 if choice.options else 10.0

    bench = Bench(times)
    found = search(bench, ("radix", ("8",)))
    verdict = found.run()
    assert found.trials[0].ratio and found.trials[0].ratio.low == 2.0
    assert verdict.choice == TriedOptions()
    assert verdict.default == verdict.winner


@pytest.mark.parametrize("kernel, bias", [("the default", [1.02, 1.02, 1.0]), ("radix 8", [0.98, 0.98, 1.0])])
def test_where_memory_lies_is_no_gain(kernel: str, bias: list[float]) -> None:
    """Of two builds of the same code one is faster by 2 %: it looks like a gain until both enter."""
    bench = Bench(steady(), bias={kernel: list(bias)})
    found = search(bench, ("radix", ("8",)))
    assert found.run().choice == TriedOptions()
    first, last = found.trials
    assert first.ratio and first.ratio.low == pytest.approx(1.02, abs=1e-3)
    assert last.ratio and last.ratio.median == 1.0 and last.note == "final comparison: not clearly faster"
    bench = Bench(steady(radix_8=1.05), bias={kernel: list(bias)})
    verdict = search(bench, ("radix", ("8",))).run()
    assert verdict.choice.options == {"radix": "8"} and verdict.ratio.median == pytest.approx(1.05)


def test_a_wrong_candidate_is_never_kept() -> None:
    bench = Bench(steady(radix_8=1.5, radix_2=1.2), wrong={"radix 8"})
    found = search(bench, RADIX)
    assert found.run().choice.options == {"radix": "2"}
    (trial,) = (trial for trial in found.trials if trial.wrong)
    assert str(trial.choice) == "radix 8" and trial.note.startswith("FAIL: transform at index 3")


def test_what_is_refused_is_skipped_with_its_reason() -> None:
    found = search(Bench(steady(radix_8=1.5)), ("radix", ("refused", "8")))
    assert found.run().choice.options == {"radix": "8"}
    assert found.trials[0].note == "radix: expected another value, got refused" and found.trials[0].ratio is None


def test_an_axis_that_cannot_matter_costs_nothing() -> None:
    bench = Bench(steady())
    search(bench, ("idle", ("1", "2", "3"))).run()
    assert bench.built == ["the default"]


def test_the_compiler_is_an_axis() -> None:
    def times(choice: TriedOptions) -> Iterator[float]:
        while True:
            yield 8.0 if choice.compiler == "gcc" else 10.0

    verdict = search(Bench(times), ("compiler", ("", "gcc", "zig"))).run()
    assert verdict.choice == TriedOptions({}, "gcc")


STEPS: list[dict[str, float]] = [
    {}, {"generate": 3.0}, {"build": 20.0}, {"build": 0.1, "verify": 30.0}, {"sample": 2.0},
    {"build": 0.1, "sample": 0.2},
    {"generate": 0.5, "build": 2.0, "sample": 0.05, "verify": 4.0},
]  # fmt: skip


@pytest.mark.parametrize("steps", STEPS, ids=str)
@pytest.mark.parametrize("seconds", [0.5, 3.0, 10.0, 60.0])
def test_the_budget_holds(seconds: float, steps: dict[str, float]) -> None:
    """Whatever takes long, it ends a step after its time at most; but the default is made, and sampled."""
    bench = Bench(steady(radix_8=1.5), **steps)  # type: ignore[arg-type]
    found = search(bench, ("radix", ("8",)), *[(f"axis{i}", tuple("abcdefgh")) for i in range(100)], seconds=seconds)
    verdict = found.run()
    made = bench.generate + bench.build + 4 * bench.sample
    assert bench.now <= max(seconds, made) + bench.longest + 1e-9
    assert verdict.sweeps == 0 and found.searched < 101 == verdict.axes
    assert verdict.choice == TriedOptions() or verdict.ratio.count >= FINAL_LEAST


def test_it_counts_from_when_it_was_asked_for() -> None:
    bench = Bench(steady(), now=100.0)
    Search(bench.draft, [RADIX], 20.0, bench.clock, began=85.0).run()
    assert bench.now <= 105.01


def test_what_is_found_too_late_is_told_and_not_kept() -> None:
    bench = Bench(steady(radix_8=1.5), build=0.1, verify=30.0)
    found = search(bench, ("radix", ("8",)), UNROLL, seconds=20)
    verdict = found.run()
    assert verdict.choice == TriedOptions() and found.searched == 0
    assert [trial.note for trial in found.trials] == ["", "final comparison: the time limit was reached"]


def test_nothing_is_verified_that_takes_longer_than_there_is() -> None:
    """The first verification says how long one takes."""
    bench = Bench(steady(radix_8=1.2, unroll_2=1.2), build=0.1, verify=6.0)
    found = search(bench, ("radix", ("8",)), UNROLL, seconds=12)
    assert found.run().choice.options == {"radix": "8"} and bench.now <= 12.01
    assert "faster, but not verified: the time limit was reached" in [trial.note for trial in found.trials]


def test_values_that_take_long_to_build_race_in_parts() -> None:
    """All eight take longer than there is, but the first are raced."""
    bench = Bench(steady(radix_b=1.5), build=10.0)
    found = search(bench, ("radix", tuple("abcdefgh")), seconds=70)
    assert found.run().choice.options == {"radix": "b"} and bench.now <= 70.01
    assert 2 <= len([trial for trial in found.trials if trial.ratio]) < 8 and found.searched == 0


def test_who_could_not_race_is_told() -> None:
    bench = Bench(steady(), build=0.0, sample=0.1)
    found = search(bench, ("radix", tuple("abcdefgh")), seconds=11.5)
    found.run()
    late = [trial for trial in found.trials if trial.note == NO_TIME]
    assert 0 < len(late) < 8 and not any(trial.ratio for trial in late) and bench.now <= 11.61


@pytest.mark.parametrize(
    "sample, kept", [(0.01, 100 * LEAST_KEPT), (0.4, SPARE * 0.4 * 4 * FINAL_LEAST), (5.0, SPARE * 5 * 4 * FINAL_LEAST)]
)
def test_a_slow_kernel_keeps_more_time_for_its_final(sample: float, kept: float) -> None:
    bench = Bench(steady(), build=0.0, sample=sample)
    one = search(bench, seconds=100)
    one.run()
    assert one.kept == pytest.approx(kept) and one._end == pytest.approx(100 - kept)


def test_a_default_that_takes_all_the_time_is_still_answered() -> None:
    bench = Bench(steady(radix_8=2.0), build=100.0)
    verdict = search(bench, RADIX, seconds=10).run()
    assert bench.built == ["the default"] and verdict.choice == TriedOptions() and verdict.ratio.median == 1.0


def test_progress_goes_forward() -> None:
    bench, seen = Bench(steady()), list[tuple[float, str]]()
    Search(bench.draft, [RADIX], 100, bench.clock, lambda part, what: seen.append((part, what))).run()
    assert [what for _, what in seen[:2]] == ["radix 2", "radix 4"] and seen[-1][1] == "final comparison"
    assert [part for part, _ in seen] == sorted(part for part, _ in seen) and seen[-1][0] <= 1


# The space


def test_axes_are_options_that_exist_and_change_no_result() -> None:
    other = {"bake", "cmp", "form", "form_bits", "input_factor", "output_factor", "schedule", "threads"}
    assert set(SEARCHED) == set(OPTIONS) - other
    assert set(AXES) - set(SEARCHED) == {"compiler"}


def test_what_was_given_is_no_axis() -> None:
    spec = make_spec("ntt", n=64, bits=128, options={"radix": "4"})
    assert "radix" not in dict(axes(spec, ["gcc"]))
    assert dict(axes(spec, ["gcc"]))["compiler"] == ("", "gcc")
    assert "compiler" not in dict(axes(spec, []))


def test_axes_by_kind_and_target() -> None:
    assert "limbs" not in dict(axes(make_spec("ntt", n=64, bits=128), []))  # c has none
    assert dict(axes(make_spec("ntt", n=64, bits=128, target="avx2"), []))["limbs"] == ("full", "reduced")
    blas = dict(axes(make_spec("vmul", bits=128, target="avx2"), []))
    assert not {"radix", "algorithm", "levels"} & set(blas)
    assert blas["limbs"] == ("full", "reduced") and blas["interleave"] == ("1", "2", "3", "4", "6", "8")
    assert not {"limbs", "interleave"} & set(dict(axes(make_spec("vadd", bits=128, target="avx2"), [])))
    assert blas["reduction"] == ("barrett", "montgomery", "folded", "special") and "unroll" in blas


def test_arrays_have_axes_of_matrices() -> None:
    known = {name: dict(axes(make_spec("ntt", n=64, modulus_bits=28, target=name), [])) for name in ("jax", "jax_tpu")}
    assert set(known["jax"]) - set(RULES) == {"radix", "algorithm", "reduction", "dense", "engine", "sums"}
    assert set(known["jax_tpu"]) == {*known["jax"], "fused"}
    assert known["jax_tpu"]["engine"] == ("int8", "bfloat16") < known["jax"]["engine"]
    assert "dense" not in dict(axes(make_spec("ntt", n=64, bits=64), []))


@pytest.mark.parametrize(("given", "left"), [
    ({"dense": "8"}, {"engine", "sums"}), ({"radix": "2"}, {"algorithm"}),
    ({"fused": "no"}, {"radix", "algorithm", "dense", "engine", "sums"}),
])  # fmt: skip
def test_what_replaces_the_given_is_no_axis(given: dict[str, str], left: set[str]) -> None:
    spec = make_spec("ntt", n=64, modulus_bits=28, target="jax_tpu", options=given)
    assert set(dict(axes(spec, []))) - {"fused", "reduction", *RULES} == left


def test_butterflies_and_matrices_replace_each_other() -> None:
    butterflies = TriedOptions({"radix": "4", "algorithm": "ring", "reduction": "tight"})
    assert butterflies.but("engine", "int8").options == {"engine": "int8", "reduction": "tight"}
    assert TriedOptions({"dense": "8", "engine": "int8"}).but("radix", "4").options == {"radix": "4"}
    assert TriedOptions({"dense": "8"}).but("engine", "int8").options == {"dense": "8", "engine": "int8"}


def test_tiles_and_words_have_axes_of_their_own() -> None:
    words = make_spec("ntt", n=256, bits=128, target="avx2", options={"limbs": "full"})
    tiles = make_spec("ntt", n=256, bits=128, target="avx2", options={"limbs": "reduced"})
    assert [matters(axis, words) for axis in ("radix", "levels", "limbs")] == [True, False, True]
    assert [matters(axis, tiles) for axis in ("radix", "levels", "limbs")] == [False, True, True]


def test_a_choice_in_words() -> None:
    assert str(TriedOptions()) == "the default"
    assert str(TriedOptions({"unroll": "2", "radix": "8"}, "gcc")) == "radix 8, unroll 2, by gcc"
    assert TriedOptions({"radix": "8"}).but("radix", "4").options == {"radix": "4"}
