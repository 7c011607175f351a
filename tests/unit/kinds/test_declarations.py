"""The declarations of parameters, from which commands, keys and documentation follow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import pytest

from momagen.cli.parser import commands_of
from momagen.errors import MomagenError
from momagen.kinds.declared import DeclaredKind
from momagen.kinds.parameter import Param, ParameterRole, parameters_of
from momagen.kinds.registry import kinds
from momagen.kinds.titles import TITLES
from momagen.kinds.values import check_names, parsed

DECLARED = {name: kind for name, kind in kinds().items() if isinstance(kind, DeclaredKind)}


@pytest.mark.parametrize("name", DECLARED)
def test_commands_have_the_options_that_are_declared(name: str) -> None:
    options = {flag for action in dict(commands_of())[name]._actions for flag in action.option_strings}
    flags = {each.flag for each in DECLARED[name].parameters.values()}
    assert flags <= options
    assert options - flags == {"--output", "--compiler", "--no-verify", "--no-bench", "--json", "-h", "--help", "-v",
                               "--verbose"}  # fmt: skip


@pytest.mark.parametrize("name", DECLARED)
def test_declarations_explain_every_parameter(name: str) -> None:
    kind = DECLARED[name]
    assert kind.title == TITLES[name]
    for parameter in kind.parameters.values():
        own = parameter.param
        assert own.help and own.group and not own.help.endswith("."), parameter.name
        assert own.metavar or parameter.choices or parameter.type is bool, parameter.name
        assert own.doc.endswith(".") or not own.is_argument, parameter.name


@dataclass(frozen=True)
class Declared:
    """Parameters of several types."""

    q: Annotated[int, Param("a modulus", hexadecimal=True)]
    way: Annotated[Literal["fast", "slow"], Param("how")] = "slow"
    count: Annotated[int, Param("how many", least=1, most=4)] = 2
    factor: Annotated[int, Param("a factor", choices=(1, 2, 4))] = 1
    turned: Annotated[bool, Param("whether rows are turned", role=ParameterRole.CODE)] = False
    plain: int = 3


OWN = parameters_of(Declared)


def test_fields_without_a_declaration_are_no_parameters() -> None:
    assert [*OWN] == ["q", "way", "count", "factor", "turned"]
    assert OWN["q"].is_required and not OWN["way"].is_required and OWN["way"].choices == ("fast", "slow")


@pytest.mark.parametrize(("name", "given", "value"), [
    ("q", "2^31-1", 2**31 - 1), ("q", 97, 97), ("way", "fast", "fast"), ("way", None, "slow"), ("count", "4", 4),
    ("factor", "2", 2), ("factor", None, 1),
    ("turned", True, True), ("turned", None, False),
])  # fmt: skip
def test_values_are_read_by_their_types(name: str, given: object, value: object) -> None:
    assert parsed(OWN[name], given) == value


@pytest.mark.parametrize(("name", "given", "message"), [
    ("q", 1.5, "q: expected an integer"), ("way", "quick", "way: expected one of fast, slow"),
    ("way", 3, "way: expected a string"), ("count", 5, "count: expected from 1 to 4"),
    ("factor", 3, "factor: expected one of 1, 2, 4, got 3"),
    ("turned", "yes", "turned: expected True or False"),
])  # fmt: skip
def test_other_values_are_errors(name: str, given: object, message: str) -> None:
    with pytest.raises(MomagenError, match=message):
        parsed(OWN[name], given)


def test_names_are_checked() -> None:
    check_names("own", OWN, {"q": 1})
    with pytest.raises(MomagenError, match="did you mean count"):
        check_names("own", OWN, {"q": 1, "cuont": 1})
    with pytest.raises(MomagenError, match="`q` is missing"):
        check_names("own", OWN, {"way": "fast"})
