"""The proof of a transform, with separate runs for results, refusals and failed allocations."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING, Any

from gmpy2 import powmod

from momagen.prove.c.memory import NULL
from momagen.prove.c.source import seen_by
from momagen.prove.c.subset import check_reports
from momagen.prove.c.system.exchange import Kept
from momagen.prove.certificates.guide import SEARCH, Guide
from momagen.prove.checker import ProofError
from momagen.prove.facts import Path
from momagen.prove.transforms.claim import LEAST, Moduli
from momagen.prove.transforms.field import RandomField
from momagen.prove.transforms.run import TransformRun
from momagen.prove.transforms.stored import Word

if TYPE_CHECKING:
    from momagen.prove.c.parsed import Source
    from momagen.prove.transforms.claim import Transform
    from momagen.prove.transforms.stored import Stored


class TransformProof:
    """The proof of a transform for one form of its source.

    Attributes:
        field: The field in which residues are compared.
        runs: The number of runs of the functions.
        elements: The number of elements of results that were checked.
        summaries: What was proven of straight-line parts.
    """

    run_type: type[TransformRun] = TransformRun

    def __init__(
        self,
        source: Source,
        claim: Transform,
        seed: str,
        guide: Guide = SEARCH,
        summaries: dict[Any, Any] | None = None,
    ) -> None:
        self.source, self.claim, self.seed, self.guide = source, claim, seed, guide
        self.field = RandomField(claim.order, seed)
        self.runs = self.elements = 0
        self.summaries: dict[Any, Any] = {} if summaries is None else summaries
        self.kept: dict[str, Kept] = {}

    def prove(self) -> None:
        """Prove the claim."""
        check_reports(self.source.functions[f"{self.claim.name}_create"])
        self._check_vectors()
        self._check_no_memory()
        self._check_moduli()
        self._check_roots()
        self._check_null()

    def _new_run(self, moduli: Moduli | None = None, field: RandomField | None = None) -> TransformRun:
        self.runs += 1
        moduli, field = moduli or self.claim.moduli, field or self.field
        run = self.run_type(self.source, self.claim, moduli, field, self.summaries, self.guide)
        run.kept = self.kept
        return run

    def _check_vectors(self) -> None:
        """Check ``execute`` with a valid plan, for all layouts of its arrays, and ``destroy``."""
        run = self._new_run()
        plan = run.create_valid()
        for layout in reversed(self.claim.layouts()):
            self.elements += self.claim.result_length
            for path in Path.every():
                self.runs += 1
                run.execute_vector(plan, layout, path)
        run.destroy(plan)
        if any(kept.layout for kept in self.kept.values()):
            run = self._new_run()
            run.destroy(run.create_valid(), keeps_buffers=True)

    def _check_no_memory(self) -> None:
        """Check that ``create`` reports an error if some of its allocations fail, for any of them."""
        for path in Path.every():
            run = self._new_run()
            run.allocated = path
            plan = run.create_from(run.modulus, run.root())
            if (plan is not None) != all(path.decisions[: path.used]):
                raise ProofError("create returns a plan though it had no memory")

    def _check_moduli(self) -> None:
        """Check that ``create`` refuses every modulus that the claim excludes, whatever the root is."""
        moduli, longest = self.claim.moduli, self.claim.longest
        others = [Moduli(2, longest, 0)]
        if moduli.least > LEAST:
            others.append(Moduli(2, moduli.least - 1, None))
        if moduli.greatest < longest:
            others.append(Moduli(moduli.greatest + 1, longest, None))
        for other in others:
            run = self._new_run(other)
            if run.create_from(run.modulus, run.any_root()) is not None:
                raise ProofError("create accepts a modulus that the claim excludes")
        for q in range(LEAST):
            run = self._new_run()
            if run.create_from(q, run.any_root()) is not None:
                raise ProofError(f"create accepts the modulus {q}")

    def _check_roots(self) -> None:
        """Check that ``create`` refuses every root that is not below q, or has another order.

        A root of the claim makes all residues equal that are compared. It must be accepted, and if another root is,
        then those residues that are found equal must imply its order.
        """
        run = self._new_run()
        if run.create_from(run.modulus, run.any_root((0, 1))) is not None:
            raise ProofError("create accepts a root that is not below q")
        for path in Path.every():
            run = self._new_run(field=RandomField(None, self.seed))
            run.comparisons = path
            is_refused = run.create_from(run.modulus, run.root()) is None
            outcomes = path.decisions[: path.used]
            if is_refused and all(outcomes):
                raise ProofError("create does not decide by the residues that it compares")
            run.compared = [each for each, is_equal in zip(run.compared, outcomes, strict=True) if is_equal]
            if not is_refused and not self._implies_order(run):
                raise ProofError("create is not proven to refuse every root of another order")

    def _implies_order(self, run: TransformRun) -> bool:
        """Return whether root^(N/2) is -1 if all residues are equal that ``create`` found equal, with any root.

        If root^N is 1, then root^((N - 1) N/2) is root^(N/2), because N is even.
        """
        field, root, order = run.field, run.field.root, self.claim.order
        half = order // 2
        zeros = [powmod(root, half, field.prime) + 1, powmod(root, order, field.prime) - 1,
                 powmod(root, (order - 1) * half, field.prime) + 1]  # fmt: skip
        direct, power, inverse = (
            any(field.differ_by_power_of_two(difference, zero) for difference in run.compared) for zero in zeros
        )
        return direct or (power and inverse)

    def _check_null(self) -> None:
        """Check that ``create`` and ``execute`` report an error if pointers are NULL; ``destroy`` must accept NULL."""
        for missing in subsets(2):
            run = self._new_run()
            numbers: list[Stored | None] = [run.modulus, run.root()]
            if run.create_from(*(None if i in missing else number for i, number in enumerate(numbers))) is not None:
                raise ProofError("create is not proven to check its pointers for NULL")
        for missing in subsets(1 + len(self.claim.roles)):
            run = self._new_run()
            pointers = [NULL if i in missing else pointer for i, pointer in enumerate(run.arguments(1))]
            if run.call_execute(pointers, Word(run.batch, 0)) == 0:
                raise ProofError("execute is not proven to check its pointers for NULL")
            run.check_freed("execute does not free what it allocated if a pointer is NULL")
        run = self._new_run()
        if run.call_execute(run.arguments(0), run.words.constant(0)) != 0:
            raise ProofError("execute returns an error for no vectors")
        run.check_freed("execute does not free what it allocated for no vectors")
        self._new_run().destroy(NULL)


def subsets(count: int) -> list[tuple[int, ...]]:
    """Return the subsets of the numbers below ``count`` that are not empty."""
    return [subset for size in range(1, count + 1) for subset in combinations(range(count), size)]


def prove_transform(
    source: Source, claim: Transform, seed: str, compiler: str, guide: Guide, summaries: dict[Any, Any] | None = None
) -> Counter[str]:
    """Prove the claim of a transform for one form of its source.

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
    proof = TransformProof(source, claim, seed, guide, summaries)
    with seen_by(compiler):
        proof.prove()
    return Counter(paths=proof.runs, elements=proof.elements)
