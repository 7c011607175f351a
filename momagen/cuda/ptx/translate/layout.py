"""The addresses of a kernel's parameters and shared memory, and the functions that it calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

from momagen.errors import build_error

from ..syntax.parts import PtxFunction, PtxInstruction, PtxName, PtxSymbol, PtxUnit, PtxVariable


@dataclass(frozen=True, slots=True)
class PtxParameter:
    """A variable with its offset, such as a parameter of a kernel.

    Attributes:
        variable: The variable, of a scalar type or an array of bytes.
        offset: The offset in bytes.
    """

    variable: PtxVariable
    offset: int


@dataclass(frozen=True, slots=True)
class PtxKernel:
    """A kernel that can be launched.

    Attributes:
        name: The name.
        parameters: The parameters.
        parameter_bytes: The number of bytes of all parameters.
        shared: The address of each of its variables in shared memory. A variable without a size comes last.
        shared_bytes: The number of bytes of these variables, which is the address of the variable without a
            size.
        local_bytes: The number of bytes of local memory of a thread, including those of the functions that it
            calls.
        stack_bytes: An upper bound on the size of its stack frames in C.
    """

    name: str
    parameters: tuple[PtxParameter, ...]
    parameter_bytes: int
    shared: Mapping[str, int]
    shared_bytes: int
    local_bytes: int
    stack_bytes: int


LINE, STACK = 32, 1 << 17
"""The largest number of bytes of a stack frame for each instruction without optimisation, where registers
share variables, and the number of bytes of the run-time's own functions."""


def aligned(offset: int, align: int) -> int:
    """Return the smallest multiple of ``align`` that is at least ``offset``."""
    return -(-offset // align) * align


def place(variables: Sequence[PtxVariable]) -> tuple[tuple[PtxParameter, ...], int]:
    """Return variables at consecutive aligned offsets, and the offset after the last one."""
    placed, end = list[PtxParameter](), 0
    for each in variables:
        offset = aligned(end, each.align)
        placed.append(PtxParameter(each, offset))
        end = offset + each.bytes
    return tuple(placed), end


def local_variables(function: PtxFunction) -> tuple[tuple[PtxParameter, ...], int]:
    """Return the arrays of a function in local memory, and their number of bytes."""
    return place([each for each in function.variables if each.space == "local"])


def call_order(unit: PtxUnit) -> dict[str, list[PtxFunction]]:
    """Return, for the name of each function, the functions that it calls directly or indirectly, followed by itself.

    Raises:
        MomagenError: Functions are recursive, so that the size of the stack has no bound.
    """
    by_name = {each.name: each for each in unit.functions}
    calls = {each.name: _called(each) & set(by_name) for each in unit.functions}
    reached: dict[str, list[PtxFunction]] = {}
    try:
        for name in TopologicalSorter(calls).static_order():
            below = {each.name: each for called in sorted(calls[name]) for each in reached[called]}
            reached[name] = [*below.values(), by_name[name]]
    except CycleError as error:
        raise build_error(f"recursive functions are not supported ({' → '.join(error.args[1])})", "PTX") from None
    return reached


def kernel_layout(unit: PtxUnit, kernel: PtxFunction, reached: Sequence[PtxFunction]) -> PtxKernel:
    """Return the layout of a kernel's memory.

    Args:
        unit: The PTX file.
        kernel: The kernel.
        reached: The functions that it executes.
    """
    parameters, end = place(kernel.parameters)
    named = {
        operand_name
        for function in reached
        for item in function.body
        if isinstance(item, PtxInstruction)
        for operand_name in _variables(item)
    }
    own = [each for function in reached for each in function.variables]
    reach = [each for each in unit.variables if each.name in named]
    shared = [each for each in (*reach, *own) if each.space == "shared"]
    sized, open_ended = [each for each in shared if each.count], [each for each in shared if not each.count]
    placed, shared_end = place(sized)
    start = aligned(shared_end, max([16, *(each.align for each in open_ended)]))
    addresses = {each.variable.name: each.offset for each in placed} | {each.name: start for each in open_ended}
    stack = STACK + LINE * sum(len(function.body) for function in reached)
    return PtxKernel(
        kernel.name, parameters, end, addresses, start if open_ended else shared_end,
        sum(aligned(local_variables(function)[1], 16) for function in reached), stack,
    )  # fmt: skip


def _called(function: PtxFunction) -> set[str]:
    return {
        operand.name
        for item in function.body
        if isinstance(item, PtxInstruction)
        for operand in item.operands
        if isinstance(operand, PtxName)
    }


def _variables(instruction: PtxInstruction) -> set[str]:
    """Return the names of the variables in an instruction's operands."""
    bases = (getattr(each, "base", each) for each in instruction.operands)
    return {each.variable.name for each in bases if isinstance(each, PtxSymbol)}
