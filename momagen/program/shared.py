"""The union of several programs, in which functions, arrays and procedures that differ only in names are one.

If a name is already used for something else, the new part and all uses of it are renamed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from momagen.ir import Block, Instr, Procedure

from .build import Function
from .contents import Contents, Names
from .expressions import Call, Expr, Name
from .program import Program
from .statements import Statement, Static


@dataclass
class Shared:
    """The parts of several programs by name. A function is listed before its callers.

    Attributes:
        functions: The functions.
        statics: The arrays of constants.
        procedures: The procedures on vectors, and those on words.
        known: The names of all parts by the keys of their contents.
        contents: The generator of the keys.
    """

    functions: dict[str, Function] = field(default_factory=dict)
    statics: dict[str, Static] = field(default_factory=dict)
    procedures: tuple[dict[str, Procedure], dict[str, Procedure]] = field(default_factory=lambda: ({}, {}))
    known: dict[object, str] = field(default_factory=dict)
    contents: Contents = field(default_factory=Contents)

    @property
    def made(self) -> tuple[Sequence[Procedure], Sequence[Procedure]]:
        """The procedures on vectors, and those on words."""
        vectors, words = self.procedures
        return [*vectors.values()], [*words.values()]

    def put(self, function: Function) -> str:
        """Add a function that calls parts of the union, and return its name."""
        assert function.name not in self.functions, function.name
        self.functions[function.name] = function
        return function.name

    def add(self, program: Program, label: object) -> Names:
        """Add a program.

        Args:
            program: The program.
            label: The suffix of names that are already used for other parts.

        Returns:
            The names that the parts of the program have in the union.
        """
        names: dict[str, str] = {}
        for static in program.statics.values():
            if new := self._new(names, static.name.text, tuple(static.words), label):
                self.statics[new] = replace(static, name=replace(static.name, text=new))
        for kept, made in zip(self.procedures, program.procedures, strict=True):
            for procedure in made:
                if new := self._new(names, procedure.name, self.contents.procedure(procedure), label):
                    kept[new] = replace(procedure, name=new)
        for function in program.functions.values():
            if new := self._new(names, function.name, self.contents.function(function, names), label):
                body = self._renamed(function.body, names, {})
                self.functions[new] = replace(function, name=new, body=body)
        return names

    def _new(self, names: dict[str, str], name: str, contents: object, label: object) -> str:
        """Record the name that a part has in the union.

        Args:
            names: The names of the parts of the program, to which the name is added.
            name: The name of the part in its program.
            contents: The key of its contents.
            label: The suffix if the name is already used.

        Returns:
            The name if the part is new, or "" if the union contains an equal one.
        """
        new = "" if contents in self.known else f"{name}_{label}" if name in self.known.values() else name
        names[name] = self.known.setdefault(contents, new)
        return new

    def _renamed(self, part: Any, names: Names, done: dict[int, Any]) -> Any:
        """Return a part of a function with the names of the union.

        Parts that occur several times stay shared.
        """
        if id(part) in done or not isinstance(part, Expr | Statement | Block | list | tuple):
            return done.get(id(part), part)
        if isinstance(part, list | tuple):
            found: Any = type(part)([self._renamed(each, names, done) for each in part])
        elif isinstance(part, Block):
            found = self._block(part, names)
        else:
            values = {name: self._renamed(each, names, done) for name, each in vars(part).items()}
            if isinstance(part, Name | Call):
                key = "text" if isinstance(part, Name) else "name"
                values[key] = names.get(values[key], values[key])
            found = type(part)(**values)
        done[id(part)] = found
        return found

    def _block(self, block: Block, names: Names) -> Block:
        """Return a block that calls the procedures of the union."""
        called = {name: made[name] for made in self.procedures for name in made}
        if not called:
            return block

        def renamed(instr: Instr) -> Instr:
            return replace(instr, procedure=called[names[instr.procedure.name]]) if instr.procedure else instr

        return replace(block, instrs=list(map(renamed, block.instrs)))
