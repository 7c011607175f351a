"""What a PTX text consists of: variables, registers, operands, instructions, functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from momagen.errors import MomagenError

SIZES: Mapping[str, int] = {"pred": 1} | {f"{kind}{8 * n}": n for kind in "bus" for n in (1, 2, 4, 8)} | {
    "f32": 4, "f64": 8,
}  # fmt: skip
"""Bytes of a value of each fundamental type (PTX ISA, "Fundamental types"); a predicate is a byte of C."""


@dataclass(frozen=True, slots=True)
class PtxVariable:
    """A variable of ``count`` elements in a state space; ``count`` 0: its size comes with the launch.

    ``initial``: its elements as written, missing ones are zero.
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
    """A register under its name in C; ``negated``: the complement of a predicate is meant."""

    name: str
    type: str
    negated: bool = False


@dataclass(frozen=True, slots=True)
class PtxImmediate:
    """A number: an integer, or the bits of a real number (``real``: "f32" or "f64")."""

    value: int
    real: str = ""


@dataclass(frozen=True, slots=True)
class PtxSymbol:
    """The address of a variable, and bytes on top."""

    variable: PtxVariable
    offset: int = 0


@dataclass(frozen=True, slots=True)
class PtxSpecial:
    """A special register, by its name with %."""

    name: str


@dataclass(frozen=True, slots=True)
class PtxAddress:
    """A place in memory: what is in a register, or a variable, or a plain number; and bytes on top."""

    base: PtxRegister | PtxSymbol | None
    offset: int


@dataclass(frozen=True, slots=True)
class PtxVector:
    """{a, b, …}; None stands for _, which takes a value that nobody wants."""

    items: tuple[PtxOperand | None, ...]


@dataclass(frozen=True, slots=True)
class PtxPair:
    """d|p: two results."""

    first: PtxOperand | None
    second: PtxOperand | None


@dataclass(frozen=True, slots=True)
class PtxTarget:
    """A label, under its name in C."""

    name: str


@dataclass(frozen=True, slots=True)
class PtxList:
    """(a, b, …) of a call: variables that carry parameters."""

    items: tuple[PtxOperand, ...]


@dataclass(frozen=True, slots=True)
class PtxName:
    """The name of a function or of a list of targets."""

    name: str


PtxOperand = (
    PtxRegister | PtxImmediate | PtxSymbol | PtxSpecial | PtxAddress | PtxVector | PtxPair | PtxTarget | PtxList
    | PtxName
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class PtxInstruction:
    """One instruction at a line of the text; done where ``guard`` holds."""

    opcode: str
    operands: tuple[PtxOperand, ...]
    guard: PtxRegister | None
    line: int


@dataclass(frozen=True, slots=True)
class PtxFunction:
    """A kernel (``entry``) or a device function; ``body``: instructions, and labels as targets; ``registers``: of C
    name to type; ``branches``: lists of targets by name."""

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
    """A whole text: variables outside functions, and functions that have a body."""

    variables: tuple[PtxVariable, ...]
    functions: tuple[PtxFunction, ...]


def refused(expected: str, got: object, line: int, hint: str = "") -> MomagenError:
    """Return the error for unexpected text at a line of the PTX."""
    return MomagenError(expected, got, f"PTX line {line}", hint)
