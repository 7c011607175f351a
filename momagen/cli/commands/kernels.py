"""Commands that generate, verify and time one kernel: options from the declarations of its kind, and what they do."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, get_args

from momagen.cli.options import add_compiler, add_json, add_wisdom, group_of, listed, name_of, path_of
from momagen.errors import MomagenError
from momagen.kinds.command import KindCommand
from momagen.kinds.modular import typed
from momagen.kinds.modular.commands import COMMANDS
from momagen.kinds.modular.options.declared import OptionFields
from momagen.kinds.parameter import Parameter, parameters_of
from momagen.kinds.titles import CODE
from momagen.lazy import on_call

if TYPE_CHECKING:
    from momagen.kinds.kind import Kind

OPTIONS = tuple(parameters_of(OptionFields))
"""Options of the command line that become options of a specification under the same name."""
FAMILY = "blas"
"""The command of all element-wise kinds."""
kind_named: Callable[[str], Kind] = on_call("momagen.kinds.registry", "kind_named")
chosen_kind: Callable[[str, str], Kind] = on_call("momagen.kinds.registry", "chosen_kind")
OUTPUT = "Output"
"""The title of the group of options that every such command has."""
ELEMENTWISE: dict[typed.Elementwise, str] = {
    "vadd": "x + y", "vsub": "x - y", "vmul": "x·y", "vmuladd": "x·y + w", "axpy": "a·x + y", "scal": "a·x",
    "vadds": "x + a", "vsubs": "x - a", "vneg": "-x", "reduce": "x, for any x that its words hold",
    "cmpadd": "x + diff where the comparison of x with bound holds, else x; not reduced modulo q",
    "cmpsub": "x - diff where the comparison of x with bound holds, else x",
    "tomont": "x·R, conversion to Montgomery form", "frommont": "x/R, conversion from Montgomery form",
    "vinv": "1/x, and 0 for x = 0; q is a prime", "dot": "the sum of all x·y",
}  # fmt: skip
"""What each operation computes for one element; x, y, w are vectors, a, bound and diff are numbers."""


def add_kind(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command ``momagen KIND``, where KIND is the last word of the program's name."""
    name = parser.prog.split()[-1]
    command = command_of(name)
    if name == FAMILY:
        known = listed(get_args(typed.Elementwise))
        group_of(parser, command.title).add_argument("kind", metavar=known, help="operation, as listed below")
    parser.set_defaults(run=_run, command=name, kind=name)
    parser.usage = f"{parser.prog} {command.usage}"
    examples = ["examples:", *(f"  momagen {each}" for each in command.examples)] if command.examples else []
    parser.epilog = "\n".join([*(_operations() if name == FAMILY else []), *examples])
    add_arguments(parser, command)
    _add_output(group_of(parser, OUTPUT))


def command_of(name: str) -> KindCommand:
    """Return what the command line needs to know of the command with that name."""
    return COMMANDS.get(name) or kind_named(name).command


def _operations() -> list[str]:
    """Return the list of element-wise operations."""
    return ["operations, modulo q:", *(f"  {kind:<10}{text}" for kind, text in ELEMENTWISE.items()), ""]


def add_arguments(parser: argparse.ArgumentParser, command: KindCommand) -> None:
    """Add the options for the parameters and the options of a kind, in groups."""
    add_parameters(parser, (*sorted(command.parameters.values(), key=_place), *command.options.values()), command.title)
    if command.is_tuned:
        add_wisdom(group_of(parser, CODE))
    parser.set_defaults(wisdom=None if command.options else False)


def add_parameters(parser: argparse.ArgumentParser, parameters: Iterable[Parameter], title: str) -> None:
    """Add the options of parameters, to the groups that they declare or else to the group with the title."""
    for parameter in parameters:
        add_parameter(group_of(parser, parameter.param.group or title), parameter)


def _place(parameter: Parameter) -> int:
    """Return the place of a parameter's group: parameters of the shape first, and those of the files last."""
    return (parameter.param.group == OUTPUT) - (not parameter.param.group)


def add_parameter(group: argparse._ActionsContainer, parameter: Parameter) -> None:
    """Add the option of a parameter; its value is a text, or None if the option is not given."""
    own, required = parameter.param, parameter.is_required
    if parameter.type is bool:
        group.add_argument(parameter.flag, dest=parameter.name, action="store_const", const=not parameter.usual,
                           help=own.help)  # fmt: skip
        return
    metavar = own.metavar or listed(parameter.values)
    notes = ", ".join(f"{value}: {note}" for value, note in own.notes.items() if value in parameter.values)
    text = f"{own.help}{'; ' * bool(notes)}{notes}"
    usual = "" if required else f" (default: {own.default or parameter.usual})"
    group.add_argument(
        parameter.flag, dest=parameter.name, required=required, metavar=metavar, help=text + usual,
        type=name_of if parameter.is_file else str,
    )  # fmt: skip


def _add_output(group: argparse._ArgumentGroup) -> None:
    """Add the options for the files, the verification and the timing."""
    output = "folder for the generated files (default: a folder in the cache)"
    group.add_argument("--output", metavar="DIR", type=path_of, help=output)
    add_compiler(group)
    group.add_argument("--no-verify", action="store_true", help="skip the verification against gmpy2")
    group.add_argument("--no-bench", action="store_true", help="skip the timing")
    add_json(group)


def values_of(given: argparse.Namespace, parameters: Mapping[str, Parameter]) -> Mapping[str, object]:
    """Return the values of the options that are given, by the names of the parameters and options.

    A list of moduli with one element ends with a comma; a number without a comma is a number of primes.
    """
    known = {**parameters, **parameters_of(OptionFields)}
    values = {name: getattr(given, name, None) for name in known}
    return {name: _read(known[name], value) for name, value in values.items() if value is not None}


def _read(parameter: Parameter, value: Any) -> object:
    """Return the value that an option states: the contents of the file that it names, or its text."""
    return parameter.param.read(value) if parameter.param.read else value


def specification(given: argparse.Namespace) -> Any:
    """Return the checked request for the arguments of one of these commands.

    Raises:
        MomagenError: An argument is missing or invalid.
    """
    return resolved_by(given, given.kind, chosen_kind(given.kind, given.command).command)


def resolved_by(given: argparse.Namespace, kind: str, command: KindCommand) -> Any:
    """Return the checked request for a kind, from the arguments of a command that has these parameters.

    Raises:
        MomagenError: An argument is missing or invalid.
    """
    from momagen.api.native import resolved  # not before a command runs, so that help is quick

    values = values_of(given, command.parameters)
    if command.one_of and not any(name in values for name in command.one_of):
        *flags, last = (command.parameters[name].flag for name in command.one_of)
        raise MomagenError(f"{', '.join(flags)} or {last}", "none of them", "modulus")
    return resolved(kind, **kind_named(kind).command.completed(values))


def _run(given: argparse.Namespace) -> int:
    from momagen.api.make import advised
    from momagen.cli.make import MakeRequest
    from momagen.cli.report import report_kernel

    wish = MakeRequest(given.output, given.compiler, verify=not given.no_verify, bench=not given.no_bench)
    return report_kernel(
        lambda: specification(given), lambda spec: advised(spec, given.wisdom, given.compiler), wish, given.json
    )
