"""The caller of a kernel on arrays of the host, by the kernel's words and moduli and by the code that runs it."""

from __future__ import annotations

from collections.abc import Sequence

from momagen.api.calls.call import Caller, KernelRun
from momagen.api.calls.operands import Reader
from momagen.api.calls.own_words import OwnWords, own_words
from momagen.api.calls.rows import RowsReader
from momagen.api.calls.running.checked import CheckedCall
from momagen.api.calls.running.plan_run import CopiedRun, PlanRun
from momagen.kinds.modular.spec import Spec
from momagen.runtime.compiled import Compiled, Plan
from momagen.runtime.runner import Runner, RunnerPlan

from .either import EitherCaller

HostCaller = Caller | EitherCaller


def caller_of(compiled: Runner, plan: RunnerPlan, count: int = 0) -> HostCaller:
    """Return the caller of ``compiled`` with ``plan`` on arrays of the host.

    Args:
        compiled: The kernel.
        plan: Its plan.
        count: The number of words of a residue in arrays of the kernel's own words, if padding makes it more than
            needed.
    """
    own = own_words(compiled.spec, count)
    wide = _caller(compiled, plan, None)
    return EitherCaller(wide, _caller(compiled, plan, own), own) if own else wide


def _caller(compiled: Runner, plan: RunnerPlan, own: OwnWords | None) -> Caller:
    """Return the caller on arrays of the kernel's ``own`` words, or on all other operands if ``own`` is None."""
    spec = compiled.spec
    readers = _readers(spec, plan.modulus, own)
    if isinstance(compiled, Compiled) and isinstance(plan, Plan):
        return Caller(spec, readers, CheckedCall(compiled, plan, readers, own))
    run: KernelRun = PlanRun(spec, plan, _readers(spec, plan.modulus, None))
    return Caller(spec, readers, CopiedRun(run, own, len(spec.ranges.scalars)) if own else run)


def _readers(spec: Spec, modulus: int, own: OwnWords | None) -> Sequence[Reader]:
    """Return one reader for each operand; scalars are never in arrays of the kernel's own words."""
    words = {name: own if name in spec.ranges.vectors else None for name in spec.ranges.operands}
    if spec.basis:
        return [RowsReader(spec, name, each) for name, each in words.items()]
    return [Reader(spec, modulus, name, each) for name, each in words.items()]
