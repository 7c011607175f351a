"""Statements about lengths and addresses, copies of columns, and inverses."""

from __future__ import annotations

from typing import Any

from pycparser import c_ast

from momagen.prove.bases.euclid import prove_euclid
from momagen.prove.bases.run import BasisRun
from momagen.prove.c.library import LIBRARY
from momagen.prove.c.memory import Address, Number, Pointer
from momagen.prove.c.types import SIZE
from momagen.prove.checker import ProofError
from momagen.prove.sums.lengths import EFFECTS, STEPS
from momagen.prove.transforms.control import LOOPS
from momagen.prove.transforms.memory import key_of
from momagen.prove.transforms.stored import Word

INVERSE = "inverse_of"
"""The function that computes inverses; what it computes is proven."""
COPIES = "memcpy", "memset"


class AddressRun(BasisRun):
    """A run in which statements about lengths and addresses are executed exactly.

    Attributes:
        coprime: The path of the answers whether two moduli are coprime; None if all are.
    """

    # Statements about lengths and addresses.

    def _is_about_lengths(self, node: Any) -> bool:
        if isinstance(node, c_ast.Return):
            return node.expr is not None and self._is_length(node.expr)
        if isinstance(node, c_ast.FuncCall):
            return node.name.name in COPIES and all(self._is_length(argument) for argument in node.args.exprs)
        return super()._is_about_lengths(node)

    def _is_exact(self, node: Any) -> bool:
        return super()._is_exact(node) or isinstance(node, LOOPS) or _chooses(node)

    def _is_length(self, node: Any) -> bool:
        if isinstance(node, c_ast.FuncCall) and self._is_address(node.name.name):
            return all(self._is_length(argument) for argument in (node.args.exprs if node.args else []))
        if isinstance(node, c_ast.ArrayRef) and isinstance(node.name, c_ast.ID):
            of = getattr(getattr(self._declared(node.name.name), "of", None), "to", None)
            return self._is_length_type(of) and of != SIZE and self._is_length(node.subscript)
        return super()._is_length(node)

    def _is_address(self, name: str) -> bool:
        """Return whether a function only computes a length or a pointer from lengths and pointers."""
        function = self.source.functions.get(name)
        if function is None or not self.control.is_straight_function(name):
            return False
        declared = function.decl.type
        kinds = [declared.type, *(p.type for p in declared.args.params)] if declared.args else []
        return bool(kinds) and all(map(self._is_length_type, map(self.type, kinds))) and _is_pure(function.body)

    def _FuncCall(self, node: Any) -> Any:
        name = node.name.name
        if self.is_in_part:
            return super()._FuncCall(node)
        if name == INVERSE and name in self.source.functions:
            return self._computed_inverse(node)
        if name in COPIES and self._is_about_lengths(node):
            return self._copy(name, [self.evaluate(argument) for argument in node.args.exprs])
        return super()._FuncCall(node)

    def _copy(self, name: str, arguments: list[Any]) -> None:
        """Execute a call that copies or clears elements, as a part."""
        pointers = [value.pointer if isinstance(value, Address) else value for value in arguments]
        blocks = [value.block for value in pointers if isinstance(value, Pointer)]
        is_far = [isinstance(value, Pointer) and _is_far(value) for value in pointers]
        if any(is_far) and len(set(blocks)) < len(blocks):
            raise ProofError("columns are copied inside one array")
        library: Any = LIBRARY[name]

        def act() -> None:
            constants = self.words.constant(0)
            library(self, *(
                Pointer(self.window(value), constants) if far else value
                for value, far in zip(pointers, is_far, strict=True)
            ))  # fmt: skip

        self.run_part(act)

    def _computed_inverse(self, node: Any) -> Number:
        """Return what the function that computes inverses returns, of which a lemma is proven."""
        block = self.new_block("arguments", self.kind, 2)

        def act() -> None:
            for i, argument in enumerate(node.args.exprs):
                value = self.convert(self.evaluate(argument), self.kind)
                block.store(self.words.constant(i), value, self.facts)

        self.run_part(act)
        a, q = (block.cells[key_of(i)].value for i in range(2))
        tag = next((i for i, number in enumerate(self.moduli_of_basis) if q == Word(number, 0)), None)
        if tag is None or not isinstance(a, Word) or not a.number.is_reduced or self.tag_of(a.number) != tag:
            raise ProofError("an inverse is not computed of a residue and its modulus")
        lemma = INVERSE, id(self.source)
        if lemma not in self.plans.summaries:
            ends = self.claim.least, self.claim.greatest
            self.plans.summaries[lemma] = prove_euclid(self.source, INVERSE, ends, self.guide)
        if self.coprime is not None and not self.coprime.next():
            return Number(self.kind, self.words.constant(0))
        key = a.number.residue, tag
        found = self._inverses.setdefault(key, self.field.element())
        return self.word_of(self.tagged("an inverse", tag, found, least=1))


def _is_far(pointer: Pointer) -> bool:
    """Return whether a pointer is one to a column."""
    return bool(getattr(pointer.block, "rows", 0)) or not pointer.offset.is_constant


def _chooses(node: Any) -> bool:
    return isinstance(node, c_ast.TernaryOp) or any(_chooses(child) for _, child in node.children())


def _is_pure(node: Any) -> bool:
    """Return whether statements only declare constants and return an expression."""
    if isinstance(node, EFFECTS) and not isinstance(node, c_ast.ArrayRef):
        return False
    if isinstance(node, c_ast.UnaryOp) and node.op in ("*", "&", *STEPS):
        return False
    return not isinstance(node, (c_ast.If, c_ast.Switch)) and all(_is_pure(child) for _, child in node.children())
