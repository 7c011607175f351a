"""The proof of a kernel for an RNS basis, with separate runs for results, refusals and failed allocations."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from momagen.prove.bases.conversions.convert import ConvertRun
from momagen.prove.bases.conversions.moddown import ModDownRun
from momagen.prove.bases.keyswitch import KeySwitchRun
from momagen.prove.bases.loops import Sizes
from momagen.prove.bases.rescale import RescaleRun
from momagen.prove.c.memory import NULL
from momagen.prove.c.source import seen_by
from momagen.prove.c.subset import check_reports
from momagen.prove.c.types import Reference
from momagen.prove.checker import ProofError
from momagen.prove.claims import LONGEST
from momagen.prove.facts import Path
from momagen.prove.transforms.proof import subsets
from momagen.prove.transforms.stored import Stored
from momagen.prove.vectors.plans import Plans

if TYPE_CHECKING:
    from momagen.prove.bases.claim import BasisClaim
    from momagen.prove.bases.functions import FunctionRun
    from momagen.prove.c.parsed import Source
    from momagen.prove.c.system.exchange import Kept
    from momagen.prove.certificates.guide import Guide

RUNS: dict[str, type[FunctionRun]] = {
    "rescale": RescaleRun,
    "keyswitch": KeySwitchRun,
    "convert": ConvertRun,
    "moddown": ModDownRun,
}
"""The type of the runs for each kind of kernel."""
FORMS = "execute", "execute_rows"
"""The functions that compute the results: the first takes all rows as one array, the second one array for each row."""


class BasisProof:
    """The proof of a kernel for an RNS basis, for one form of its source."""

    def __init__(self, source: Source, claim: BasisClaim, seed: str, guide: Guide, summaries: dict[Any, Any]) -> None:
        parts: Any = claim
        self.source, self.claim = source, claim
        self.plans = Plans(source, parts, seed, guide)
        self.plans.summaries = summaries
        self.kept: dict[str, Kept] = {}
        self.runs = self.elements = 0

    def prove(self) -> None:
        """Prove the claim."""
        check_reports(self.source.functions[f"{self.claim.name}_create"])
        self._check_columns()
        self._check_create()
        self._check_null()

    def _new_run(self) -> FunctionRun:
        self.runs += 1
        run = RUNS[self.claim.kind](self.source, self.claim, self.plans)
        run.kept = self.kept
        return run

    def _check_columns(self) -> None:
        """Check the results, for every block of columns, and ``destroy``."""
        run, sizes = self._new_run(), Sizes.of(self.source)
        if sizes.block < sizes.width or sizes.block % sizes.width:
            raise ProofError("the loop over the columns does not advance by groups")
        plan = run.create_accepted()
        for rest in (None, *range(sizes.width)):
            for form in FORMS:
                for variant in run.variants:
                    for path in Path.every():
                        run.begin(sizes, rest)
                        run.execute_on(plan, form, variant, path)
                        self.runs += 1
            self.elements += self.claim.results * (sizes.width + (rest or 0))
        run.destroy(plan)
        if any(kept.layout for kept in self.kept.values()):
            run = self._new_run()
            run.destroy(run.create_accepted(), keeps_buffers=True)

    def _check_create(self) -> None:
        """Check which moduli ``create`` refuses, and that it reports an error if an allocation fails."""
        for path in Path.every():
            run = self._new_run()
            run.allocated = path
            if (run.create_for(list(run.moduli_of_basis)) is not None) != all(path.decisions[: path.used]):
                raise ProofError("create returns a plan though it had no memory")
        for path in Path.every():
            run = self._new_run()
            run.coprime = path
            if (run.create_for(list(run.moduli_of_basis)) is not None) != all(path.decisions[: path.used]):
                raise ProofError("create is not proven to refuse moduli that have a common factor")
        for at in self.claim.order:
            self._check_excluded(at)

    def _check_excluded(self, at: int) -> None:
        """Check that ``create`` refuses a modulus outside the claim if all moduli before it are inside."""
        claim = self.claim
        if at in claim.parities:
            run = self._new_run()
            run.parities[at] = 1 - claim.parities[at]
            if run.create_for(self._moduli_with(run, at, run.moduli_of_basis[at])) is not None:
                raise ProofError("create accepts a modulus of the other parity")
        above = Stored("a long modulus", 1, (claim.greatest + 1,), (claim.longest,))
        excluded: list[Stored | int] = [*range(claim.least), *([above] if claim.greatest < claim.longest else [])]
        for q in excluded:
            run = self._new_run()
            if run.create_for(self._moduli_with(run, at, q)) is not None:
                raise ProofError("create accepts a modulus that the claim excludes")

    def _moduli_with(self, run: FunctionRun, at: int, q: Stored | int) -> list[Stored | int]:
        """Return moduli with q in one place, moduli of the claim before it in the order, and any numbers after it."""
        before = self.claim.order[: self.claim.order.index(at)]
        found: list[Stored | int] = []
        for i, modulus in enumerate(run.moduli_of_basis):
            any_modulus = Stored("any modulus", 1, (0,), (self.claim.longest,))
            found.append(q if i == at else modulus if i in before else any_modulus)
        return found

    def _check_null(self) -> None:
        """Check that NULL is reported, and that nothing is done for no columns."""
        for name, _ in self.claim.arrays:
            run = self._new_run()
            if run.create_for(list(run.moduli_of_basis), name) is not None:
                raise ProofError(f"create is not proven to check whether {name} is NULL")
        for form in FORMS:
            for missing in subsets(1 + len(self.claim.vectors)):
                run = self._new_run()
                length = run.words.variable("n", 1 if missing[0] else 0, 1 << LONGEST)
                pointers = self._untouched(run, form)
                passed = [NULL if i in missing else pointer for i, pointer in enumerate(pointers)]
                if run.code_of(form, [*passed, *run.optional()], length) == 0:
                    raise ProofError(f"{form} is not proven to check its pointers for NULL")
            run = self._new_run()
            if run.code_of(form, [*self._untouched(run, form), *run.optional()], run.words.constant(0)) != 0:
                raise ProofError(f"{form} returns an error for no columns")
        self._new_run().destroy(NULL)

    def _untouched(self, run: FunctionRun, form: str) -> list[Any]:
        """Return a plan and arrays that the program must not access."""
        kind = run.kind if form == "execute" else Reference(run.kind)
        arrays = [run.new_array(name, kind, 1, is_writable=False) for name in self.claim.vectors]
        return [run.unknown_plan(), *map(run.start, arrays)]


def prove_basis(
    source: Source, claim: BasisClaim, seed: str, compiler: str, guide: Guide, summaries: dict[Any, Any] | None = None
) -> Counter[str]:
    """Prove the claim of a kernel for an RNS basis for one form of its source.

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
    proof = BasisProof(source, claim, seed, guide, {} if summaries is None else summaries)
    with seen_by(compiler):
        proof.prove()
    return Counter(paths=proof.runs, elements=proof.elements)
