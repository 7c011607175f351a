"""Programs in device code: what CUDA adds to C, for one thread of a launch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pycparser import c_ast

from momagen.prove.c.assembly import ASSEMBLY
from momagen.prove.c.bits import choose
from momagen.prove.c.cuda.functions import FUNCTIONS, call
from momagen.prove.c.cuda.ptx import Register, run
from momagen.prove.c.cuda.source import INDICES
from momagen.prove.c.cuda.vectors import Packed, PackedPointer, kind_of, pointer_to_vector
from momagen.prove.c.library import LIBRARY
from momagen.prove.c.memory import Number, Pointer
from momagen.prove.c.statements import Program
from momagen.prove.c.types import Integer, Reference, common
from momagen.prove.checker import ProofError
from momagen.prove.words import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from momagen.prove.facts import Facts
INDEX = Integer(32)
"""The type of the indices of a thread, ``unsigned int``."""
MEMORY = ("memcpy", "memset")
"""The functions of the C library that NVRTC declares for device code and that the prover models."""


class CudaProgram(Program):
    """A program that one thread executes.

    Attributes:
        indices: The indices of the thread and the sizes of the launch, such as ``("threadIdx", "x")``.
    """

    indices: Mapping[tuple[str, str], Value] = {}

    def isolated(self, facts: Facts) -> CudaProgram:
        """Return a program with the same functions and no variables."""
        return CudaProgram(self.source, facts)

    def convert(self, value: Any, kind: Any) -> Any:
        """Convert a value to a type."""
        if isinstance(value, Packed) and kind_of(kind) == value.name:
            return value
        if isinstance(kind, Reference) and (name := kind_of(kind.to)):
            if isinstance(value, PackedPointer) and value.name == name:
                return value
            if isinstance(value, Pointer):
                return pointer_to_vector(name, value, value.block.alignment)
        return super().convert(value, kind)

    def _declare(self, node: Any) -> None:
        super()._declare(node)
        for specifier in node.align or []:
            block, alignment = self.scopes[-1][node.name], self.number(self.evaluate(specifier.alignment))
            if alignment < 1 or alignment & alignment - 1:
                raise ProofError("the alignment of an array is no power of two")
            block.alignment = max(block.alignment, alignment)

    def _StructRef(self, node: Any) -> Any:
        if node.type != ".":
            raise ProofError("-> is not supported in device code")
        if isinstance(node.name, c_ast.ID) and node.name.name in INDICES:
            return self._index(node.name.name, node.field.name)
        vector = self.evaluate(node.name)
        if not isinstance(vector, Packed):
            raise ProofError(f"there is no member {node.field.name}")
        return vector.member(node.field.name)

    def _index(self, name: str, member: str) -> Number:
        """Return an index of the thread, or a size of the launch."""
        if any(name in scope for scope in self.scopes) or name in self.source.globals:
            raise ProofError(f"the source declares {name}, which CUDA declares")
        if (name, member) not in self.indices:
            raise ProofError(f"{name}.{member} is not known")
        return Number(INDEX, self.indices[name, member])

    def _UnaryOp(self, node: Any) -> Any:
        if node.op == "*" and isinstance(node.expr, c_ast.Cast):
            pointer = self.evaluate(node.expr)
            if isinstance(pointer, PackedPointer):
                return pointer.load(self.facts)
        return super()._UnaryOp(node)

    def _Assignment(self, node: Any) -> Any:
        target = node.lvalue
        if isinstance(target, c_ast.UnaryOp) and target.op == "*" and isinstance(target.expr, c_ast.Cast):
            pointer = self.evaluate(target.expr)
            if isinstance(pointer, PackedPointer):
                vector = self.evaluate(node.rvalue)
                if node.op != "=" or not isinstance(vector, Packed):
                    raise ProofError("something else than a vector is stored as one")
                pointer.store(vector, self.facts)
                return vector
        return super()._Assignment(node)

    def _TernaryOp(self, node: Any) -> Any:
        """Return a choice; a variable that is 0 or 1 chooses between two variables without a branch."""
        condition = self.evaluate(node.cond) if isinstance(node.cond, c_ast.ID) else None
        flag = condition.value if isinstance(condition, Number) else None
        if not isinstance(flag, Value) or flag.is_constant or flag.low < 0 or flag.high > 1:
            return super()._TernaryOp(node)
        if not isinstance(node.iftrue, c_ast.ID) or not isinstance(node.iffalse, c_ast.ID):
            raise ProofError("a choice between other expressions than variables is not supported")
        chosen, other = self.evaluate(node.iftrue), self.evaluate(node.iffalse)
        if not isinstance(chosen, Number) or not isinstance(other, Number):
            raise ProofError("a choice between other values than numbers is not supported")
        kind = common(chosen.kind, other.kind)
        values = [self.convert(number, kind).value for number in (chosen, other)]
        if not all(isinstance(value, Value) for value in values):
            raise ProofError("a choice between unfinished bits is not supported")
        return Number(kind, choose(flag, values[0], values[1], self.words))

    def _FuncCall(self, node: Any) -> Any:
        name = node.name.name
        arguments = node.args.exprs if node.args else []
        if name == ASSEMBLY:
            return self._assembly(arguments)
        if name in self.source.functions:
            return self.call(name, [self.evaluate(argument) for argument in arguments])
        values = [self.evaluate(argument) for argument in arguments]
        if name in FUNCTIONS:
            return call(name, self, values)
        if name in MEMORY:
            return LIBRARY[name](self, *values)
        raise ProofError(f"the function {name} is not known")

    def _assembly(self, arguments: list[Any]) -> None:
        """Execute inline assembly, whose operands have numbers: first the outputs, then the inputs."""
        template, registers, places = self.evaluate(arguments[0]), list[Register](), list[Any]()
        section, constraint = 0, ""
        for argument in arguments[1:]:
            text = argument.value[1:-1] if isinstance(argument, c_ast.Constant) and argument.type == "string" else None
            if text is not None and not constraint:
                section, constraint = (section + 1, "") if text == ":" else (section, text)
                continue
            if section not in (1, 2) or constraint != ("=r" if section == 1 else "r"):
                raise ProofError(f"the constraint {constraint} of assembly is not supported")
            registers.append(self._register(argument, section == 1, places))
            constraint = ""
        if constraint or section > 2:
            raise ProofError("this form of assembly is not supported")
        run(template, registers, self.words)
        for register, place in zip(registers, places, strict=False):
            if register.value is None:
                raise ProofError("assembly does not set an output")
            place.block.store(place.offset, Number(place.block.of, register.value), self.facts)

    def _register(self, node: Any, is_output: bool, places: list[Any]) -> Register:
        """Return an operand of assembly, and note where an output is stored."""
        if is_output:
            if not isinstance(node, c_ast.ID):
                raise ProofError("an output of assembly is something else than a variable")
            place = self.place(node)
            if not isinstance(place.block.of, Integer) or place.block.is_array:
                raise ProofError("an output of assembly is something else than a number")
            if any(place.block is other.block for other in places):
                raise ProofError("two outputs of assembly are the same variable")
            places.append(place)
            return Register(place.block.of.bits, None, True)
        number = self.evaluate(node)
        if not isinstance(number, Number) or not isinstance(number.value, Value) or number.value.low < 0:
            raise ProofError("an input of assembly is not a finished word")
        if number.kind.is_signed:
            number = self.convert(number, Integer(number.kind.bits))
        return Register(number.kind.bits, number.value, False)
