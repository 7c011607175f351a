"""The body of a PTX function.

Nested scopes are resolved, so that every register and label has a unique name in C.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from .operands import read_operand, split_operands
from .parts import SIZES, PtxInstruction, PtxName, PtxOperand, PtxRegister, PtxSymbol, PtxTarget, PtxVariable, refused
from .reader import PtxStatement
from .variables import is_variable, read_variable

REGISTERS = re.compile(r"\.reg\s+\.(\w+)\s+(.+)$")
FAMILY = re.compile(r"([%$_A-Za-z][\w$]*)<(\d+)>$")
NUMBERED = re.compile(r"(.*?[^\d])(0|[1-9]\d*)$")
INSTRUCTION = re.compile(r"(?:@\s*(!?)\s*([%$_A-Za-z][\w$]*)\s+)?([a-z][\w.:]*)\s*(.*)$", re.DOTALL)
BRANCHES = re.compile(r"\.branchtargets\s+(.+)$")
IGNORED = (".pragma", ".loc", ".file", ".section")
NAMED = ("call", "brx")
"""The prefixes of instructions whose operands may be names of functions, parameters or lists of targets."""


@dataclass
class PtxScope:
    """The names of one block of statements.

    Attributes:
        above: The enclosing block, or None.
        families: The type and the number of registers of each family %r<n>, by prefix.
        names: The operands, by the names that refer to them.
    """

    above: PtxScope | None
    registers: dict[str, str] = field(default_factory=dict)
    families: dict[str, tuple[str, int]] = field(default_factory=dict)
    names: dict[str, PtxOperand] = field(default_factory=dict)


@dataclass
class PtxBody:
    """The contents of a function's body, which :meth:`read` fills.

    Attributes:
        variables: The variables.
        registers: The types of registers, by their names in C.
        branches: The targets of each list of branch targets, by label.
        items: The instructions and labels in order.
    """

    variables: list[PtxVariable] = field(default_factory=list)
    registers: dict[str, str] = field(default_factory=dict)
    branches: dict[str, tuple[str, ...]] = field(default_factory=dict)
    items: list[PtxInstruction | PtxTarget] = field(default_factory=list)

    def read(self, statements: Sequence[PtxStatement], outside: Mapping[str, PtxOperand]) -> None:
        """Read the statements between a function's braces.

        Args:
            statements: The statements.
            outside: The names of the module's variables and of the function's parameters.

        Raises:
            MomagenError: A name is not declared, or a statement is not supported.
        """
        self.scope = PtxScope(None, names=dict(outside))
        scopes = _label_scopes(statements, self.scope)
        for statement in statements:
            if statement.kind == "open":
                self.scope = scopes.pop(0)
            elif statement.kind == "close":
                assert self.scope.above, "blocks are paired"
                self.scope = self.scope.above
            elif statement.kind == "label":
                self._label(statement)
            else:
                self._statement(statement.text, statement.line)

    def known(self, name: str) -> PtxOperand | None:
        """Return the operand to which a name refers in the current block, or None."""
        scope: PtxScope | None = self.scope
        while scope:
            if found := scope.names.get(name) or self._member(scope, name):
                return found
            scope = scope.above
        return None

    def _member(self, scope: PtxScope, name: str) -> PtxOperand | None:
        """Return a register of a family %r<n>, which gets a name in C at its first use, or None."""
        found = NUMBERED.match(name)
        if not found or found[1] not in scope.families:
            return None
        kind, count = scope.families[found[1]]
        return self._register(scope, name, kind) if int(found[2]) < count else None

    def _register(self, scope: PtxScope, name: str, kind: str) -> PtxRegister:
        plain = "v" + re.sub(r"\W", "_", name)
        while plain in self.registers:
            plain += "_"
        self.registers[plain] = kind
        made = scope.names[name] = PtxRegister(plain, kind)
        return made

    def _label(self, statement: PtxStatement) -> None:
        found = self.scope.names[statement.text]
        if isinstance(found, PtxTarget):
            self.items.append(found)

    def _statement(self, text: str, line: int) -> None:
        if not text.startswith("."):
            self.items.append(self._instruction(text, line))
        elif found := REGISTERS.match(text):
            self._declare(found[1], found[2], line)
        elif is_variable(text):
            self._variable(read_variable(text, line))
        elif found := BRANCHES.match(text):
            self._branches(found[1], line)
        elif not text.startswith(IGNORED):
            raise refused("a directive that is valid inside a function", text, line)

    def _variable(self, made: PtxVariable) -> None:
        """Add a variable to the current block.

        It gets another name if another block has a variable of this name.
        """
        count = sum(made.name == each.name.partition("#")[0] for each in self.variables)
        own = replace(made, name=f"{made.name}#{count}") if count else made
        self.variables.append(own)
        self.scope.names[made.name] = PtxSymbol(own)

    def _branches(self, text: str, line: int) -> None:
        """Add a list of branch targets, which belongs to the label before it."""
        if not self.items or not isinstance(self.items[-1], PtxTarget):
            raise refused("a label before .branchtargets", text, line)
        targets = [self.known(name) for name in split_operands(text)]
        self.branches[self.items[-1].name] = tuple(each.name for each in targets if isinstance(each, PtxTarget))

    def _declare(self, kind: str, names: str, line: int) -> None:
        if kind not in SIZES:
            raise refused(f"one of the register types {', '.join(SIZES)}", kind, line)
        for name in split_operands(names):
            if family := FAMILY.match(name):
                self.scope.families[family[1]] = (kind, int(family[2]))
            else:
                self._register(self.scope, name, kind)

    def _instruction(self, text: str, line: int) -> PtxInstruction:
        found = INSTRUCTION.match(text)
        if not found:
            raise refused("an instruction", text, line)
        negated, guard, opcode, rest = found.groups()
        holds = None
        if guard:
            register = self.known(guard)
            if not isinstance(register, PtxRegister) or register.type != "pred":
                raise refused("a predicate register after @", guard, line)
            holds = PtxRegister(register.name, "pred", bool(negated))
        named = opcode.startswith(NAMED)
        operands = tuple(self._operand(each, named, line) for each in split_operands(rest))
        return PtxInstruction(opcode, operands, holds, line)

    def _operand(self, text: str, named: bool, line: int) -> PtxOperand:
        if named and not text.startswith("(") and not isinstance(self.known(text), PtxRegister | PtxTarget):
            return PtxName(text)
        return read_operand(text, self.known, line)


def _label_scopes(statements: Sequence[PtxStatement], outer: PtxScope) -> list[PtxScope]:
    """Return the blocks in the order in which they begin, with their labels.

    Labels are collected first because they may be used before they are defined.
    """
    scopes, now, count = list[PtxScope](), outer, 0
    for statement in statements:
        if statement.kind == "open":
            now = PtxScope(now)
            scopes.append(now)
        elif statement.kind == "close":
            if now.above is None:
                raise refused("an open block before the closing brace", "}", statement.line)
            now = now.above
        elif statement.kind == "label":
            count += 1
            now.names[statement.text] = PtxTarget(f"L{count}_{re.sub(chr(92) + 'W', '_', statement.text)}")
    return scopes
