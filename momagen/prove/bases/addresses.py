"""The exact execution of statements about lengths and addresses, copies of columns, and the lemma about inverses."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from gmpy2 import mpz
from pycparser import c_ast, c_generator

from momagen.prove.bases.columns import ColumnBlock
from momagen.prove.bases.euclid import prove_euclid
from momagen.prove.bases.run import BasisRun
from momagen.prove.c.library import LIBRARY
from momagen.prove.c.memory import Address, Number, Pointer
from momagen.prove.c.statements import Program
from momagen.prove.c.types import SIZE
from momagen.prove.checker import ProofError
from momagen.prove.polynomial import constant, scaled
from momagen.prove.sums.lengths import EFFECTS, STEPS, Cursor, Length
from momagen.prove.transforms.control import LOOPS, ControlFlow, names, returns
from momagen.prove.transforms.memory import MISSING, key_of
from momagen.prove.transforms.run import NO_OFFSET
from momagen.prove.transforms.stored import Word
from momagen.prove.words import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from momagen.prove.bases.columns import Column
    from momagen.prove.c.parsed import Source
    from momagen.prove.facts import Path
    from momagen.prove.transforms.stored import Stored
    from momagen.prove.vectors.plans import Plans

INVERSE = "inverse_of"
"""The name of the function that computes inverses; its results are proven."""
COPIES = "memcpy", "memset"
COMPUTED = c_ast.ArrayRef, c_ast.ID, c_ast.TernaryOp, c_ast.BinaryOp, c_ast.FuncCall
"""The arguments of functions that may be numbers that parts compute."""


class SeparateIterations(ControlFlow):
    """The control flow of a program in which only a loop that may return is part of a straight statement.

    So each iteration of another loop is executed as separate parts.
    """

    def _is_straight(self, node: Any) -> bool:
        return super()._is_straight(node) and not (isinstance(node, LOOPS) and not returns(node))


class AddressRun(BasisRun):
    """A run in which statements about lengths and addresses are executed exactly.

    Attributes:
        coprime: The path that decides for each inverse that is computed whether it exists; None if all inverses exist.
    """

    coprime: Path | None = None

    def __init__(self, source: Source, claim: Any, plans: Plans) -> None:
        super().__init__(source, claim, plans)
        self.control = SeparateIterations(source)

    def execute(self, node: Any) -> None:
        """Execute a statement; if it depends on lengths, it is executed exactly, also inside a part."""
        if self.is_in_part and self._depends_on_lengths(node) and self._is_about_lengths(node) and self._is_known(node):
            with self._outside():
                Program.execute(self, node)
        elif not self.is_in_part and isinstance(node, LOOPS) and self._depends_on_lengths(node):
            Program.execute(self, node)
        else:
            super().execute(node)

    @contextmanager
    def _outside(self) -> Iterator[None]:
        """Execute the ``with`` block as if it were between two parts.

        The part stores what the block changes, so that another path of the part begins without these changes.
        """
        part = self.suspended = self.part
        self.part, self.is_in_part = self.between, False
        self.facts, self.words = self.part.facts, self.part.facts.words
        before = {block: dict(block.cells) for block in self.all_blocks()}
        try:
            yield
        finally:
            self.part, self.is_in_part, self.suspended = part, True, None
            self.facts, self.words = part.facts, part.facts.words
            for block in self.all_blocks():
                cells, now = before.get(block, {}), block.cells
                changed = (key for key in {**cells, **now} if now.get(key, MISSING) is not cells.get(key, MISSING))
                part.stores += [(block, key, cells.get(key, MISSING)) for key in changed]

    def _held(self, name: str) -> Any:
        block = self._declared(name)
        return None if block is None else block.cells.get(NO_OFFSET)

    def _depends_on_lengths(self, node: Any) -> bool:
        """Return whether a variable of a statement is a formula in lengths, or a pointer to rows."""
        held = map(self._held, names(node))
        return any(
            isinstance(each, (Length, Cursor)) or getattr(getattr(each, "block", None), "rows", 0) for each in held
        )

    def _is_known(self, node: Any) -> bool:
        """Return whether a statement uses no number that the part computes."""
        if isinstance(node, c_ast.ID):
            held = self._held(node.name)
            is_number = isinstance(held, Number) and not isinstance(held, Length)
            return not is_number or (isinstance(held.value, Value) and held.value.is_constant)
        if isinstance(node, c_ast.Assignment):
            return self._is_known(node.rvalue) and self._is_known(node.lvalue)
        return all(self._is_known(child) for _, child in node.children())

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
        if name in self.source.functions and not self._is_length(node):
            nodes = node.args.exprs if node.args else []
            arguments = [self._argument(argument) for argument in nodes]
            if self.control.is_straight_function(name) and not all(map(self.control.is_straight, nodes)):
                return self._number_of_part(lambda: self.call(name, arguments))
            return self.call(name, arguments)
        return super()._FuncCall(node)

    def _argument(self, node: Any) -> Any:
        """Return an argument of a function that is executed in parts; a number that parts compute is one of a part."""
        is_call = isinstance(node, c_ast.FuncCall) and not self.control.is_straight(node)
        if is_call or not isinstance(node, COMPUTED) or self._is_length(node):
            return self.evaluate(node)
        return self._number_of_part(lambda: self.evaluate(node))

    def _number_of_part(self, action: Callable[[], Any]) -> Any:
        """Execute a part that returns an unsigned number, and return the number."""
        block = self.new_block("a number", self.kind, 1)

        def act() -> None:
            number = action()
            if not isinstance(number, Number) or number.kind.is_signed:
                raise ProofError("a part returns no unsigned number")
            block.store(self.words.constant(0), self.convert(number, self.kind), self.facts)

        self.run_part(act)
        return block.cells[NO_OFFSET]

    def _copy(self, name: str, arguments: list[Any]) -> None:
        """Execute a call that copies or clears elements, as a part."""
        pointers = [value.pointer if isinstance(value, Address) else value for value in arguments]
        if name == "memcpy" and self._is_whole_block(pointers[2]):
            self.copy_columns(pointers[0], pointers[1])
            return
        is_far = [isinstance(value, Pointer) and _is_far(value) for value in pointers]
        if name == "memset" and not any(is_far) and self._clear(*pointers):
            return
        blocks = [value.block for value, far in zip(pointers, is_far, strict=True) if far]
        if len(set(blocks)) < len(blocks):  # a row with columns has no elements at known offsets
            raise ProofError("columns are copied inside one array")
        library: Any = LIBRARY[name]

        def act() -> None:
            constants = self.words.constant(0)
            library(self, *(
                Pointer(self.window(value), constants) if far else value
                for value, far in zip(pointers, is_far, strict=True)
            ))  # fmt: skip

        self.run_part(act)

    def _clear(self, target: Any, byte: Any, size: Any) -> bool:
        """Store 0 into elements of scratch memory if a call of ``memset`` does so, and return whether it does."""
        block = target.block if isinstance(target, Pointer) else None
        count, rest = divmod(self.number(size), self.claim.word // 8)
        if not isinstance(block, ColumnBlock) or block.of != self.kind or not block.is_writable:
            return False
        if rest or self.number(byte) != 0:
            return False
        zero = Number(self.kind, self.words.constant(0))
        for i in range(target.offset.low, target.offset.low + count):
            block.cells[block.key_at(constant(i))] = zero
        return True

    def _is_whole_block(self, size: Any) -> bool:
        """Return whether a number of bytes is the size of one row of the block."""
        width = self.claim.word // 8
        return self.frame is not None and size.value.polynomial == scaled(self.frame.count, width)

    def copy_columns(self, target: Pointer, origin: Pointer, drawn: Callable[[Column], Stored] | None = None) -> None:
        """Copy all columns of the block from a row to a row of scratch memory.

        Args:
            target: The first element of the row of scratch memory.
            origin: The first element of the block in the row.
            drawn: A function that returns the number to copy for each column; None to copy the numbers in the row.
        """
        to: Any = target.block
        source: Any = origin.block
        rows = [block.start_of(p.offset.polynomial) if isinstance(block, ColumnBlock) else None
                for block, p in ((to, target), (source, origin))]  # fmt: skip
        is_plain = isinstance(to, ColumnBlock) and isinstance(source, ColumnBlock) and to.of == source.of == self.kind
        if None in rows or not is_plain or to is source or to.rows or not to.is_writable or self.frame is None:
            raise ProofError("a copy of columns is not one from a row to scratch memory")
        for part, at in self.frame.columns():
            key: Any = (part, rows[0], at)
            column: Any = (part, rows[1], at)
            to.enter(key)
            to.cells[key] = self.word_of(drawn(column)) if drawn is not None else source.held_at(column)

    def _loop(self, condition: Any, step: Any, body: Any) -> None:
        if self.is_in_part or not self._normalises(condition, step, body):
            super()._loop(condition, step, body)

    def _normalises(self, condition: Any, step: Any, body: Any) -> bool:
        """Execute the loop ``while ((q << s) >> k == 0) s++;``, and return whether a loop has this form.

        The loop shifts a modulus to the greatest length. If q is at least 1 and has at most k + 1 bits, the loop ends
        with the least s for which q * 2^s has k + 1 bits.
        """
        only = body.block_items[0] if isinstance(body, c_ast.Compound) and len(body.block_items) == 1 else body
        if step is not None or not isinstance(condition, c_ast.BinaryOp) or not isinstance(only, c_ast.UnaryOp):
            return False
        shape = re.fullmatch(r"\(\((\w+) << (\w+)\) >> (\d+)\) == 0", c_generator.CGenerator().visit(condition))
        if shape is None or only.op not in ("p++", "++") or not isinstance(only.expr, c_ast.ID):
            return False
        number, shift = self.variable(shape[1]), self.variable(shape[2])
        held: Any = number.cells.get(NO_OFFSET)
        found = [i for i, q in enumerate(self.moduli_of_basis) if getattr(held, "value", None) == Word(q, 0)]
        if not found or only.expr.name != shape[2] or number.of != self.kind or shift.of != SIZE:
            return False
        if int(shape[3]) != self.claim.bits - 1 or self.number(shift.load(self.words.constant(0), self.facts)) != 0:
            raise ProofError("a modulus is not shifted to the greatest length")
        shift.store(self.words.constant(0), Number(SIZE, Word(self.shifts[found[0]], 0)), self.facts)
        return True

    def _computed_inverse(self, node: Any) -> Number:
        """Return the result of the function that computes inverses, after its lemma is proven."""
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
        lemma = INVERSE, id(self.source)  # the source is kept below, so that no other one gets this number
        if lemma not in self.plans.summaries:
            ends = self.claim.least, self.claim.greatest
            self.plans.summaries[lemma] = self.source, prove_euclid(self.source, INVERSE, ends, self.guide)
        key = a.number.residue, tag
        if key[0] == 1:
            return self.word_of(self.tagged("1", tag, mpz(1), least=1))
        exists = self.implied_units().get(key) in self._inverses
        if not exists and key not in self.units():
            raise ProofError("create computes an inverse that need not exist for moduli of the claim")
        if not exists and self.coprime is not None and not self.coprime.next():
            return Number(self.kind, self.words.constant(0))
        found = self._inverses.setdefault(key, self.field.inverse(key[0]))
        return self.word_of(self.tagged("an inverse", tag, found, least=1))


def _is_far(pointer: Pointer) -> bool:
    """Return whether a pointer refers to a column."""
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
