"""Running a program whose pointers and counters are formulas in unknown lengths.

Between two straight-line parts, a counter is a polynomial in public numbers of which inequalities are known, such as
the number n of elements. A *stream* is a vector of the caller with an unknown number of elements. Pointers to it are
moved by formulas, but it is only read through a *view*: the elements from some position on, as a loop that is proven
for any iteration reads them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from pycparser import c_ast

from momagen.prove.c.memory import Number, Pointer
from momagen.prove.c.statements import Program
from momagen.prove.c.types import SIZE, Reference
from momagen.prove.checker import ProofError
from momagen.prove.transforms.control import names
from momagen.prove.transforms.memory import KnownBlock
from momagen.prove.transforms.part import Part
from momagen.prove.vectors.plans import PlanRun
from momagen.prove.words import Value

if TYPE_CHECKING:
    from momagen.prove.c.memory import Block
    from momagen.prove.c.parsed import Source
    from momagen.prove.facts import Facts, Path
    from momagen.prove.transforms.claim import Moduli
    from momagen.prove.vectors.plans import Plans

EFFECTS = (c_ast.FuncCall, c_ast.ArrayRef, c_ast.StructRef, c_ast.Assignment)
"""What an expression in lengths and pointers does not contain."""
STEPS = ("++", "p++", "--", "p--")


class Length(Number):
    """A number that depends on unknown lengths."""


class Cursor(Pointer):
    """A pointer whose offset depends on unknown lengths."""


def as_formula(held: Number | Pointer) -> Length | Cursor:
    """Return a number or pointer as one that depends on unknown lengths."""
    return Length(held.kind, held.value) if isinstance(held, Number) else Cursor(held.block, held.offset)


@dataclass(eq=False)
class LengthBlock(KnownBlock):
    """A block whose elements may be formulas in lengths, which only statements about lengths may read."""

    def store(self, offset: Value, value: Any, facts: Facts) -> None:
        """Change the content of an element."""
        if self.walk.is_in_part or not is_formula(value):
            super().store(offset, value, facts)
            return
        if not self.is_writable:
            raise ProofError(f"{self.name} is constant, and the program writes it")
        self.check(offset, facts)
        if offset.polynomial:
            raise ProofError("a length is stored into an array")
        self.cells[frozenset()] = as_formula(value)

    def _loaded(self, held: Any) -> Any:
        if self.walk.is_in_part and isinstance(held, (Length, Cursor)):
            raise ProofError(f"{self.name}, which depends on the number of elements, is used in a computation")
        return super()._loaded(held)


@dataclass(eq=False)
class View(LengthBlock):
    """The elements of a stream from some position on.

    Attributes:
        farthest: The greatest offset that was read.
    """

    farthest: int = -1

    def load(self, offset: Value, facts: Facts) -> Any:
        """Return the content of an element."""
        held = super().load(offset, facts)
        self.farthest = max(self.farthest, offset.low)
        return held


def is_formula(held: Any) -> bool:
    """Return whether a number or a pointer depends on unknown lengths, between two parts."""
    value = held.value if isinstance(held, Number) else held.offset if isinstance(held, Pointer) else None
    return isinstance(value, Value) and not value.is_constant


class LengthRun(PlanRun):
    """A run of ``create`` and ``execute`` with unknown lengths, along one path.

    Args:
        source: The source as a compiler sees it.
        claim: The claim.
        moduli: The moduli of the run.
        plans: The runs of ``create``.
        path: The decisions of branches that depend on lengths.
    """

    def __init__(self, source: Source, claim: Any, moduli: Moduli, plans: Plans, path: Path) -> None:
        super().__init__(source, claim, moduli, plans)
        self.between = self.part = Part(moduli, claim.word, path, plans.guide)
        self.facts, self.words = self.part.facts, self.part.facts.words

    def new_block(self, name: str, of: Any, size: Value | int, **settings: Any) -> Block:
        """Return a new block of elements of one type, which lives until the function returns."""
        length = self.words.constant(size) if isinstance(size, int) else size
        return self._adopt(LengthBlock(name, of, length, **settings))

    def _adopt(self, block: LengthBlock) -> LengthBlock:
        block.walk = self
        self.blocks.append(block)
        return block

    # Statements about lengths are executed exactly, and all others as parts.

    def execute(self, node: Any) -> None:
        """Execute a statement: exactly, if it is about lengths, or as a part."""
        if not self.is_in_part and self._is_about_lengths(node):
            Program.execute(self, node)
        elif not self.is_in_part and isinstance(node, c_ast.If) and self._is_length(node.cond):
            self.choose(node)
        else:
            super().execute(node)

    def holds(self, node: Any, is_assumed: bool = False) -> bool:
        """Return whether a condition holds."""
        if not self.is_in_part and self._is_length(node):
            return Program.holds(self, node, is_assumed)
        return super().holds(node, is_assumed)

    def _execute_groups(self, compound: Any) -> None:
        alive = len(self.blocks)
        self.scopes.append({})
        items, pending = compound.block_items or [], []
        for at, item in enumerate(items):
            if not self._is_exact(item) and self.control.is_straight(item):
                pending.append(item)
            else:
                self._run_pending(pending, items[at:])
                self.execute(item)
        self._run_pending(pending, [])
        self.scopes.pop()
        self.end_blocks(alive)

    def _run_pending(self, pending: list[Any], following: list[Any]) -> None:
        """Execute straight statements as one part, and forget them."""
        if pending:
            later = frozenset[str]().union(*(names(item) for item in following))
            self.run_part(partial(self._execute_all, list(pending)), later)
            pending.clear()

    def _is_exact(self, node: Any) -> bool:
        return self._is_about_lengths(node) or (isinstance(node, c_ast.If) and self._is_length(node.cond))

    def _is_about_lengths(self, node: Any) -> bool:
        """Return whether a statement only sets a length or a pointer to a formula in lengths and pointers."""
        if isinstance(node, c_ast.DeclList):
            return all(self._is_about_lengths(item) for item in node.decls)
        if isinstance(node, c_ast.Decl):
            is_scalar = not isinstance(node.type, c_ast.ArrayDecl) and node.init is not None
            return is_scalar and self._is_length_type(self.type(node.type)) and self._is_length(node.init)
        if isinstance(node, c_ast.UnaryOp) and node.op in STEPS:
            return self._is_length_variable(node.expr)
        if isinstance(node, c_ast.Assignment):
            return self._is_length_variable(node.lvalue) and self._is_length(node.rvalue)
        return False

    def _is_length_variable(self, node: Any) -> bool:
        if not isinstance(node, c_ast.ID) or not self._is_length(node):
            return False
        block = self._declared(node.name)
        return block is not None and self._is_length_type(block.of)

    def _declared(self, name: str) -> Block | None:
        """Return the block of a local variable, or None if no statement has declared it yet."""
        return next((scope[name] for scope in reversed(self.scopes) if name in scope), None)

    @staticmethod
    def _is_length_type(kind: Any) -> bool:
        return kind == SIZE or isinstance(kind, Reference)

    def _is_length(self, node: Any) -> bool:
        """Return whether an expression contains lengths, pointers and constants only."""
        if isinstance(node, EFFECTS) or (isinstance(node, c_ast.UnaryOp) and node.op in ("*", "&", *STEPS)):
            return False
        if isinstance(node, c_ast.ID):
            if node.name in self.source.constants:
                return True
            block = self._declared(node.name)
            if block is None:
                return False
            held = block.cells.get(frozenset())
            is_number = isinstance(held, Number) and isinstance(held.value, Value) and block.of == SIZE
            return block.is_array or isinstance(block.of, Reference) or is_number
        if isinstance(node, (c_ast.Typename, c_ast.TypeDecl, c_ast.IdentifierType)):
            return True
        return all(self._is_length(child) for _, child in node.children())
