"""The translation of blocks of operations modulo q into instructions.

The target spells each operation that the machine has. If the machine has all operations of a block, no
rewrite rule applies.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from momagen.errors import MomagenError, build_error
from momagen.ir import Block, Instr, Value
from momagen.kernels.butterflies.codelets import codelet
from momagen.kernels.elementwise.blas import KERNELS, elementwise
from momagen.kernels.residues.arith import Arith
from momagen.lower.phases import lower
from momagen.rewrite import Trace
from momagen.rpu.backend.virtual import Code
from momagen.rpu.isa.table import b512
from momagen.targets import Target, load_target

SCHEME = "montgomery"
"""The scheme of reduction whose residues stay below q."""
MODULUS = "q"
"""The name of the modulus among the inputs of a block."""


class ScalarRegister(NamedTuple):
    """A scalar register.

    Attributes:
        number: The number of the register.
    """

    number: int


def usual_target() -> Target:
    """Return the target of programs for which no other is requested."""
    return load_target("b512")


Operand = int | ScalarRegister
"""An operand: the number of a virtual vector register, or a scalar register."""


def butterfly(target: Target, *, back: bool = False) -> tuple[Block, Trace]:
    """Return a radix-2 butterfly, and the trace of the rules that were applied to it.

    The block computes y0 = x0 + v1·x1 and y1 = x0 - v1·x1, or with ``back`` y0 = x0 + x1 and y1 = v1·(x0 -
    x1). No rule is applied if the machine has the butterfly as an instruction.
    """
    return _lowered(codelet(_arith(), 2, 1, 1, back=back).block, target)


def elements(kind: str, target: Target) -> tuple[Block, Trace]:
    """Return the BLAS kernel ``kind`` as a block that computes z, and the trace of the rules that were applied to it.

    Raises:
        MomagenError: The kernel has an operation that the machine lacks.
    """
    return _lowered(elementwise(KERNELS[kind], _arith(), SCHEME).block, target)


def _arith() -> Arith:
    """Return the representation of residues on the machine."""
    bits = b512().machine["bits"]
    return Arith(bits, bits, SCHEME)


def _lowered(block: Block, target: Target) -> tuple[Block, Trace]:
    """Return the lowered block and its trace, as the same objects for the same block and target."""
    trace = Trace()
    return lower(block, target, trace), trace


def write_block(
    code: Code, block: Block, given: Mapping[str, Operand], modulus: int, target: Target
) -> dict[str, int]:
    """Append the instructions of a block, and return the registers of its results by name.

    Args:
        code: The code.
        block: The block.
        given: The operands by the names of the block's inputs.
        modulus: The number of the register that holds q.
        target: The target that spells the operations.

    Raises:
        MomagenError: An operation is not modulo q, or has an operand that the instruction does not support.
    """
    known: dict[int, Operand] = {id(block.inputs[name]): operand for name, operand in given.items()}
    q = block.inputs[MODULUS]
    for instr in block.instrs:
        if instr.args[-1] is not q:
            raise build_error(f"no instruction computes {instr.op}, which is not modulo q", f"target {target}")
        made = _write(code, instr, [_operand(code, known, each, modulus) for each in instr.args[:-1]], modulus, target)
        known |= {id(value): register for value, register in zip(instr.results, made, strict=True)}
    return {name: _vector(known[id(value)]) for name, value in block.outputs.items()}


def _operand(code: Code, known: Mapping[int, Operand], value: Value, modulus: int) -> Operand:
    """Return the operand for a value. The constant 0 is computed as a difference."""
    if not value.is_const:
        return known[id(value)]
    if value.lo:
        raise build_error(f"the constant {value.lo} is not available in a vector; only 0 is", "program")
    any_vector = next(each for each in known.values() if isinstance(each, int))
    return code.arithmetic("vsub", any_vector, any_vector, modulus)


def _write(code: Code, instr: Instr, operands: list[Operand], modulus: int, target: Target) -> tuple[int, ...]:
    """Append one operation, and return its results; only the last operand may be a scalar register."""
    opcode = b512().opcode(target.ops[instr.op].results[0], f"target {target}, {instr.op}")
    *vectors, last = operands
    if not isinstance(last, ScalarRegister):
        return code.compute(opcode.name, tuple(map(_vector, operands)), modulus)
    if not opcode.scalar:
        raise build_error(f"the instruction {opcode.name} has no form with a scalar register", f"target {target}")
    return code.compute(opcode.scalar, tuple(map(_vector, vectors)), modulus, RT=last.number)


def _vector(operand: Operand) -> int:
    """Return an operand that must be a vector register."""
    if not isinstance(operand, int):
        raise MomagenError("a vector as operand", f"the scalar register s{operand.number}", "program")
    return operand
