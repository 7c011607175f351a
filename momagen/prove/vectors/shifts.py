"""Lemmas about the functions that shift numbers so that the modulus has its full length.

A kernel that multiplies by Barrett's method wants a modulus of exactly B bits. For a shorter one it computes modulo
``c = 2^s * q``, where s is the number of bits by which q is shorter. These lemmas say what three functions of the
source do for every s from 1 to B - 2. Each is proven by executing the body for one s after the other:

- ``short_by(q)`` returns s.
- An iteration of ``shift_up`` stores 2^s times a number below 2^(B - s).
- An iteration of ``shift_down`` stores the integral part of a number below 2^B by 2^s.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gmpy2 import mpq
from pycparser import c_ast

from momagen.prove.c.memory import Block, Number, Pointer
from momagen.prove.c.statements import Program
from momagen.prove.c.subset import has_effects
from momagen.prove.c.types import SIZE, Integer, Reference
from momagen.prove.certificates.guide import SEARCH, Guide
from momagen.prove.checker import ProofError
from momagen.prove.facts import Facts, Path
from momagen.prove.polynomial import constant, plus
from momagen.prove.search import total_of
from momagen.prove.words import Value

if TYPE_CHECKING:
    from momagen.prove.c.parsed import Source
    from momagen.prove.checker import Equal
    from momagen.prove.polynomial import Polynomial

UP, DOWN = "shift_up", "shift_down"


class ShiftLemmas:
    """What is proven of the functions of one source that shift numbers.

    Args:
        source: The source.
        bits: The length B of the longest modulus.
        words: The words of a residue.
        word: The bits of a word.
        guide: Where the proofs come from.
        program: What runs the functions.
        size: The type of a shift.
    """

    def __init__(
        self,
        source: Source,
        bits: int,
        words: int,
        word: int,
        guide: Guide = SEARCH,
        program: type[Program] = Program,
        size: Integer = SIZE,
    ) -> None:
        if bits < 3:
            raise ProofError("no modulus is shorter than the longest one")
        self.guide, self.program, self.size = guide, program, size
        self.source, self.bits, self.count, self.word = source, bits, words, word
        self.kind = Integer(word)
        self._proven: set[Any] = set()
        self.computations: set[Any] = set()
        """The functions that compute in buffers and that are proven, with their arguments and the moduli."""

    def shifts(self) -> range:
        """Return the shifts that the lemmas cover; the shift of q = 2 is the greatest one."""
        return range(1, self.bits - 1)

    def require(self, what: str, node: Any) -> None:
        """Prove the lemma about a function, or about the loop over the words in it, unless that was done before.

        Args:
            what: The name of the function.
            node: The function or the loop.

        Raises:
            ProofError: The lemma is not proven.
        """
        if (what, node) not in self._proven:
            {"short_by": self._prove_length, UP: self._prove_up, DOWN: self._prove_down}[what](node)
            self._proven.add((what, node))

    # The length of q.

    def _prove_length(self, function: Any) -> None:
        """Prove that a function counts the bits by which q is shorter: an iteration after the other.

        Before iteration s, q is below 2^(B - s). The loop ends if q has this many bits, and otherwise goes on.
        """
        items = function.body.block_items or []
        names = [parameter.name for parameter in function.decl.type.args.params]
        shape = [c_ast.Decl, c_ast.While, c_ast.Return]
        if [type(item) for item in items] != shape or len(names) != 1 or not isinstance(items[2].expr, c_ast.ID):
            raise ProofError("the function short_by is not a loop that counts")
        counter = items[0].name
        if items[2].expr.name != counter or counter == names[0]:
            raise ProofError("the function short_by does not return what it counts")
        if has_effects(items[1].cond):
            raise ProofError("the condition of short_by changes a variable")
        for s in range(self.bits - 1):
            length = self.bits - s
            program = self._at_length(names[0], items[0], 1 << length - 1, (1 << length) - 1, s)
            if self._holds(program, items[1].cond):
                raise ProofError(f"short_by does not end at a modulus of {length} bits")
            if length > 2:
                program = self._at_length(names[0], items[0], 2, (1 << length - 1) - 1, s)
                if not self._holds(program, items[1].cond):
                    raise ProofError(f"short_by ends at a modulus of fewer than {length} bits")
                program.execute(items[1].stmt)
                if program.facts.path.used:
                    raise ProofError("an iteration of short_by depends on more than the length of q")
                if _number(program, counter) != s + 1:
                    raise ProofError("short_by does not count by 1")

    def _at_length(self, name: str, declaration: Any, least: int, greatest: int, s: int) -> Program:
        """Return a program before iteration s of the loop, with a number q in a range."""
        program = self._program(least, greatest)
        block = self._array(program, "q", self._words(program, "q", least, greatest))
        block.is_writable = False
        program.scopes = [{name: self._pointer(program, name, block)}]
        program.declare(declaration)
        counter = program.variable(declaration.name)
        if counter.of != self.size or _number(program, declaration.name) != 0:
            raise ProofError("short_by does not count from 0 in the type of shifts")
        counter.store(program.words.constant(0), Number(self.size, program.words.constant(s)), program.facts)
        return program

    def _holds(self, program: Program, condition: Any) -> bool:
        result = program.holds(condition)
        if program.facts.path.used:
            raise ProofError("a condition of short_by depends on more than the length of q")
        return result

    # Shifts.

    def _prove_up(self, loop: Any) -> None:
        for s in self.shifts():
            program, x, z = self._run(loop, s, 1 << self.bits - s, is_up=True)
            if self._without_high_words(program, plus(z, x, -(1 << s))).right:
                raise ProofError(f"shift_up is not proven to multiply by 2^{s}")

    def _prove_down(self, loop: Any) -> None:
        for s in self.shifts():
            program, x, z = self._run(loop, s, 1 << self.bits, is_up=False)
            rest = plus(x, z, -(1 << s))
            checker = program.facts.checker
            bounds = checker.enclose(self._without_high_words(program, rest))
            if bounds.of != rest or checker.minimum(bounds.low) < 0 or checker.maximum(bounds.high) >= 1 << s:
                raise ProofError(f"shift_down is not proven to divide by 2^{s}")

    def _run(self, loop: Any, s: int, end: int, is_up: bool) -> tuple[Program, Polynomial, Polynomial]:
        """Execute the loop over the words, and return the program, the number below ``end`` and the result."""
        program = self._program(2, 3)
        zeros = [program.words.constant(0)] * self.count
        number = self._words(program, "x", 0, end - 1)
        held = [*zeros, *number] if is_up else [*number, *zeros]
        t = self._array(program, "t", held)
        z = program.new_array("z", self.kind, self.count)
        shift = program.new_block("s", self.size, 1, is_array=False)
        shift.store(program.words.constant(0), Number(self.size, program.words.constant(s)), program.facts)
        program.scopes = [{"t": t, "z": self._pointer(program, "z", z), "s": shift}]
        kept = {block: dict(block.cells) for block in (t, *program.scopes[0].values())}
        program.execute(loop)
        if program.facts.path.used or any(block.cells != cells for block, cells in kept.items()):
            raise ProofError("a shift changes more than its result, or depends on the number")
        offsets = [program.words.constant(i) for i in range(self.count)]
        words = [z.load(offset, program.facts).value for offset in offsets]
        if not all(isinstance(word, Value) for word in words):
            raise ProofError("a shift stores bits of two words that overlap")
        weight = 1 << self.word
        return program, total_of(number, weight), total_of(words, weight)

    @staticmethod
    def _without_high_words(program: Program, polynomial: Polynomial) -> Equal:
        """Return what a polynomial is equal to, written without the results of divisions that are rounded down."""
        checker = program.facts.checker
        equal = checker.identity(polynomial)
        for operation in reversed(program.words.operations):
            if factor := equal.right.get((operation.high,), 0):
                equal = checker.substitute(equal, operation.equation, constant(mpq(factor, operation.weight)))
        return equal

    # Programs.

    def _program(self, least: int, greatest: int) -> Program:
        return self.program(self.source, Facts(least, greatest, Path(), self.guide))

    def _words(self, program: Program, name: str, least: int, greatest: int) -> list[Value]:
        """Return the words of a number of which only the range is known; the highest word has a lower bound, too."""
        found = []
        for i in range(self.count):
            high = min((1 << self.word) - 1, greatest >> self.word * i)
            low = least >> self.word * i if greatest >> self.word * (i + 1) == 0 else 0
            value = program.words.constant(high) if low == high else program.words.variable(f"{name}[{i}]", low, high)
            found.append(value)
        return found

    def _array(self, program: Program, name: str, words: list[Value]) -> Block:
        block = program.new_array(name, self.kind, len(words))
        for i, value in enumerate(words):
            block.store(program.words.constant(i), Number(self.kind, value), program.facts)
        return block

    def _pointer(self, program: Program, name: str, block: Block) -> Block:
        held = program.new_block(name, Reference(self.kind), 1, is_array=False)
        held.store(program.words.constant(0), Pointer(block, program.words.constant(0)), program.facts)
        return held


def _number(program: Program, name: str) -> int:
    return program.number(program.variable(name).load(program.words.constant(0), program.facts))

