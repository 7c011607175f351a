"""Plans: the passes of a transform, and where every bit of an element's index lives in each."""

from __future__ import annotations

from .flows import of_flow
from .tiles import Held, of_tiles
from .tree import BLOCK, LANE, LEG, LOOP, Pass, Plan

__all__ = ["BLOCK", "LANE", "LEG", "LOOP", "Held", "Pass", "Plan", "of_flow", "of_tiles"]
