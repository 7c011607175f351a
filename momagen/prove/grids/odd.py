"""Element-wise kernels for CUDA and odd moduli, whose constants are proven part by part before they are used."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from gmpy2 import mpz

from momagen.prove.c.cuda.program import CudaProgram
from momagen.prove.c.memory import Number, Pointer
from momagen.prove.c.source import seen_by
from momagen.prove.checker import ProofError
from momagen.prove.facts import Facts, Path
from momagen.prove.grids.kernel import REFUSED, SUPPORTED, GridKernel
from momagen.prove.grids.threads.calls import CallRun
from momagen.prove.grids.threads.run import GridRun
from momagen.prove.transforms.claim import Moduli
from momagen.prove.transforms.memory import key_of
from momagen.prove.transforms.relations import state_relations
from momagen.prove.transforms.stored import Stored, Word
from momagen.prove.transforms.summary import SLACK
from momagen.prove.vectors.odd import OddKernel, execute_all
from momagen.prove.vectors.plans import Plans
from momagen.prove.words import Value

if TYPE_CHECKING:
    from momagen.prove.c.memory import Block
    from momagen.prove.c.parsed import Source
    from momagen.prove.c.types import Integer
    from momagen.prove.certificates.guide import Guide
    from momagen.prove.grids.claim import GridClaim
    from momagen.prove.transforms.part import Part
    from momagen.prove.vectors.plans import Cells

MEMBER = "constants"


class ConstantsRun(GridRun):
    """A run of the launch that computes the constants, which depend on no root and no vectors."""

    def __init__(self, source: Source, claim: GridClaim, moduli: Moduli, plans: Plans) -> None:
        super().__init__(source, claim, moduli, plans.field, plans.summaries, plans.guide)

    def _new_part(self, path: Path) -> Part:
        part = CallRun._new_part(self, path)
        part.facts.search.slack = SLACK
        return part

    def _static(self, name: str) -> Block:
        """Return a constant array; one that holds 1 is known to hold a number below q, as the powers of 2 modulo q."""
        block, count = super()._static(name), self.claim.words
        held = [block.cells.get(key_of(i)) for i in range(count)]
        if block.size.low == count and [_known(each) for each in held] == [1] + [0] * (count - 1):
            one = Stored(name, count, (0,), (-1, 1), mpz(1))
            block.cells.update((key_of(i), Number(block.of, Word(one, i))) for i in range(count))
        return block

    def is_shared(self, _value: Value) -> bool:
        """Return whether a value is a polynomial in variables that mean the same in all parts; there are none here."""
        return False

    def constants_of(self, q: Stored | int) -> Pointer | None:
        """Return the constants of a modulus, or None if set-up refuses it."""
        launches = self.claim.launches
        if len(launches.setup) != 1:
            raise ProofError("a set-up of several launches is not supported")
        given = [self.start(self.array("q", [q])), self.device_memory("root", self.claim.words)]
        status, constants = self.device_memory("status", 1), self.device_memory(MEMBER, launches.constants)
        self.launch(launches.setup[0], [constants, status, *given], None)
        found = self.number(status.block.cells.get(key_of(0)))
        if found not in (SUPPORTED, REFUSED):
            raise ProofError("set-up stores another status than 0 and 1")
        return constants if found == SUPPORTED else None


class GridPlans(Plans):
    """The runs of set-up of an element-wise kernel for CUDA and odd moduli."""

    claim: GridClaim

    def prove(self) -> Cells:
        """Prove which moduli set-up accepts and refuses, and return the constants."""
        claim = self.claim
        run = self._run(Moduli(claim.least, claim.greatest, 1))
        constants = run.constants_of(run.modulus)
        if constants is None:
            raise ProofError("set-up refuses a modulus of the claim")
        others = [Moduli(2, claim.longest, 0)]
        if claim.greatest < claim.longest:
            others.append(Moduli(claim.greatest + 1, claim.longest, None))
        if not all(self._refuses(other) for other in others):
            raise ProofError("set-up accepts a modulus that the claim excludes")
        for q in range(claim.least):
            if self._run(Moduli(claim.least, claim.greatest, 1)).constants_of(q) is not None:
                raise ProofError(f"set-up accepts the modulus {q}")
        return {MEMBER: [_known(constants.block.cells.get(key_of(i))) for i in range(claim.launches.constants)]}

    def _refuses(self, moduli: Moduli) -> bool:
        """Return whether set-up refuses all these moduli."""
        run = self._run(moduli)
        return run.constants_of(run.modulus) is None

    def _run(self, moduli: Moduli) -> ConstantsRun:
        self.runs += 1
        return ConstantsRun(self.source, self.claim, moduli, self)


def _known(held: Any) -> Any:
    """Return the content of a constant: the word of a stored number, a known number, or None if nothing is stored."""
    value = held.value if isinstance(held, Number) else None
    return value.low if isinstance(value, Value) and value.is_constant else value


class OddGridKernel(GridKernel, OddKernel):
    """A run of the launches of a call, with constants of which only the proven facts are known."""

    def __init__(self, source: Source, claim: GridClaim, facts: Facts, plans: Plans, cells: Cells) -> None:
        OddKernel.__init__(self, source, claim, facts, plans, cells)

    def _modulus(self, constant: int | None = None) -> Pointer:
        """Return the array of q, with the words that the constants contain."""
        words = self.cells[MEMBER]
        numbers = {word.number: None for word in words if isinstance(word, Word)}
        variables = {number: self._introduce(number) for number in numbers}
        state_relations(self.facts, {number: variable for number, (variable, _) in variables.items()})
        self.introduced = {number: values for number, (_, values) in variables.items()}
        modulus = next((values for number, values in self.introduced.items() if number.is_modulus), None)
        if constant is not None or modulus is None:
            raise ProofError("the constants do not contain the modulus")
        return self._array_of_modulus(modulus)

    def _set_up(self, _modulus: Pointer) -> tuple[Pointer, int]:
        """Return the constants that set-up was proven to compute, and its status."""
        constants = self._memory(MEMBER, self.claim.launches.constants)
        for i, word in enumerate(self.cells[MEMBER]):
            if word is not None:
                is_known = not isinstance(word, Word)
                value = self.words.constant(word) if is_known else self.introduced[word.number][word.index]
                constants.block.store(self.words.constant(i), Number(self.kind, value), self.facts)
        return constants, SUPPORTED

    def _minus(self, x: Value, y: Value, kind: Integer, is_half: bool = False) -> Number:
        """Return a difference that may wrap, because Montgomery's product needs its borrow."""
        return CudaProgram._minus(self, x, y, kind, is_half)


def is_for_odd_moduli(source: Source, claim: GridClaim, seed: str, guide: Guide) -> bool:
    """Return whether set-up is proven to refuse every even modulus."""
    return GridPlans(source, claim, seed, guide).accepts_odd_only()


def prove_odd_grid(source: Source, claim: GridClaim, seed: str, compiler: str, guide: Guide) -> Counter[str]:
    """Prove the claim of an element-wise kernel for CUDA and odd moduli.

    Args:
        source: The device code.
        claim: The claim, about odd moduli.
        seed: What determines the random choices.
        compiler: The compiler, for messages.
        guide: Where the proofs come from.

    Returns:
        The number of paths and of elements that were checked.
    """
    plans = GridPlans(source, claim, seed, guide)
    with seen_by(compiler):
        cells = plans.prove()
        facts = (Facts(claim.least, claim.greatest, path, guide) for path in Path.every())
        runs = execute_all(OddGridKernel(source, claim, each, plans, cells) for each in facts)
    return runs + Counter(paths=plans.runs)
