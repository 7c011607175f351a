"""The allocation of C variables to registers, so that dead registers share variables.

PTX names a new register for each value. Compilers take long to compile a hundred thousand variables, and the
stack frames would be large.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..syntax.parts import (
    PtxAddress,
    PtxFunction,
    PtxInstruction,
    PtxOperand,
    PtxPair,
    PtxRegister,
    PtxTarget,
    PtxVector,
)

ENDS = ("bra", "brx", "ret", "exit")
"""The instructions that end a basic block. A label begins one, too."""
READERS = ("st", "red", "bar", "barrier", "membar", "fence", "call", *ENDS)
"""The instructions without a result, whose first operand is read."""

Item = PtxInstruction | PtxTarget


@dataclass
class RegisterLife:
    """The range of a register.

    Attributes:
        piece: The number of the basic block that uses the register, or None if several do.
        last: The index of the last instruction there that uses it.
    """

    piece: int | None
    last: int


def share_registers(function: PtxFunction) -> PtxFunction:
    """Return a function in which registers are renamed that only one basic block uses and writes first."""
    lives = _lives(function.body)
    ending = defaultdict[int, list[str]](list)
    for name, life in lives.items():
        if life.piece is not None:
            ending[life.last].append(name)
    pool = RegisterPool(function.registers)
    body = list[Item]()
    for i, item in enumerate(function.body):
        if isinstance(item, PtxInstruction):
            for name in _names(item):
                if lives[name].piece is not None:
                    pool.take(name)
            item = _renamed(item, pool.names)
        body.append(item)
        pool.give_back(ending[i])
    kept = {name: kind for name, kind in function.registers.items() if name in lives and lives[name].piece is None}
    return replace(function, body=body, registers=kept | pool.made)


@dataclass
class RegisterPool:
    """The variables of each type, some of which are free.

    Attributes:
        types: The types of registers.
        names: The variable that each register has at the moment.
        made: The types of all variables.
        free: The free variables by type.
    """

    types: Mapping[str, str]
    names: dict[str, str] = field(default_factory=dict)
    made: dict[str, str] = field(default_factory=dict)
    free: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def take(self, name: str) -> None:
        """Assign a variable to a register that has none."""
        if name in self.names:
            return
        kind = self.types[name]
        if not self.free[kind]:
            self.made[f"x{len(self.made)}"] = kind
            self.free[kind].append(f"x{len(self.made) - 1}")
        self.names[name] = self.free[kind].pop()

    def give_back(self, names: Sequence[str]) -> None:
        """Free the variables of dead registers."""
        for name in names:
            self.free[self.types[name]].append(self.names.pop(name))


def _lives(body: Sequence[Item]) -> dict[str, RegisterLife]:
    lives: dict[str, RegisterLife] = {}
    piece = 0
    for i, item in enumerate(body):
        if isinstance(item, PtxTarget):
            piece += 1
            continue
        written = _written(item)
        for name in _names(item):
            life = lives.get(name)
            if life is None:  # a register that is read first may have its value from an earlier iteration
                lives[name] = RegisterLife(piece if name in written else None, i)
            elif life.piece == piece:
                life.last = i
            else:
                life.piece = None
        piece += item.opcode.startswith(ENDS)
    return lives


def _written(item: PtxInstruction) -> set[str]:
    """Return the registers that an instruction writes unconditionally and does not read."""
    if item.guard or not item.operands or item.opcode.partition(".")[0] in READERS:
        return set()
    read = {name for operand in item.operands[1:] for name in _registers(operand)}
    return set(_registers(item.operands[0])) - read


def _names(item: PtxInstruction) -> Iterator[str]:
    if item.guard:
        yield item.guard.name
    for operand in item.operands:
        yield from _registers(operand)


def _registers(operand: PtxOperand | None) -> Iterator[str]:
    if isinstance(operand, PtxRegister):
        yield operand.name
    elif isinstance(operand, PtxAddress):
        if isinstance(operand.base, PtxRegister):
            yield operand.base.name
    elif isinstance(operand, PtxVector):
        for item in operand.items:
            yield from _registers(item)
    elif isinstance(operand, PtxPair):
        yield from _registers(operand.first)
        yield from _registers(operand.second)


def _renamed(item: PtxInstruction, names: Mapping[str, str]) -> PtxInstruction:
    guard = item.guard
    if guard and guard.name in names:
        guard = PtxRegister(names[guard.name], guard.type, guard.negated)
    return PtxInstruction(item.opcode, tuple(_operand(each, names) for each in item.operands), guard, item.line)


def _operand(operand: PtxOperand, names: Mapping[str, str]) -> PtxOperand:
    if isinstance(operand, PtxRegister):
        return PtxRegister(names[operand.name], operand.type, operand.negated) if operand.name in names else operand
    if isinstance(operand, PtxAddress) and isinstance(operand.base, PtxRegister):
        base = _operand(operand.base, names)
        assert isinstance(base, PtxRegister), "a register stays one"
        return PtxAddress(base, operand.offset)
    if isinstance(operand, PtxVector):
        return PtxVector(tuple(each and _operand(each, names) for each in operand.items))
    if isinstance(operand, PtxPair):
        first, second = (each and _operand(each, names) for each in (operand.first, operand.second))
        return PtxPair(first, second)
    return operand
