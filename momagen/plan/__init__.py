"""Plans: the passes of a transform, and the placement of every bit of an element's index in each pass.

:func:`plan_of` returns the plan of a specification as a description for readers, which ``k.plan`` holds. The
other modules choose the passes for each representation of residues; :mod:`momagen.lower` writes the programs
that they describe.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from momagen.lazy import on_demand

if TYPE_CHECKING:
    from .transform import derivation_of, described, plan_of
    from .tree import BLOCK, LANE, LEG, LOOP, PlannedPass, TransformPlan
else:
    __getattr__, __dir__ = on_demand(
        __name__,
        {
            "momagen.plan.transform": ("derivation_of", "described", "plan_of"),
            "momagen.plan.tree": ("BLOCK", "LANE", "LEG", "LOOP", "PlannedPass", "TransformPlan"),
        },
    )

__all__ = ["BLOCK", "LANE", "LEG", "LOOP", "PlannedPass", "TransformPlan", "derivation_of", "described", "plan_of"]
