"""Statements and calls of C on the prover."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pycparser import c_ast

from momagen.prove.c.assembly import ASSEMBLY, Operand, is_empty_assembly, run
from momagen.prove.c.checks.declarations import is_constant
from momagen.prove.c.invariants import Division, is_long_division
from momagen.prove.c.library import FLAG, LIBRARY
from momagen.prove.c.loops import run_generic
from momagen.prove.c.machine import Machine
from momagen.prove.c.memory import Address, Number, Pointer, differ
from momagen.prove.c.simd.intrinsics import call, is_intrinsic, lane_bits
from momagen.prove.c.simd.vectors import Lanes
from momagen.prove.c.subset import has_effects
from momagen.prove.c.system.advice import only_advises
from momagen.prove.c.types import INT, Integer, Reference, Vector, Void
from momagen.prove.checker import ProofError
from momagen.prove.words import Value

if TYPE_CHECKING:
    from collections.abc import Callable

    from momagen.prove.facts import Facts

LONGEST = 1 << 61
"""No length or index is as large."""
MANY = 8
"""The number of iterations from which on a loop over a vector is proven by induction."""
VECTORS_STORED = [Reference(Vector(bits)) for bits in (128, 256, 512)]
"""The types of parameters through which a function stores vectors."""
UNROLLED = 1 << 16
"""The greatest number of iterations that are executed one by one."""


class Leave(Exception):
    """Control leaves a statement: by ``return``, ``break`` or ``continue``."""

    def __init__(self, kind: str, value: Any = None) -> None:
        super().__init__(kind)
        self.kind, self.value = kind, value


class Program(Machine):
    """A program that can be executed: expressions and statements."""

    def isolated(self, facts: Facts) -> Program:
        """Return a program with the same functions and no variables."""
        return Program(self.source, facts)

    def call(self, name: str, arguments: list[Any]) -> Any:
        """Call a function of the source and return its result."""
        function = self.source.functions.get(name)
        if function is None:
            raise ProofError(f"the function {name} is not defined")
        if name in self._calls:
            raise ProofError(f"the function {name} calls itself")
        declared = function.decl.type
        parameters = [p for p in (declared.args.params if declared.args else []) if not isinstance(p, c_ast.Typename)]
        if len(parameters) != len(arguments):
            raise ProofError(f"the function {name} is called with another number of arguments")
        if self.facts.is_trial and any(self.type(p.type) in VECTORS_STORED for p in parameters):
            return self._try(function, arguments)
        scope: dict[str, Any] = {}
        alive = len(self.blocks)
        for parameter, argument in zip(parameters, arguments, strict=True):
            kind = self.type(parameter.type)
            block = self.new_block(parameter.name, kind, 1, is_array=False)
            block.store(self.words.constant(0), self.convert(argument, kind), self.facts)
            block.is_writable = not is_constant(parameter.type, self.source)
            scope[parameter.name] = block
        if name in self.source.compared:
            self._check_compared([block.load(self.words.constant(0), self.facts) for block in scope.values()])
        outer, self.scopes = self.scopes, [scope]
        caller, self.function = self.function, name
        self._calls.append(name)
        try:
            self.execute(function.body)
        except Leave as leave:
            if leave.kind != "return":
                raise ProofError(f"{leave.kind} outside a loop") from None
            kind = self.type(declared.type)
            return None if leave.value is None else self.convert(leave.value, kind)
        finally:
            self.scopes, self.function = outer, caller
            self._calls.pop()
            self.end_blocks(alive)
        return None

    def _try(self, function: Any, arguments: list[Any]) -> Any:
        """Let a function that stores vectors store and return zeros, because its results do not matter in a trial."""
        zero = self.words.constant(0)
        for argument in arguments:
            if isinstance(argument, Pointer) and isinstance(kind := argument.block.of, Vector):
                argument.block.store(argument.offset, Lanes(kind, 64, (zero,) * (kind.bits // 64)), self.facts)
        kind = self.type(function.decl.type.type)
        return None if isinstance(kind, Void) else self.convert(Number(INT, zero), kind)

    def _check_compared(self, arguments: list[Any]) -> None:
        """Check that bytes are flags and pointers are different, for which the forms of a function were compared."""
        for argument in arguments:
            if isinstance(argument, Number) and argument.kind.bits == FLAG.bits and argument.value.high > 1:
                raise ProofError("a flag may be neither 0 nor 1")
        pointers = [argument for argument in arguments if isinstance(argument, Pointer)]
        for i, pointer in enumerate(pointers):
            for other in pointers[:i]:
                is_same_block = pointer.block is other.block
                if is_same_block and not differ(pointer.offset.polynomial, other.offset.polynomial):
                    raise ProofError("two arguments may be the same pointer")

    def execute(self, node: Any) -> None:
        """Execute a statement."""
        kind = type(node).__name__
        if kind == "Compound":
            alive = len(self.blocks)
            self.scopes.append({})
            for item in node.block_items or []:
                self.execute(item)
            self.scopes.pop()
            self.end_blocks(alive)
        elif kind == "Decl":
            self.declare(node)
        elif kind == "DeclList":
            for item in node.decls:
                self.declare(item)
        elif kind == "If":
            if only_advises(node):
                self._advise(node)
                return
            if self.holds(node.cond):
                self.execute(node.iftrue)
            elif node.iffalse is not None:
                self.execute(node.iffalse)
        elif kind == "For":
            self._for(node)
        elif kind == "While":
            self._loop(node.cond, None, node.stmt)
        elif kind == "Return":
            raise Leave("return", self.evaluate(node.expr) if node.expr is not None else None)
        elif kind in ("Break", "Continue"):
            raise Leave(kind.lower())
        elif kind not in ("EmptyStatement", "Pragma"):
            self.evaluate(node)

    def _advise(self, node: Any) -> None:
        """Check a statement that only gives advice; it is executed whether its condition holds or not."""
        with self.undecided():
            condition = self.evaluate(node.cond)
        is_known = isinstance(condition, Number) and isinstance(condition.value, Value)
        if not is_known or not self.facts.is_public(condition.value.polynomial):
            raise ProofError("a branch depends on secret values")
        self.execute(node.iftrue)

    def _for(self, node: Any) -> None:
        depth, alive = len(self.scopes), len(self.blocks)
        self.scopes.append({})
        if node.init is not None:
            self.execute(node.init)
        self._loop(node.cond, node.next, node.stmt)
        del self.scopes[depth:]
        self.end_blocks(alive)

    def _loop(self, condition: Any, step: Any, body: Any) -> None:
        if self.function == "divide" and is_long_division(self, condition):
            for _ in range(Division(self).run(condition, step, body)):
                self.iterate_to_end(step, body)
            if self.holds(condition):
                raise ProofError("the division does not end after its last iteration")
            return
        for _ in range(UNROLLED):
            before = self.facts.path.used
            if condition is not None and not self.holds(condition):
                return
            if self.facts.path.used > before and has_effects(condition):
                raise ProofError("the condition of a loop with an unknown number of iterations changes a variable")
            if self.facts.path.used > before or self._is_generic(condition, body):
                run_generic(self, condition, step, body)
                return
            if not self.iterate(step, body):
                return
        raise ProofError("a loop does not end")

    def _is_generic(self, condition: Any, body: Any) -> bool:
        """Return whether a loop has to be proven by induction: its length is unknown, or large for vectors."""
        if not isinstance(condition, c_ast.BinaryOp) or condition.op not in ("<", "!=") or has_effects(condition):
            return False
        operands = [self.evaluate(condition.left), self.evaluate(condition.right)]
        values = [operand.value for operand in operands if isinstance(operand, Number)]
        if len(values) < 2 or not all(isinstance(value, Value) and value.high < LONGEST for value in values):
            return False
        if all(value.is_constant for value in values):
            return values[1].low - values[0].low >= MANY and self._moves_pointers(body)
        return True

    def _moves_pointers(self, body: Any) -> bool:
        """Return whether the statements of a loop move pointers from one element to the next."""
        return any(
            isinstance(item, (c_ast.Assignment, c_ast.UnaryOp))
            and isinstance(place := getattr(item, "lvalue", getattr(item, "expr", None)), c_ast.ID)
            and isinstance(self.variable(place.name).of, Reference)
            for item in getattr(body, "block_items", None) or []
        )

    def iterate(self, step: Any, body: Any) -> bool:
        """Execute the body of a loop and its step; return whether the loop continues."""
        depth, alive = len(self.scopes), len(self.blocks)
        try:
            self.execute(body)
        except Leave as leave:
            del self.scopes[depth:]
            self.end_blocks(alive)
            if leave.kind == "break":
                return False
            if leave.kind != "continue":
                raise
        if step is not None:
            self.evaluate(step)
        return True

    def iterate_to_end(self, step: Any, body: Any) -> None:
        """Execute one iteration of a loop that is proven by induction. The body must not leave the loop."""
        try:
            continues = self.iterate(step, body)
        except Leave:
            continues = False
        if not continues:
            raise ProofError("a loop with an unknown number of iterations has a break or return")

    def _FuncCall(self, node: Any) -> Any:
        name = node.name.name
        arguments = node.args.exprs if node.args else []
        if name == ASSEMBLY:
            return self._assembly(arguments)
        if is_intrinsic(name) and name not in self.source.functions:
            bits = lane_bits(name)
            return self.intrinsic(name, [self._operand_of_intrinsic(argument, bits) for argument in arguments])
        if name in self.source.functions:
            return self.call(name, [self.evaluate(argument) for argument in arguments])
        library: Callable[..., Any] | None = LIBRARY.get(name)
        if library is None:
            raise ProofError(f"the function {name} is not known")
        values = [self.evaluate(argument) for argument in arguments]
        return library(self, *(value.pointer if isinstance(value, Address) else value for value in values))

    def intrinsic(self, name: str, operands: list[Any]) -> Any:
        """Return the result of an operation on vectors."""
        return call(name, operands, self)

    def _operand_of_intrinsic(self, node: Any, bits: int) -> Any:
        """Evaluate an operand of an intrinsic, which takes numbers modulo 2^bits.

        A cast to a signed type of at least ``bits`` bits does not change these. A shorter number would be extended by
        its sign.
        """
        if not isinstance(node, c_ast.Cast):
            return self.evaluate(node)
        kind, value = self.type(node.to_type.type), self.evaluate(node.expr)
        is_same = isinstance(kind, Integer) and isinstance(value, Number) and value.kind == Integer(kind.bits)
        return value if is_same and kind.bits >= bits else self.cast(value, kind)

    def _assembly(self, arguments: list[Any]) -> None:
        if is_empty_assembly(arguments):
            return
        template = self.evaluate(arguments[0])
        operands: dict[str, Operand] = {}
        places: dict[str, Any] = {}
        carries: list[Any] = []
        section = 0
        pending = ""
        for argument in arguments[1:]:
            value = argument.value[1:-1] if isinstance(argument, c_ast.Constant) else None
            if value == ":" and not pending:
                section += 1
            elif section < 3 and not pending and value is not None:
                pending = value
            elif section < 3:
                self._operand(pending, argument, operands, places, carries)
                pending = ""
        carry = run(template, operands, self.words)
        for name, place in places.items():
            word = operands[name].value
            if word is None:
                raise ProofError(f"assembly does not set {name}")
            place.block.store(place.offset, self.convert(Number(place.block.of, word), place.block.of), self.facts)
        for place in carries:
            if carry is None:
                raise ProofError("assembly does not set the carry flag")
            place.block.store(place.offset, Number(place.block.of, carry), self.facts)

    def _operand(
        self, text: str, argument: Any, operands: dict[str, Operand], places: dict[str, Any], carries: list[Any]
    ) -> None:
        name, constraint = (text[1:].split("]", 1)) if text.startswith("[") else (f"operand {len(operands)}", text)
        if constraint == "=@ccc":
            carries.append(self.place(argument))
            return
        operand = Operand(constraint, None, 0)
        if operand.is_output:
            places[name] = self.place(argument)
            operand.bits = places[name].block.of.bits
            if set(constraint) - set("+=&rq"):
                raise ProofError(f"the output {name} of assembly may be in memory, where it may overlap an input")
        if not constraint.startswith("="):
            value = self.evaluate(argument)
            operand.bits = value.kind.bits
            operand.value = self.convert(value, Integer(operand.bits)).value
        operands[name] = operand
