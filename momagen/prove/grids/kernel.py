"""Running the launches of an element-wise kernel for CUDA, for one thread of which only the position is unknown.

A launch with a group of G elements and T threads gives each thread the elements ``G * block + thread + T * i``. No two
threads have an element in common, so a thread may access the result and the operands only there: then no thread reads
or stores what another one stores, and the order in which threads run does not matter. Together, the threads have all
elements below ``G * blocks``, which are all elements of the vectors and some more.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from momagen.prove.c.cuda.program import CudaProgram
from momagen.prove.c.memory import Key, Number, Pointer
from momagen.prove.c.types import Integer, Reference
from momagen.prove.checker import ProofError
from momagen.prove.elementwise import Kernel
from momagen.prove.grids.claim import COUNT, RESULT, SCRATCH, GridClaim
from momagen.prove.polynomial import constant, plus, scaled
from momagen.prove.words import Value

if TYPE_CHECKING:
    from momagen.prove.facts import Facts
    from momagen.prove.grids.launches import Launch
    from momagen.prove.polynomial import Polynomial

ALIGNMENT = 16
"""The bytes of which the addresses of vectors and of memory of the device are multiples."""
SUPPORTED, REFUSED = 0, 1
"""The statuses that set-up stores."""


class GridKernel(CudaProgram, Kernel):
    """A run of the launches of set-up and of a call.

    Attributes:
        own: The elements of the thread that runs now.
    """

    claim: GridClaim
    own: tuple[Polynomial, ...] = ()

    def run(self) -> str:
        """Run all launches along one path, and return how the run ended."""
        modulus = self._modulus()
        constants, status = self._set_up(modulus)
        if status != SUPPORTED:
            raise ProofError("set-up refuses a modulus of the claim")
        self._end_create(modulus, constants)
        n = self.words.variable("n", 1, (1 << COUNT) - 1)
        operands, last = self._operands(n), self.claim.launches.run[-1]
        for launch in self.claim.launches.run:
            arguments: list[Any] = [operands[name] for name in launch.operands]
            arguments += [constants, self._memory("tables", 0), Number(self.kind, n)]
            if launch is last:
                self._run_grid(launch, arguments, n)
            else:
                self._run_thread(launch, arguments)
        return "all elements are correct"

    def refuses(self, constant: int | None) -> bool:
        """Return whether set-up refuses a modulus that the claim excludes."""
        return self._set_up(self._modulus(constant))[1] == REFUSED

    def isolated(self, facts: Facts) -> GridKernel:
        """Return a program with the same functions and no variables."""
        return GridKernel(self.source, self.claim, facts)

    def _minus(self, x: Value, y: Value, kind: Integer, is_half: bool = False) -> Number:
        """Return a difference; that of residues of one word may be proven not to wrap."""
        difference = plus(x.polynomial, y.polynomial, -1)
        if self.claim.words == 1 and kind == self.kind and not self.facts.is_public(difference):
            with suppress(ProofError):
                bounds, value = self.facts.bounds(difference), self.words.value_of(difference)
                if self.facts.checker.minimum(bounds.low) > -1:
                    return Number(kind, Value(difference, 0, min(value.high, kind.greatest)))
        return super()._minus(x, y, kind, is_half)

    def _end_create(self, modulus: Pointer, plan: Pointer) -> None:
        """Make the memory of set-up constant, whose known words of a single modulus get names."""
        if self.claim.words == 1 and self.facts.checker.least == self.facts.checker.greatest:
            for key, held in plan.block.cells.items():
                if isinstance(held, Number) and held.value.low == held.value.high != 0:
                    (word,) = self.facts.name_constants(plan.block.name, [held.value.low], 1 << self.kind.bits)
                    plan.block.cells[key] = Number(self.kind, word)
        super()._end_create(modulus, plan)

    # Memory.

    def _memory(self, name: str, words: int) -> Pointer:
        """Return memory of the device, in which nothing is stored yet."""
        block = self.new_array(name, self.kind, words)
        block.alignment = ALIGNMENT
        return Pointer(block, self.words.constant(0))

    def _operands(self, n: Value) -> dict[str, Pointer]:
        """Return the arguments of a call: the result, the operands and the scratch memory."""
        names = RESULT, *self.claim.operation.operands
        found = dict(zip(names, self.vectors(n), strict=True))
        for pointer in found.values():
            pointer.block.alignment = ALIGNMENT
        return found | {SCRATCH: self._memory(SCRATCH, self.claim.launches.scratch)}

    def _residue(self, array: str, element: Polynomial) -> list[Value]:
        if array in self.claim.operation.vectors and element not in self.own:
            raise ProofError(f"a thread reads an element of {array} that is not its own")
        words = super()._residue(array, element)
        if self.claim.words == 1:
            numbers = self.facts.search.numbers  # a residue takes the place of its word before numbers with factors
            numbers.insert(0, numbers.pop())
        return words

    # Launches.

    def _set_up(self, modulus: Pointer) -> tuple[Pointer, int]:
        """Run the launch that computes the constants of a modulus; return the constants and the status."""
        modulus.block.alignment = ALIGNMENT
        constants, status = self._memory("constants", self.claim.launches.constants), self._memory("status", 1)
        if len(self.claim.launches.setup) != 1:
            raise ProofError("a set-up of several launches is not supported")
        root = self._memory("root", self.claim.words)
        self._run_thread(self.claim.launches.setup[0], [constants, status, modulus, root])
        return constants, self.number(status.block.load(self.words.constant(0), self.facts))

    def _run_thread(self, launch: Launch, arguments: list[Any]) -> None:
        """Run a launch of one block, only the first thread of which accesses memory."""
        if launch.group or launch.blocks != 1:
            raise ProofError(f"a launch of {launch.kernel} for several elements is not the last one")
        none = self.words.constant(0)
        self._execute(launch, arguments, none, none)
        if launch.threads > 1:
            blocks = [argument.block for argument in arguments if isinstance(argument, Pointer)]
            before = [len(block.accesses) for block in blocks]
            self._execute(launch, arguments, none, self.words.variable("thread", 1, launch.threads - 1))
            if [len(block.accesses) for block in blocks] != before:
                raise ProofError(f"several threads of {launch.kernel} access memory")

    def _run_grid(self, launch: Launch, arguments: list[Any], n: Value) -> None:
        """Run a launch in which each thread computes some elements, and check these elements."""
        group, threads = launch.group, launch.threads
        if launch.blocks != 1 or not group or group % threads:
            raise ProofError(f"a launch of {launch.kernel} does not give each thread as many elements")
        block = self.words.variable("block", 0, (n.high - 1) // group)
        thread = self.words.variable("thread", 0, threads - 1)
        start = scaled(block.polynomial, group)
        self.facts.state_not_negative(plus(plus(n.polynomial, start, -1), constant(-1)), "block")
        first = plus(start, thread.polynomial)
        self.own = tuple(plus(first, constant(at)) for at in range(0, group, threads))
        for memory in self.heap:
            memory.is_writable = memory is self.result
        self._execute(launch, arguments, block, thread)
        self._check_elements(n)

    def _execute(self, launch: Launch, arguments: list[Any], block: Value, thread: Value) -> None:
        """Run a thread of a launch with one row of blocks."""
        none, one = self.words.constant(0), self.words.constant(1)
        self.indices = {(name, member): none for name in ("threadIdx", "blockIdx") for member in "xyz"}
        self.indices |= {("blockDim", "y"): one, ("blockDim", "z"): one, ("gridDim", "y"): one, ("gridDim", "z"): one}
        self.indices |= {("threadIdx", "x"): thread, ("blockIdx", "x"): block}
        self.indices["blockDim", "x"] = self.words.constant(launch.threads)
        self._check_parameters(launch.kernel)
        self.call(launch.kernel, arguments)

    def _check_parameters(self, kernel: str) -> None:
        """Check that parameters have the types of the arguments, whose bytes a launch copies without a conversion."""
        declared = self.source.functions[kernel].decl.type
        kinds = [self.type(parameter.type) for parameter in declared.args.params]
        if any(kind not in (self.kind, Reference(self.kind)) for kind in kinds):
            raise ProofError(f"a parameter of {kernel} is neither a word nor a pointer to words")

    def flush(self) -> None:
        """Leave the elements that were stored; they are checked after the launch."""

    def _check_elements(self, n: Value) -> None:
        """Check that the thread stored all its elements below n, and nothing else, and check their values."""
        result = self.result
        if result is None:
            raise ProofError("there is no result")
        written = {frozenset(offset.items()) for offset in result.written}
        elements = [(element, self._keys(element)) for element in self.own]
        if written.difference(*(keys for _, keys in elements)):
            raise ProofError("a thread stores an element that is not its own")
        for element, keys in elements:
            if written.issuperset(keys):
                self._check([self._word(result.cells[key]) for key in keys], element)
            elif not written.isdisjoint(keys) or not self.facts.is_not_negative(plus(element, n.polynomial, -1)):
                raise ProofError("a thread does not store all words of its elements")

    def _keys(self, element: Polynomial) -> list[Key]:
        """Return the offsets of the words of an element."""
        count = self.claim.words
        return [frozenset(plus(scaled(element, count), constant(i)).items()) for i in range(count)]

    def _word(self, number: Any) -> Value:
        if not isinstance(number, Number) or not isinstance(number.value, Value):
            raise ProofError("a word of the result is not finished")
        return number.value
