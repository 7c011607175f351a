"""Running the public functions of element-wise kernels, and checking their results."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from momagen.prove.c.memory import NULL, Block, Number, Pointer
from momagen.prove.c.statements import Program
from momagen.prove.c.subset import check_reports
from momagen.prove.c.types import INT, SIZE, Integer
from momagen.prove.checker import ProofError
from momagen.prove.claims import LONGEST
from momagen.prove.numbers.powers import PowerConstants
from momagen.prove.numbers.structure import Structure
from momagen.prove.polynomial import added, constant, plus, quotient_by, scaled, variables
from momagen.prove.quotients import Powers
from momagen.prove.search import total_of
from momagen.prove.slices import Input, Slices
from momagen.prove.words import Value, variable_of

if TYPE_CHECKING:
    from momagen.prove.c.parsed import Source
    from momagen.prove.checker import Equal
    from momagen.prove.claims import Claim
    from momagen.prove.facts import Facts
    from momagen.prove.polynomial import Polynomial


class Kernel(Program):
    """A run of a kernel's ``create`` and ``execute``, whose results are checked element by element."""

    def __init__(self, source: Source, claim: Claim, facts: Facts) -> None:
        super().__init__(source, facts)
        self.claim, self.kind = claim, Integer(claim.word, name=f"uint{claim.word}_t")
        self.structure = Structure(facts, 1 << claim.word)
        self.slices = Slices(facts)
        self.inputs: dict[int, Input] = {}
        self.proven: set[tuple[object, ...]] = set()
        self.residues: dict[tuple[str, Any], int] = {}
        self.operand_words: dict[tuple[str, Any], list[Value]] = {}
        self.elements = 0
        self.arrays: dict[str, Block] = {}
        """The arrays of the operands by their names."""
        self.frozen: list[Block] = []
        """The memory of the plan, which only ``create`` and ``destroy`` may change."""

    def run(self) -> str:
        """Run ``create`` and ``execute`` along one path, and return how the run ended."""
        plan = self.new_plan()
        if plan is None:
            return "create had no memory"
        n = self.words.variable("n", 0, 1 << LONGEST)
        operands = self.vectors(n)
        code = self.call(f"{self.claim.name}_execute", [plan, *operands, Number(SIZE, n)])
        if self.number(code) != 0:
            raise ProofError("execute returns an error for valid arguments")
        self.flush()
        if self.result is None or not self.facts.are_equal(
            self.result.mark, scaled(n.polynomial, self.claim.words)
        ):
            raise ProofError("execute does not store all elements of the result")
        for block in self.frozen:
            block.is_writable = True
        self.call(f"{self.claim.name}_destroy", [plan])
        self._check_freed("destroy")
        return "all elements are correct"

    def new_plan(self) -> Pointer | None:
        """Return a plan that is constant from now on, or None on a path without memory."""
        modulus = self._modulus()
        plan = self.create(modulus)
        if plan is not None:
            self._end_create(modulus, plan)
        return plan

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
        self._check_freed("create, which returns no plan,")
        return None

    def _check_freed(self, what: str) -> None:
        """Check that no memory is left that a public function has allocated."""
        if any(block.is_allocated for block in self.heap):
            raise ProofError(f"{what} leaves memory behind")

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
            if self.facts.checker.least == self.facts.checker.greatest:
                self._name_constants(block)
            elif self.facts.powers is Powers.ALL and block.of == self.kind:
                self._name_quotients(block)
        self.frozen = [block for block in self.heap if block.is_writable]
        for block in self.frozen:
            block.is_writable = False

    def _name_constants(self, block: Block) -> None:
        """Name neighbouring words of the plan that are known numbers, so that they are numbers in the proof, too.

        If a residue has one word, each word is a number. Small ones are not named, as they may count bits.
        """
        run: list[Any] = []
        for i in range(block.size.low + 1 if block.of == self.kind else 0):
            key = frozenset(constant(i).items())
            held = block.cells.get(key)
            if isinstance(held, Number) and isinstance(held.value, Value) and held.value.is_constant:
                run.append(key)
                continue
            for part in self._parts([block.cells[k].value.low for k in run], run):
                if len(part) > 1 or block.cells[part[0]].value.low > self.kind.bits:
                    numbers = [block.cells[k].value.low for k in part]
                    words = self.facts.name_constants(block.name, numbers, 1 << self.kind.bits)
                    for k, word in zip(part, words, strict=True):
                        block.cells[k] = Number(self.kind, word)
            run = []

    def _name_quotients(self, block: Block) -> None:
        """Name the words of the plan that are numbers or quotients, which form numbers for all powers of two."""
        limbs = dict[int, int | None]()
        for key, held in block.cells.items():
            value = held.value if isinstance(held, Number) else None
            if isinstance(value, Value) and variable_of(value) < 0 and value.low >= 0 and value.high > self.kind.bits:
                word, equation = self.facts.named(block.name, value)
                block.cells[key] = Number(held.kind, word)
                limbs[self.words.number_of(word)] = equation
            elif isinstance(value, Value) and variable_of(value) >= 0:
                limbs[variable_of(value)] = None
        self.facts.ask(PowerConstants(self.facts.search).relate, limbs)

    def _parts(self, words: list[int], keys: list[Any]) -> list[list[Any]]:
        """Divide the places of known words into those of numbers."""
        if self.claim.words == 1:
            return [[key] for key in keys]
        at = self._multiple_of_q(words)
        return [part for part in (keys[:at], keys[at:]) if len(part) > 1]

    def _multiple_of_q(self, words: list[int]) -> int:
        """Return how many of the first words form a multiple of q."""
        totals = [sum(word << self.kind.bits * j for j, word in enumerate(words[:i])) for i in range(len(words) + 1)]
        return next((i for i, total in enumerate(totals) if total and total % self.facts.checker.least == 0), 0)

    def refuses(self, constant: int | None) -> bool:
        """Return whether ``create`` returns NULL for a modulus that the claim excludes."""
        plan, code = self._call_create(self._modulus(constant))
        return self._is_refusal(plan, code, "a modulus")

    def _is_refusal(self, plan: Any, code: int, what: str) -> bool:
        """Return whether ``create`` refused something, after which no memory may be left."""
        if isinstance(plan, Pointer) or code == 0:
            return False
        self._check_freed(f"create, which refuses {what},")
        return True

    def refuses_null(self, at: int) -> bool:
        """Return whether ``create`` or, for n > 0, ``execute`` reports an error if one of its pointers is NULL.

        Args:
            at: 0 for the argument of ``create``, then the arguments of ``execute`` in their order.
        """
        if at == 0:
            self.call(f"{self.claim.name}_destroy", [NULL])
            plan, code = self._call_create(NULL)
            return self._is_refusal(plan, code, "NULL")
        name = f"{self.claim.name}_execute"
        kind = self.type(self.source.functions[name].decl.type.args.params[0].type).to
        block = self.new_array("plan", kind, 1)
        self.make_record(block, kind)
        for each in self.heap:
            each.is_writable = False
        n = self.words.variable("n", 1, 1 << LONGEST)
        arguments: list[Any] = [Pointer(block, self.words.constant(0)), *self.vectors(n)]
        arguments[at - 1] = NULL
        return self.number(self.call(name, [*arguments, Number(SIZE, n)])) != 0

    def _modulus(self, constant: int | None = None) -> Pointer:
        """Return the argument q: an array of words, whose number is variable 0 of the checker."""
        word = self.claim.word
        if constant is None:
            return self._array_of_modulus(self._modulus_words())
        parts = [constant >> word * i & (1 << word) - 1 for i in range(self.claim.words)]
        return self._array_of_modulus([self.words.constant(part) for part in parts])

    def _modulus_words(self) -> list[Value]:
        """Return the words of variable 0."""
        checker, word = self.facts.checker, self.claim.word
        words = self._words("q", checker.greatest)
        if checker.least == checker.greatest:
            parts = [checker.least >> word * i & (1 << word) - 1 for i in range(len(words))]
            words = [self.words.variable(f"q[{i}]", part, part) for i, part in enumerate(parts)]
        self.facts.state_modulus(words, 1 << word)
        return words

    def _array_of_modulus(self, words: list[Value]) -> Pointer:
        """Return the array of the caller that holds q."""
        block = self.new_array("q", self.kind, self.claim.words)
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
        is_long = array in self.claim.operation.long
        words = self._words(f"{array}[…]", self.claim.longest if is_long else self.facts.checker.greatest)
        self.facts.secrets |= {self.words.number_of(word) for word in words if not word.is_constant}
        if array in self.claim.operation.vectors:
            places = {self.words.number_of(word): i for i, word in enumerate(words) if not word.is_constant}
            self.inputs |= {number: (array, element, i) for number, i in places.items()}
        self.operand_words[key] = words
        ends = (0,), (self.claim.longest,) if is_long else (-1, 1)
        self.residues[key] = self.facts.state_number(array, words, ends, 1 << self.claim.word)
        return words

    def vectors(self, n: Value) -> list[Pointer]:
        """Return pointers to the result and to the operands, of n elements each."""
        one = self.words.constant(self.claim.words)
        size = self.words.multiply(n, one)
        blocks = {name: self._array(name, one) for name in self.claim.operation.scalars}
        blocks |= {name: self._array(name, size) for name in self.claim.operation.vectors}
        self.result = self.new_array("z", self.kind, size)
        for name in self.claim.operation.vectors:
            blocks[name].result = self.result
        self.arrays = blocks
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
        self.facts.ask(self.structure.update)

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
        self.facts.ask(self.structure.update, self.slices.variables_of(polynomials))
        total = total_of(words, 1 << self.claim.word)
        if self.claim.operation.is_modulo_words:
            self._check_words(total, self._expected(element))
        elif self.claim.operation.compared:
            self._check_below_q(total)
            expected = self._expected(element)
            found = self.facts.checker.shift(self._residue_modulo_q(total), scaled(expected, -1))
            self._check_multiple(self._by_condition(found, expected))
        else:
            self._check_below_q(total)
            difference = plus(scaled(total, self.claim.operation.divisor), self._expected(element), -1)
            self._check_multiple(self._residue_modulo_q(difference))
        self.proven.add(form)

    def _check_below_q(self, total: Polynomial) -> None:
        """Check that a result is below q."""
        checker, bounds = self.facts.checker, self.facts.bounds(total)
        if not checker.not_negative(bounds.low) or checker.minimum(added((0, 1), bounds.high, -1)) <= 0:
            raise ProofError("an element of the result is not proven to be below q")

    def _check_multiple(self, difference: Equal) -> None:
        """Check that the difference of a result from the formula is a multiple of q."""
        if not self.facts.checker.is_multiple_of_q(difference):
            raise ProofError(f"an element of the result is not proven to be {self.claim.operation.formula} modulo q")

    def _check_words(self, total: Polynomial, expected: Polynomial) -> None:
        """Check that a result is congruent to the formula modulo 2^w, where w is the number of bits of its words."""
        unit, checker = self.claim.longest + 1, self.facts.checker
        found = self.facts.expanded(total).right
        rest = plus({m: c for m, c in found.items() if c % unit}, expected, -1)
        if self.facts.residue(self._by_condition(checker.identity(rest), expected).right).right:
            formula = self.claim.operation.formula
            raise ProofError(f"an element of the result is not proven to be {formula} modulo a power of two")

    def _by_condition(self, equal: Equal, expected: Polynomial) -> Equal:
        """Replace the flags by which a result was chosen by the flag of the claim, which must be their sum."""
        stated = {v for v in variables(expected) if self._is_flag(v)}
        flags = {v for monomial in equal.right if 0 not in monomial for v in monomial if self._is_flag(v)} - stated
        if len(stated) == 1 and flags:
            with suppress(ProofError):
                same = self.facts.same_condition(sorted(flags), stated.pop())
                return self.facts.checker.substitute(equal, same, quotient_by(equal.right, min(flags)))
        return equal

    def _is_flag(self, variable: int) -> bool:
        return self.words.range_of(variable) == (0, 1)

    def _residue_modulo_q(self, polynomial: Polynomial) -> Equal:
        """Return what a polynomial is equal to, written so that terms that are multiples of q can be seen."""
        return self.facts.residue(polynomial)

    def _expected(self, element: Polynomial) -> Polynomial:
        """Return the formula of the operation in the variables of the operands."""
        operation = self.claim.operation
        operands = [self._residue_of(name, element) for name in operation.operands]
        return operation.value(*operands, *([self._is_above(element)] if operation.compared else []))

    def _is_above(self, element: Polynomial) -> Polynomial:
        """Return 1 if the second compared operand is greater than the first one, otherwise 0."""
        bound, number = (self.operand_words[self._key(name, element)] for name in self.claim.operation.compared)
        borrow = self.words.constant(0)
        for a, b in zip(bound, number, strict=True):
            borrow = self.words.difference(a, b, borrow, self.claim.word, "above")[0]
        return borrow.polynomial

    def _key(self, name: str, element: Polynomial) -> tuple[str, Any]:
        return name, frozenset(({} if name in self.claim.operation.scalars else element).items())

    def _residue_of(self, name: str, element: Polynomial) -> Polynomial:
        key = self._key(name, element)
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
