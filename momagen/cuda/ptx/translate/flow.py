"""The translation of branches, calls, barriers and warp-level instructions to C."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ..syntax.parts import (
    PtxFunction,
    PtxInstruction,
    PtxList,
    PtxName,
    PtxOperand,
    PtxPair,
    PtxRegister,
    PtxSymbol,
    PtxTarget,
    refused,
)
from .expressions import PtxPlaces, destination, read
from .opcodes import raw_table

BARRIERS = ("bar.sync", "barrier.sync", "barrier.sync.aligned", "bar.cta.sync", "barrier.cta.sync",
            "barrier.cta.sync.aligned")  # fmt: skip
SHUFFLES = {f"shfl.sync.{mode}.b32": f"MG_{mode.upper()}" for mode in ("up", "down", "bfly", "idx")}
VOTES = {f"vote.sync.{mode}.pred": f"MG_{mode.upper()}" for mode in ("any", "all", "uni")} | {
    "vote.sync.ballot.b32": "MG_BALLOT"
}


@dataclass
class PtxFlow:
    """A translator of the control flow of one function.

    Attributes:
        function: The function.
        functions: The functions that it may call, by name.
        places: The addresses of variables.
        left: The C statements before a return.
        seen: The labels so far.
    """

    function: PtxFunction
    functions: Mapping[str, PtxFunction]
    places: PtxPlaces
    left: str
    seen: set[str] = field(default_factory=set)

    def statement(self, instruction: PtxInstruction) -> str | None:
        """Return the C statement of an instruction, or None if it belongs to another translator."""
        opcode = instruction.opcode
        if opcode in raw_table()["nothing"]["names"]:
            return ";"
        if opcode in BARRIERS:
            return self._barrier(instruction)
        if opcode in SHUFFLES:
            return self._shuffle(instruction)
        if opcode in VOTES:
            return self._vote(instruction)
        made = FLOW.get(opcode)
        return made(self, instruction) if made else None

    def _value(self, operand: PtxOperand, line: int, kind: str = "u32") -> str:
        return read(operand, kind, self.places, line)

    def _branch(self, instruction: PtxInstruction) -> str:
        (target,) = self._take(instruction, 1)
        if not isinstance(target, PtxTarget):
            raise refused("a label", target, instruction.line)
        return self._goto(target.name, instruction.line)

    def _goto(self, label: str, line: int) -> str:
        """Return a jump. Backward jumps are counted, so that endless loops are found."""
        return f"{{ mg_turn(t, {line}); goto {label}; }}" if label in self.seen else f"goto {label};"

    def _indexed(self, instruction: PtxInstruction) -> str:
        index, listed = self._take(instruction, 2)
        name = listed.name if isinstance(listed, PtxTarget | PtxName) else ""
        if name not in self.function.branches:
            raise refused("the label of a list of branch targets", listed, instruction.line)
        line = instruction.line
        cases = [f"case {i}: {self._goto(label, line)}" for i, label in enumerate(self.function.branches[name])]
        return f"switch ({self._value(index, line)}) {{ {' '.join(cases)} default: mg_stop(t, MG_BRANCH, {line}); }}"

    def _return(self, instruction: PtxInstruction) -> str:
        return f"{{ {self.left}return; }}"

    def _exit(self, instruction: PtxInstruction) -> str:
        return "mg_exit(t);"

    def _trap(self, instruction: PtxInstruction) -> str:
        return f"mg_stop(t, MG_TRAP, {instruction.line});"

    def _call(self, instruction: PtxInstruction) -> str:
        """Return the statement for ``call (results), name, (parameters)``.

        The operands are variables that hold the bytes of arguments and results.
        """
        lists = [each.items for each in instruction.operands if isinstance(each, PtxList)]
        names = [each.name for each in instruction.operands if isinstance(each, PtxName)]
        called = self.functions.get(names[0]) if len(names) == 1 else None
        if called is None or called.entry:
            raise refused("a function that the PTX file defines", ", ".join(names), instruction.line)
        given = [item for items in lists for item in items]
        wanted = [*called.returns, *called.parameters]
        if len(given) != len(wanted):
            raise refused(f"{len(wanted)} parameters and results for {called.name}", len(given), instruction.line)
        passed = []
        for item, parameter in zip(given, wanted, strict=True):
            if not isinstance(item, PtxSymbol) or item.variable.bytes != parameter.bytes:
                raise refused(f"a variable of {parameter.bytes} bytes for {parameter.name}", item, instruction.line)
            passed.append(self.places.address(item.variable, instruction.line))
        return f"{function_name(called)}({', '.join(['t', *passed])});"

    def _barrier(self, instruction: PtxInstruction) -> str:
        line, operands = instruction.line, instruction.operands
        if not 1 <= len(operands) <= 2:
            raise refused("the number of a barrier, and optionally a number of threads", instruction.opcode, line)
        count = self._value(operands[1], line) if len(operands) == 2 else "0"
        return f"mg_barrier(t, {line}, {self._value(operands[0], line)}, {count});"

    def _warp_barrier(self, instruction: PtxInstruction) -> str:
        (mask,) = self._take(instruction, 1)
        return f"mg_meet(t, {instruction.line}, MG_WARP, {self._value(mask, instruction.line)}, 0, 0, 0);"

    def _shuffle(self, instruction: PtxInstruction) -> str:
        line = instruction.line
        result, a, b, c, mask = self._take(instruction, 5)
        values = [self._value(each, line) for each in (mask, a, b, c)]
        call = f"mg_meet(t, {line}, {SHUFFLES[instruction.opcode]}, {', '.join(values)});"
        pair = result if isinstance(result, PtxPair) else PtxPair(result, None)
        sets = [f"{destination(each, kind, line)} = ({kept})t->{field};" for each, kind, kept, field in (
            (pair.first, "b32", "uint32_t", "value"), (pair.second, "pred", "uint8_t", "holds")) if each]  # fmt: skip
        return f"{{ {call} {' '.join(sets)} }}"

    def _vote(self, instruction: PtxInstruction) -> str:
        line, kind = instruction.line, instruction.opcode.rpartition(".")[2]
        result, holds, mask = self._take(instruction, 3)
        values = [self._value(mask, line), self._value(holds, line, "pred"), "0", "0"]
        call = f"mg_meet(t, {line}, {VOTES[instruction.opcode]}, {', '.join(values)});"
        return f"{{ {call} {destination(result, kind, line)} = t->value; }}"

    def _active(self, instruction: PtxInstruction) -> str:
        (result,) = self._take(instruction, 1)
        return f"{destination(result, 'b32', instruction.line)} = mg_active(t);"

    def _take(self, instruction: PtxInstruction, count: int) -> tuple[PtxOperand, ...]:
        if len(instruction.operands) != count:
            raise refused(f"{count} operands for {instruction.opcode}", len(instruction.operands), instruction.line)
        return instruction.operands


FLOW: Mapping[str, Callable[[PtxFlow, PtxInstruction], str]] = {
    "bra": PtxFlow._branch, "bra.uni": PtxFlow._branch, "brx.idx": PtxFlow._indexed, "brx.idx.uni": PtxFlow._indexed,
    "ret": PtxFlow._return, "ret.uni": PtxFlow._return, "exit": PtxFlow._exit, "trap": PtxFlow._trap,
    "call": PtxFlow._call, "call.uni": PtxFlow._call, "bar.warp.sync": PtxFlow._warp_barrier,
    "activemask.b32": PtxFlow._active,
}  # fmt: skip


def function_name(function: PtxFunction) -> str:
    """Return the name of a function in C."""
    return "mg_do_" + "".join(each if each.isalnum() else "_" for each in function.name)


def condition(guard: PtxRegister) -> str:
    """Return a predicate as a C expression."""
    return f"!{guard.name}" if guard.negated else guard.name
