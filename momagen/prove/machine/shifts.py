"""Lemmas about functions of machine code that shift numbers, and calls of them.

A kernel for numbers of several words shifts them in the functions ``shift_up`` and ``shift_down``. Their machine code
is proven for one shift s after the other, on any numbers and for any number of elements: it stores what the C function
stores, and changes nothing else but registers that a function may change. A call is then replaced by the C function,
which the proof for all shifts can execute. The name of a function in the shared object is only a hint, because only
the proven properties of the function are used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from momagen.prove.c.memory import Number, Pointer
from momagen.prove.c.types import SIZE
from momagen.prove.checker import ProofError
from momagen.prove.claims import LONGEST
from momagen.prove.facts import Facts, Path
from momagen.prove.machine.kernel import MachineKernel
from momagen.prove.polynomial import plus, scaled
from momagen.prove.search import total_of
from momagen.prove.vectors.shifts import UP, ShiftLemmas

if TYPE_CHECKING:
    from momagen.prove.claims import Claim
    from momagen.prove.machine.kernel import CompiledSource
    from momagen.prove.polynomial import Polynomial
    from momagen.prove.words import Value


class ShiftRun(MachineKernel):
    """A run of machine code that shifts n numbers, for one shift, along one path.

    Args:
        source: The source with its shared object.
        claim: The claim of the kernel.
        facts: The facts of the run.
        lemmas: The lemmas, which state what a shift must do.
        shift: The number of bits.
        is_up: Whether numbers are multiplied by 2^s instead of divided.
    """

    def __init__(
        self, source: CompiledSource, claim: Claim, facts: Facts, lemmas: MachineShifts, shift: int, is_up: bool
    ) -> None:
        super().__init__(source, claim, facts)
        self.lemmas, self.shift, self.is_up = lemmas, shift, is_up
        self.numbers: dict[Any, list[Value]] = {}

    def prove(self, name: str) -> None:
        """Prove that a function shifts any numbers."""
        n = self.words.variable("n", 1, 1 << LONGEST)
        size = self.words.multiply(n, self.words.constant(self.claim.words))
        operand = self.new_array("x", self.kind, size, content=self._content_of, is_writable=False)
        self.result = operand.result = self.new_array("z", self.kind, size)
        pointers = [Pointer(block, self.words.constant(0)) for block in (self.result, operand)]
        self.run_code(name, [*pointers, Number(SIZE, n), Number(SIZE, self.words.constant(self.shift))])
        if not self.facts.are_equal(self.result.mark, scaled(n.polynomial, self.claim.words)):
            raise ProofError(f"{name} does not store all elements")

    def _content_of(self, offset: Polynomial) -> Number:
        word = int(offset.get((), 0)) % self.claim.words
        key = frozenset(plus(offset, {(): word} if word else {}, -1).items())
        if key not in self.numbers:
            end = 1 << self.claim.bits - (self.shift if self.is_up else 0)
            self.numbers[key] = words = self.lemmas.words_of(self, end)
            self.facts.secrets |= {self.words.number_of(each) for each in words if not each.is_constant}
        return Number(self.kind, self.numbers[key][word])

    def _check(self, words: list[Value], element: Polynomial) -> None:
        """Check one element of the result."""
        if self.facts.is_trial:
            return
        number = self.numbers.get(frozenset(scaled(element, self.claim.words).items()))
        if number is None:
            raise ProofError("an element is shifted that was not read")
        weight = 1 << self.claim.word
        self.lemmas.check(self, total_of(number, weight), total_of(words, weight))


class MachineShifts(ShiftLemmas):
    """The lemmas about functions that shift numbers, in the source and in its machine code."""

    def __init__(self, source: CompiledSource, claim: Claim, guide: Any) -> None:
        super().__init__(source, claim.bits, claim.words, claim.word, guide)
        self.compiled, self.claim = source, claim
        self._kept: dict[str, set[str]] = {}

    def require_code(self, name: str) -> set[str]:
        """Prove the lemma about the machine code of a function, and return the registers that it leaves unchanged."""
        if name not in self._kept:
            runs = [self._run_code(name, s, path) for s in self.shifts() for path in Path.every()]
            self._kept[name] = set.intersection(*(run.kept for run in runs))
        return self._kept[name]

    def _run_code(self, name: str, shift: int, path: Path) -> ShiftRun:
        run = ShiftRun(self.compiled, self.claim, Facts(2, 3, path, self.guide), self, shift, name == UP)
        run.prove(name)
        return run

    def words_of(self, run: ShiftRun, end: int) -> list[Value]:
        """Return the words of a number below ``end``."""
        return self._words(run, "x", 0, end - 1)

    def check(self, run: ShiftRun, number: Polynomial, result: Polynomial) -> None:
        """Check that a number is shifted correctly."""
        if run.is_up:
            if self._without_high_words(run, plus(result, number, -(1 << run.shift))).right:
                raise ProofError(f"an element is not proven to be multiplied by 2^{run.shift}")
            return
        rest = plus(number, result, -(1 << run.shift))
        bounds = run.facts.checker.enclose(self._without_high_words(run, rest))
        ends = run.facts.checker.minimum(bounds.low), run.facts.checker.maximum(bounds.high)
        if bounds.of != rest or ends[0] < 0 or ends[1] >= 1 << run.shift:
            raise ProofError(f"an element is not proven to be divided by 2^{run.shift}")
