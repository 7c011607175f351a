"""Proving a sum of products: ``create`` and ``execute``, for every modulus and number of elements of the claim."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any

from momagen.prove.c.memory import NULL, Number
from momagen.prove.c.source import seen_by
from momagen.prove.c.types import SIZE
from momagen.prove.checker import ProofError
from momagen.prove.facts import Path
from momagen.prove.sums.loops import SumRun
from momagen.prove.transforms.claim import Moduli
from momagen.prove.transforms.proof import subsets
from momagen.prove.vectors.plans import Plans

if TYPE_CHECKING:
    from collections.abc import Callable

    from momagen.prove.c.parsed import Source
    from momagen.prove.certificates.guide import Guide
    from momagen.prove.sums.claim import SumOfProducts

POINTERS = 4
"""The number of pointers among the arguments of ``execute``: the plan, z, x and y."""


def prove_sum(
    source: Source,
    claim: SumOfProducts,
    seed: str,
    compiler: str,
    guide: Guide,
    summaries: dict[Any, Any] | None = None,
) -> Counter[str]:
    """Prove the claim of a sum of products for one form of its source.

    Args:
        source: The source as a compiler sees it.
        claim: The claim.
        seed: What determines the random choices.
        compiler: The compiler, for messages.
        guide: Where the proofs come from.
        summaries: What was proven of parts, which does not depend on the source; a proof adds to it.

    Returns:
        The number of paths and of elements that were checked.
    """
    parts: Any = claim  # the runs of create use only what both kinds of claims state
    plans = Plans(source, parts, seed, guide)
    plans.summaries = {} if summaries is None else summaries
    with seen_by(compiler):
        plans.prove()
        found = _on_all_paths(plans, _check_sum)
        for missing in subsets(POINTERS):
            found += _on_all_paths(plans, partial(_check_null, missing=missing))
    return Counter(paths=found + plans.runs, elements=1)


def _on_all_paths(plans: Plans, check: Callable[[SumRun], None]) -> int:
    """Check a run on every path, and return the number of paths."""
    runs = 0
    moduli = Moduli(plans.claim.least, plans.claim.greatest, 1)
    for path in Path.every():
        check(SumRun(plans.source, plans.claim, moduli, plans, path))
        runs += 1
    return runs


def _check_sum(run: SumRun) -> None:
    """Check that ``execute`` computes the sum."""
    plan = run.create_from_modulus()
    if plan is None:
        raise ProofError("create refuses a modulus of the claim")
    run.frozen = [block for block in run.heap if block.is_writable]
    for block in run.frozen:
        block.is_writable = False
    pointers, allocations = run.arguments_of(0), run.allocations
    if _code(run, [plan, *pointers]) != 0:
        raise ProofError("execute returns an error for valid arguments")
    if run.allocations > allocations:
        raise ProofError("a sum of products that allocates memory is not supported")
    if run.total() != run.sum_to(run.length.polynomial):
        raise ProofError("the result is not proven to be the sum of all products")
    run.destroy(plan)


def _check_null(run: SumRun, missing: tuple[int, ...]) -> None:
    """Check that ``execute`` reports an error if some of its pointers are NULL."""
    pointers = [run.unknown_plan(), *run.arguments_of(0 if missing[0] < POINTERS // 2 else 1)]
    if _code(run, [NULL if i in missing else pointer for i, pointer in enumerate(pointers)]) == 0:
        raise ProofError("execute is not proven to check its pointers for NULL")


def _code(run: SumRun, pointers: list[Any]) -> int:
    """Return what ``execute`` returns."""
    return run.number(run.call(f"{run.claim.name}_execute", [*pointers, Number(SIZE, run.length)]))
