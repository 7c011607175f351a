"""The constants of a plan, proven before they are used: bounds, relations to q, and powers of two modulo q.

A kernel that multiplies by Montgomery's method computes 1/q modulo a power of two by Newton's iteration, and powers of
two modulo q by doubling. ``create`` is executed part by part, as for a transform without a root. What is proven of the
numbers in the plan is all that the proof of ``execute`` may use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from momagen.prove.c.memory import NULL, Block, Number, Pointer
from momagen.prove.c.subset import check_reports
from momagen.prove.certificates.guide import SEARCH, Guide
from momagen.prove.checker import ProofError
from momagen.prove.facts import Path
from momagen.prove.transforms.claim import Moduli
from momagen.prove.transforms.field import RandomField
from momagen.prove.transforms.run import TransformRun
from momagen.prove.transforms.stored import Word
from momagen.prove.words import Value

if TYPE_CHECKING:
    from momagen.prove.c.parsed import Source
    from momagen.prove.claims import Claim

Cells = dict[str, list[Any]]
"""The words of each member of a plan: a word of a stored number, or a known number."""


class Plans:
    """The runs of ``create`` of an element-wise kernel for odd moduli.

    Args:
        source: The source as a compiler sees it.
        claim: The claim.
        seed: What determines the random choices.
        guide: Where the proofs come from.
    """

    def __init__(self, source: Source, claim: Claim, seed: str, guide: Guide = SEARCH) -> None:
        self.source, self.claim, self.guide = source, claim, guide
        self.field = RandomField(None, seed)
        self.summaries: dict[Any, Any] = {}
        self.runs = 0

    def accepts_odd_only(self) -> bool:
        """Return whether ``create`` is proven to refuse every even modulus."""
        try:
            return self._refuses(Moduli(2, self.claim.longest, 0))
        except ProofError:
            return False

    def _refuses(self, moduli: Moduli) -> bool:
        """Return whether ``create`` refuses all these moduli, before it allocates memory."""
        run = self._new_run(moduli)
        run.allocated = Path([False])
        return run.create_from_modulus() is None and not run.allocations

    def prove(self) -> Cells:
        """Prove which moduli ``create`` accepts and refuses, and return what a plan contains."""
        claim = self.claim
        check_reports(self.source.functions[f"{claim.name}_create"])
        run = self._new_run()
        plan = run.create_from_modulus()
        if plan is None:
            raise ProofError("create refuses a modulus of the claim")
        cells = _cells(plan.block)
        run.destroy(plan)
        run.destroy(NULL)
        self._check_no_memory()
        others = [Moduli(2, claim.longest, 0)]
        if claim.greatest < claim.longest:
            others.append(Moduli(claim.greatest + 1, claim.longest, None))
        if not all(self._refuses(other) for other in others):
            raise ProofError("create accepts a modulus that the claim excludes")
        for q in (*range(claim.least), None):
            if self._new_run().create_from(q) is not None:
                raise ProofError(f"create accepts the modulus {q}" if q is not None else "create accepts NULL as q")
        return cells

    def _check_no_memory(self) -> None:
        """Check that ``create`` reports an error if some of its allocations fail, for any of them."""
        for path in Path.every():
            run = self._new_run()
            run.allocated = path
            if (run.create_from_modulus() is not None) != all(path.decisions[: path.used]):
                raise ProofError("create returns a plan though it had no memory")

    def _new_run(self, moduli: Moduli | None = None) -> PlanRun:
        self.runs += 1
        own = Moduli(self.claim.least, self.claim.greatest, 1)
        return PlanRun(self.source, self.claim, moduli or own, self)


class PlanRun(TransformRun):
    """One run of ``create``, which has no root."""

    def __init__(self, source: Source, claim: Claim, moduli: Moduli, plans: Plans) -> None:
        parts: Any = claim  # a run of create uses only what both kinds of claims state
        super().__init__(source, parts, moduli, plans.field, plans.summaries, plans.guide)
        self.keeps_flags = getattr(claim, "is_odd", True)

    def create_from_modulus(self) -> Pointer | None:
        """Call ``create`` with q."""
        return self.create_from(self.modulus)


def _cells(plan: Block) -> Cells:
    """Return the words of the members of a plan, which must all be arrays of words."""
    found: Cells = {}
    for key, part in plan.cells.items():
        if not isinstance(part, Block):
            raise ProofError("a plan contains something else than arrays")
        words = []
        for i in range(part.size.low):
            held = part.cells.get(frozenset({((), i)} if i else ()))
            value = held.value if isinstance(held, Number) else None
            if not isinstance(value, Word) and not (isinstance(value, Value) and value.is_constant):
                raise ProofError("a number in a plan is not known")
            words.append(value if isinstance(value, Word) else value.low)
        found[dict(key)[(-1,)]] = words
    return found
