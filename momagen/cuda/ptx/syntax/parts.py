"""The parts of PTX code: variables, registers, operands, instructions and functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from momagen.errors import MomagenError

SIZES: Mapping[str, int] = {"pred": 1} | {f"{kind}{8 * n}": n for kind in "bus" for n in (1, 2, 4, 8)} | {
    "f32": 4, "f64": 8,
}  # fmt: skip
"""The number of bytes of a value of each fundamental type (PTX ISA, "Fundamental types"). A predicate is a
byte in C."""


@dataclass(frozen=True, slots=True)
class PtxVariable:
    """A variable in a state space.

    Attributes:
        name: The name.
        space: The state space.
        type: The type of an element.
        count: The number of elements, or 0 if the launch determines the size.
        align: The alignment in bytes.
        initial: The initial values as written; missing ones are zero.
        array: Whether it is declared as an array.
    """

    name: str
    space: str
    type: str
    count: int
    align: int
    initial: tuple[str, ...] = ()
    array: bool = False

    @property
    def bytes(self) -> int:
        """Its size in bytes."""
        return self.count * SIZES[self.type]


@dataclass(frozen=True, slots=True)
class PtxRegister:
    """A register.

    Attributes:
        name: The name in C.
        type: The type.
        negated: Whether the operand is the complement of a predicate.
    """

    name: str
    type: str
    negated: bool = False


@dataclass(frozen=True, slots=True)
class PtxImmediate:
    """A number.

    Attributes:
        value: The integer, or the bits of a floating-point number.
        real: The type of a floating-point number, "f32" or "f64"; "" for an integer.
    """

    value: int
    real: str = ""


@dataclass(frozen=True, slots=True)
class PtxSymbol:
    """The address of a variable plus an offset.

    Attributes:
        variable: The variable.
        offset: The offset in bytes.
    """

    variable: PtxVariable
    offset: int = 0


@dataclass(frozen=True, slots=True)
class PtxSpecial:
    """A special register.

    Attributes:
        name: The name, which begins with %.
    """

    name: str


@dataclass(frozen=True, slots=True)
class PtxAddress:
    """An address in memory.

    Attributes:
        base: The register or the variable to which the offset is added; None for an absolute address.
        offset: The offset in bytes.
    """

    base: PtxRegister | PtxSymbol | None
    offset: int


@dataclass(frozen=True, slots=True)
class PtxVector:
    """A vector {a, b, …}.

    Attributes:
        items: The elements. None represents _, which ignores a value.
    """

    items: tuple[PtxOperand | None, ...]


@dataclass(frozen=True, slots=True)
class PtxPair:
    """A pair of results d|p.

    Attributes:
        first: The first result.
        second: The second result.
    """

    first: PtxOperand | None
    second: PtxOperand | None


@dataclass(frozen=True, slots=True)
class PtxTarget:
    """A label.

    Attributes:
        name: The name in C.
    """

    name: str


@dataclass(frozen=True, slots=True)
class PtxList:
    """A list (a, b, …) of a call: the variables that hold arguments or results.

    Attributes:
        items: The variables.
    """

    items: tuple[PtxOperand, ...]


@dataclass(frozen=True, slots=True)
class PtxName:
    """The name of a function or of a list of targets.

    Attributes:
        name: The name.
    """

    name: str


PtxOperand = (
    PtxRegister | PtxImmediate | PtxSymbol | PtxSpecial | PtxAddress | PtxVector | PtxPair | PtxTarget | PtxList
    | PtxName
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class PtxInstruction:
    """An instruction.

    Attributes:
        opcode: The opcode with its modifiers.
        operands: The operands.
        guard: The predicate under which the instruction is executed, or None.
        line: The line number in the PTX.
    """

    opcode: str
    operands: tuple[PtxOperand, ...]
    guard: PtxRegister | None
    line: int


@dataclass(frozen=True, slots=True)
class PtxFunction:
    """A kernel or a device function.

    Attributes:
        name: The name.
        entry: Whether it is a kernel.
        returns: The variables of its results.
        parameters: Its parameters.
        variables: Its variables.
        registers: The types of its registers, by their names in C.
        branches: The targets of each list of branch targets, by label.
        body: Its instructions and labels in order.
    """

    name: str
    entry: bool
    returns: tuple[PtxVariable, ...]
    parameters: tuple[PtxVariable, ...]
    variables: tuple[PtxVariable, ...]
    registers: Mapping[str, str]
    branches: Mapping[str, tuple[str, ...]]
    body: Sequence[PtxInstruction | PtxTarget]


@dataclass(frozen=True, slots=True)
class PtxUnit:
    """A complete PTX file.

    Attributes:
        variables: The variables outside functions.
        functions: The functions that have a body.
    """

    variables: tuple[PtxVariable, ...]
    functions: tuple[PtxFunction, ...]


def refused(expected: str, got: object, line: int, hint: str = "") -> MomagenError:
    """Return the error for unexpected text at a line of the PTX."""
    return MomagenError(expected, got, f"PTX line {line}", hint)
