"""Plans: the passes of a transform, and where every bit of an element's index lives in each."""

from __future__ import annotations

from .flows import of_flow
from .tiles import Representation, of_tiles
from .tree import BLOCK, LANE, LEG, LOOP, PlannedPass, TransformPlan

__all__ = ["BLOCK", "LANE", "LEG", "LOOP", "PlannedPass", "Representation", "TransformPlan", "of_flow", "of_tiles"]
