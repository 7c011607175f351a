"""Coordinate search for the options of the fastest kernel.

One option after another is varied, and its best value is kept, until no option improves the kernel.

The result is never slower than the default: a final comparison times the winner and the default again, both built
twice, and keeps the winner only if it is better there, too (see ``heat``).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from momagen.bench.measure.sample import spread
from momagen.errors import MomagenError

from .contest import Contestant, Draft, TrialResult, Verdict
from .heat import Sample, better, heat, paired
from .space import TriedOptions

FINAL_LEAST, FINAL = 21, 101
"""The fewest rounds after which the final comparison can decide against the default, and the most rounds."""
LEAST_KEPT, SPARE = 0.15, 1.25
"""The smallest reserve for the final comparison.

It is given as a fraction of the time of the search, and as a multiple of the time of its fewest rounds.
"""
NO_TIME = "not timed: the time limit was reached"
Progress = Callable[[float, str], None]


@dataclass
class Search:
    """One search.

    Its steps generate a candidate, compile it, take a sample, or verify it; no step begins when the time is up.

    Attributes:
        draft: A function that generates a candidate, or raises a MomagenError.
        axes: The options with their values.
        seconds: The time for the whole search in seconds.
        clock: A function that returns the time in seconds.
        progress: A function that is called before every step with the part done and a title.
        began: The time at which the search began, by that clock; None for the start of :meth:`run`.
        trials: The outcomes of all candidates.
        searched: The number of options that were searched.
        kept: The time reserved for the final comparison in seconds.
    """

    draft: Callable[[TriedOptions], Draft]
    axes: Sequence[tuple[str, tuple[str, ...]]]
    seconds: float
    clock: Callable[[], float] = time.monotonic
    progress: Progress = lambda part, what: None
    began: float | None = None
    trials: list[TrialResult] = field(default_factory=list)
    searched: int = 0
    kept: float = 0.0

    def run(self) -> Verdict:
        """Search, and return the result.

        Raises:
            MomagenError: The default itself cannot be built.
        """
        self._start = self.clock() if self.began is None else self.began
        self._seen, self._verifying = dict[str, TriedOptions](), 0.0
        usual = TriedOptions()
        draft = self.draft(usual)
        self._seen[draft.code] = usual
        default = champion = Contestant(usual, draft, draft.build(None))
        self._end = self.seconds - self._keep(default)
        sweeps, before = 0, None
        while champion is not before and self._more():
            before = champion
            for at, (axis, values) in enumerate(self.axes):
                champion = self._line(default, champion, axis, values)
                if not self._more():
                    break
                self.searched = max(self.searched, at + 1)
            sweeps += self._more()
        return self._judged(default, champion, sweeps)

    def summary(self) -> str:
        """Return the state of an unfinished search: the best candidate so far, which nothing has confirmed yet."""
        timed = [trial for trial in self.trials if trial.ratio and not trial.wrong]
        if not timed:
            return f"{len(self.trials)} candidates were tried, and none was timed against the default"
        best = max(timed, key=lambda trial: trial.ratio.median if trial.ratio else 0.0)
        assert best.ratio
        times = f"{best.ratio.median:.2f} times as fast as the default, not confirmed"
        return f"the best of {len(timed)} candidates that were timed is {best.choice}, {times}"

    @property
    def _spent(self) -> float:
        """The time since the search began, in seconds."""
        return self.clock() - self._start

    def _keep(self, default: Contestant) -> float:
        """Return the time to reserve for the final comparison in seconds; large kernels need more."""
        build = self._lasts(lambda: default.draft.build(None))
        sample = min(self._lasts(default.runner.sample) for _ in range(3))
        self.kept = max(SPARE * (4 * build + 4 * FINAL_LEAST * sample), LEAST_KEPT * self.seconds)
        return self.kept

    def _lasts(self, step: Callable[[], object]) -> float:
        """Return the duration of a step in seconds."""
        start = self.clock()
        step()
        return self.clock() - start

    def _more(self) -> bool:
        """Return whether there is time for another candidate."""
        return self._spent < self._end

    def _tell(self, what: str) -> None:
        """Report progress."""
        self.progress(min(self._spent / self.seconds, 1.0), what)

    def _line(self, default: Contestant, champion: Contestant, axis: str, values: tuple[str, ...]) -> Contestant:
        """Return the best candidate along one option: the champion, or a better one."""
        left = [*values] if champion.draft.matters(axis) else []
        while left and self._more():
            if rivals := self._rivals(champion, axis, left):
                champion = self._raced(default, champion, rivals)
        return champion

    def _rivals(self, champion: Contestant, axis: str, left: list[str]) -> list[Contestant]:
        """Return candidates with the first values, which are removed from ``left``.

        They are as many as can be built in half of the remaining time; then they race.
        """
        until, found = (self._spent + self._end) / 2, list[Contestant | None]()
        while left and self._spent < until:
            found.append(self._made(champion.choice.but(axis, left.pop(0))))
        return [each for each in found if each]

    def _raced(self, default: Contestant, champion: Contestant, rivals: Sequence[Contestant]) -> Contestant:
        """Return the champion, or a better rival."""
        entered = {str(each.choice): each.runner.sample for each in (champion, default, *rivals)}
        times = heat(entered, more=self._more)
        usual, own = (times[str(each.choice)] for each in (default, champion))
        raced = [each for each in rivals if usual and times[str(each.choice)]]
        self.trials += [TrialResult(each.choice, note=NO_TIME) for each in rivals if each not in raced]
        winner = champion
        for rival in sorted(raced, key=lambda each: -paired(own, times[str(each.choice)]).median):
            its = times[str(rival.choice)]
            trial = TrialResult(rival.choice, paired(usual, its))
            self.trials.append(trial)
            if winner is champion and better(own, its) and self._right(rival, trial):
                winner = rival
        return winner

    def _made(self, choice: TriedOptions) -> Contestant | None:
        """Return a candidate that is new, or None and record why there is none."""
        self._tell(str(choice))
        try:
            draft = self.draft(choice)
            if draft.code in self._seen:
                return None
            self._seen[draft.code] = choice
            return Contestant(choice, draft, draft.build(max(self._end - self._spent, 0.0)))
        except MomagenError as error:
            self.trials.append(TrialResult(choice, note=str(error)))
            return None

    def _right(self, rival: Contestant, trial: TrialResult) -> bool:
        """Return whether gmpy2 agrees with a rival.

        The rival is not verified, and not accepted, if that would take longer than the time left before the final
        comparison.
        """
        if self._spent + self._verifying >= self.seconds - self.kept / SPARE:
            trial.note = "faster, but not verified: the time limit was reached"
            return False
        start = self._spent
        fault = rival.runner.fault()
        self._verifying = self._spent - start
        trial.wrong, trial.note = bool(fault), fault and f"FAIL: {fault}"
        return not fault

    def _judged(self, default: Contestant, champion: Contestant, sweeps: int) -> Verdict:
        """Return the result of the final comparison, whose samples had no part in choosing the champion.

        Both kernels are built twice, each time with tables of their own, because copies of one kernel differ in speed
        by their position in memory. Both copies of the champion must be better than both copies of the default; the
        closest pair determines the ratio.
        """
        self._tell("final comparison")
        old, new = self._copies(default), self._copies(champion) if champion is not default else {}
        times = heat({**old, **new}, least=FINAL_LEAST, rounds=FINAL, more=lambda: self._spent < self.seconds)
        usual = times[next(iter(old))]
        if not new:
            return self._verdict(default, usual, usual, sweeps)
        pairs = [(times[one], times[other]) for one in old for other in new]
        if min(map(len, times.values())) < FINAL_LEAST:
            self.trials.append(TrialResult(champion.choice, note="final comparison: the time limit was reached"))
            return self._verdict(default, usual, usual, sweeps)
        closest = min(pairs, key=lambda pair: paired(*pair).median)
        if all(better(*pair) for pair in pairs):
            return self._verdict(champion, *closest, sweeps)
        self.trials.append(TrialResult(champion.choice, paired(*closest), "final comparison: not clearly faster"))
        return self._verdict(default, closest[0], closest[0], sweeps)

    def _copies(self, one: Contestant) -> dict[str, Sample]:
        """Return two samplers of the same kernel, each built anew, or one with the existing build if the time is up."""
        if self._spent >= self.seconds:
            return {f"{one.choice}, once": one.runner.sample}
        return {f"{one.choice}, {copy}": one.draft.build(None).sample for copy in ("once", "again")}

    def _verdict(self, winner: Contestant, usual: Sequence[float], found: Sequence[float], sweeps: int) -> Verdict:
        """Return the result for a winner and the samples of both kernels."""
        ratio = paired(usual, found)
        return Verdict(winner.choice, ratio, spread(usual), spread(found), sweeps, self.searched, len(self.axes))
