"""The result of tuning one kernel, and its display."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from momagen.bench.measure.sample import Spread
from momagen.bench.report.figure import number
from momagen.html import card, folded, grid
from momagen.kinds.modular.make_spec import with_options
from momagen.kinds.modular.spec import Spec

from .contest import TrialResult, Verdict
from .row import WisdomRow


@dataclass(frozen=True)
class Tuned:
    """The result of :func:`momagen.tune`.

    Attributes:
        given: The specification as it was requested.
        row: The row of wisdom for this specification.
        verdict: The winning options, the times of the default and of the winner in the final comparison, and how many
            options were searched.
        trials: The outcomes of all candidates.
        seconds: The duration of the search in seconds.
        path: The wisdom file that received the result, or None.
        budget: The time that the search was allowed to take, in seconds.
        kept: The time that was reserved for the final comparison, in seconds.
    """

    given: Spec
    row: WisdomRow
    verdict: Verdict
    trials: tuple[TrialResult, ...]
    seconds: float
    path: Path | None = None
    budget: float = 0.0
    kept: float = 0.0

    @property
    def spec(self) -> Spec:
        """The specification with the options that were found."""
        return with_options(self.given, self.row.options)

    @property
    def options(self) -> dict[str, str]:
        """The options that were found; empty if the default is best."""
        return dict(self.row.options)

    @property
    def ratio(self) -> Spread:
        """The median and the 10th and 90th percentiles of the default's time divided by the winner's time.

        The ratios are those of pairs of samples in the final comparison.
        """
        return self.row.ratio

    @property
    def right(self) -> bool:
        """Whether gmpy2 agreed with every candidate that was about to be kept."""
        return not any(trial.wrong for trial in self.trials)

    def rows(self) -> Iterator[tuple[str, str]]:
        """Yield the rows of the result's table: heading and text."""
        row = self.row
        yield "kernel", row.label
        yield "machine", f"{row.cpu}; {row.compiler}"
        yield "found", row.found
        if row.gain:
            yield "gain", row.gain
            yield "time", f"{number(row.tuned)} {row.unit}, the default {number(row.default)}"
        else:
            yield "time", f"{number(row.default)} {row.unit}"
        yield "search", f"{self.came} (took {self.seconds:.1f} s)"
        yield "command", self.spec.command()
        if self.path:
            yield "wisdom", str(self.path)

    @property
    def came(self) -> str:
        """A description of how far the search came."""
        timed, done = sum(trial.ratio is not None for trial in self.trials), self.verdict
        if done.sweeps:
            return f"{timed} candidates timed; all {done.axes} options searched until none improved the time"
        if not self.trials:
            least = self.seconds + self.kept
            return f"no candidate was timed within {self.budget:g} s: use more than --seconds {least:.0f}"
        part = f"{done.searched} of {done.axes} options searched"
        return f"{timed} candidates timed; {part} within {self.budget:g} s: a longer search (--seconds) may find more"

    def raced(self) -> list[tuple[str, str, str]]:
        """Return the candidates, best first: description, gain over the default, and a remark.

        A remark says, for example, why the candidate was rejected.
        """
        known = [(trial, trial.ratio) for trial in self.trials if trial.ratio]
        known.sort(key=lambda pair: -pair[1].median)
        raced = [(str(t.choice), f"{r.median:.3f} ({r.low:.3f} … {r.high:.3f})", t.note) for t, r in known]
        return raced + [(str(t.choice), "", t.note) for t in self.trials if not t.ratio]

    def to_dict(self) -> dict[str, object]:
        """Return plain data for JSON."""
        trials = [
            {"options": dict(t.choice.options), "compiler": t.choice.compiler, "ratio": t.ratio and vars(t.ratio),
             "note": t.note, "wrong": t.wrong} for t in self.trials
        ]  # fmt: skip
        return {
            **self.row.to_dict(), "command": self.spec.command(), "seconds": round(self.seconds, 2),
            "budget": self.budget, "sweeps": self.verdict.sweeps, "searched": self.verdict.searched,
            "searchable": self.verdict.axes, "wisdom": self.path and str(self.path), "trials": trials,
        }  # fmt: skip

    def __repr__(self) -> str:
        return f"<momagen tuned {self.row.label}: {self.row.found}{self.row.gain and f', {self.row.gain}'}>"

    def _repr_html_(self) -> str:
        """Return the HTML that Jupyter shows: a table, and the candidates, which are folded."""
        tried = grid(("candidate", "× as fast as the default", "note"), self.raced())
        return card(f"tuned {self.row.label}", self.rows(), folded("candidates", tried))
