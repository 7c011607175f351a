"""The group of vectors that a block transforms: one proof covers every number that the group may have.

The positions of threads and blocks are known numbers, but the number of the group of vectors is not known. The same
variable represents this number in all parts. The offset of a vector of the group is a polynomial in the variable. The
last group may contain vectors that lie behind the last vector of a call.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from pycparser import c_ast

from momagen.prove.c.cuda.program import INDEX
from momagen.prove.c.memory import Number
from momagen.prove.c.statements import Leave
from momagen.prove.checker import ProofError
from momagen.prove.grids.threads.calls import CallRun
from momagen.prove.grids.threads.claim import GridTransform
from momagen.prove.grids.threads.memory import GROUP, VectorBlock
from momagen.prove.polynomial import constant, scaled, variables
from momagen.prove.transforms.run import NO_OFFSET
from momagen.prove.transforms.stored import Stored, Word
from momagen.prove.words import Value

if TYPE_CHECKING:
    from momagen.prove.facts import Path
    from momagen.prove.polynomial import Monomial
    from momagen.prove.transforms.part import Part


class GroupRun(CallRun):
    """A run for one group of vectors, some of which may lie behind the last vector of a call.

    Attributes:
        guard: The vector of the group that a branch has found to be below batch; None outside of such branches.
        replaced: The numbers of vectors of the group, by the variables of distances. If vector k is not below batch,
            its variable is the distance from the last vector to vector k, and otherwise the variable is 0.
    """

    claim: GridTransform
    guard: int | None = None

    def __init__(self, *arguments: Any) -> None:
        self.replaced: dict[Monomial, int] = {}
        super().__init__(*arguments)
        self.batch = Stored("batch", 1, (1,), (self.claim.launches.most(),))

    # The number of the group.

    def _new_part(self, path: Path) -> Part:
        part = super()._new_part(path)
        part.is_exact = True
        self.replaced.clear()
        number = part.facts.words.variable("group", 0, self.claim.last_group)
        if part.facts.words.number_of(number) != GROUP:
            raise ProofError("the number of the group is not the first variable of a part")
        return part

    def is_shared(self, value: Value) -> bool:
        """Return whether a value is a polynomial in the number of the group."""
        return variables(value.polynomial) <= {GROUP}

    def _from_group(self, factor: int, at: int) -> Value:
        """Return ``factor * g + at`` for the number g of the group."""
        return Value({**scaled({(GROUP,): 1}, factor), **constant(at)}, at, factor * self.claim.last_group + at)

    # Vectors that may lie behind the last one.

    def execute(self, node: Any) -> None:
        """Execute a statement; one with the condition ``vector < batch`` is executed for all vectors of a group."""
        vector = self._compared_vector(node.cond) if isinstance(node, c_ast.If) else None
        if vector is None:
            super().execute(node)
        elif self.is_in_part:
            self._execute_guarded(node, vector)
        else:
            self.run_part(partial(self._execute_guarded, node, vector))

    def _execute_all(self, items: list[Any]) -> None:
        for item in items:
            self.execute(item)

    def _compared_vector(self, node: Any) -> int | None:
        """Return the vector of the group that a condition compares with the number of vectors, or None."""
        if not isinstance(node, c_ast.BinaryOp) or node.op != "<" or not self._is_batch(node.right):
            return None
        number = self.evaluate(node.left) if isinstance(node.left, c_ast.ID) else None
        if not isinstance(number, Number) or number.kind != INDEX or not isinstance(number.value, Value):
            return None
        at = int(number.value.polynomial.get((), 0))
        expected = self._from_group(self.claim.group, at).polynomial
        is_of_group = 0 <= at < self.claim.group and number.value.polynomial == expected
        return at if is_of_group else None

    def _is_batch(self, node: Any) -> bool:
        """Return whether an expression is the number of vectors."""
        if not isinstance(node, c_ast.ID) or not any(node.name in scope for scope in self.scopes):
            return False
        held = self.variable(node.name).cells.get(NO_OFFSET)
        return isinstance(held, Number) and held.kind == INDEX and held.value == Word(self.batch, 0)

    def _execute_guarded(self, node: Any, vector: int) -> None:
        """Execute statements that store a vector if it is below batch, and do nothing else."""
        before, stored = self.guard, len(self.part.stores)
        if node.iffalse is not None or before is not None:
            raise ProofError("a statement for vectors that are not below batch is not supported")
        self.guard = vector
        try:
            self.execute(node.iftrue)
        except Leave:
            raise ProofError("control depends on the number of vectors") from None
        finally:
            self.guard = before
        if not all(isinstance(block, VectorBlock) for block, _, _ in self.part.stores[stored:]):
            raise ProofError("something else than a vector is stored if a vector is below batch")

    def _TernaryOp(self, node: Any) -> Any:
        """Return a choice; ``vector < batch ? vector : batch - 1`` is the vector or the last one."""
        vector = self._compared_vector(node.cond)
        if vector is None:
            return super()._TernaryOp(node)
        chosen, other = node.iftrue, node.iffalse
        is_last = isinstance(other, c_ast.BinaryOp) and other.op == "-" and self._is_batch(other.left)
        is_last = is_last and isinstance(other.right, c_ast.Constant) and other.right.value == "1"
        if not is_last or not isinstance(chosen, c_ast.ID) or chosen.name != node.cond.left.name:
            raise ProofError("a choice that depends on the number of vectors is not supported")
        number = self.evaluate(chosen)
        if not vector or not self.is_in_part:
            return number
        distance = self.words.variable("distance", 0, vector)
        self.replaced[next(iter(distance.polynomial))] = vector
        total = {**number.value.polynomial, **scaled(distance.polynomial, -1)}
        return Number(INDEX, Value(total, number.value.low - vector, number.value.high))
