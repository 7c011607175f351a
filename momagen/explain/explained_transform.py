"""The explanation of a transform: its formula, the breakdown of the formula, its plan, and its codelets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import islice

from momagen.errors import MomagenError
from momagen.formula.breakdown import Derivation
from momagen.html import card, code, folded
from momagen.kinds.modular.spec import Spec
from momagen.lower.arrays.program import ArrayProgram
from momagen.lower.kernels import lowered
from momagen.plan import TransformPlan, described, plan_of
from momagen.plan.schedule.codec import to_json
from momagen.plan.schedule.passes import derivation_of, formula_of
from momagen.plan.ways import plans
from momagen.rpu.programs.kernels import breakdown_of, flow_of, schedule_of

from .codelets import CodeletLine, ShownCodelet, blocks_shown, codelets
from .counts.counts import array_counts
from .counts.needed import ArrayCounts
from .counts.shown import counts_data, counts_text
from .pictures.schedule import ScheduleText
from .text import counted

WIDEST = 96
"""The largest number of columns of a line; the interval is printed to the right of it."""
LINES = 12
"""The largest number of lines of a codelet in a notebook."""


@dataclass(frozen=True)
class ExplainedTransform:
    """The result of ``momagen.explain("ntt", …)``.

    Attributes:
        spec: The specification of the transform.
        breakdown: The applications of breakdown rules, from the transform down to the factors that passes compute.
        plan: The plan, with its passes.
        codelets: The functions that a call reaches, lowered to words.
        counts: The operations of a transform on arrays, or None for other targets.
    """

    spec: Spec
    breakdown: Sequence[Derivation]
    plan: TransformPlan
    codelets: Sequence[ShownCodelet]
    counts: ArrayCounts | None = None

    @property
    def title(self) -> str:
        """A description in one line."""
        columns = f" by {self.spec.depth} levels" * (self.spec.degree > 1)
        columns += f" in {self.spec.across} columns" * (self.spec.across > 1)
        return f"{self.spec.name}: {self.spec.length} points{columns} on {self.spec.target}"

    def __repr__(self) -> str:
        return f"<momagen plan of {self.title}>"

    def _repr_html_(self) -> str:
        """Return the HTML that Jupyter shows: the plan, and the codelets, which are folded."""
        shown = "\n\n".join("\n".join(_codelet(codelet, LINES)) for codelet in self.codelets)
        more = [folded("codelets", code(shown))] * bool(self.codelets)
        return card(self.title, [("formula", self.plan.formula)], code(str(self.plan)), *more)

    def html(self) -> str:
        """Return the plan as an HTML page that needs no other file."""
        from .plan_page import plan_page

        return plan_page(self)

    def text(self, limit: int = 0) -> str:
        """Return the explanation as plain text.

        Args:
            limit: The largest number of lines of each codelet (0: no limit).
        """
        lines = ["breakdown", *(line for each in self.breakdown for line in _applied(each)), "", str(self.plan)]
        if self.counts:
            lines += ["", *counts_text(self.counts, self.spec.target)]
        for codelet in self.codelets:
            lines += ["", *_codelet(codelet, limit)]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, object]:
        """Return plain data for JSON.

        The keys are those of the plan, ``breakdown`` and ``codelets``, and ``counts`` if the kernel works on
        arrays.
        """
        rules = [
            {"rule": each.rule.name, "source": each.rule.source, "from": str(each.node), "to": str(each.formula)}
            for each in self.breakdown
        ]
        counts = {"counts": counts_data(self.counts, self.spec.target)} if self.counts else {}
        shown = [asdict(codelet) for codelet in self.codelets]
        return {**asdict(self.plan), "breakdown": rules, "codelets": shown, **counts}


def plan_for(spec: Spec) -> TransformPlan:
    """Return the plan of the transform of ``spec``.

    Raises:
        MomagenError: The kernel is not a transform of one size.
    """
    _check_transform(spec)
    if not spec.native:
        return plan_of(spec)
    schedule, word = schedule_of(spec), spec.target.word
    passes = described(schedule, lambda at, steps: sum(step.entries for step in steps), 1)
    why = [f"flow      {flow_of(spec)}, limited by {spec.target.registers} registers"] * (not spec.options.schedule)
    return TransformPlan(spec.n, str(formula_of(breakdown_of(spec))), f"1 × {word} bits", word, passes, why, spec.rows)


def _check_transform(spec: Spec) -> None:
    """Check that a kernel is a transform of one size."""
    if not spec.kind.has_inverse or spec.sized:
        kind = "a transform of any size" if spec.sized else f"a kernel of the kind {spec.kind}"
        raise MomagenError("a transform of one size", kind, spec.name)


def schedule_for(spec: Spec) -> ScheduleText:
    """Return the schedule of the transform of ``spec`` as JSON.

    Raises:
        MomagenError: The kernel is not a transform of one size.
    """
    _check_transform(spec)
    if spec.native:
        return ScheduleText(to_json(schedule_of(spec)))
    return ScheduleText(to_json(plans(spec).first.schedule))


def explained(spec: Spec) -> ExplainedTransform:
    """Return the explanation of the transform of ``spec``.

    Raises:
        MomagenError: The kernel is not a transform of one size.
    """
    plan = plan_for(spec)
    if spec.native:  # such a target has instructions instead of codelets
        return ExplainedTransform(spec, derivation_of(breakdown_of(spec)), plan, [])
    breakdown = derivation_of(plans(spec).first.breakdown)
    made = lowered(spec)
    if isinstance(made.program, ArrayProgram):
        blocks = {name: each.block for name, each in made.program.codelets.found.items()}
        shown, counts = [*blocks_shown(blocks, made.target)], array_counts(made.program)
        return ExplainedTransform(spec, breakdown, plan, shown, counts)
    return ExplainedTransform(spec, breakdown, plan, codelets(made.program, made.target))


def _applied(each: Derivation) -> list[str]:
    return [f"  {each.node}", f"    = {each.formula}    {each.rule.name} ({each.rule.id})"]


def _codelet(codelet: ShownCodelet, limit: int) -> list[str]:
    shown = list(islice(codelet.lines, limit or None))
    doc = f": {codelet.doc.splitlines()[0]}" if codelet.doc else ""
    edge = min(WIDEST, max(len(line.text) for line in shown) + 6)
    more = [f"    … {len(codelet.lines) - len(shown)} more lines"] * (len(shown) < len(codelet.lines))
    head = [f"{codelet.name}{doc}", f"  {counted(sorted(codelet.operations.items(), key=lambda pair: -pair[1]))}"]
    return [*head, *(_line(line, edge) for line in shown), *more]


def _line(line: CodeletLine, edge: int) -> str:
    return f"    {line.text.ljust(edge)}{line.interval}".rstrip()
