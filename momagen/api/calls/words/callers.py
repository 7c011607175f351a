"""What calls a kernel: by its words, its moduli, and what runs it."""

from __future__ import annotations

from momagen.api.calls.call import Caller, PlainCaller
from momagen.api.calls.rows import RowsCaller
from momagen.api.calls.sums import SumsCaller
from momagen.build.border import Border
from momagen.build.compiled import Compiled, Plan
from momagen.build.runner import Runner, RunnerPlan

from .copied import CopiedCaller
from .narrow import NarrowCaller


def caller_of(compiled: Runner, plan: RunnerPlan) -> Caller | RowsCaller | SumsCaller | CopiedCaller:
    """What calls ``compiled`` with ``plan``."""
    spec, plain = compiled.spec, not isinstance(compiled, Compiled)
    if spec.sums or spec.basis:
        caller = SumsCaller(spec, plan) if spec.sums else RowsCaller(spec, plan)
        return caller if plain or Border(spec).alike or spec.arith.words > 1 else CopiedCaller(caller, spec)
    if not (isinstance(compiled, Compiled) and isinstance(plan, Plan)):
        return PlainCaller(compiled, plan)
    if plan.border.alike:
        return Caller(compiled, plan)
    return NarrowCaller(compiled, plan) if spec.arith.words == 1 else PlainCaller(compiled, plan)
