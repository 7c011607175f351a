"""A checked request for one kernel, whose parameters are declared."""

from __future__ import annotations

import shlex
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from momagen.kernels.residues.arith import Arith
from momagen.kinds.modular.names.stem import named_for
from momagen.targets import Target

from .parameter import Parameter, ParameterRole, parameters_of


class DeclaredRequest(ABC):
    """What a user asks for: a kind of kernel and the values of its parameters.

    A subclass is a frozen dataclass whose fields are declared by :class:`momagen.kinds.parameter.Param`.

    Attributes:
        kind: The kind of kernel.
        target: The target.
        moduli: The moduli of the operands.
        modulus: The first of them.
    """

    kind: ClassVar[Any]
    if TYPE_CHECKING:  # a dataclass would take an attribute of its base for the default of a field

        @property
        def target(self) -> Target:
            """The target."""

        @property
        def moduli(self) -> tuple[int, ...]:
            """The moduli of the operands."""

        @property
        def modulus(self) -> int:
            """The first modulus."""

        @property
        def arith(self) -> Arith:
            """The words of a residue."""

    @property
    @abstractmethod
    def stem(self) -> str:
        """The name of the kernel's files without the target."""

    @property
    @abstractmethod
    def widths(self) -> str:
        """The widths of a residue's container and of the moduli, in words."""

    @property
    def name(self) -> str:
        """The base name of the kernel's files, and the prefix of its C functions."""
        return named_for(self.stem, self.target)

    @property
    def width(self) -> int:
        """The length of the longest modulus in bits."""
        return max(modulus.bit_length() for modulus in self.moduli)

    @property
    def basis(self) -> tuple[int, ...]:
        """All moduli."""
        return self.moduli

    @property
    def operands(self) -> tuple[str, ...]:
        """The names of the operands of a call."""
        return ("x",)

    root = length = threads = 0
    """The root of unity, the number of points and the number of threads, which not all such kernels have."""
    sized = False
    """Whether ``create`` takes the number of points."""
    elements = row = 1
    """The number of residues of an element, and of 64-bit words of a residue in arrays of NumPy."""

    def settings(self) -> Iterator[tuple[Parameter, Any]]:
        """Yield the parameters that command lines state, with their values: those that differ from their defaults."""
        declared = parameters_of(type(self)).values()
        for parameter in sorted(declared, key=lambda each: each.param.role):
            value = getattr(self, parameter.field)
            if parameter.param.always or not parameter.is_usual(value):
                yield parameter, value

    def meaning(self) -> Mapping[str, object]:
        """Return the parameters that change the meaning and differ from their defaults, as JSON has them, by name."""
        declared = (each for each in parameters_of(type(self)).values() if each.param.role is ParameterRole.MEANING)
        values = {each: getattr(self, each.field) for each in declared}
        return {each.name: json_value(each, value) for each, value in values.items() if not each.is_usual(value)}

    def command(self) -> str:
        """Return the command line that generates this kernel."""
        words = [word for parameter, value in self.settings() for word in _arguments(parameter, value)]
        return shlex.join(["momagen", self.kind.name, *words])

    def to_dict(self) -> Mapping[str, object]:
        """Return the values of all parameters as JSON has them, by name, with moduli in hexadecimal."""
        return {each.name: json_value(each, getattr(self, each.field)) for each in parameters_of(type(self)).values()}


def _arguments(parameter: Parameter, value: object) -> list[str]:
    """Return the words of a command line that state a value; a comma after one modulus says that it is no count."""
    if isinstance(value, bool):
        return [parameter.flag]
    if isinstance(value, tuple):
        return [parameter.flag, ",".join(map(hex, value)) + "," * (len(value) == 1)]
    return [parameter.flag, str(json_value(parameter, value))]


def json_value(parameter: Parameter, value: Any) -> object:
    """Return the value of a parameter as JSON has it."""
    if isinstance(value, tuple):
        return [*map(hex, value)]
    return hex(value) if parameter.param.hexadecimal else str(value) if isinstance(value, Target) else value
