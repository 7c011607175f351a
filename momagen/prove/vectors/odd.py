"""Element-wise kernels for odd moduli, whose plans contain numbers that were proven before."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from gmpy2 import mpq, powmod

from momagen.prove.c.memory import NULL, Number, Pointer
from momagen.prove.c.source import seen_by
from momagen.prove.c.types import SIZE
from momagen.prove.checker import ProofError
from momagen.prove.claims import LONGEST
from momagen.prove.elementwise import Kernel
from momagen.prove.facts import Facts, Path
from momagen.prove.polynomial import quotient_by, scaled
from momagen.prove.transforms.relations import state_relations
from momagen.prove.transforms.stored import Stored, Word
from momagen.prove.vectors.plans import Plans

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from momagen.prove.c.parsed import Source
    from momagen.prove.certificates.guide import Guide
    from momagen.prove.checker import Equal
    from momagen.prove.claims import Claim
    from momagen.prove.polynomial import Polynomial
    from momagen.prove.vectors.plans import Cells
    from momagen.prove.words import Value


class OddKernel(Kernel):
    """A run of ``execute`` with a plan of which only the proven facts are known.

    Args:
        source: The source as a compiler sees it.
        claim: The claim, about odd moduli.
        facts: The facts of the run.
        plans: The runs of ``create``.
        cells: The words of the members of a plan.

    Attributes:
        powers: The equations ``number = 2^k - q * c`` of numbers in the plan, by their variables.
    """

    def __init__(self, source: Source, claim: Claim, facts: Facts, plans: Plans, cells: Cells) -> None:
        super().__init__(source, claim, facts)
        self.plans, self.cells = plans, cells
        self.powers: dict[int, int] = {}

    def run(self) -> str:
        """Run ``execute`` along one path, and return how the run ended."""
        plan = self.plan()
        n = self.words.variable("n", 0, 1 << LONGEST)
        code = self.call(f"{self.claim.name}_execute", [plan, *self.vectors(n), Number(SIZE, n)])
        if self.number(code) != 0:
            raise ProofError("execute returns an error for valid arguments")
        self.check_all(n)
        return "all elements are correct"

    def check_all(self, n: Value) -> None:
        """Check that all elements of the result were stored and checked."""
        self.flush()
        if self.result is None or not self.facts.are_equal(self.result.mark, scaled(n.polynomial, self.claim.words)):
            raise ProofError("execute does not store all elements of the result")

    def plan(self) -> Pointer:
        """Return a plan that contains the numbers that ``create`` was proven to store."""
        name = f"{self.claim.name}_execute"
        kind = self.type(self.source.functions[name].decl.type.args.params[0].type).to
        block = self.new_array("plan", kind, 1)
        self.make_record(block, kind)
        numbers = {word.number: None for words in self.cells.values() for word in words if isinstance(word, Word)}
        variables: dict[Stored, tuple[int, list[Value]]] = {n: self._introduce(n) for n in numbers}
        state_relations(self.facts, {number: variable for number, (variable, _) in variables.items()})
        for member, words in self.cells.items():
            part = block.cells[frozenset({((-1,), member)})]
            for i, word in enumerate(words):
                is_known = not isinstance(word, Word)
                value = self.words.constant(word) if is_known else variables[word.number][1][word.index]
                part.store(self.words.constant(i), Number(part.of, value), self.facts)
        for part in self.heap:
            part.is_writable = False
        return Pointer(block, self.words.constant(0))

    def _introduce(self, number: Stored) -> tuple[int, list[Value]]:
        """Return the variable and the words of a number in the plan."""
        if number.is_modulus:
            words = self._modulus_words()
            self.facts.state_parity(words[0], 1)
            del self.facts.search.relations[0, 0]  # q * q is rewritten by what is known of q * 1/q instead
            return 0, words
        checker, word = self.facts.checker, self.claim.word
        greatest = int(checker.maximum(number.high))
        ends = [min((1 << word) - 1, greatest >> word * i) for i in range(number.words)]
        words = [self.words.variable(f"constant[{i}]", 0, end) for i, end in enumerate(ends)]
        variable = self.facts.state_number("constant", words, (number.low, number.high), 1 << word)
        field = self.plans.field
        powers = [k for k in range(8 * word * self.claim.words) if powmod(2, k, field.prime) == number.residue]
        if powers:
            factor = checker.integer("factor", (mpq(-greatest, checker.least),), (mpq(1 << powers[0], checker.least),))
            self.powers[variable] = checker.state({(variable,): 1, (0, factor): 1, (): -(1 << powers[0])})
        return variable, words

    def _residue_modulo_q(self, polynomial: Polynomial) -> Equal:
        """Return what a polynomial is equal to, where powers of two are written for numbers of the plan."""
        equal = self.facts.residue(polynomial, keeps_multiples_of_q=True)
        for variable, equation in self.powers.items():
            while factor := quotient_by(equal.right, variable):
                equal = self.facts.checker.substitute(equal, equation, factor)
        return equal

    def refuses_null(self, at: int) -> bool:
        """Return whether ``execute`` reports an error if its argument number ``at`` is NULL and n is not 0."""
        n = self.words.variable("n", 1, 1 << LONGEST)
        arguments: list[Any] = [self.plan(), *self.vectors(n)]
        arguments[at] = NULL
        return self.number(self.call(f"{self.claim.name}_execute", [*arguments, Number(SIZE, n)])) != 0


def prove_odd(source: Source, claim: Claim, seed: str, compiler: str, guide: Guide) -> Counter[str]:
    """Prove the claim of a kernel for odd moduli.

    Args:
        source: The source as a compiler sees it.
        claim: The claim.
        seed: What determines the random choices.
        compiler: The compiler, for messages.
        guide: Where the proofs come from.

    Returns:
        The number of paths and of elements that were checked.
    """
    plans = Plans(source, claim, seed, guide)
    with seen_by(compiler):
        cells = plans.prove()
        runs = execute_all(_runs(source, claim, plans, cells))
        for at in range(2 + len(claim.operation.operands)):
            for run in _runs(source, claim, plans, cells):
                if not run.refuses_null(at):
                    raise ProofError(f"pointer {at} of execute is not proven to be checked for NULL")
                runs.update(paths=1)
    return runs + Counter(paths=plans.runs)


def execute_all(runs: Iterable[Kernel]) -> Counter[str]:
    """Execute the runs of a kernel, one for each path, and return the number of paths and of elements.

    Raises:
        ProofError: A run fails, or none of them stores an element.
    """
    total = Counter[str]()
    for run in runs:
        run.run()
        total.update(paths=1, elements=run.elements)
    if not total["elements"]:
        raise ProofError("no path stores an element")
    return total


def _runs(source: Source, claim: Claim, plans: Plans, cells: Cells) -> Iterator[OddKernel]:
    """Yield a run for each path, which the run itself finds."""
    for path in Path.every():
        yield OddKernel(source, claim, Facts(claim.least, claim.greatest, path, plans.guide), plans, cells)
