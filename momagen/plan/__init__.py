"""Plans: the schedule of each transform, which states its steps, and the description of a plan for readers.

The planners choose a schedule for each representation of residues, and :mod:`momagen.lower` writes its program.
:func:`plan_of` describes the passes of a schedule, with the placement of every bit of an element's index; ``k.plan``
holds this description.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from momagen.lazy import on_demand

if TYPE_CHECKING:
    from .transform import described, plan_of
    from .tree import LANE, LEG, PlannedPass, TransformPlan
else:
    __getattr__, __dir__ = on_demand(
        __name__,
        {
            "momagen.plan.transform": ("described", "plan_of"),
            "momagen.plan.tree": ("LANE", "LEG", "PlannedPass", "TransformPlan"),
        },
    )

__all__ = ["LANE", "LEG", "PlannedPass", "TransformPlan", "described", "plan_of"]
