"""Commands of kinds whose parameters are declared: their options, and the step from options to values."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

from momagen.cli.choices import listed
from momagen.cli.options import add_compiler, add_json, group_of, name_of, path_of
from momagen.kinds.kind import Kind
from momagen.kinds.parameter import Parameter
from momagen.kinds.registry import kind_named

OUTPUT = "Output"
"""The title of the group of options that every such command has."""
IN_USAGE = ("modulus_bits", "target")
"""The optional parameters that the usage line names."""


def add_kind(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command ``momagen KIND`` for the kind that the name of the program ends with."""
    kind = kind_named(parser.prog.split()[-1])
    parser.set_defaults(run=_run, kind=kind)
    parser.usage = _usage(parser.prog, list(kind.parameters.values()))
    if kind.examples:
        parser.epilog = "\n".join(["examples:", *(f"  momagen {each}" for each in kind.examples)])
    for parameter in sorted(kind.parameters.values(), key=lambda each: each.param.group == OUTPUT):
        add_parameter(group_of(parser, parameter.param.group), parameter)
    _add_output(group_of(parser, OUTPUT))


def add_parameter(group: argparse._ArgumentGroup, parameter: Parameter) -> None:
    """Add the option of a parameter; its value is a text, or None if the option is not given."""
    own, required = parameter.param, parameter.is_required
    if parameter.type is bool:
        group.add_argument(parameter.flag, dest=parameter.name, action="store_const", const=not parameter.usual,
                           help=own.help)  # fmt: skip
        return
    metavar = own.metavar or listed(list(map(str, parameter.choices)))
    usual = "" if required else f" (default: {own.default or parameter.usual})"
    group.add_argument(
        parameter.flag, dest=parameter.name, required=required, metavar=metavar, help=own.help + usual,
        type=name_of if parameter.is_file else str,
    )  # fmt: skip


def _usage(program: str, parameters: Sequence[Parameter]) -> str:
    """Return the usage line: the required options, and those optional ones that users need most often."""
    needed = [f"{each.flag} {each.param.metavar}" for each in parameters if each.is_required]
    some = [f"[{each.flag} {each.param.metavar}]" for name in IN_USAGE for each in parameters if each.name == name]
    return " ".join([program, *needed, *some, "[options]"])


def _add_output(group: argparse._ArgumentGroup) -> None:
    """Add the options for the files, the verification and the timing."""
    output = "folder for the generated files (default: a folder in the cache)"
    group.add_argument("--output", metavar="DIR", type=path_of, help=output)
    add_compiler(group)
    group.add_argument("--no-verify", action="store_true", help="skip the verification against gmpy2")
    group.add_argument("--no-bench", action="store_true", help="skip the timing")
    add_json(group)


def values_of(given: argparse.Namespace, kind: Kind) -> Mapping[str, object]:
    """Return the values of the options that are given, by the names of the parameters.

    A list of moduli with one element ends with a comma; a number without a comma is a number of primes.
    """
    values = {name: getattr(given, name) for name in kind.parameters}
    return {name: _read(kind.parameters[name], value) for name, value in values.items() if value is not None}


def _read(parameter: Parameter, value: Any) -> object:
    """Return the value that an option states: the contents of the file that it names, or its text."""
    return parameter.param.read(value) if parameter.param.read else value


def _run(given: argparse.Namespace) -> int:
    from momagen.api.kernel import Kernel
    from momagen.api.native import resolved
    from momagen.cli.make import MakeRequest
    from momagen.cli.report import report_kernel
    from momagen.emit import generate

    kind: Kind = given.kind
    wish = MakeRequest(given.output, given.compiler, verify=not given.no_verify, bench=not given.no_bench)
    return report_kernel(
        lambda: resolved(kind.name, values_of(given, kind)), lambda spec: Kernel(generate(spec)), wish, given.json
    )
