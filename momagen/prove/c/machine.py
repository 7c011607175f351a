"""The state of a C program on the prover: variables, conversions and the values of expressions."""

from __future__ import annotations

import ast
import re
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pycparser import c_ast

from momagen.prove.c.bits import AnyBit, bit_and, bit_or, bit_xor, by_flag, by_value, opposite_of
from momagen.prove.c.checks.declarations import is_constant
from momagen.prove.c.memory import NULL, Address, Block, Null, Number, Pointer
from momagen.prove.c.simd.compare import is_less, sign, under
from momagen.prove.c.simd.vectors import Flags, Lanes, mask_of, number_of
from momagen.prove.c.subset import has_effects
from momagen.prove.c.system.aligned import Aligned, Somewhere, as_array, as_bytes, numeric, operate
from momagen.prove.c.types import (
    INT,
    SIZE,
    WORD,
    Array,
    Byte,
    Integer,
    Mask,
    Record,
    Reference,
    Vector,
    Void,
    common,
    may_alias,
    promoted,
    type_of,
)
from momagen.prove.checker import ProofError
from momagen.prove.polynomial import Polynomial, plus, scaled
from momagen.prove.words import Value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from momagen.prove.c.parsed import Source
    from momagen.prove.facts import Facts

HALF = 32
COMPARISONS = {"<", ">", "<=", ">=", "==", "!="}

LITERALS = {
    "int": INT,
    "unsigned int": Integer(32),
    "long long int": Integer(64, True),
    "unsigned long long int": SIZE,
}


@dataclass(frozen=True)
class Place:
    """An element of a block that an expression designates."""

    block: Block
    offset: Value


class Machine:
    """The state of a program: its source, its variables, and the facts that the proof knows.

    Attributes:
        scopes: The variables of the function that runs now, innermost scope last; each is a block with one element.
        blocks: All blocks that exist.
        result: The array of the caller into which the program stores elements one after the other, if there is one.
    """

    def __init__(self, source: Source, facts: Facts) -> None:
        self.source, self.facts, self.words = source, facts, facts.words
        self.scopes: list[dict[str, Block]] = [{}]
        self.blocks: list[Block] = []
        self.heap: list[Block] = []
        self._indices: dict[object, Value] = {}
        self._active: list[Value] = []
        self._decides = True
        self.function = ""
        self._calls: list[str] = []
        self.longest = 1 << 60
        """The greatest number of iterations of the next loop."""
        self.is_out_of_memory = False
        self.result: Block | None = None
        self.statics: dict[str, Block] = {}

    # Types and blocks.

    def type(self, node: Any) -> Any:
        """Return the type that a declarator states."""
        kind = self.source.types.get(node)
        if kind is None:
            kind = type_of(node, self.source, lambda length: self.number(self.evaluate(length)))
            if isinstance(kind, (Integer, Record)) or (isinstance(kind, Reference) and isinstance(kind.to, Integer)):
                self.source.types[node] = kind
        return kind

    def new_block(self, name: str, of: Any, size: Value | int, **settings: Any) -> Block:
        """Return a new block of elements of one type, which lives until the function returns."""
        block = Block(name, of, self.words.constant(size) if isinstance(size, int) else size, **settings)
        self.blocks.append(block)
        return block

    def new_array(self, name: str, of: Any, size: Value | int, **settings: Any) -> Block:
        """Return a new array that lives until it is freed."""
        block = self.new_block(name, of, size, **settings)
        self.heap.append(self.blocks.pop())
        return block

    def allocation_fails(self) -> bool:
        """Return whether there is no memory for the next allocation, on this path."""
        return self.facts.decide(self.words.variable("out of memory", 0, 1), None, "malloc")

    def exchange_gives_null(self) -> bool:
        """Return whether the pointer that an atomic exchange replaces is NULL, on this path."""
        raise ProofError("atomic exchanges are not supported here")

    def end_blocks(self, alive: int) -> None:
        """End the lifetime of all variables but the first ``alive``."""
        for block in self.blocks[alive:]:
            block.end(self.words)
        del self.blocks[alive:]

    def all_blocks(self) -> list[Block]:
        """Return all blocks that the program can access."""
        return [*self.heap, *self.blocks]

    def index_for(self, end: Polynomial | None) -> Value:
        """Return the variable for the progress of a loop; loops of the same length share it, as they share elements."""
        key = None if end is None else frozenset(end.items())
        known = self._indices.get(key)
        if known is None or known in self._active:
            known = self.words.variable("index", 0, self.longest)
            if key is not None:
                self._indices[key] = known
        return known

    @contextmanager
    def inside(self, progress: Value) -> Iterator[None]:
        """Note that a loop with this progress is being executed, so that no loop inside it shares the variable."""
        self._active.append(progress)
        try:
            yield
        finally:
            self._active.pop()

    @contextmanager
    def undecided(self) -> Iterator[None]:
        """Keep comparisons of public numbers as flags instead of proving the rest of the program for both results."""
        self._decides = False
        try:
            yield
        finally:
            self._decides = True

    def iterate_to_end(self, step: Any, body: Any) -> None:
        """Execute one iteration of a loop that is proven by induction. The body must not leave the loop."""
        raise NotImplementedError

    def isolated(self, facts: Facts) -> Machine:
        """Return a program with the same functions and no variables."""
        raise NotImplementedError

    def settle_public(self) -> None:
        """Settle the numbers of public values."""

    def flush(self) -> None:
        """Check the elements that were stored into the result since the last call."""

    def size_of(self, kind: Any) -> int:
        """Return the size of a type in bytes."""
        if isinstance(kind, (Integer, Vector)):
            return kind.bits // 8
        if isinstance(kind, Byte):
            return 1
        if isinstance(kind, Reference):
            return 8
        if isinstance(kind, Array):
            return kind.length * self.size_of(kind.of)
        if isinstance(kind, Record):
            end = max(offset + self.size_of(member) for offset, _, member in self.members_of(kind))
            return -(-end // self._alignment(kind)) * self._alignment(kind)
        raise ProofError("the size of this type is not known")

    def members_of(self, kind: Record) -> Iterator[tuple[int, str, Any]]:
        """Yield the offset in bytes, the name and the type of each member of a struct."""
        end = 0
        for member in self.source.structs[kind.name]:
            of = self.type(member.type)
            offset = -(-end // self._alignment(of)) * self._alignment(of)
            yield offset, member.name, of
            end = offset + self.size_of(of)

    def _alignment(self, kind: Any) -> int:
        if isinstance(kind, Array):
            return self._alignment(kind.of)
        if isinstance(kind, Record):
            return max(self._alignment(self.type(member.type)) for member in self.source.structs[kind.name])
        return self.size_of(kind)

    def number(self, value: Any) -> int:
        """Return the number that an expression is known to be."""
        if isinstance(value, Number) and isinstance(value.value, Value) and value.value.is_constant:
            return value.value.low
        raise ProofError("a number must be known here")

    # Conversions.

    def convert(self, value: Any, kind: Any) -> Any:
        """Convert a value to a type."""
        if isinstance(kind, Integer) and isinstance(value, Number):
            return self._to_integer(value, kind)
        if isinstance(kind, Reference):
            if isinstance(value, Null) or (isinstance(value, Number) and self.number(value) == 0):
                return NULL
            if isinstance(value, Aligned):
                return value if isinstance(kind.to, Byte) else as_array(value, kind.to, self.new_array)
            if isinstance(value, Address):
                value = value.pointer
            if isinstance(value, Pointer):
                return Address(value) if isinstance(kind.to, Vector) else self._to_pointer(value, kind)
        if isinstance(kind, Integer) and isinstance(value, Pointer):
            return numeric(value, kind)
        if isinstance(value, Somewhere) and kind == Reference(Void()):
            return value
        if isinstance(value, (Lanes, Flags)) and value.kind == kind:
            return value
        if isinstance(kind, Mask) and isinstance(value, Number):
            return mask_of(value, kind, self.words)
        if isinstance(kind, Void):
            return None
        raise ProofError(f"a conversion to {kind} is not supported")

    def _to_integer(self, number: Number, kind: Integer) -> Number:
        value = number.value
        if not isinstance(value, Value):
            if kind.bits < number.kind.bits:
                raise ProofError("a conversion of unfinished bits is not supported")
            return Number(kind, value)
        if (value.low >= kind.least and value.high <= kind.greatest) or kind == number.kind:
            return Number(kind, value)
        if kind.is_signed:
            raise ProofError("a conversion to a signed type may change the value")
        simple = by_flag(lambda x: x % (1 << kind.bits), [value], self.words)
        if simple is None:
            simple = self.words.low_bits(value, kind.bits, f"to {kind.bits} bits")
        return Number(kind, simple)

    def _to_pointer(self, pointer: Pointer, kind: Reference) -> Pointer | Address | Aligned:
        block = pointer.block
        if isinstance(kind.to, Void):
            return Address(pointer)  # it cannot be moved, because the unit would be a byte
        if may_alias(block.of, kind.to):
            return pointer
        if isinstance(kind.to, Byte) and block.of is not None:
            return as_bytes(pointer)
        if block.of is None and not block.is_writable:
            raise ProofError("memory of a plan gets a type after create")
        if block.of is None:
            size = self.size_of(kind.to)
            total = self.words.divide(block.size, size, "size")[0] if size & size - 1 == 0 else None
            count = block.size.low // size if block.size.is_constant else None
            if total is None and count is None:
                raise ProofError("the length of an allocation is not known")
            block.of = kind.to
            block.size = self.words.constant(count) if count is not None else total  # type: ignore[assignment]
            if isinstance(kind.to, Record):
                self.make_record(block, kind.to)
            return pointer
        raise ProofError(f"a pointer to {block.of} is used as one to {kind.to}")

    def make_record(self, block: Block, kind: Record) -> None:
        """Give a struct its members: a block for each."""
        zeros = bool(block.cells)
        block.cells.clear()
        for member in self.source.structs[kind.name]:
            of = self.type(member.type)
            self._member(block, member.name, of, zeros, is_constant(member.type, self.source))

    def _member(self, block: Block, name: str, of: Any, zeros: bool, is_constant: bool) -> None:
        element, length = (of.of, of.length) if isinstance(of, Array) else (of, 1)
        part = self.new_array(f"{block.name}.{name}", element, length)
        part.is_array = isinstance(of, Array)
        block.cells[frozenset({((-1,), name)})] = part
        if zeros:
            zero = NULL if isinstance(element, Reference) else Number(element, self.words.constant(0))
            for i in range(length):
                part.store(self.words.constant(i), zero, self.facts)
        part.is_writable = not is_constant

    # Expressions.

    def evaluate(self, node: Any) -> Any:
        """Return the value of an expression: a number, a pointer, or None for void."""
        method = getattr(self, f"_{type(node).__name__}", None)
        if method is None:
            raise ProofError(f"{type(node).__name__} is not supported")
        try:
            return method(node)
        except ProofError as error:
            if not getattr(error, "line", None):
                error.line = node.coord.line if node.coord else None  # type: ignore[attr-defined]
            raise

    def _Constant(self, node: Any) -> Any:
        if node.type == "string":
            return ast.literal_eval(node.value)
        text = node.value
        digits = text.rstrip("uUlL")
        if node.type not in LITERALS or re.fullmatch(r"0\d+", digits):
            raise ProofError(f"the constant {text} is not supported")
        value, kind = int(digits, 0), LITERALS[node.type]
        if value > kind.greatest:
            raise ProofError(f"the constant {text} does not fit its type")
        return Number(kind, self.words.constant(value))

    def _ID(self, node: Any) -> Any:
        is_variable = any(node.name in scope for scope in self.scopes)
        if node.name in self.source.constants and not is_variable:
            return Number(INT, self.words.constant(self.source.constants[node.name]))
        block = self.variable(node.name)
        if block.is_array:
            return Pointer(block, self.words.constant(0))
        return block.load(self.words.constant(0), self.facts)

    def variable(self, name: str) -> Block:
        """Return the block of a variable."""
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        if name in self.statics:
            return self.statics[name]
        if name in self.source.globals:
            return self._static(name)
        raise ProofError(f"{name} is not declared")

    def _static(self, name: str) -> Block:
        outer, self.scopes = self.scopes, [{}]
        self.declare(self.source.globals[name])
        self.statics[name] = self.scopes[0][name]
        self.statics[name].is_writable = False
        self.blocks.remove(self.statics[name])
        self.heap.append(self.statics[name])
        self.scopes = outer
        return self.statics[name]

    def declare(self, node: Any) -> None:
        """Declare a variable and give it its first value, which is the only one of a constant."""
        self._declare(node)
        self.scopes[-1][node.name].is_writable = not is_constant(node.type, self.source)

    def _declare(self, node: Any) -> None:
        kind = self._type_of_list(node) or self.type(node.type)
        is_array = isinstance(kind, Array)
        block = self.new_block(node.name, kind.of if is_array else kind, kind.length if is_array else 1)
        block.is_array = is_array
        self.scopes[-1][node.name] = block
        if node.init is None:
            return
        if isinstance(node.init, c_ast.InitList):
            given = [self.convert(self.evaluate(item), block.of) for item in node.init.exprs]
            zero = Number(block.of, self.words.constant(0))
            for i in range(block.size.low):
                block.store(self.words.constant(i), given[i] if i < len(given) else zero, self.facts)
        else:
            block.store(self.words.constant(0), self.convert(self.evaluate(node.init), kind), self.facts)

    def _type_of_list(self, node: Any) -> Array | None:
        """Return the type of an array whose length is that of its list of first values, or None."""
        if not isinstance(node.type, c_ast.ArrayDecl) or node.type.dim or not isinstance(node.init, c_ast.InitList):
            return None
        return Array(self.type(node.type.type), len(node.init.exprs))

    def place(self, node: Any) -> Place:
        """Return the element that an expression designates."""
        if isinstance(node, c_ast.ID):
            return Place(self.variable(node.name), self.words.constant(0))
        if isinstance(node, c_ast.ArrayRef):
            pointer = self.evaluate(node.name)
            index = self.evaluate(node.subscript)
            if isinstance(pointer, Pointer) and isinstance(index, Number):
                self._check_natural(index.kind, index.value)
                moved = pointer.moved(index.value.polynomial, self.facts)
                return Place(moved.block, moved.offset)
        if isinstance(node, c_ast.UnaryOp) and node.op == "*":
            pointer = self.evaluate(node.expr)
            if isinstance(pointer, Pointer):
                return Place(pointer.block, pointer.offset)
        if isinstance(node, c_ast.StructRef):
            block = self._member_block(node)
            return Place(block, self.words.constant(0))
        raise ProofError("this expression designates nothing that can be stored into")

    def _member_block(self, node: Any) -> Block:
        record = self.evaluate(node.name)
        if isinstance(record, Pointer) and node.type == "->" and not record.offset.polynomial:
            record.block.check(record.offset, self.facts)
            part = record.block.cells.get(frozenset({((-1,), node.field.name)}))
            if isinstance(part, Block):
                return part
        raise ProofError(f"there is no member {node.field.name}")

    def _ArrayRef(self, node: Any) -> Any:
        place = self.place(node)
        return place.block.load(place.offset, self.facts)

    def _StructRef(self, node: Any) -> Any:
        block = self._member_block(node)
        kind = next(m.type for m in self.source.structs[self._record_of(node)] if m.name == node.field.name)
        if isinstance(kind, c_ast.ArrayDecl):
            return Pointer(block, self.words.constant(0))
        return block.load(self.words.constant(0), self.facts)

    def _record_of(self, node: Any) -> str:
        return str(self.evaluate(node.name).block.of.name)

    def _Cast(self, node: Any) -> Any:
        return self.cast(self.evaluate(node.expr), self.type(node.to_type.type))

    def cast(self, value: Any, kind: Any) -> Any:
        """Return what a cast to a type gives."""
        return self.convert(value, kind)

    def _ExprList(self, node: Any) -> Any:
        result = None
        for item in node.exprs:
            result = self.evaluate(item)
        return result

    def _TernaryOp(self, node: Any) -> Any:
        taken, other = (node.iftrue, node.iffalse) if self.holds(node.cond) else (node.iffalse, node.iftrue)
        value = self.evaluate(taken)
        if not isinstance(value, Number):
            return value
        return self.convert(value, common(value.kind, self._kind_of(other)))

    def _kind_of(self, node: Any) -> Integer:
        """Return the type of an arithmetic expression without evaluating it."""
        if isinstance(node, c_ast.Constant) and node.type in LITERALS:
            return LITERALS[node.type]
        if isinstance(node, c_ast.Cast):
            kind = self.type(node.to_type.type)
        elif isinstance(node, c_ast.BinaryOp) and node.op not in COMPARISONS | {"&&", "||"}:
            kind = self._kind_of(node.left)
            return promoted(kind) if node.op in ("<<", ">>") else common(kind, self._kind_of(node.right))
        elif isinstance(node, c_ast.ID) and node.name not in self.source.constants:
            kind = self.variable(node.name).of
        elif isinstance(node, c_ast.ArrayRef) and not has_effects(node):
            kind = self.place(node).block.of
        else:
            kind = None
        if not isinstance(kind, Integer):
            raise ProofError("the type of this operand of ?: is not supported")
        return kind

    def _UnaryOp(self, node: Any) -> Any:
        op = node.op
        if op == "sizeof":
            kind = self.type(node.expr) if isinstance(node.expr, c_ast.Typename) else self._type_of_place(node.expr)
            return Number(SIZE, self.words.constant(self.size_of(kind)))
        if op in ("p++", "++", "p--", "--"):
            return self._step(node)
        if op == "&":
            place = self.place(node.expr)
            if place.block.is_array and not isinstance(node.expr, (c_ast.ArrayRef, c_ast.UnaryOp)):
                raise ProofError("a pointer to an array, whose unit is the array, is not supported")
            return Pointer(place.block, place.offset)
        if op == "*":
            place = self.place(node)
            return place.block.load(place.offset, self.facts)
        if op == "!":
            return Number(INT, self.words.constant(int(not self.holds(node.expr))))
        operand = self.evaluate(node.expr)
        if isinstance(operand, Flags) and op == "~":
            return Flags(operand.kind, tuple(opposite_of(bit) for bit in operand.bits))
        if not isinstance(operand, Number):
            raise ProofError(f"the operator {op} is not supported here")
        kind = promoted(operand.kind)
        value = self.convert(operand, kind).value
        if op == "~" and not kind.is_signed and isinstance(value, Value):
            return self._in_type(plus({(): kind.greatest}, value.polynomial, -1), kind)
        if op == "-":
            return self._binary("-", Number(kind, self.words.constant(0)), Number(kind, value))
        raise ProofError(f"the operator {op} is not supported")

    def _type_of_place(self, node: Any) -> Any:
        if isinstance(node, c_ast.UnaryOp) and node.op == "*" and isinstance(node.expr, c_ast.ID):
            kind = self.variable(node.expr.name).of
            return kind.to
        if isinstance(node, c_ast.ID) and (block := self.variable(node.name)).size.is_constant:
            return Array(block.of, block.size.low) if block.is_array else block.of
        raise ProofError("sizeof of this expression is not supported")

    def _step(self, node: Any) -> Any:
        place = self.place(node.expr)
        before = place.block.load(place.offset, self.facts)
        by = Number(INT, self.words.constant(1))
        after = self.convert(self._binary("+" if "+" in node.op else "-", before, by), place.block.of)
        place.block.store(place.offset, after, self.facts)
        return before if node.op.startswith("p") else after

    def _Assignment(self, node: Any) -> Any:
        place = self.place(node.lvalue)
        if node.op == "&=" and self._is_zero(before := place.block.load(place.offset, self.facts)):
            with self.undecided():
                self.evaluate(node.rvalue)
            return before
        value = self.evaluate(node.rvalue)
        if node.op != "=":
            value = self._binary(node.op[:-1], place.block.load(place.offset, self.facts), value)
        value = self.convert(value, place.block.of)
        place.block.store(place.offset, value, self.facts)
        return value

    @staticmethod
    def _is_zero(number: Any) -> bool:
        return isinstance(number, Number) and isinstance(number.value, Value) and number.value.high == 0

    def _BinaryOp(self, node: Any) -> Any:
        if node.op == "&&":
            result = self.holds(node.left) and self.holds(node.right)
            return Number(INT, self.words.constant(int(result)))
        if node.op == "||":
            result = self.holds(node.left) or self.holds(node.right)
            return Number(INT, self.words.constant(int(result)))
        return self._binary(node.op, self.evaluate(node.left), self.evaluate(node.right))

    def _binary(self, op: str, a: Any, b: Any) -> Any:
        if (found := operate(op, a, b, self.new_array)) is not None:
            return found
        if isinstance(a, Pointer) and isinstance(b, Number) and op in "+-":
            self._check_natural(b.kind, b.value)
            by = b.value.polynomial
            return a.moved(by, self.facts) if op == "+" else a.backwards(by, self.facts)
        if isinstance(b, Pointer) and isinstance(a, Number) and op == "+":
            self._check_natural(a.kind, a.value)
            return b.moved(a.value.polynomial, self.facts)
        if isinstance(a, Flags) and isinstance(b, Flags) and a.kind == b.kind and op in "&|^":
            pairs = list(zip(a.bits, b.bits, strict=True))
            if op == "&":
                pairs = [(under(y, x, self.words), under(x, y, self.words)) for x, y in pairs]
            bits = tuple(self._bitwise(op, x, y, 1) for x, y in pairs)
            if not all(isinstance(bit, Value) for bit in bits):
                raise ProofError(f"the operator {op} on these masks is not supported")
            return Flags(a.kind, bits)
        if isinstance(a, Flags) and op == ">>":
            a = number_of(a, self.words)
        if not isinstance(a, Number) or not isinstance(b, Number):
            raise ProofError(f"the operator {op} on pointers is not supported")
        if op in ("<<", ">>"):
            return self._shift(op, a, b)
        kind = common(a.kind, b.kind)
        x, y = self.convert(a, kind).value, self.convert(b, kind).value
        if op in COMPARISONS:
            flag, implied = self.compare(op, *self._compared(op, kind, x, y), kind.bits)
            if self._decides and not flag.is_constant and self.facts.is_public(flag.polynomial):
                if self.facts.search.powers:
                    self.settle_public()
                flag = self.words.constant(int(self.facts.decide(flag, implied, f"the comparison {op}")))
            return Number(INT, flag)
        if op not in "+-":
            self._check_natural(kind, x, y)
        if op not in "&|^" and not (isinstance(x, Value) and isinstance(y, Value)):
            raise ProofError(f"the operator {op} on unfinished bits is not supported")
        if op in "&|^":
            return Number(kind, self._bitwise(op, x, y, kind.bits))
        if op == "-":
            return self._minus(x, y, kind, is_half=kind == WORD and min(a.kind.bits, b.kind.bits) <= HALF)
        return self._arithmetic(op, x, y, kind)

    def _bitwise(self, op: str, x: Any, y: Any, bits: int) -> Any:
        if op == "&":
            return bit_and(x, y, bits, self.words)
        return bit_or(x, y, self.words) if op == "|" else bit_xor(x, y, self.words)

    def _compared(self, op: str, kind: Integer, x: Any, y: Any) -> tuple[Value, Value]:
        """Return the operands of a comparison as values."""
        if isinstance(x, AnyBit) and op in ("==", "!=") and y.is_constant and y.low == 0:
            x = x.number(self.words)
        self._check_natural(kind, x, y)
        if not isinstance(x, Value) or not isinstance(y, Value):
            raise ProofError("a comparison of unfinished bits is not supported")
        return x, y

    @staticmethod
    def _check_natural(kind: Integer, *values: Any) -> None:
        """Check that no operand of an unsigned type is represented by a negative integer."""
        if not kind.is_signed and any(isinstance(value, Value) and value.low < 0 for value in values):
            raise ProofError("this use of a difference that may be negative is not supported")

    def _arithmetic(self, op: str, x: Value, y: Value, kind: Integer) -> Number:
        if op == "+":
            return self._in_type(plus(x.polynomial, y.polynomial), kind)
        if op == "*":
            return self._in_value(self.words.multiply(x, y), kind)
        if op in "/%" and y.is_constant and y.low > 0 and y.low & y.low - 1 == 0 and x.low >= 0:
            return Number(kind, self.words.divide(x, y.low, "divide")[op == "%"])
        if x.is_constant and y.is_constant and y.low > 0 and x.low >= 0:
            return Number(kind, self.words.constant({"/": x.low // y.low, "%": x.low % y.low}[op]))
        if op in "/%" and y.polynomial.keys() == {()} and x.low >= 0 and self.facts.is_public(x.polynomial):
            return Number(kind, self.words.divide_by_number(x, y.low, "divide")[op == "%"])
        if op == "/" and not self.facts.is_public(x.polynomial):
            raise ProofError("a division depends on secret values, and so may its time")
        if op == "/" and self.facts.is_public(y.polynomial):
            self.settle_public()
            return Number(kind, self.facts.quotient(x, y))
        raise ProofError(f"the operator {op} is not supported here")

    def _minus(self, x: Value, y: Value, kind: Integer, is_half: bool = False) -> Number:
        """Return a difference; ``is_half`` says that an operand had a type of 32 bits or fewer."""
        if kind.is_signed:
            return self._in_type(plus(x.polynomial, y.polynomial, -1), kind)
        simple = by_flag(lambda a, b: (a - b) % (1 << kind.bits), [x, y], self.words)
        if simple is not None:
            return Number(kind, simple)
        difference = self.words.without_zeros(plus(x.polynomial, y.polynomial, -1))
        if self.facts.is_public(difference) and self.facts.is_not_negative(difference):
            value = self.words.value_of(difference)
            return Number(kind, Value(difference, max(value.low, 0), value.high))
        if kind.bits > 64:
            return Number(kind, self._modulo_word(difference))
        if is_half and (extended := self._minus_half(difference)) is not None:
            return Number(kind, extended)
        return Number(kind, self.words.difference(x, y, self.words.constant(0), kind.bits, "minus")[1])

    def _minus_half(self, difference: Polynomial) -> Value | None:
        """Return a difference of 32-bit words in a type of 64 bits: the upper half is their borrow, repeated."""
        total = self.words.value_of(self.words.nearest(difference, WORD.bits))
        if not -(1 << HALF) <= total.low < 0 <= total.high < 1 << HALF:
            return None
        none = self.words.constant(0)
        borrow, word = self.words.difference(total, none, none, HALF, "minus")
        extended = plus(word.polynomial, scaled(borrow.polynomial, (1 << WORD.bits) - (1 << HALF)))
        return Value(extended, 0, WORD.greatest)

    def _modulo_word(self, difference: Polynomial) -> Value:
        """Return a difference of words in a type of two words, as the integer that it is congruent to modulo 2^128.

        Raises:
            ProofError: It is a difference of longer numbers.
        """
        value = self.words.value_of(difference)
        if not -(1 << 65) <= value.low <= value.high < 1 << 65:
            raise ProofError("a difference of two-word numbers is not supported")
        return value

    def _wrapped(self, number: Number) -> Value:
        """Return the value of a number in the range of its type, where a difference may have left it."""
        value: Value = number.value
        if not isinstance(value, Value):
            raise ProofError("a shift of unfinished bits is not supported")
        if value.low >= 0 or number.kind.is_signed:
            return value
        borrow, word = self.words.difference(value, self.words.constant(0), self.words.constant(0), 64, "minus")
        if borrow.high > 1:
            raise ProofError("a difference is below -2^64")
        total = plus(word.polynomial, scaled(borrow.polynomial, (1 << number.kind.bits) - (1 << 64)))
        return self.words.value_of(total)

    def _in_type(self, polynomial: Polynomial, kind: Integer) -> Number:
        return self._in_value(self.words.value_of(polynomial), kind)

    def _in_value(self, value: Value, kind: Integer) -> Number:
        if value.low >= kind.least and value.high <= kind.greatest:
            return Number(kind, value)
        if kind.is_signed:
            raise ProofError("a signed operation may overflow")
        return self.convert(Number(Integer(2 * kind.bits), value), kind)  # type: ignore[no-any-return]

    def _shift(self, op: str, a: Number, b: Number) -> Number:
        kind = promoted(a.kind)
        a = Number(a.kind, self._wrapped(a))
        value, by = self.convert(a, kind).value, self.number(b)
        if not 0 <= by < kind.bits:
            raise ProofError("a shift by the width of its type or more is undefined")
        if kind.is_signed and value.low < 0:
            raise ProofError("a shift of a negative number is not supported")
        if op == ">>" and by == kind.bits - 1 and not kind.is_signed:
            return Number(kind, sign(value, kind.bits, self.words))
        if op == ">>":
            return Number(kind, self.words.shift_right(value, by, kind.bits, "shift"))
        wraps = None if kind.is_signed else 1 << kind.bits
        simple = by_flag(lambda x: (x << by) % wraps if wraps else x << by, [value], self.words)
        if simple is None or (kind.is_signed and simple.high > kind.greatest):
            if kind.is_signed:
                raise ProofError("a shift to the left of a signed number is not supported")
            simple = self.words.shift_left(value, by, kind.bits, "shift")
        return Number(kind, simple)

    # Conditions.

    def compare(
        self, op: str, x: Value, y: Value, bits: int = 64
    ) -> tuple[Value, tuple[Polynomial, Polynomial] | None]:
        """Return the flag of a comparison, and what is not negative if it is 0 and if it is 1."""
        simple = by_value(
            lambda a, b: int({"<": a < b, ">": a > b, "<=": a <= b, ">=": a >= b, "==": a == b, "!=": a != b}[op]),
            [x, y],
            self.words,
        )
        if simple is not None:
            return simple, None
        if op in (">", "<="):
            x, y = y, x
        if op in ("<", ">", "<=", ">="):
            flag = self._less(x, y, bits)
            less = plus(plus(y.polynomial, x.polynomial, -1), {(): -1})
            implied = plus(x.polynomial, y.polynomial, -1), less
            if op in ("<", ">"):
                return flag, implied
            return self._not(flag), (implied[1], implied[0])
        if x.is_constant:
            x, y = y, x
        if y.is_constant and x.low == y.low:
            equal = self.facts.less(x, self.words.constant(y.low + 1), "compare")
            above = plus(x.polynomial, {(): -y.low - 1})
            implied = above, scaled(plus(x.polynomial, {(): -y.low}), -1)
            return (equal, implied) if op == "==" else (self._not(equal), (implied[1], implied[0]))
        for least, greatest in ((x, y), (y, x)):
            if self.facts.is_not_negative_by_numbers(plus(greatest.polynomial, least.polynomial, -1)):
                return self.compare("<" if op == "!=" else ">=", least, greatest, bits)
        below, above_ = self._less(x, y, bits), self._less(y, x, bits)
        one = self.words.constant(1)
        differs = self.words.select(below, one, above_, "compare") if not below.is_constant or below.low else above_
        if below.is_constant and below.low:
            differs = one
        return (differs if op == "!=" else self._not(differs)), None

    def _less(self, x: Value, y: Value, bits: int) -> Value:
        """Return the flag that ``x < y``; that of words is the borrow of their difference."""
        if min(x.low, y.low) < 0 or self.facts.is_public(plus(x.polynomial, y.polynomial, -1)):
            return self.facts.less(x, y, "compare")
        return is_less(x, y, self.words, bits)

    def _not(self, flag: Value) -> Value:
        return Value(plus({(): 1}, flag.polynomial, -1), 1 - flag.high, 1 - flag.low)

    def holds(self, node: Any, is_assumed: bool = False) -> bool:
        """Return whether a condition holds on this path.

        Args:
            node: The condition.
            is_assumed: Whether a comparison is taken as true if it is not decided, because an iteration only runs if
                it is. Conditions inside its operands are still decided.
        """
        where = f"line {node.coord.line}" if node.coord else "a condition"
        if isinstance(node, c_ast.BinaryOp) and node.op in COMPARISONS:
            a, b = self.evaluate(node.left), self.evaluate(node.right)
            if isinstance(a, Number) and isinstance(b, Number):
                kind = common(a.kind, b.kind)
                x, y = self.convert(a, kind).value, self.convert(b, kind).value
                flag, implied = self.compare(node.op, *self._compared(node.op, kind, x, y), kind.bits)
                return self.facts.decide(flag, implied, where, is_assumed)
            raise ProofError("a comparison of pointers is not supported")
        value = self.evaluate(node)
        if isinstance(value, (Pointer, Address)):
            block = value.block if isinstance(value, Pointer) else value.pointer.block
            if block.size.high == 0:
                raise ProofError("a condition depends on a pointer to memory that was freed")
            return True
        if isinstance(value, Null):
            return False
        if isinstance(value, Number) and isinstance(value.value, AnyBit):
            value = Number(value.kind, value.value.number(self.words))
        if isinstance(value, Number) and isinstance(value.value, Value):
            self._check_natural(value.kind, value.value)
            flag, implied = self.compare("!=", value.value, self.words.constant(0))
            return self.facts.decide(flag, implied, where)
        raise ProofError("this condition is not supported")
