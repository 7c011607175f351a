"""The search: from the default, one axis after another, what is better becomes the new champion; again until none is.

Never slower than the default: the champion meets the default once more, in a run of its own, both of them twice, and
stays only where it is better there too (see `heat`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from momagen.bench.sample import spread
from momagen.errors import MomagenError

from .contest import Contestant, Draft, Runner, Trial, Verdict
from .heat import Sample, better, heat, paired
from .space import Choice

FINAL_LEAST, FINAL = 21, 101
"""Rounds of the final, however late it is, and at most."""
LEAST_KEPT, MOST_KEPT = 0.15, 0.5
"""The part of the time that is kept for the final: what its least rounds take, but within these."""
Progress = Callable[[float, str], None]


@dataclass
class Search:
    """One search.

    Attributes:
        draft: generates a candidate; MomagenError where there is no such kernel. axes: names with their values.
        seconds: for all of it; what has begun is finished. clock: seconds from any start. trials: who was tried.
    """

    draft: Callable[[Choice], Draft]
    axes: Sequence[tuple[str, tuple[str, ...]]]
    seconds: float
    clock: Callable[[], float] = time.monotonic
    progress: Progress = lambda part, what: None
    trials: list[Trial] = field(default_factory=list)

    def run(self) -> Verdict:
        """Search, and judge.

        Raises:
            MomagenError: the default itself cannot be made.
        """
        self._start = self.clock()
        self._seen: dict[str, Choice] = {}
        usual = Choice()
        draft = self.draft(usual)
        self._seen[draft.code] = usual
        default = champion = Contestant(usual, draft, draft.build(None))
        self._end = self.seconds - self._final(default.runner)
        sweeps, before = 0, None
        while champion is not before and self._more():
            before = champion
            for axis, values in self.axes:
                champion = self._line(default, champion, axis, values)
            sweeps += self._more()
        return self._judged(default, champion, sweeps)

    @property
    def _spent(self) -> float:
        return self.clock() - self._start

    def _final(self, default: Runner) -> float:
        """Seconds to keep for the final: large kernels need more."""
        start = self.clock()
        default.sample()
        needed = 4 * FINAL_LEAST * (self.clock() - start)
        return min(max(needed, LEAST_KEPT * self.seconds), MOST_KEPT * self.seconds)

    def _more(self) -> bool:
        """Whether there is time for another candidate."""
        return self._spent < self._end

    def _tell(self, what: str) -> None:
        self.progress(min(self._spent / self.seconds, 1.0), what)

    def _line(self, default: Contestant, champion: Contestant, axis: str, values: tuple[str, ...]) -> Contestant:
        """The best along one axis: the champion, or what is better."""
        if not champion.draft.matters(axis):
            return champion
        rivals = [found for value in values if self._more() and (found := self._made(champion.choice.but(axis, value)))]
        if not rivals:
            return champion
        entered = {str(each.choice): each.runner.sample for each in (champion, default, *rivals)}
        times = heat(entered, more=self._more)
        usual, own = times[str(default.choice)], times[str(champion.choice)]
        winner = champion
        for rival in sorted(rivals, key=lambda each: -paired(own, times[str(each.choice)]).median):
            its = times[str(rival.choice)]
            trial = Trial(rival.choice, paired(usual, its))
            self.trials.append(trial)
            if winner is champion and better(own, its) and self._right(rival, trial):
                winner = rival
        return winner

    def _made(self, choice: Choice) -> Contestant | None:
        """A candidate that is new, or None and a trial that says why not."""
        self._tell(str(choice))
        try:
            draft = self.draft(choice)
            if draft.code in self._seen:
                return None
            self._seen[draft.code] = choice
            return Contestant(choice, draft, draft.build(max(self._end - self._spent, 0.0)))
        except MomagenError as error:
            self.trials.append(Trial(choice, note=str(error)))
            return None

    def _right(self, rival: Contestant, trial: Trial) -> bool:
        """Whether gmpy2 agrees."""
        fault = rival.runner.fault()
        trial.wrong, trial.note = bool(fault), fault and f"WRONG by {fault}"
        return not fault

    def _judged(self, default: Contestant, champion: Contestant, sweeps: int) -> Verdict:
        """The final, in samples that had no part in choosing the champion.

        Both enter twice, with tables of their own each time: where memory lies makes copies of one kernel differ, and
        that is no gain. Both of the champion must be better than both of the default; the closest pair tells the ratio.
        """
        self._tell("the final")
        old, new = _copies(default), _copies(champion) if champion is not default else {}
        times = heat({**old, **new}, least=FINAL_LEAST, rounds=FINAL, more=lambda: self._spent < self.seconds)
        pairs = [(times[usual], times[found]) for usual in old for found in new]
        closest = min(pairs, key=lambda pair: paired(*pair).median, default=(times[next(iter(old))],) * 2)
        if pairs and all(better(*pair) for pair in pairs):
            return _verdict(champion, *closest, sweeps)
        if pairs:
            self.trials.append(Trial(champion.choice, paired(*closest), "in the final: not enough"))
        return _verdict(default, closest[0], closest[0], sweeps)


def _copies(one: Contestant) -> dict[str, Sample]:
    """Two of the same, each built anew."""
    return {f"{one.choice}, {copy}": one.draft.build(None).sample for copy in ("once", "again")}


def _verdict(winner: Contestant, usual: Sequence[float], found: Sequence[float], sweeps: int) -> Verdict:
    return Verdict(winner.choice, paired(usual, found), spread(usual), spread(found), sweeps)
