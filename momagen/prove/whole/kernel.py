"""Proving a transform: ``create`` and ``execute``, for every modulus, root and number of vectors of the claim."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gmpy2 import invert, mpz, powmod
from pycparser import c_ast

from momagen.prove.c.memory import NULL, Number, Pointer
from momagen.prove.c.statements import Leave
from momagen.prove.c.subset import check_reports
from momagen.prove.c.types import INT, SIZE, Integer
from momagen.prove.checker import ProofError
from momagen.prove.facts import Path
from momagen.prove.polynomial import constant
from momagen.prove.whole.claim import MOST, Moduli
from momagen.prove.whole.parts import names
from momagen.prove.whole.ring import Ring
from momagen.prove.whole.stored import Stored, Word
from momagen.prove.whole.walk import Walk
from momagen.prove.words import Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from momagen.prove.c.memory import Block
    from momagen.prove.c.parsed import Source
    from momagen.prove.polynomial import InModulus
    from momagen.prove.whole.claim import Transform
    from momagen.prove.whole.summary import Summary


class TransformRun(Walk):
    """One run of ``create`` and ``execute`` of a transform.

    Attributes:
        vectors: The arrays of operands and results, with what they hold at first.
        batch: The number of vectors.
        compared: The differences of the residues that were compared.
        path: The results of these comparisons (whether they are equal) with a root of which nothing is known; None for
            a root of the claim, with which the differences say so.
    """

    def __init__(self, source: Source, claim: Transform, moduli: Moduli, ring: Ring, known: dict[Any, Summary]) -> None:
        super().__init__(source, claim, moduli, ring, known)
        self.kind = Integer(claim.word)
        self.vectors: dict[Block, dict[Any, Any]] = {}
        self.compared: list[Any] = []
        self.path: Path | None = None
        self.batch = Stored("batch", 1, (1,), (1 << MOST,))

    # Arguments.

    def array(self, name: str, numbers: Sequence[Stored | int], is_writable: bool = False) -> Block:
        """Return an array of the caller with these numbers, each of as many words as a residue."""
        count = self.claim.words
        block = self.new_array(name, self.kind, len(numbers) * count)
        for at, number in enumerate(numbers):
            for index in range(count):
                word: Any = Word(number, index) if isinstance(number, Stored) else None
                if isinstance(number, int):
                    word = self.words.constant(number >> self.word * index & (1 << self.word) - 1)
                block.cells[frozenset(constant(at * count + index).items())] = Number(self.kind, word)
        block.is_writable = is_writable
        return block

    def start(self, block: Block) -> Pointer:
        """Return the pointer to the first element of a block."""
        return Pointer(block, self.words.constant(0))

    def root(self) -> Stored:
        """Return the root of the claim."""
        return Stored("root", self.claim.words, (0,), (-1, 1), self.ring.root)

    def any_root(self, low: InModulus = (0,)) -> Stored:
        """Return a number of which only a lower bound is known."""
        return Stored("root", self.claim.words, low, (self.claim.longest,))

    # Functions.

    def create(self, q: Any, root: Any) -> Pointer | None:
        """Call ``create`` and return the plan, or None if it reports an error."""
        why = self.new_array("why", INT, 1)
        plan = self.call(f"{self.claim.name}_create", [q, root, self.start(why)])
        code = self.number(why.load(self.words.constant(0), self.facts))
        if isinstance(plan, Pointer) != (code == 0):
            raise ProofError("create returns a plan and reports an error, or neither")
        if not isinstance(plan, Pointer):
            self._check_freed("create reports an error, and does not free what it allocated")
            return None
        return plan

    def create_from(self, q: Stored | int | None, root: Stored | None) -> Pointer | None:
        """Call ``create`` with these numbers, which the caller may overwrite after it; None stands for NULL."""
        arrays = [None if number is None else self.array("an argument", [number]) for number in (q, root)]
        plan = self.create(*(NULL if array is None else self.start(array) for array in arrays))
        for array in arrays:
            if array is not None:
                array.end(self.words)
        return plan

    def create_valid(self) -> Pointer:
        """Call ``create`` with a modulus and a root of the claim, which it must accept."""
        plan = self.create_from(self.modulus, self.root())
        if plan is None:
            raise ProofError("create refuses a modulus and a root of the claim")
        for block in self.heap:
            block.is_writable = False
        return plan

    def arguments(self) -> list[Any]:
        """Return a plan of which nothing is known, and arrays in which nothing was stored."""
        function = self.source.functions[f"{self.claim.name}_execute"]
        record = self.type(function.decl.type.args.params[0].type).to
        plan = self.new_array("plan", record, 1)
        self.make_record(plan, record)
        size = self.claim.n * self.claim.words
        return [self.start(block) for block in (plan, *(self.new_array(name, self.kind, size) for name in "yx"))]

    def execute_vector(self, is_in_place: bool) -> None:
        """Prove that one vector is transformed, and that the loop over the vectors is."""
        plan = self.create_valid()
        values = [self.ring.element() for _ in range(self.claim.n)]
        vector = [Stored("x", self.claim.words, (0,), (-1, 1), value, True) for value in values]
        x = self.array("x", vector, is_in_place)
        y = x if is_in_place else self.new_array("y", self.kind, self.claim.n * self.claim.words)
        self.vectors = {x: dict(x.cells), y: dict(y.cells)}
        if self.call_execute([plan, self.start(y), self.start(x)], Word(self.batch, 0)) != 0:
            raise ProofError("execute returns an error for valid arguments")
        if any(block.size.high for block in self.vectors):
            raise ProofError("execute has no loop over the vectors")
        self._check(values, [self._element(y, j) for j in range(self.claim.n)])
        self.destroy(plan)

    def call_execute(self, pointers: list[Any], batch: Any) -> int:
        """Call ``execute`` with a plan, a result, an operand and a number of vectors, and return its code."""
        return self.number(self.call(f"{self.claim.name}_execute", [*pointers, Number(SIZE, batch)]))

    def destroy(self, plan: Pointer) -> None:
        """Call ``destroy``, after which no memory may be left."""
        for block in self.heap:
            block.is_writable = True
        self.call(f"{self.claim.name}_destroy", [plan])
        self._check_freed("destroy does not free all memory")

    def _check_freed(self, problem: str) -> None:
        if any(block.is_allocated for block in self.heap):
            raise ProofError(problem)

    def _FuncCall(self, node: Any) -> Any:
        if node.name.name != "memcmp":
            return super()._FuncCall(node)
        first, second, _ = (self._compared_residue(self.evaluate(argument)) for argument in node.args.exprs)
        if first is None or second is None:
            return super()._FuncCall(node)
        difference = (first - second) % self.ring.prime
        self.compared.append(difference)
        if self.path is None and difference:
            raise ProofError("two residues that are compared are not proven to be equal")
        is_equal = self.path is None or self.path.next()
        return Number(INT, self.words.constant(int(not is_equal)))

    def _compared_residue(self, start: Any) -> Any:
        """Return the residue of a number below q that is compared, or None."""
        if not isinstance(start, Pointer):
            return None
        offsets = [start.offset.low + i for i in range(self.claim.words)]
        held = [start.block.cells.get(frozenset(constant(offset).items())) for offset in offsets]
        words = [number.value if isinstance(number, Number) else None for number in held]
        first = words[0]
        if isinstance(first, Word) and all(word == Word(first.number, i) for i, word in enumerate(words)):
            return first.number.residue if first.number.is_residue and first.number.words == len(words) else None
        if all(isinstance(word, Value) and word.is_constant for word in words):
            number = sum(word.low << self.word * i for i, word in enumerate(words) if isinstance(word, Value))
            return mpz(number) if number < self.moduli.least else None
        return None

    # The loop over the vectors.

    def _loop(self, condition: Any, step: Any, body: Any) -> None:
        if self.is_inside or not self._counts_vectors(condition):
            super()._loop(condition, step, body)
        else:
            self._transform_one(condition.left.name, step, body)

    def _counts_vectors(self, condition: Any) -> bool:
        """Return whether the condition of a loop is ``b < batch``."""
        if not isinstance(condition, c_ast.BinaryOp) or condition.op != "<":
            return False
        if not isinstance(condition.left, c_ast.ID) or not isinstance(condition.right, c_ast.ID):
            return False
        held = self.variable(condition.right.name).cells.get(frozenset())
        return isinstance(held, Number) and held.value == Word(self.batch, 0)

    def _transform_one(self, counter: str, step: Any, body: Any) -> None:
        """Prove the loop over the vectors by one iteration.

        The arrays stand for the part that belongs to any iteration: the pointers begin at its start, and the iteration
        must leave them at its end, count, and change nothing else. It must not depend on the counter.
        """
        if self.number(self.variable(counter).load(self.words.constant(0), self.facts)) != 0:
            raise ProofError("the loop over the vectors does not begin with vector 0")
        steps = step.exprs if isinstance(step, c_ast.ExprList) else [step]
        counts = [item for item in steps if isinstance(item, c_ast.UnaryOp) and item.op in ("p++", "++")
                  and isinstance(item.expr, c_ast.ID) and item.expr.name == counter]  # fmt: skip
        others = [item for item in steps if item not in counts]
        if len(counts) != 1 or any(counter in names(item) for item in [*others, body]):
            raise ProofError("the loop over the vectors does more with its counter than to count")
        if any(block.cells != cells for block, cells in self.vectors.items()):
            raise ProofError("a vector is changed before the loop over the vectors")
        before = {block: dict(block.cells) for block in self.all_blocks() if block not in self.vectors}
        try:
            continues = self.iterate(step, body)
        except Leave:
            continues = False
        if not continues:
            raise ProofError("the loop over the vectors may end early")
        length = self.claim.n * self.claim.words
        for block, cells in before.items():
            for key, held in block.cells.items():
                old = cells.get(key)
                if isinstance(held, Pointer) and held.block in self.vectors:
                    if not isinstance(old, Pointer) or (old.block, old.offset.high) != (held.block, 0):
                        raise ProofError("the loop over the vectors does not begin at their start")
                    if (held.offset.low, held.offset.high) != (length, length):
                        raise ProofError("the loop over the vectors does not move by one vector")
                elif held is not old and block is not self.variable(counter):
                    raise ProofError(f"the loop over the vectors changes {block.name}")
        for block in self.vectors:
            block.end(self.words)  # what follows the loop must not access one of the vectors

    # Results.

    def _element(self, y: Block, at: int) -> Any:
        """Return the residue of an element of the result, which must be below q."""
        words = self.claim.words
        held = [y.cells.get(frozenset(constant(at * words + i).items())) for i in range(words)]
        found = [number.value if isinstance(number, Number) else None for number in held]
        first = found[0]
        if not isinstance(first, Word) or any(word != Word(first.number, i) for i, word in enumerate(found)):
            raise ProofError(f"element {at} of the result is not proven to be one number")
        if first.number.words != words or not first.number.is_residue:
            raise ProofError(f"element {at} of the result is not proven to be below q")
        if first.number.residue is None:
            raise ProofError(f"the residue of element {at} of the result is not known")
        return first.number.residue

    def _check(self, x: list[Any], y: list[Any]) -> None:
        """Compare the result with the definition of the transform.

        Values v[j] at the powers root^e[j] of coefficients c[i] satisfy, for every t,

            sum over j of v[j] * t^e[j] = sum over i of c[i] * sum over j of (t * root^i)^e[j],

        and for a random t this holds of no other values, but with a negligible probability. The inner sum is a
        geometric series.
        """
        ring, claim = self.ring, self.claim
        p, n, t = ring.prime, claim.n, ring.element()
        powers = claim.powers()
        coefficients, values = (y, x) if claim.is_inverse else (x, y)
        left = sum(v * powmod(t, e, p) for v, e in zip(values, powers, strict=True)) % p
        right, step = mpz(0), 2 if claim.is_negacyclic else 1
        for i, c in enumerate(coefficients):
            base = t * powmod(ring.root, i, p) % p
            ratio = powmod(base, step, p)
            series = (powmod(ratio, n, p) - 1) * invert(ratio - 1, p)
            right += c * (series * base if claim.is_negacyclic else series)
        if (left - right) % p:
            raise ProofError("the result is not the transform of the operand")


class Prover:
    """The proof of a transform for one form of its source.

    Attributes:
        runs: The number of runs of the functions.
        elements: The number of elements of results that were checked.
        known: What was proven of straight-line parts.
    """

    def __init__(self, source: Source, claim: Transform, seed: str) -> None:
        self.source, self.claim, self.seed = source, claim, seed
        self.ring = Ring(claim.order, seed)
        self.runs = self.elements = 0
        self.known: dict[Any, Summary] = {}

    def prove(self) -> None:
        """Prove the claim."""
        check_reports(self.source.functions[f"{self.claim.name}_create"])
        for is_in_place in (False, True):
            kernel = self._kernel()
            kernel.execute_vector(is_in_place)
            self.elements += self.claim.n
        for at in range(1, kernel.allocations + 1):
            self._check_no_memory(at)
        self._check_moduli()
        self._check_roots()
        self._check_null()

    def _kernel(self, moduli: Moduli | None = None, ring: Ring | None = None) -> TransformRun:
        self.runs += 1
        return TransformRun(self.source, self.claim, moduli or self.claim.moduli, ring or self.ring, self.known)

    def _check_no_memory(self, at: int) -> None:
        kernel = self._kernel()
        kernel.fails_at = at
        if kernel.create_from(kernel.modulus, kernel.root()) is not None:
            raise ProofError("create returns a plan though it had no memory")

    def _check_moduli(self) -> None:
        """Check that ``create`` refuses every modulus that the claim excludes, whatever the root is."""
        moduli, longest = self.claim.moduli, self.claim.longest
        others = [Moduli(2, longest, 0)]
        if moduli.greatest < longest:
            others.append(Moduli(moduli.greatest + 1, longest, None))
        for other in others:
            kernel = self._kernel(other)
            if kernel.create_from(kernel.modulus, kernel.any_root()) is not None:
                raise ProofError("create accepts a modulus that the claim excludes")
        for q in range(moduli.least):
            kernel = self._kernel()
            if kernel.create_from(q, kernel.any_root()) is not None:
                raise ProofError(f"create accepts the modulus {q}")

    def _check_roots(self) -> None:
        """Check that ``create`` refuses every root that is not below q, or has another order."""
        kernel = self._kernel()
        if kernel.create_from(kernel.modulus, kernel.any_root((0, 1))) is not None:
            raise ProofError("create accepts a root that is not below q")
        path: Path | None = Path()
        while path is not None:
            kernel = self._kernel(ring=Ring(1, self.seed))
            root = kernel.ring.root = kernel.ring.element()
            kernel.path = path
            is_refused = kernel.create_from(kernel.modulus, kernel.root()) is None
            is_equal = all(path.decisions[: path.used])
            if is_refused == is_equal:
                raise ProofError("create does not decide by the residues that it compares")
            if is_equal and not self._implies_order(kernel, root):
                raise ProofError("create is not proven to refuse every root of another order")
            path = path.following()

    def _implies_order(self, kernel: TransformRun, root: Any) -> bool:
        """Return whether root^(N/2) is -1 if all residues are equal that ``create`` compared, with any root.

        If root^N is 1, then root^((N - 1) N/2) is root^(N/2), because N is even.
        """
        ring, order = kernel.ring, self.claim.order
        half = order // 2
        zeros = [powmod(root, half, ring.prime) + 1, powmod(root, order, ring.prime) - 1,
                 powmod(root, (order - 1) * half, ring.prime) + 1]  # fmt: skip
        direct, whole, inverse = (
            any(ring.is_power_of_two(difference, zero) for difference in kernel.compared) for zero in zeros
        )
        return direct or (whole and inverse)

    def _check_null(self) -> None:
        """Check that ``create`` and ``execute`` report an error if one pointer is NULL."""
        for q, root in ((None, 0), (0, None)):
            kernel = self._kernel()
            numbers = [None if number is None else kernel.root() for number in (q, root)]
            if kernel.create_from(*numbers) is not None:
                raise ProofError("create is not proven to check its pointers for NULL")
        for at in range(3):
            kernel = self._kernel()
            pointers = kernel.arguments()
            pointers[at] = NULL
            if kernel.call_execute(pointers, Word(kernel.batch, 0)) == 0:
                raise ProofError("execute is not proven to check its pointers for NULL")
        kernel = self._kernel()
        if kernel.call_execute(kernel.arguments(), kernel.words.constant(0)) != 0:
            raise ProofError("execute returns an error for no vectors")


def prove_transform(source: Source, claim: Transform, seed: str, compiler: str) -> dict[str, int]:
    """Prove the claim of a transform for one form of its source.

    Args:
        source: The source as a compiler sees it.
        claim: The claim.
        seed: What determines the random choices.
        compiler: The compiler, for messages.

    Returns:
        The number of paths and of elements that were checked.
    """
    prover = Prover(source, claim, seed)
    try:
        prover.prove()
    except ProofError as error:
        error.args = (f"{error} [{compiler}]",)
        raise
    return {"paths": prover.runs, "elements": prover.elements}
