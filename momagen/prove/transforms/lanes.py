"""Lanes of vectors as numbers: the operations that a lane depends on, back to numbers in memory, are proven as a part.

Equal operations on numbers of which the same is known need one proof, whatever lane they are in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from momagen.prove.c.simd.deferred import Deferred, Leaf
from momagen.prove.c.simd.intrinsics import BITWISE
from momagen.prove.checker import ProofError
from momagen.prove.transforms.stored import Word
from momagen.prove.words import Value

if TYPE_CHECKING:
    from momagen.prove.transforms.part import Part
    from momagen.prove.transforms.stored import Relation, Stored

LONGEST = 40
"""The greatest number of operations between two lanes that are proven to be numbers."""


class Cone:
    """The operations that a lane depends on, in an order in which operands precede results.

    Attributes:
        lane: The lane.
        steps: The lanes, each as the operation and the indices of its operands, or as a word of a number or a constant.
        numbers: The numbers in memory, in the order of their first use.
    """

    def __init__(self, lane: Any) -> None:
        self.lane = lane
        self._opened: set[Any] = set()
        while True:
            self._collect(lane)
            inside = self.sources()
            related = {leaf.word for leaf in self._leaves if not leaf.sources.isdisjoint(inside)}
            if related <= self._opened:
                break
            self._opened |= related

    def _collect(self, lane: Any) -> None:
        """Collect the operations. Lanes that were proven to be numbers are executed again if they are opened."""
        self.steps: list[tuple[Any, ...]] = []
        self.numbers: dict[Stored, int] = {}
        self._at: dict[Any, int] = {}
        self._leaves: list[Leaf] = []
        todo = [lane]
        while todo:
            latest = todo[-1]
            operands = [self._open(operand) for operand in latest.operands] if isinstance(latest, Deferred) else []
            missing = [operand for operand in operands if _name(operand) not in self._at]
            if missing:
                todo += missing[::-1]
                continue
            todo.pop()
            if _name(latest) not in self._at:
                self._at[_name(latest)] = len(self.steps)
                self.steps.append(self._step(latest, operands))

    def _open(self, lane: Any) -> Any:
        if not isinstance(lane, Leaf):
            return lane
        self._leaves.append(lane)
        return self._opened_lane(lane)

    def _opened_lane(self, lane: Any) -> Any:
        """Return how a lane was computed, if it is a number that is computed again."""
        return lane.lane if isinstance(lane, Leaf) and lane.word in self._opened else lane

    def sources(self) -> frozenset[Any]:
        """Return the operations and words that the lane depends on, without those of public numbers.

        Two lanes that share one of them are related; lanes that share a multiple of q are not.
        """
        secret = [number for number in self.numbers if number.is_secret]
        found: set[Any] = {Word(number, index) for number in secret for index in range(number.words)}
        for lane in self._at:
            if isinstance(lane, Deferred) and any(_name(self._opened_lane(each)) in found for each in lane.operands):
                found.add(lane)
        return frozenset(found)

    def _step(self, lane: Any, operands: list[Any]) -> tuple[Any, ...]:
        if isinstance(lane, Deferred):
            return lane.meaning, lane.width, tuple(self._at[_name(operand)] for operand in operands)
        if isinstance(lane, Leaf):
            return "word", self.numbers.setdefault(lane.word.number, len(self.numbers)), lane.word.index
        return ("lane", lane.low) if isinstance(lane, Value) else ("number", lane)

    def key(self) -> Any:
        """Return what determines the proof of the lane: its operations, and what is known of the numbers."""
        known = tuple((n.words, n.bits, n.low, n.high, n.is_negated) for n in self.numbers)
        relations = {relation: None for number in self.numbers for relation in number.relations}
        return tuple(self.steps), known, tuple(self._form(r) for r in relations if r.numbers() <= self.numbers.keys())

    def _form(self, relation: Relation) -> Any:
        at: dict[Any, int | None] = {**self.numbers, None: None}
        terms = tuple((c, tuple(at[number] for number in product)) for c, product in relation.terms)
        return terms, relation.unit, relation.low, relation.high

    def evaluate(self, part: Part) -> Value:
        """Execute the operations in a part and return the lane."""
        words = part.facts.words
        numbers, values = list(self.numbers), list[Any]()
        for step in self.steps:
            if step[0] == "word":
                values.append(part.value_at(numbers[step[1]], step[2]))
            elif step[0] == "lane":
                values.append(words.constant(step[1]))
            elif step[0] == "number":
                values.append(step[1])
            else:
                meaning, width, operands = step
                lanes = [values[at] for at in operands]
                if meaning not in BITWISE.values() and not all(isinstance(lane, (Value, int)) for lane in lanes):
                    raise ProofError("an operation is applied to unfinished bits")
                values.append(meaning(words, width, *lanes))
        if not isinstance(values[-1], Value):
            raise ProofError("unfinished bits are stored")
        return values[-1]


def _name(lane: Any) -> Any:
    """Return what is equal for equal words and constants, and for an operation only if it is the same one."""
    if isinstance(lane, Leaf):
        return lane.word
    if isinstance(lane, Value):
        if not lane.is_constant:
            raise ProofError("a lane is made of a number that its part computes")
        return "lane", lane.low
    return lane if isinstance(lane, Deferred) else ("number", lane)
