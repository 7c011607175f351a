"""Plans: the passes of a transform, and where every bit of an element's index lives in each."""

from __future__ import annotations

from .transform import derivation_of, plan_of
from .tree import BLOCK, LANE, LEG, LOOP, PlannedPass, TransformPlan

__all__ = ["BLOCK", "LANE", "LEG", "LOOP", "PlannedPass", "TransformPlan", "derivation_of", "plan_of"]
