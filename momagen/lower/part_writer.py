"""Writes the functions of one part of a program: their names begin with the name of the part."""

from __future__ import annotations

from momagen.kernels.spec.spec import Spec
from momagen.program import Call, Expr, Function, Static
from momagen.program.expressions import Operand

from .writer import ProgramWriter


class PartWriter(ProgramWriter):
    """As :class:`ProgramWriter`; what all parts use is written, and counted, ``beside``.

    Attributes:
        name: what the names of the part's functions begin with; "" where there is but one part.
    """

    def __init__(self, spec: Spec, beside: ProgramWriter, name: str = "") -> None:
        super().__init__(spec)
        self.beside, self.name = beside, name
        self.trace, self.operations, self.functions = beside.trace, beside.operations, beside.functions

    def put(self, function: Function) -> str:
        function.name = self.name + function.name
        return self.beside.put(function)

    def static(self, static: Static) -> Expr:
        return self.beside.static(static)

    def call(self, name: str, *args: Operand) -> Call:
        """A call of the part's function ``name``, or of one that all share."""
        own = self.name + name
        return self.beside.call(own if own in self.functions else name, *args)
