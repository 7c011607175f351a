"""The plan of a transform for any machine."""

from __future__ import annotations

from momagen.errors import MomagenError
from momagen.kernels.spec.spec import Spec
from momagen.plan import TransformPlan, plan_of
from momagen.rpu.programs.planned import planned


def plan_for(spec: Spec) -> TransformPlan:
    """The plan by which the transform of ``spec`` is made.

    Raises:
        MomagenError: another kernel, or a transform of any size.
    """
    if not spec.native:
        return plan_of(spec)
    if spec.kind != "ntt":
        raise MomagenError("a transform of one size", spec.kind, "explain")
    return planned(spec)
