"""The checks of a proposal before its speed is evaluated: its operations, rules, kernels and proxies."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from momagen.bench.measure.built import build
from momagen.errors import MomagenError, build_error
from momagen.isa.compare.workload import Workload
from momagen.rewrite import Rule
from momagen.rewrite.proof.prove import RuleError, check_rule
from momagen.runtime import Compiler
from momagen.targets import Target
from momagen.verify import verify

from . import battery, proxies

SWEPT, DRAWN = 2, 64
"""The bits of a limb at which rules are tested on all inputs, and those at which they are tested on edge
cases and random inputs."""
COUNT = 300
"""The number of random inputs of a rule."""


@dataclass(frozen=True)
class Finding:
    """One check that passed.

    Attributes:
        what: The subject of the check.
        found: The result, such as the number of inputs.
    """

    what: str
    found: str


def sound(target: Target, cases: Sequence[Workload] = (), compiler: Compiler | None = None) -> Iterator[Finding]:
    """Check a target, and yield each check that passes.

    Args:
        target: The target.
        cases: The kernels that are verified against gmpy2 with every instruction emulated, and whose proxies
            are counted.
        compiler: The compiler, or None for the default one.

    Raises:
        MomagenError: A check failed. The message names the operation, the rule or the kernel.
    """
    tried = battery.check(target, compiler)
    for op in target.instructions:
        yield Finding(f"emulation of {op}", f"matches its definition on {tried[op]:,} inputs")
    yield Finding("other operations", f"{len(tried) - len(target.instructions)} match their definitions")
    for rule in target.rule:
        yield Finding(f"rule {rule.label}", f"proven on {_proven(rule, target):,} inputs")
    for case in cases:
        yield Finding(f"{case}", _verified(case, target, compiler))
        if target.instructions:
            yield Finding(f"{case}, proxies", _kept(case, target, compiler))


def _proven(rule: Rule, target: Target) -> int:
    """Return the number of inputs on which a rule of the target was tested."""
    try:
        swept = check_rule(rule, SWEPT, exhaustive=True, rng=random.Random(0), count=0)
        return swept + check_rule(rule, DRAWN, exhaustive=False, rng=random.Random(0), count=COUNT)
    except RuleError as wrong:
        inputs = wrong.inputs.removeprefix(f"{rule.file}, ")
        raise MomagenError(wrong.wanted, wrong.got, f"{target}, [[rule]], {inputs}", whole=True) from None


def _verified(case: Workload, target: Target, compiler: Compiler | None) -> str:
    report = verify(build(case.spec(target), compiler))
    if not report.ok:
        raise build_error(f"the kernel's results differ from gmpy2's ({report.mismatch})", f"{target}, {case}")
    return f"verified against gmpy2, {report.vectors} vectors"


def _kept(case: Workload, target: Target, compiler: Compiler | None) -> str:
    counts = proxies.check(case.spec(target.timed_build), compiler)
    if lost := [each for each in counts if not each.kept]:
        got = ", ".join(f"{each.op} {each.ran}" for each in lost)
        wanted = ", ".join(f"{each.op} {each.asked}" for each in lost)
        expected = f"every proxy to be executed ({wanted})"
        raise MomagenError(expected, got, f"{target}, {case}", whole=True)
    told = ", ".join(f"{each.op} ×{each.ran}" for each in counts)
    return f"all in the object code: {told}" if told else "the kernel uses none of them"
