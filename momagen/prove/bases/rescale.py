"""Proving a kernel that rescales: values, refusals and failing allocations, each in runs of its own."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from momagen.prove.bases.loops import ColumnRun, Sizes
from momagen.prove.c.memory import NULL, Number, Pointer
from momagen.prove.c.source import seen_by
from momagen.prove.c.subset import check_reports
from momagen.prove.c.system.exchange import Kept
from momagen.prove.c.types import SIZE, Reference
from momagen.prove.checker import ProofError
from momagen.prove.facts import Path
from momagen.prove.numbers.structure import Structure
from momagen.prove.polynomial import plus
from momagen.prove.transforms.memory import key_of
from momagen.prove.transforms.proof import subsets
from momagen.prove.transforms.run import NO_OFFSET
from momagen.prove.transforms.stored import Stored
from momagen.prove.vectors.plans import Plans

if TYPE_CHECKING:
    from momagen.prove.bases.claim import Rescaling
    from momagen.prove.bases.columns import Column, ColumnBlock
    from momagen.prove.c.parsed import Source
    from momagen.prove.certificates.guide import Guide
    from momagen.prove.words import Value

FORMS = "execute", "execute_rows"
"""The functions that compute the results: of rows that are one array, and of rows of which each is an array."""


class RescaleRun(ColumnRun):
    """A run of the functions of a kernel that rescales.

    Attributes:
        operands: What the columns of x hold.
    """

    def __init__(self, source: Source, claim: Rescaling, plans: Plans) -> None:
        super().__init__(source, claim, plans)
        self.operands: dict[Column, Stored] = {}
        self.half = self.field.element() if claim.is_nearest else self.field.prime - 1
        """The residue modulo d of floor((d - 1) / 2) or, without rounding to the nearest, of d - 1."""

    # Claim.

    def check_result(self, number: Stored, part: str, row: int, at: int) -> None:
        """Check that a number is the quotient of a column modulo a modulus of the basis."""
        last, prime = self.claim.count - 1, self.field.prime
        x, y = (self.operand((part, i, at)).residue for i in (row, last))
        # The claim is d * z = a - a mod d + d * [a mod d > g] with g = floor((d - 1) / 2) or, without rounding to the
        # nearest, g = d - 1. The right side is a + t - g for the number t = (g - a) mod d.
        total = x + self._rest(y, row) - self._face_of_half(row)
        expected = total * self.inverse(self.face_of_modulus(last, row), row) % prime
        if not number.is_reduced or self.tag_of(number) != row:
            raise ProofError(f"a result of row {row} is not proven to be below its modulus")
        if (number.residue - expected) % prime:
            raise ProofError(f"a result of row {row} is not proven to be the quotient")

    def _rest(self, y: Any, row: int) -> Any:
        """Return the residue modulo a modulus of g - y modulo d."""
        return self.face(self.half - y, self.claim.count - 1, row)

    def _face_of_half(self, row: int) -> Any:
        return self.face(self.half, self.claim.count - 1, row)

    def _relate_to_modulus(self, part: Any, values: list[Value], results: dict[tuple[int, ...], Stored]) -> None:
        """Find the number floor((d - 1) / 2), of which d - 1 minus twice the number is 0 or 1."""
        last = self.claim.count - 1
        if not self.claim.is_nearest or part.tag != last or list(part.inputs) != [self.moduli_of_basis[last]]:
            return
        for (at, *_), number in results.items():
            key = "half", part.key(values), at
            if key not in self.summaries:
                facts = part.facts
                facts.ask(Structure(facts, 1 << self.claim.word).update, set(range(len(facts.checker.variables))))
                bounds = facts.bounds(plus({(0,): 1, (): -1}, values[at].polynomial, -2))
                checker = facts.checker
                self.summaries[key] = checker.minimum(bounds.low) > -1 and checker.maximum(bounds.high) < 2
            if self.summaries[key] and number.is_reduced:
                number.residue = self.half

    def operand(self, key: Column) -> Stored:
        """Return what a column of x holds."""
        if key not in self.operands:
            self.operands[key] = self.tagged("x", key[1], is_secret=True)
        return self.operands[key]

    def result_rows(self, block: ColumnBlock) -> int:
        """Return how many rows of the result a block contains."""
        count: int = self.claim.count - 1
        return min(block.rows, count - block.first)

    # Arguments.

    def rows(self, name: str, first: int, count: int, is_operand: bool, is_writable: bool) -> ColumnBlock:
        """Return an array of rows."""
        size = self.words.multiply(self.length, self.words.constant(count))
        block: Any = self.new_array(name, self.kind, size)
        block.rows, block.first, block.is_writable = count, first, is_writable
        block.drawn = self.operand if is_operand else None
        return block  # type: ignore[no-any-return]

    def arrays(self, form: str, is_same: bool) -> list[Any]:
        """Return the pointers to the result and to the operand."""
        count = self.claim.count
        if form == "execute":
            x = self.rows("x", 0, count, True, is_same)
            z = x if is_same else self.rows("z", 0, count - 1, False, True)
            self.result_blocks = (z,)
            return [self.start(z), self.start(x)]
        operands = [self.rows("x", i, 1, True, is_same and i < count - 1) for i in range(count)]
        results = operands[:-1] if is_same else [self.rows("z", i, 1, False, True) for i in range(count - 1)]
        self.result_blocks = tuple(results)
        return [self.table(results), self.table(operands)]

    def table(self, blocks: list[ColumnBlock]) -> Pointer:
        """Return a pointer to an array of pointers to blocks."""
        table = self.new_array("rows", Reference(self.kind), len(blocks))
        for i, block in enumerate(blocks):
            table.cells[key_of(i)] = self.start(block)
        table.is_writable = False
        return self.start(table)

    # Functions.

    def create_for(self, moduli: list[Stored | int] | None) -> Pointer | None:
        """Call ``create`` with moduli, or with NULL."""
        count = Number(SIZE, self.words.constant(self.claim.count))
        if moduli is None:
            return self.create(count, NULL)
        array = self.array("q", moduli)
        plan = self.create(count, self.start(array))
        array.end(self.words)
        return plan

    def create_accepted(self) -> Pointer:
        """Call ``create`` with moduli of the claim, and make the plan constant."""
        plan = self.create_for(list(self.moduli_of_basis))
        if plan is None:
            raise ProofError("create refuses moduli of the claim")
        self.frozen = [block for block in self.heap if block.is_writable]
        for block in self.frozen:
            block.is_writable = False
            if isinstance(block.of, Reference) and not block.is_array and block.cells.get(NO_OFFSET) is NULL:
                block.cells[NO_OFFSET] = self.kept.setdefault(block.name, Kept())
        return plan

    def code_of(self, form: str, pointers: list[Any], length: Value) -> int:
        """Return what a function that computes the results returns."""
        return self.number(self.call(f"{self.claim.name}_{form}", [*pointers, Number(SIZE, length)]))

    def execute_on(self, plan: Pointer, form: str, is_same: bool, path: Path) -> None:
        """Prove that the results of the block are computed, or that an error is returned if there is no memory."""
        self.allocated, self.exchanged, self.is_out_of_memory = path, path, False
        self.operands.clear()
        with self._only_reading_plan():
            code = self.code_of(form, [plan, *self.arrays(form, is_same)], self.length)
        if (code != 0) != self.is_out_of_memory:
            raise ProofError(f"{form} returns an error for valid arguments, or no error without memory")
        if not self.is_out_of_memory and not self.has_blocks:
            raise ProofError(f"{form} has no loop over the columns")


class RescaleProof:
    """The proof of a kernel that rescales, for one form of its source."""

    def __init__(self, source: Source, claim: Rescaling, seed: str, guide: Guide, summaries: dict[Any, Any]) -> None:
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

    def _new_run(self) -> RescaleRun:
        self.runs += 1
        run = RescaleRun(self.source, self.claim, self.plans)
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
                for is_same in (False, True):
                    for path in Path.every():
                        run.begin(sizes, rest)
                        run.execute_on(plan, form, is_same, path)
                        self.runs += 1
            self.elements += (self.claim.count - 1) * (sizes.width + (rest or 0))
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
                raise ProofError("create is not proven to refuse moduli that have a common factor with the divisor")
        claim = self.claim
        above = Stored("a long modulus", 1, (claim.greatest + 1,), (claim.longest,))
        for at in range(claim.count):
            excluded: list[Stored | int] = [*range(claim.least), *([above] if claim.greatest < claim.longest else [])]
            for q in excluded:
                run = self._new_run()
                others = [Stored("any modulus", 1, (0,), (claim.longest,)) for _ in range(at + 1, claim.count)]
                if run.create_for([*run.moduli_of_basis[:at], q, *others]) is not None:
                    raise ProofError("create accepts a modulus that the claim excludes")

    def _check_null(self) -> None:
        """Check that NULL is reported, and that nothing is done for no columns."""
        if self._new_run().create_for(None) is not None:
            raise ProofError("create is not proven to check its pointer for NULL")
        for form in FORMS:
            for missing in subsets(3):
                run = self._new_run()
                length = run.words.variable("n", 1 if missing[0] else 0, 1 << 50)
                pointers = self._untouched(run, form)
                if run.code_of(form, [NULL if i in missing else p for i, p in enumerate(pointers)], length) == 0:
                    raise ProofError(f"{form} is not proven to check its pointers for NULL")
            run = self._new_run()
            if run.code_of(form, self._untouched(run, form), run.words.constant(0)) != 0:
                raise ProofError(f"{form} returns an error for no columns")
        self._new_run().destroy(NULL)

    @staticmethod
    def _untouched(run: RescaleRun, form: str) -> list[Any]:
        """Return a plan and arrays that the program must not access."""
        kind = run.kind if form == "execute" else Reference(run.kind)
        arrays = [run.new_array(name, kind, 1, is_writable=False) for name in ("z", "x")]
        return [run.unknown_plan(), *map(run.start, arrays)]


def prove_rescaling(
    source: Source, claim: Rescaling, seed: str, compiler: str, guide: Guide, summaries: dict[Any, Any] | None = None
) -> Counter[str]:
    """Prove the claim of a kernel that rescales for one form of its source.

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
    proof = RescaleProof(source, claim, seed, guide, {} if summaries is None else summaries)
    with seen_by(compiler):
        proof.prove()
    return Counter(paths=proof.runs, elements=proof.elements)
