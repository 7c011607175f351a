"""What calls a kernel: by its words, its moduli, and what runs it."""

from __future__ import annotations

from momagen.api.calls.call import Caller, PlainCaller
from momagen.api.calls.rows import RowsCaller
from momagen.api.calls.sums import SumsCaller
from momagen.build.compiled import Compiled, Plan
from momagen.build.runner import Runner, RunnerPlan

from .narrow import NarrowCaller


def caller_of(compiled: Runner, plan: RunnerPlan) -> Caller | RowsCaller | SumsCaller:
    """What calls ``compiled`` with ``plan``."""
    if compiled.spec.sums:
        return SumsCaller(compiled.spec, plan)
    if compiled.spec.basis:
        return RowsCaller(compiled.spec, plan)
    if not (isinstance(compiled, Compiled) and isinstance(plan, Plan)):
        return PlainCaller(compiled, plan)
    if plan.border.alike:
        return Caller(compiled, plan)
    return NarrowCaller(compiled, plan) if compiled.spec.arith.words == 1 else PlainCaller(compiled, plan)
