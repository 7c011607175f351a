"""Proving the public functions of element-wise kernels."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any

from momagen.prove.c.memory import NULL, Block, Number, Pointer
from momagen.prove.c.statements import Program
from momagen.prove.c.subset import check_reports
from momagen.prove.c.types import INT, SIZE, Integer
from momagen.prove.checker import ProofError
from momagen.prove.claims import LONGEST
from momagen.prove.facts import Facts, Path
from momagen.prove.polynomial import added, constant, plus, scaled
from momagen.prove.search import total_of
from momagen.prove.slices import Input, Slices
from momagen.prove.structure import Structure
from momagen.prove.words import Value

if TYPE_CHECKING:
    from collections.abc import Callable

    from momagen.prove.c.parsed import Source
    from momagen.prove.claims import Claim
    from momagen.prove.polynomial import Polynomial


class Kernel(Program):
    """A run of a kernel's ``create`` and ``execute``, whose results are checked element by element."""

    def __init__(self, source: Source, claim: Claim, facts: Facts) -> None:
        super().__init__(source, facts)
        self.claim, self.kind = claim, Integer(claim.word)
        self.structure = Structure(facts, 1 << claim.word)
        self.slices = Slices(facts)
        self.inputs: dict[int, Input] = {}
        self.proven: set[tuple[object, ...]] = set()
        self.residues: dict[tuple[str, Any], int] = {}
        self.result: Block | None = None
        self.elements = 0

    def run(self) -> str:
        """Run ``create`` and ``execute`` along one path, and return how the run ended."""
        modulus = self._modulus()
        plan = self.create(modulus)
        if plan is None:
            return "create had no memory"
        self._end_create(modulus, plan)
        n = self.words.variable("n", 0, 1 << LONGEST)
        operands = self._arguments(n)
        code = self.call(f"{self.claim.name}_execute", [plan, *operands, Number(SIZE, n)])
        if self.number(code) != 0:
            raise ProofError("execute returns an error for valid arguments")
        self.flush()
        if self.result is None or not self.facts.are_equal(
            self.result.mark, scaled(n.polynomial, self.claim.words)
        ):
            raise ProofError("execute does not store all elements of the result")
        for block in self.heap:
            block.is_writable = True
        self.call(f"{self.claim.name}_destroy", [plan])
        return "all elements are correct"

    def create(self, modulus: Pointer) -> Pointer | None:
        """Return a plan, or None on a path without memory or that no modulus takes.

        Raises:
            ProofError: ``create`` refuses a modulus of the claim.
        """
        self.is_out_of_memory = False
        plan, code = self._call_create(modulus)
        if isinstance(plan, Pointer):
            if code != 0:
                raise ProofError("create returns a plan and the reason of a refusal")
            return plan
        if code == 0:
            raise ProofError("create returns NULL and reports no error")
        words = [modulus.block.load(self.words.constant(i), self.facts).value for i in range(self.claim.words)]
        is_too_small = plus(constant(self.claim.least - 1), total_of(words, 1 << self.claim.word), -1)
        if not self.is_out_of_memory and not self.facts.is_not_negative(is_too_small):
            raise ProofError("create refuses a modulus of the claim")
        return None

    def _call_create(self, modulus: Any) -> tuple[Any, int]:
        """Return what ``create`` returns, and the code that it stores for the caller."""
        name = f"{self.claim.name}_create"
        check_reports(self.source.functions[name])
        why = self.new_array("why", INT, 1)
        plan = self.call(name, [modulus, Pointer(why, self.words.constant(0))])
        return plan, self.number(why.load(self.words.constant(0), self.facts))

    def _end_create(self, modulus: Pointer, plan: Pointer) -> None:
        """Let the caller reuse the array of q, and make the plan constant, which later calls use again."""
        modulus.block.end(self.words)
        for block in self.heap:
            if self.claim.words > 1 and self.facts.checker.least == self.facts.checker.greatest:
                self._name_constants(block)
            block.is_writable = False

    def _name_constants(self, block: Block) -> None:
        """Name neighbouring words of the plan that are known numbers, so that they are numbers in the proof, too."""
        run: list[Any] = []
        for i in range(block.size.low + 1 if block.of == self.kind else 0):
            key = frozenset(constant(i).items())
            held = block.cells.get(key)
            if isinstance(held, Number) and isinstance(held.value, Value) and held.value.is_constant:
                run.append(key)
                continue
            at = self._multiple_of_q([block.cells[k].value.low for k in run])
            for part in (run[:at], run[at:]):
                if len(part) > 1:
                    numbers = [block.cells[k].value.low for k in part]
                    words = self.facts.name_constants(block.name, numbers, 1 << self.kind.bits)
                    for k, word in zip(part, words, strict=True):
                        block.cells[k] = Number(self.kind, word)
            run = []

    def _multiple_of_q(self, words: list[int]) -> int:
        """Return how many of the first words form a multiple of q."""
        totals = [sum(word << self.kind.bits * j for j, word in enumerate(words[:i])) for i in range(len(words) + 1)]
        return next((i for i, total in enumerate(totals) if total and total % self.facts.checker.least == 0), 0)

    def refuses(self, constant: int | None) -> bool:
        """Return whether ``create`` returns NULL for a modulus that the claim excludes."""
        plan, code = self._call_create(self._modulus(constant))
        return not isinstance(plan, Pointer) and code != 0

    def refuses_null(self, at: int) -> bool:
        """Return whether ``create`` or, for n > 0, ``execute`` reports an error if one of its pointers is NULL.

        Args:
            at: 0 for the argument of ``create``, then the arguments of ``execute`` in their order.
        """
        if at == 0:
            plan, code = self._call_create(NULL)
            return not isinstance(plan, Pointer) and code != 0
        name = f"{self.claim.name}_execute"
        kind = self.type(self.source.functions[name].decl.type.args.params[0].type).to
        block = self.new_array("plan", kind, 1)
        self.make_record(block, kind)
        n = self.words.variable("n", 1, 1 << LONGEST)
        arguments: list[Any] = [Pointer(block, self.words.constant(0)), *self._arguments(n)]
        arguments[at - 1] = NULL
        return self.number(self.call(name, [*arguments, Number(SIZE, n)])) != 0

    def _modulus(self, constant: int | None = None) -> Pointer:
        """Return the argument q: an array of words, whose number is variable 0 of the checker."""
        checker, word = self.facts.checker, self.claim.word
        words = self._words("q", checker.greatest)
        if constant is not None:
            words = [self.words.constant(constant >> word * i & (1 << word) - 1) for i in range(len(words))]
        elif checker.least == checker.greatest:
            parts = [checker.least >> word * i & (1 << word) - 1 for i in range(len(words))]
            words = [self.words.variable(f"q[{i}]", part, part) for i, part in enumerate(parts)]
        if constant is None:
            self.facts.state_modulus(words, 1 << word)
        block = self.new_array("q", self.kind, self.claim.words, is_writable=False)
        block.is_writable = True
        for i, value in enumerate(words):
            block.store(self.words.constant(i), Number(self.kind, value), self.facts)
        block.is_writable = False
        return Pointer(block, self.words.constant(0))

    def _words(self, name: str, greatest: int) -> list[Value]:
        ends = [min((1 << self.claim.word) - 1, greatest >> self.claim.word * i) for i in range(self.claim.words)]
        return [
            self.words.variable(f"{name}[{i}]", 0, end) if end else self.words.constant(0)
            for i, end in enumerate(ends)
        ]

    def _residue(self, array: str, element: Polynomial) -> list[Value]:
        """Return the words of a residue of the caller, which the claim says is below q."""
        key = array, frozenset(element.items())
        words = self._words(f"{array}[…]", self.facts.checker.greatest)
        self.facts.secrets |= {self.words.number_of(word) for word in words if not word.is_constant}
        if array in self.claim.operation.vectors:
            places = {self.words.number_of(word): i for i, word in enumerate(words) if not word.is_constant}
            self.inputs |= {number: (array, element, i) for number, i in places.items()}
        self.residues[key] = self.facts.state_number(array, words, ((0,), (-1, 1)), 1 << self.claim.word)
        return words

    def _arguments(self, n: Value) -> list[Pointer]:
        one = self.words.constant(self.claim.words)
        size = self.words.multiply(n, one)
        blocks = {name: self._array(name, one) for name in self.claim.operation.scalars}
        blocks |= {name: self._array(name, size) for name in self.claim.operation.vectors}
        self.result = self.new_array("z", self.kind, size)
        for name in self.claim.operation.vectors:
            blocks[name].result = self.result
        return [Pointer(block, self.words.constant(0)) for block in (self.result, *blocks.values())]

    def _array(self, name: str, size: Value) -> Block:
        known: dict[Any, list[Value]] = {}

        def content(offset: Polynomial) -> Number:
            element, word = _element(offset, self.claim.words)
            key = frozenset(element.items())
            if key not in known:
                known[key] = self._residue(name, element)
            return Number(self.kind, known[key][word])

        return self.new_array(name, self.kind, size, content=content, is_writable=False)

    def isolated(self, facts: Facts) -> Kernel:
        """Return a program with the same functions and no variables."""
        return Kernel(self.source, self.claim, facts)

    def settle_public(self) -> None:
        """Settle the numbers of public values."""
        self.structure.update()

    def flush(self) -> None:
        """Check the elements that were stored into the result since the last call."""
        block, words = self.result, self.claim.words
        while block is not None:
            offsets = [self.words.value_of(plus(block.mark, constant(i))) for i in range(words)]
            keys = [frozenset(offset.polynomial.items()) for offset in offsets]
            if not all(any(key == frozenset(w.items()) for w in block.written) for key in keys):
                return
            self._check([block.cells[key].value for key in keys], _element(block.mark, words)[0])
            block.mark = plus(block.mark, constant(words))
            block.written = [w for w in block.written if frozenset(w.items()) not in keys]
            for key in keys:
                del block.cells[key]

    def _check(self, words: list[Value], element: Polynomial) -> None:
        """Check one element of the result."""
        if self.facts.is_trial:
            return
        self.elements += 1
        polynomials = [word.polynomial for word in words]
        form = self.slices.form(polynomials, element, self.inputs)
        if form in self.proven:
            return
        self.structure.update(self.slices.variables_of(polynomials))
        checker = self.facts.checker
        total = total_of(words, 1 << self.claim.word)
        bounds = self.facts.bounds(total)
        if not checker.not_negative(bounds.low) or checker.minimum(added((0, 1), bounds.high, -1)) <= 0:
            raise ProofError("an element of the result is not proven to be below q")
        expected = self.claim.operation.value(
            *(self._residue_of(name, element) for name in self.claim.operation.operands)
        )
        if not checker.is_multiple_of_q(self.facts.residue(plus(total, expected, -1))):
            raise ProofError(f"an element of the result is not proven to be {self.claim.operation.formula} modulo q")
        self.proven.add(form)

    def _residue_of(self, name: str, element: Polynomial) -> Polynomial:
        at = {} if name in self.claim.operation.scalars else element
        key = name, frozenset(at.items())
        if key not in self.residues:
            raise ProofError(f"{name} was not read for an element of the result")
        return {(self.residues[key],): 1}


def _element(offset: Polynomial, words: int) -> tuple[Polynomial, int]:
    """Return the element and the word of it that an offset designates."""
    word = offset.get((), 0) % words
    rest = plus(offset, constant(word), -1)
    if any(c % words for c in rest.values()):
        raise ProofError("an access to a vector does not move by whole elements")
    return {m: c // words for m, c in rest.items()}, word


def prove_elementwise(source: Source, claim: Claim, _seed: str, compiler: str) -> Counter[str]:
    """Prove the claim of an element-wise kernel for one form of its source.

    Args:
        source: The source as a compiler sees it.
        claim: The claim.
        _seed: Not used: nothing is chosen at random.
        compiler: The compiler, for messages.

    Returns:
        The number of paths and of elements that were checked.
    """
    return _all_moduli(source, claim, compiler) + Counter(paths=_check_refusals(source, claim, compiler))


def _moduli(claim: Claim) -> list[tuple[int, int]]:
    """Return the ranges of moduli that are proven one by one if one proof for all does not succeed.

    There are two for each length, the longest first: the power of two, and the others.
    """
    found = []
    for bits in range(claim.greatest.bit_length(), claim.least.bit_length() - 1, -1):
        power = 1 << bits - 1
        found += [(power + 1, min(2 * power - 1, claim.greatest)), (power, power)]
    return [(max(least, claim.least), greatest) for least, greatest in found if claim.least <= greatest >= least]


def _check_refusals(source: Source, claim: Claim, compiler: str) -> int:
    """Prove that ``create`` refuses 0, 1, long moduli and NULL, and ``execute`` NULL; return the number of paths."""
    longest = (1 << claim.word * claim.words) - 1
    cases: list[tuple[int, int, int | None]] = [(1, 1, q) for q in range(claim.least)]
    if claim.greatest < longest:
        cases.append((claim.greatest + 1, longest, None))
    runs = 0
    for least, greatest, q in cases:
        what = f"every q from {least} to {greatest}" if q is None else f"q = {q}"
        check, problem = partial(Kernel.refuses, constant=q), f"create is not proven to refuse {what}"
        runs += _check_refusal(source, claim, (least, greatest), check, problem, compiler)
    for at in range(3 + len(claim.operation.operands)):
        problem = f"pointer {at} of create and execute is not proven to be checked for NULL"
        check = partial(Kernel.refuses_null, at=at)
        runs += _check_refusal(source, claim, (claim.least, claim.greatest), check, problem, compiler)
    return runs


def _check_refusal(
    source: Source,
    claim: Claim,
    moduli: tuple[int, int],
    check: Callable[[Kernel], bool],
    problem: str,
    compiler: str,
) -> int:
    """Prove a refusal on every path, and return the number of paths."""
    path: Path | None = Path()
    runs = 0
    while path is not None:
        if not check(Kernel(source, claim, Facts(*moduli, path))):
            raise ProofError(f"{problem} [{compiler}]")
        runs, path = runs + 1, path.following()
    return runs


def _all_moduli(source: Source, claim: Claim, compiler: str) -> Counter[str]:
    """Prove a claim for all moduli: at once, or for one range after the other."""
    try:
        return _all_paths(source, claim, claim.least, claim.greatest, compiler)
    except ProofError:
        pass
    total, powers = Counter[str](), list[int]()
    for least, greatest in _moduli(claim):
        try:
            total.update(_all_paths(source, claim, least, greatest, compiler))
        except ProofError:
            if least < greatest:
                raise
            powers.append(least.bit_length() - 1)
    if powers:
        raise ProofError(f"proven for every q except 2^k with k = {', '.join(map(str, powers))} [{compiler}]")
    return total


def _all_paths(source: Source, claim: Claim, least: int, greatest: int, compiler: str) -> Counter[str]:
    path: Path | None = Path()
    runs = Counter[str]()
    while path is not None:
        kernel = Kernel(source, claim, Facts(least, greatest, path))
        try:
            kernel.run()
        except ProofError as error:
            where = f"{compiler}; q of {greatest.bit_length()} bits"
            error.args = (f"{error} [{where}]",)
            raise
        runs.update(paths=1, elements=kernel.elements)
        path = path.following()
    if not runs["elements"]:
        raise ProofError("no path stores an element")
    return runs

