"""Explanations: the steps in which an operation becomes operations on machine words, and the rules that built a kernel.

The steps follow the notation of the MoMA paper, for example its equations (30)–(34). :func:`operation`
explains an operation, :func:`element` an element of a BLAS kernel, and ``explained_transform`` the plan of a
transform; :func:`momagen.explain` is the public function.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from momagen.lazy import on_demand

if TYPE_CHECKING:
    from .counts.applied import applied, applied_rules
    from .explanation import ELEMENTS, Explanation, element, kernel_text, operation
    from .operations import OPEN, OPERATIONS
else:
    __getattr__, __dir__ = on_demand(
        __name__,
        {
            "momagen.explain.counts.applied": ("applied", "applied_rules"),
            "momagen.explain.explanation": ("ELEMENTS", "Explanation", "element", "kernel_text", "operation"),
            "momagen.explain.operations": ("OPEN", "OPERATIONS"),
        },
    )

__all__ = [
    "ELEMENTS", "OPEN", "OPERATIONS", "Explanation", "applied", "applied_rules", "element", "kernel_text", "operation",
]  # fmt: skip
