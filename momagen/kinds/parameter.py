"""The declaration of a parameter: an annotation of a field, from which everything else about it is derived.

A request is a frozen dataclass whose fields are declared once, for instance

    outputs: Annotated[int, Param("number of keys per digit", …)] = 2

Type checkers and editors read the type. :func:`parameters_of` reads the declaration, and the command line, its help,
the checks, the functions of the Python interface, and the keys of libraries and manifests follow from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from enum import IntEnum
from functools import cache
from types import MappingProxyType
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

REQUIRED: Any = MISSING
"""The default of a parameter that has none."""
FILE = "FILE"
"""The placeholder of options that name a file."""


class ParameterRole(IntEnum):
    """What a parameter changes, in the order in which command lines list parameters."""

    MEANING = 0
    """The result of the kernel, and thereby the generated code."""
    TABLES = 1
    """The result through the constants that a plan holds, not the generated code."""
    SHORTHAND = 2
    """Nothing by itself: a parameter that determines others, and that a resolved request does not hold."""
    RUN = 3
    """How a call is executed, not the generated functions for the data."""
    CODE = 4
    """The generated code, not its result."""
    MACHINE = 5
    """The machine."""


@dataclass(frozen=True)
class Param:
    """What is said of a parameter besides its name, its type and its default.

    Attributes:
        help: The help of the command-line option: one phrase, without the default.
        doc: The description in the documentation of the Python function: sentences.
        group: The title of the group of options.
        metavar: The placeholder of the value; by default its choices.
        role: What the parameter changes.
        name: The name of the argument in Python and of the key in libraries, if the field has another one.
        flag: The command-line option, if it is not the name.
        default: The default as a text, if the field has none, or if help describes it otherwise.
        always: Whether command lines state the parameter even if it has its default.
        least: The smallest integer.
        most: The largest integer, or None if other checks bound it.
        read: The function that reads the value from the file that the option names, if the placeholder is FILE.
        hexadecimal: Whether command lines and manifests write the integer in hexadecimal.
        choices: The integers or texts that are accepted, if the type does not list them.
        accepts: The type of the values that the Python function accepts, if it does not follow from the type of the
            field; if None is one of them, it is the default.
        by_position: Whether the Python function accepts the argument without its name, and requires it unless it
            accepts None.
        is_argument: Whether the Python function has such an argument.
        in_libraries: Whether libraries accept it, if they accept its role.
        applies_to: The commands that have the parameter, if several declare their parameters together; () for all.
        part: The part of a kernel's name, with "{}" for the value, that states a value which differs from the default.
        unnamed: Other values that names and command lines do not state.
        notes: The meanings of values whose names do not tell them, which the help states.
        samples: Representative values for the tables of support, if they do not follow from the type. A mapping states
            several parameters; kinds that lack the last one have no such sample, and other kinds omit the parameters
            that they lack.
    """

    help: str
    doc: str = ""
    group: str = ""
    metavar: str = ""
    role: ParameterRole = ParameterRole.MEANING
    name: str = ""
    flag: str = ""
    default: str = ""
    always: bool = False
    least: int | None = None
    most: int | None = None
    read: Callable[[str], object] | None = None
    hexadecimal: bool = False
    choices: tuple[object, ...] = ()
    accepts: Any = None
    by_position: bool = False
    is_argument: bool = True
    in_libraries: bool = True
    applies_to: tuple[str, ...] = ()
    part: str = ""
    unnamed: tuple[object, ...] = ()
    notes: Mapping[str, str] = field(default_factory=dict, hash=False)
    samples: tuple[Any, ...] = field(default=(), hash=False)


@dataclass(frozen=True)
class Parameter:
    """A declared parameter of a kind.

    Attributes:
        field: The name of the field of the request.
        type: The type of the field.
        usual: The default, or :data:`REQUIRED`.
        param: The declaration.
    """

    field: str
    type: Any
    usual: Any
    param: Param

    @property
    def name(self) -> str:
        """The name of the argument in Python, and of the key in libraries."""
        return self.param.name or self.field

    @property
    def flag(self) -> str:
        """The command-line option."""
        return self.param.flag or f"--{self.name.replace('_', '-')}"

    @property
    def samples(self) -> Iterator[Mapping[str, object]]:
        """The parameters and values of representative requests: declared ones, or all values that are known."""
        known = self.choices or (not self.usual if self.type is bool else self.param.most,)
        others = [each for each in known if each not in (None, self.usual, *self.param.unnamed)]
        for each in self.param.samples or others:
            yield each if isinstance(each, Mapping) else {self.name: each}

    @property
    def is_required(self) -> bool:
        """Whether the parameter has no default."""
        return self.usual is REQUIRED and not self.param.default

    @property
    def choices(self) -> tuple[object, ...]:
        """The values that the type or the declaration lists; empty if any value of the type is accepted."""
        listed = tuple(value for part in (self.type, *get_args(self.type)) if get_origin(part) is Literal
                       for value in get_args(part))  # fmt: skip
        return self.param.choices or listed

    @property
    def values(self) -> tuple[str, ...]:
        """The values that are accepted, as command lines and files write them; empty if no list has them."""
        switch = bool in get_args(self.type)
        return ("no", "yes") if switch else tuple(map(str, self.choices))

    @property
    def is_file(self) -> bool:
        """Whether the command line names a file that holds the value."""
        return self.param.metavar == FILE

    def is_usual(self, value: object) -> bool:
        """Return whether ``value`` is the default."""
        return bool(value == self.usual)

    def restated(self, **changes: Any) -> Parameter:
        """Return the parameter with another type or default (``usual``), or with other fields of its declaration."""
        kind, usual = changes.pop("type", self.type), changes.pop("usual", self.usual)
        return Parameter(self.field, kind, usual, replace(self.param, **changes))


@cache
def parameters_of(declared: Any) -> Mapping[str, Parameter]:
    """Return the parameters that a dataclass declares, by the names of its fields.

    Args:
        declared: A dataclass. Fields without a :class:`Param` are not parameters.
    """
    hints = get_type_hints(declared, include_extras=True)
    usual = {each.name: each.default for each in fields(declared)}
    found = dict[str, Parameter]()
    for name, hint in hints.items():
        if name in usual and get_origin(hint) is Annotated:
            kind, *notes = get_args(hint)
            params = [note for note in notes if isinstance(note, Param)]
            found |= {name: Parameter(name, kind, usual[name], params[0])} if params else {}
    return MappingProxyType(found)
