"""Coordinate search: from the default, one option (axis) after another; the best value is kept; until nothing improves.

Never slower than the default: a final run times the winner and the default again, both built twice, and the winner
stays only where it is better there, too (see `heat`).
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
"""Rounds of the final that can decide for another kernel than the default, and at most."""
LEAST_KEPT, SPARE = 0.15, 1.25
"""Least part of the time kept for the final; the time kept, as a multiple of what its fewest rounds would take."""
NO_TIME = "not timed: the time limit was reached"
Progress = Callable[[float, str], None]


@dataclass
class Search:
    """One search. Steps are generating a kernel, compiling it, a sample, a verification: none begins when time is up.

    Attributes:
        draft: generates a candidate; MomagenError where there is none. axes: names with their values. seconds: for all
            of it. clock: gives seconds. began: when they began, by that clock; None: with the run. trials: who was
            tried. searched: axes that were gone through. kept: seconds kept for the final.
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
        """Search, and judge.

        Raises:
            MomagenError: the default itself cannot be made.
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
        """Return what an unfinished search knows: the best candidate so far, which nothing has confirmed yet."""
        timed = [trial for trial in self.trials if trial.ratio and not trial.wrong]
        if not timed:
            return f"{len(self.trials)} candidates were tried, and none was timed against the default"
        best = max(timed, key=lambda trial: trial.ratio.median if trial.ratio else 0.0)
        assert best.ratio
        times = f"{best.ratio.median:.2f} times as fast as the default, not confirmed"
        return f"the best of {len(timed)} candidates that were timed is {best.choice}, {times}"

    @property
    def _spent(self) -> float:
        return self.clock() - self._start

    def _keep(self, default: Contestant) -> float:
        """Seconds to keep for the final: large kernels need more."""
        build = self._lasts(lambda: default.draft.build(None))
        sample = min(self._lasts(default.runner.sample) for _ in range(3))
        self.kept = max(SPARE * (4 * build + 4 * FINAL_LEAST * sample), LEAST_KEPT * self.seconds)
        return self.kept

    def _lasts(self, step: Callable[[], object]) -> float:
        start = self.clock()
        step()
        return self.clock() - start

    def _more(self) -> bool:
        """Whether there is time for another candidate."""
        return self._spent < self._end

    def _tell(self, what: str) -> None:
        self.progress(min(self._spent / self.seconds, 1.0), what)

    def _line(self, default: Contestant, champion: Contestant, axis: str, values: tuple[str, ...]) -> Contestant:
        """The best along one axis: the champion, or what is better."""
        left = [*values] if champion.draft.matters(axis) else []
        while left and self._more():
            if rivals := self._rivals(champion, axis, left):
                champion = self._raced(default, champion, rivals)
        return champion

    def _rivals(self, champion: Contestant, axis: str, left: list[str]) -> list[Contestant]:
        """Those of the first values, taken from ``left``, as many as half of the time can make: then they race."""
        until, found = (self._spent + self._end) / 2, list[Contestant | None]()
        while left and self._spent < until:
            found.append(self._made(champion.choice.but(axis, left.pop(0))))
        return [each for each in found if each]

    def _raced(self, default: Contestant, champion: Contestant, rivals: Sequence[Contestant]) -> Contestant:
        """The champion, or the rival that is better."""
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
        """A candidate that is new, or None and a trial that says why not."""
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
        """Whether gmpy2 agrees; not asked where verifying would take more than the spare time before the final."""
        if self._spent + self._verifying >= self.seconds - self.kept / SPARE:
            trial.note = "faster, but not verified: the time limit was reached"
            return False
        start = self._spent
        fault = rival.runner.fault()
        self._verifying = self._spent - start
        trial.wrong, trial.note = bool(fault), fault and f"FAIL: {fault}"
        return not fault

    def _judged(self, default: Contestant, champion: Contestant, sweeps: int) -> Verdict:
        """The final, in samples that had no part in choosing the champion.

        Both enter twice, with tables of their own each time: where memory lies makes copies of one kernel differ, and
        that is no gain. Both of the champion must be better than both of the default; the closest pair tells the ratio.
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
        """Two of the same, each built anew; one that was built before stands for both where time is up."""
        if self._spent >= self.seconds:
            return {f"{one.choice}, once": one.runner.sample}
        return {f"{one.choice}, {copy}": one.draft.build(None).sample for copy in ("once", "again")}

    def _verdict(self, winner: Contestant, usual: Sequence[float], found: Sequence[float], sweeps: int) -> Verdict:
        ratio = paired(usual, found)
        return Verdict(winner.choice, ratio, spread(usual), spread(found), sweeps, self.searched, len(self.axes))
