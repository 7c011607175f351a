"""The page of the documentation that lists the parameters of kinds, generated from their declarations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from momagen.kinds.kind import Kind
from momagen.kinds.modular.options.declared import OptionFields
from momagen.kinds.parameter import Parameter, ParameterRole, parameters_of
from momagen.kinds.values import is_basis
from momagen.templates import templates

from .makers import documented_kinds

CHANGES = {
    ParameterRole.MEANING: "result", ParameterRole.TABLES: "result (constants)",
    ParameterRole.SHORTHAND: "other parameters", ParameterRole.RUN: "execution",
    ParameterRole.CODE: "generated code", ParameterRole.MACHINE: "machine",
}  # fmt: skip
"""What a parameter changes, as the page says it."""
VALUES: Mapping[Any, str] = {
    bool: "true or false", str: "text", bool | None: "`yes`, `no`", tuple[int, ...] | None: "list of integers",
}  # fmt: skip
"""The values of a parameter, by the type of its field."""
NONE = "–"


def page() -> str:
    """Return the source of the page."""
    kinds = [{"name": kind.maker, "title": kind.title, "rows": list(_rows(kind))} for kind in documented_kinds()]
    return templates().get_template("api/kinds.md.j2").render(kinds=kinds, options=list(_options()))


def _options() -> Iterator[str]:
    """Yield the cells of the table of the options of kernels modulo q."""
    for each in parameters_of(OptionFields).values():
        kinds = ", ".join(f"`{kind}`" for kind in each.param.applies_to) or "all"
        cells = (f"`{each.name}`", f"`{each.flag}`", _values(each), _usual(each), kinds, each.param.help)
        yield " | ".join(cell.replace("|", "\\|").replace("<", "&lt;") for cell in cells)


def _rows(kind: Kind) -> Iterator[str]:
    """Yield the cells of the table of a kind."""
    for each in kind.parameters.values():
        argument = f"`{each.name}`" if each.param.is_argument else NONE
        cells = (argument, f"`{each.flag}`", _values(each), _usual(each), CHANGES[each.param.role], each.param.help)
        yield " | ".join(cell.replace("|", "\\|").replace("<", "&lt;") for cell in cells)


def _values(parameter: Parameter) -> str:
    """Return the values that a parameter accepts, in words."""
    own = parameter.param
    if parameter.choices:
        return ", ".join(f"`{each}`" for each in parameter.choices)
    if own.role is ParameterRole.MACHINE:
        return "name or file of a target"
    if is_basis(parameter):
        return "moduli, or a number of primes"
    if own.most is not None:
        return f"{own.least} to {own.most}"
    return "file" if parameter.is_file else VALUES.get(parameter.type, "integer")


def _usual(parameter: Parameter) -> str:
    """Return the default of a parameter."""
    if parameter.is_required:
        return "required"
    usual = {True: "true", False: "false"}.get(parameter.usual) if parameter.type is bool else parameter.usual
    return parameter.param.default or str(usual)
