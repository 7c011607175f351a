"""The description of a transform's plan for readers: its formula, its passes, and its representation of residues."""

from __future__ import annotations

from momagen.formula.atoms import I
from momagen.formula.breakdown import Derivation, derivation, expand
from momagen.formula.expression import Tensor
from momagen.kinds.modular.spec import Spec

from .matrix_plan import MatrixPlan
from .schedule.passes import asked_of
from .tree import TransformPlan
from .ways import plans


def plan_of(spec: Spec) -> TransformPlan:
    """Return the description of the plan of a transform.

    Args:
        spec: The specification of a transform of one size, not of all sizes up to n.
    """
    plan = plans(spec).first
    one = plan.factored.formula if isinstance(plan, MatrixPlan) else expand(*asked_of(plan.breakdown))
    formula = str(Tensor(one, I(spec.columns)) if spec.columns > 1 else one)
    axes = spec.rows, spec.columns
    return TransformPlan(spec.n, formula, plan.held, spec.arith.word, plan.planned(), [plan.why], *axes)


def derivation_of(spec: Spec) -> list[Derivation]:
    """Return the applications of breakdown rules that lead to the formula of the transform, the first one first."""
    plan = plans(spec).first
    return [*plan.factored.derivation] if isinstance(plan, MatrixPlan) else derivation(*asked_of(plan.breakdown))
