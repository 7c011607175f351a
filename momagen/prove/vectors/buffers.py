"""Buffers of shifted operands, from which vectors of several elements are loaded.

A kernel that multiplies modulo ``c = 2^s * q`` stores ``2^s * x`` of a few elements into a buffer, replaces them by
results modulo c, and shifts these back. One loop after the other computes the results of as many elements as its
vectors hold, so that the position of an element is written in several ways. The function with these loops is proven
once, for any number of elements:

- **Operand.** The loop that shifts elements was proven for an element at any position, so element e of the buffer is
  2^s times element ``start + e`` of the operand, for every e below the number m of elements.
- **Result.** The function is executed with a plan, such an array of any length, and a result that may be the same
  array. Each element that it stores must be below c, and 2^s times the formula of the claim modulo c. It must store
  all elements, and change nothing else.
- **Product.** Where the function is called, a new number below c, of which only this is known, takes the place of each
  element of the buffer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pycparser import c_ast

from momagen.prove.c.memory import Number, Pointer
from momagen.prove.c.simd.intrinsics import is_intrinsic
from momagen.prove.c.subset import reached
from momagen.prove.c.types import SIZE, may_alias
from momagen.prove.checker import ProofError
from momagen.prove.claims import LONGEST
from momagen.prove.facts import Facts, Path
from momagen.prove.polynomial import constant, plus, scaled

if TYPE_CHECKING:
    from collections.abc import Callable

    from momagen.prove.c.memory import Block
    from momagen.prove.polynomial import Polynomial
    from momagen.prove.words import Value


@dataclass(frozen=True)
class Filled:
    """The elements of a buffer that a loop has filled with shifted elements of an operand.

    Attributes:
        operand: The array of the operand.
        start: Its first element that was shifted.
        length: The number of elements.
    """

    operand: Block
    start: Polynomial
    length: Polynomial


@dataclass(frozen=True)
class Role:
    """What an argument of a function that computes is: a buffer, an operand, a part of the plan, or the length.

    Attributes:
        kind: Which of these.
        name: The name of the operand, or of the block in the plan.
        offset: The offset in that block.
    """

    kind: str
    name: str = ""
    offset: int = 0


class Buffers:
    """The buffers of one run of a kernel.

    Args:
        kernel: The run, a ``ShiftedKernel``.
    """

    def __init__(self, kernel: Any) -> None:
        self.kernel, self.words, self.count = kernel, kernel.words, kernel.claim.words
        self.filled: dict[Block, Filled] = {}
        self.products: dict[Block, Block] = {}
        self.is_computing = False
        """Whether this run proves a function that computes."""
        self._numbers: dict[Any, list[Value]] = {}

    # What the kernel does with a buffer.

    def begin(self, to: Any) -> None:
        """Forget what a buffer holds before a loop stores shifted elements into it."""
        if isinstance(to, Pointer):
            self.filled.pop(to.block, None)
            if self.products.pop(to.block, None) is not None:
                to.block.is_writable = True

    def note_shifted(self, to: Any, source: Any, count: Any) -> None:
        """Note which elements a loop was to shift into a buffer, of which ``compute`` proves that it did so."""
        if isinstance(to, Pointer) and isinstance(source, Pointer) and isinstance(count, Number):
            start = self._element(source.offset.polynomial)
            if not to.offset.polynomial and source.block in self.kernel.arrays.values() and start is not None:
                self.filled[to.block] = Filled(source.block, start, count.value.polynomial)

    def computes(self, name: str, arguments: list[Any]) -> bool:
        """Return whether a function stores into a filled buffer, and computes with vectors."""
        target = arguments[0] if arguments else None
        if not isinstance(target, Pointer) or target.block not in self.filled or target.offset.polynomial:
            return False
        source = self.kernel.source
        return any(_uses_vectors(source.functions[each].body) for each in reached(name, source))

    def compute(self, name: str, arguments: list[Any]) -> None:
        """Put numbers r in the place of the elements of a buffer, which a function is proven to store there.

        Args:
            name: The function.
            arguments: Its arguments, the first of which is a buffer.
        """
        target = arguments[0].block
        filled = self.filled.pop(target)
        if not self.kernel.facts.is_trial:
            self._check_filled(target, filled)
            roles = tuple(self._role(argument, target, filled) for argument in arguments[1:])
            lemmas, checker = self.kernel.lemmas, self.kernel.facts.checker
            key = name, roles, filled.operand.name, checker.least, checker.greatest
            if key not in lemmas.computations:
                self._prove(name, roles, filled.operand.name)
                lemmas.computations.add(key)
        self.products[target] = self._array(target, filled, self._product)
        target.cells.clear()
        target.is_writable = False  # until the next elements are shifted into it

    def with_products(self, arguments: list[Any]) -> list[Any]:
        """Return arguments where buffers of results take the place of the buffers of operands."""
        return [
            Pointer(self.products[argument.block], argument.offset)
            if isinstance(argument, Pointer) and argument.block in self.products
            else argument
            for argument in arguments
        ]

    def _check_filled(self, block: Block, filled: Filled) -> None:
        """Check that a buffer holds 2^s times an element of the operand, for an element at any position."""
        if not may_alias(block.of, self.kernel.kind):
            raise ProofError("a buffer has elements of another type than the operand")
        index = self.kernel.index_for(filled.length).polynomial
        for at, word in enumerate(self._shifted(filled, index)):
            held = block.cells.get(frozenset(plus(scaled(index, self.count), constant(at)).items()))
            if not isinstance(held, Number) or held.value.polynomial != word.polynomial:
                raise ProofError("a buffer is not proven to hold shifted elements of an operand")

    def _role(self, argument: Any, target: Block, filled: Filled) -> Role:
        """Return what an argument is: the elements of operands must be those of the buffer."""
        if isinstance(argument, Number) and argument.kind == SIZE and argument.value.polynomial == filled.length:
            return Role("length")
        if not isinstance(argument, Pointer):
            raise ProofError("this argument of a function that computes in a buffer is not supported")
        block, offset = argument.block, argument.offset
        if block is target and not offset.polynomial:
            return Role("buffer")
        if block in self.kernel.frozen and offset.is_constant:
            return Role("plan", self._in_plan(block.name).name, offset.low)
        if block not in self.kernel.arrays.values() or self._element(offset.polynomial) != filled.start:
            raise ProofError("a function that computes in a buffer reads other elements than those of the buffer")
        index = self.kernel.index_for(filled.length).polynomial
        for word in range(self.count):  # the function reads such an element for any index
            at = plus(offset.polynomial, plus(scaled(index, self.count), constant(word)))
            block.load(self.words.value_of(at), self.kernel.facts)
        return Role("operand", block.name)

    def _in_plan(self, name: str) -> Block:
        """Return the only block of the plan with a name."""
        found: list[Block] = [block for block in self.kernel.frozen if block.name == name]
        if len(found) != 1:
            raise ProofError("a function that computes in a buffer reads a part of the plan without a name")
        return found[0]

    # The proof of the function.

    def _prove(self, name: str, roles: tuple[Role, ...], operand: str) -> None:
        """Prove on every path that a function replaces any number of elements of a buffer by results."""
        kernel, facts = self.kernel, self.kernel.facts
        for path in Path.every():
            own = Facts(facts.checker.least, facts.checker.greatest, path, facts.guide, facts.powers)
            run = type(kernel)(kernel.source, kernel.claim, own, kernel.lemmas)
            if run.new_plan() is not None:
                run.buffers.run(name, roles, operand)

    def run(self, name: str, roles: tuple[Role, ...], operand: str) -> None:
        """Execute a function with the arrays of the caller, and check the results."""
        kernel, words = self.kernel, self.words
        n = words.variable("n", 0, 1 << LONGEST)
        result, *_ = kernel.vectors(n)
        shifted = self._array(result.block, Filled(kernel.arrays[operand], {}, n.polynomial), self._shifted)
        shifted.result = result.block
        blocks: dict[str, Callable[[str], Block]] = {
            "buffer": lambda _: shifted,
            "plan": self._in_plan,
            "operand": kernel.arrays.__getitem__,
        }
        arguments: list[Any] = []
        for role in roles:
            start = words.constant(role.offset)
            is_length = role.kind == "length"
            arguments.append(Number(SIZE, n) if is_length else Pointer(blocks[role.kind](role.name), start))
        before = [block for block in kernel.heap if block.is_allocated]
        self.is_computing = True
        if kernel.call(name, [result, *arguments]) is not None:
            raise ProofError("a function that computes in a buffer returns a value")
        kernel.flush()
        if not kernel.facts.are_equal(result.block.mark, scaled(n.polynomial, self.count)):
            raise ProofError("a buffer is not filled with results")
        if [block for block in kernel.heap if block.is_allocated] != before:
            raise ProofError("a function that computes in a buffer allocates memory")

    # Elements.

    def _array(self, block: Block, filled: Filled, number: Callable[[Filled, Polynomial], list[Value]]) -> Block:
        """Return a constant array with a number for each of the elements that were filled."""
        facts = self.kernel.facts

        def content(offset: Polynomial) -> Number:
            word = offset.get((), 0) % self.count
            element = self._element(plus(offset, constant(word), -1))
            if element is None:
                raise ProofError("an access to a buffer does not move by whole elements")
            rest = plus(plus(filled.length, element, -1), constant(-1))
            facts.require_not_negative(rest, "an element of a buffer may be read that was not stored")
            return Number(block.of, number(filled, element)[word])

        array: Block = self.kernel.new_block(block.name, block.of, block.size, content=content, is_writable=False)
        return array

    def _element(self, offset: Polynomial) -> Polynomial | None:
        """Return the element that begins at an offset, or None."""
        is_whole = all(coefficient % self.count == 0 for coefficient in offset.values())
        return {m: c // self.count for m, c in offset.items()} if is_whole else None

    def _shifted(self, filled: Filled, element: Polynomial) -> list[Value]:
        """Return the words of 2^s times an element of an operand."""
        words: list[Value] = self.kernel.shifted_words(self._operand(filled.operand, plus(filled.start, element)))
        return words

    def _operand(self, operand: Block, element: Polynomial) -> list[Value]:
        """Return the words of an element that the caller stored into an operand, whatever is stored there later."""
        if operand.content is None:
            raise ProofError("an operand is no array of the caller")
        offsets = [plus(scaled(element, self.count), constant(i)) for i in range(self.count)]
        return [operand.content(offset).value for offset in offsets]

    def _product(self, filled: Filled, element: Polynomial) -> list[Value]:
        """Return the words of a new number below c, which is congruent to 2^s times the formula of the claim."""
        at = plus(filled.start, element)
        key = frozenset(at.items())
        if key not in self._numbers:
            for name in self.kernel.claim.operation.vectors:
                self._operand(self.kernel.arrays[name], at)
            self._numbers[key] = self.kernel.product_at(at)
        return self._numbers[key]


def _uses_vectors(node: Any) -> bool:
    """Return whether a statement calls an intrinsic."""
    is_call = isinstance(node, c_ast.FuncCall) and isinstance(node.name, c_ast.ID) and is_intrinsic(node.name.name)
    return is_call or any(_uses_vectors(child) for _, child in node.children())
