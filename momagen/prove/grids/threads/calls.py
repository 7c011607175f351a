"""Calls of straight-line functions, where one execution serves all calls with equally described operands.

The results of a call, and their proof, depend on its arguments and on the elements that it reads: on the values of
known numbers, and on the bounds, the words and the relations of other numbers. If all of these are as in an earlier
call, the summary of the earlier call holds, and the call accesses the same elements in the same order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pycparser import c_ast

from momagen.prove.c.cuda.program import CudaProgram
from momagen.prove.c.memory import Number, Pointer
from momagen.prove.c.types import Integer
from momagen.prove.grids.threads.memory import TracedBlock, VectorBlock
from momagen.prove.transforms.control import ControlFlow
from momagen.prove.transforms.memory import MISSING, key_of
from momagen.prove.transforms.run import TransformRun
from momagen.prove.transforms.stored import Stored, Word
from momagen.prove.words import Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from momagen.prove.c.memory import Block
    from momagen.prove.c.parsed import Source
    from momagen.prove.transforms.part import Part
    from momagen.prove.transforms.summary import Summary

ALIGNED = 16
"""The bytes of the longest vector of words; addresses modulo this number decide whether it may be accessed."""
COUNTS = {"2", "4"}
"""How often a loop over the words of a number is executed, if they are several."""
Element = tuple[int, int]
"""An element that a call accesses: the argument whose block it belongs to, and its distance from that argument."""


@dataclass(frozen=True)
class Access:
    """An access of a call to memory of its caller."""

    element: Element
    is_store: bool


@dataclass
class Call:
    """A call that was executed, which represents all calls with equal arguments that read equally described elements.

    Attributes:
        accesses: The accesses in their order.
        reads: The elements that it reads before it stores them, in their order.
        read: The description of these elements.
        inputs: The elements that hold the lowest words of the numbers that the summary is about.
        summary: What is proven of the numbers that the call stores; None if it stores none.
        stored: The elements that hold these numbers.
        known: The elements in which the call stores known numbers.
    """

    accesses: list[Access]
    reads: list[Element]
    read: Any
    inputs: list[int]
    summary: Summary | None
    stored: list[tuple[Element, Any]]
    known: list[tuple[Element, Any]]


def base_of(arguments: Sequence[Any]) -> dict[Block, tuple[int, int]]:
    """Return, for each block of the arguments, the first pointer to it and its offset."""
    found: dict[Block, tuple[int, int]] = {}
    for at, argument in enumerate(arguments):
        if isinstance(argument, Pointer):
            found.setdefault(argument.block, (at, argument.offset.low))
    return found


def key_of_arguments(arguments: Sequence[Any]) -> Any:
    """Return a key that is equal for arguments with which a function does the same, or None if they have no key."""
    bases, found = base_of(arguments), list[Any]()
    for argument in arguments:
        if isinstance(argument, Number) and isinstance(argument.value, Value) and argument.value.is_constant:
            found.append((argument.kind, argument.value.low))
        elif isinstance(argument, Pointer) and argument.offset.is_constant and _holds_words(argument.block):
            block, offset = argument.block, argument.offset.low
            at, start = bases[block]
            unit = block.of.bits // 8
            found.append((at, offset - start, block.of, block.alignment, offset * unit % ALIGNED, block.is_array))
        else:
            return None
    return tuple(found)


def _holds_words(block: Block) -> bool:
    """Return whether a block holds integers at known offsets that do not depend on a group of vectors."""
    is_traced = isinstance(block, TracedBlock) and not isinstance(block, VectorBlock)
    return is_traced and isinstance(block.of, Integer)


class Described:
    """A description of the elements that a call reads, which names unknown numbers by the order of their first use."""

    def __init__(self) -> None:
        self.numbers: dict[Stored, int] = {}
        self.items: list[Any] = []

    def add(self, held: Any) -> bool:
        """Add the content of an element, and return whether it is a number that can be described."""
        if not isinstance(held, Number):
            return False
        value = held.value
        if isinstance(value, Value) and value.is_constant:
            self.items.append((held.kind, value.low))
            return True
        if not isinstance(value, Word):
            return False
        number = value.number
        if number not in self.numbers:
            self.numbers[number] = len(self.numbers)
            self.items.append((number.words, number.low, number.high, number.bits, number.is_secret, number.is_negated))
        self.items.append((held.kind, self.numbers[number], value.index))
        return True

    def whole(self) -> Any:
        """Return the whole description, with the relations between the numbers."""
        relations = []
        for relation in dict.fromkeys(relation for number in self.numbers for relation in number.relations):
            if relation.numbers() <= self.numbers.keys():
                terms = tuple(
                    (c, tuple(None if number is None else self.numbers[number] for number in product))
                    for c, product in relation.terms
                )
                relations.append((terms, relation.unit, relation.low, relation.high))
        return tuple(self.items), tuple(relations)


class Tracer:
    """A record of the accesses of a call that is executed for the first time, to memory that existed before the call.

    Constant arrays of the source have the same contents in all calls, so that their accesses are recorded only if an
    argument points to them.
    """

    def __init__(self, before: set[Block], arguments: Sequence[Any]) -> None:
        self.before, self.bases = before, base_of(arguments)
        self.accesses: list[tuple[Block, int, bool]] = []
        self.first: dict[tuple[Block, int], Any] = {}
        self.is_usable, self.has_one_path, self.is_active = True, False, False
        self.summary: Summary | None = None
        self.inputs: list[Stored] = []
        self.places: list[Any] = []

    def note(self, block: Block, offset: int, is_store: bool) -> None:
        """Note an access."""
        if block not in self.before and block not in self.bases:
            return
        if block not in self.bases:
            self.is_usable = False
            return
        if (block, offset) not in self.first:
            self.first[block, offset] = MISSING if is_store else block.cells.get(key_of(offset), MISSING)
        self.accesses.append((block, offset, is_store))

    def element(self, block: Block, offset: int) -> Element:
        """Return an element by the argument that points to its block."""
        at, start = self.bases[block]
        return at, offset - start

    def finished(self, described: Described) -> Call | None:
        """Return the call that was recorded, or None if it does not represent other calls."""
        if not self.is_usable or not self.has_one_path:
            return None
        reads = []
        for (block, offset), held in self.first.items():
            if held is not MISSING:
                if not described.add(held):
                    return None
                reads.append(self.element(block, offset))
        if any(number not in described.numbers for number in self.inputs):
            return None
        places = {cell: index for index, (cell, _) in enumerate(self.places)}
        stored: list[Any] = [None] * len(self.places)
        known = []
        for block, offset in dict.fromkeys((block, offset) for block, offset, is_store in self.accesses if is_store):
            held, element = block.cells.get(key_of(offset)), self.element(block, offset)
            at = places.get((block, key_of(offset)))
            if not isinstance(held, Number):
                return None
            if at is not None:
                stored[at] = element, held.kind
            elif isinstance(held.value, Value) and held.value.is_constant:
                known.append((element, Number(held.kind, held.value)))
            else:
                return None
        if None in stored:
            return None
        accesses = [Access(self.element(block, offset), is_store) for block, offset, is_store in self.accesses]
        inputs = [described.numbers[number] for number in self.inputs]
        return Call(accesses, reads, described.whole(), inputs, self.summary, stored, known)


def described_by(call: Call, arguments: Sequence[Any]) -> Described | None:
    """Return a description of the elements that a call would read, or None if one of them cannot be described."""
    found = Described()
    for at, distance in call.reads:
        pointer = arguments[at]
        if not found.add(pointer.block.cells.get(key_of(pointer.offset.low + distance))):
            return None
    return found


@dataclass
class RepeatedCall:
    """The numbers that a call reads, in the order of its summary, which is applied to them instead of to a part."""

    inputs: list[Stored]
    is_secret: bool


class CallControl(ControlFlow):
    """A classification of statements in which each call of a straight-line function is a separate group.

    So is a loop over the words of a number, which is executed as a whole because they belong together. A call inside a
    straight-line function is no separate group, because the numbers that the function computes may be related.
    """

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._whole = ControlFlow(source)

    def is_straight_function(self, name: str) -> bool:
        """Return whether a function is straight-line code; functions of the library always are."""
        return self._whole.is_straight_function(name)

    def is_call(self, item: Any) -> bool:
        """Return whether a statement is a call of a straight-line function of the source."""
        is_call = isinstance(item, c_ast.FuncCall) and item.name.name in self.source.functions
        return is_call and self.is_straight(item)

    def is_alone(self, item: Any) -> bool:
        """Return whether a statement is such a call, or a loop over the words of a number."""
        return self.is_call(item) or _counts_words(item)

    def _is_straight(self, node: Any) -> bool:
        if _counts_words(node):
            return True
        if isinstance(node, c_ast.Compound) and any(map(self.is_alone, node.block_items or [])):
            return False
        if isinstance(node, c_ast.If) and any(map(self.is_alone, (node.iftrue, node.iffalse))):
            return False
        return super()._is_straight(node)


def _counts_words(node: Any) -> bool:
    """Return whether a statement is a loop over the words of a number whose body is several assignments."""
    if not isinstance(node, c_ast.For) or not isinstance(node.stmt, c_ast.Compound):
        return False
    condition, items = node.cond, node.stmt.block_items or []
    if not isinstance(condition, c_ast.BinaryOp) or not isinstance(condition.right, c_ast.Constant):
        return False
    is_short = condition.op == "<" and condition.right.value in COUNTS
    return is_short and len(items) > 1 and all(map(_is_plain, items))


def _is_plain(item: Any) -> bool:
    """Return whether a statement is an assignment without calls."""
    return isinstance(item, c_ast.Assignment) and not _calls(item)


def _calls(node: Any) -> bool:
    return isinstance(node, c_ast.FuncCall) or any(_calls(child) for _, child in node.children())


class CallRun(CudaProgram, TransformRun):
    """A run that executes one of several similar calls, and applies its summary to the others.

    Attributes:
        tracer: The record of the call that is being executed; None if no call is being recorded.
    """

    tracer: Tracer | None = None
    control: CallControl

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.control = CallControl(self.source)

    def new_block(self, name: str, of: Any, size: Value | int, **settings: Any) -> Block:
        """Return a new block of elements of one type, which lives until the function returns."""
        block = TracedBlock(name, of, self.words.constant(size) if isinstance(size, int) else size, **settings)
        block.walk = self
        self.blocks.append(block)
        return block

    def execute(self, node: Any) -> None:
        """Execute a statement."""
        if not self.is_in_part and self.control.is_call(node):
            self.execute_group(True, [node], None)
        else:
            super().execute(node)

    def execute_group(self, is_straight: bool, items: list[Any], later: frozenset[str] | None) -> None:
        """Execute a group of statements, or repeat a call."""
        if not (is_straight and len(items) == 1 and self.control.is_call(items[0])):
            super().execute_group(is_straight, items, later)
            return
        (node,) = items
        arguments = [self.evaluate(argument) for argument in (node.args.exprs if node.args else [])]
        key = key_of_arguments(arguments)
        if key is None:
            super().execute_group(is_straight, items, later)
            return
        calls = self.summaries.setdefault(("calls", self.moduli, node.name.name, key), [])
        for call in calls:
            found = described_by(call, arguments)
            if found is not None and found.whole() == call.read:
                self._repeat(call, arguments, found)
                return
        self.tracer = Tracer({*self.blocks, *self.heap}.difference(self.statics.values()), arguments)
        try:
            super().execute_group(is_straight, items, later)
            made = self.tracer.finished(Described())
        finally:
            self.tracer = None
        if made is not None:
            calls.append(made)

    def call(self, name: str, arguments: list[Any]) -> Any:
        """Call a function of the source and return its result. The outermost call of a part is noted."""
        if self.tracer is None or self.tracer.is_active:
            return super().call(name, arguments)
        self.tracer.is_active = True
        try:
            return super().call(name, arguments)
        finally:
            self.tracer.is_active = False

    def _repeat(self, call: Call, arguments: list[Any], read: Described) -> None:
        """Check the accesses of a call that is not executed again, and store its results."""

        def element(place: Element) -> tuple[Any, int]:
            pointer = arguments[place[0]]
            return pointer.block, pointer.offset.low + place[1]

        for access in call.accesses:
            block, offset = element(access.element)
            block.repeat(offset, access.is_store)
        numbers = list(read.numbers)
        for place, number in call.known:
            block, offset = element(place)
            block.cells[key_of(offset)] = Number(number.kind, self.words.constant(number.value.low))
        if call.summary is None:
            return
        cells = []
        for place, kind in call.stored:
            block, offset = element(place)
            block.cells[key_of(offset)] = Number(kind, None)
            cells.append(((block, key_of(offset)), 0))
        inputs = [numbers[i] for i in call.inputs]
        self._apply(call.summary, RepeatedCall(inputs, any(number.is_secret for number in inputs)), cells)

    def _apply(self, summary: Summary, part: Any, places: list[Any]) -> None:
        """Store the numbers that a summary states for the values of a part."""
        if self.tracer is not None:
            self.tracer.summary, self.tracer.inputs, self.tracer.places = summary, list(part.inputs), places
        super()._apply(summary, part, places)

    def _conclude(self, part: Part, later: frozenset[str] | None) -> None:
        """Replace the values that a part stored by stored numbers. A part that branches does not call this method."""
        if self.tracer is not None:
            self.tracer.has_one_path = True
        super()._conclude(part, later)

    def _index(self, name: str, member: str) -> Number:
        """Return an index of the thread; a call that depends on it is not noted."""
        if self.tracer is not None:
            self.tracer.is_usable = False
        return super()._index(name, member)
