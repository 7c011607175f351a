"""Kinds of kernels whose requests declare their parameters."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

from momagen.errors import MomagenError
from momagen.tables import checked, with_defaults

from .kind import Kind
from .parameter import REQUIRED, Parameter, ParameterRole, parameters_of
from .request import json_value
from .values import check_names, check_value, is_basis, parsed, read_bases

NOUNS = {bool: "true or false", int: "a whole number"}
"""The descriptions of JSON values, by the type of the parameter; others are texts."""


class DeclaredKind(Kind):
    """A kind of kernel whose request is a subclass of :class:`momagen.kinds.request.DeclaredRequest`."""

    @abstractmethod
    def check(self, request: Any) -> None:
        """Check that the values of a request fit each other and the target.

        Raises:
            MomagenError: They do not.
        """

    def resolve(self, values: Mapping[str, object]) -> Any:
        """Return the checked request for values as users write them."""
        check_names(self.name, self.parameters, values)
        chosen = self.from_shorthand({**values, **read_bases(self.parameters, values)})
        own = {each.name: each for each in parameters_of(self.request).values()}
        return self._checked({
            each.field: chosen[name] if is_basis(each) else parsed(each, chosen.get(name)) for name, each in own.items()
        })  # fmt: skip

    def from_shorthand(self, values: dict[str, object]) -> Mapping[str, object]:
        """Return the values with those that shorthand parameters determine."""
        return values

    def _checked(self, fields: Mapping[str, object]) -> Any:
        for each in parameters_of(self.request).values():
            if not each.is_usual(fields[each.field]):
                check_value(each, fields[each.field])
        request = self.request(**fields)
        self.check(request)
        return request

    def facts(self, request: Any) -> Mapping[str, str]:
        """Return the rows of a kernel's reports that follow the description, by heading."""
        moduli = {each.name: ", ".join(map(hex, getattr(request, each.field)))
                  for each in self.parameters.values() if is_basis(each)}  # fmt: skip
        return {"width": request.widths, **moduli}

    def to_manifest(self, request: Any) -> Mapping[str, object]:
        """Return a request as JSON values; moduli are texts in hexadecimal."""
        return {"kind": self.name, **request.to_dict()}

    def from_manifest(self, values: object, where: str) -> Any:
        """Return the checked request that a manifest holds."""
        own = parameters_of(self.request)
        nouns = {each.name: _noun(each) for each in own.values()}
        usual = {each.name: json_value(each, each.usual) for each in own.values() if each.usual is not REQUIRED}
        told = checked(with_defaults(values, usual), {"kind": "a text", **nouns}, f"{where}, spec")
        try:
            return self._checked({each.field: _restored(each, told[each.name]) for each in own.values()})
        except ValueError as error:
            if isinstance(error, MomagenError):
                raise error.at(f"{where}, {error.where}") from None
            raise MomagenError("moduli in hexadecimal", str(error), f"{where}, spec") from None


def _noun(parameter: Parameter) -> str:
    """Return the description of a parameter's JSON value."""
    if is_basis(parameter):
        return "a list of texts"
    return "a text" if parameter.param.hexadecimal else NOUNS.get(parameter.type, "a text")


def _restored(parameter: Parameter, value: Any) -> object:
    """Return a parameter's value for its JSON value."""
    if is_basis(parameter):
        return tuple(int(text, 16) for text in value)
    if parameter.param.hexadecimal:
        return int(value, 16)
    return parsed(parameter, value) if parameter.param.role is ParameterRole.MACHINE else value
