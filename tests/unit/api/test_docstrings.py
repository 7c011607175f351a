"""Every public function, class, method and property has a docstring that names its arguments and its errors."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator
from inspect import CO_VARARGS, CO_VARKEYWORDS, cleandoc, getsource, isclass, unwrap
from types import FunctionType

import pytest
from docs_site.public import public_objects

SPECIAL = ("__call__",)
"""The special methods that users call."""
ERRORS = ("MomagenError", "among", "build_error")
"""The class of errors, and the functions that build an error."""


def _public() -> Iterator[tuple[str, object]]:
    """Yield public functions and classes, and the public methods and properties that these classes have."""
    for name, value in public_objects().items():
        yield name, value
        members = {key: each for base in reversed(value.__mro__) for key, each in vars(base).items()
                   if base.__module__.startswith("momagen")} if isclass(value) else {}  # fmt: skip
        for key, member in members.items():
            if (not key.startswith("_") or key in SPECIAL) and (isinstance(member, FunctionType) or _getter(member)):
                yield f"{name}.{key}", member


def _getter(member: object) -> object:
    """Return the function of a property; None for another member."""
    return getattr(member, "fget", None) or getattr(member, "func", None)


PUBLIC = dict(_public())
FUNCTIONS = {name: value for name, value in PUBLIC.items() if isinstance(value, FunctionType)}


def _section(function: object, title: str) -> str:
    """Return the text of one section of a docstring in Google's style, or ""."""
    text = cleandoc(function.__doc__ or "")
    found = re.search(rf"^{title}:\n((?:(?: .*)?\n)*(?: .*)?)", text, re.MULTILINE)
    return found[1] if found else ""


def _parameters(function: FunctionType) -> set[str]:
    """Return the names of the parameters that a function is written with, without self."""
    code = unwrap(function).__code__  # signatures of builders show the options one by one
    count = code.co_argcount + code.co_kwonlyargcount
    rest = iter(code.co_varnames[count:])
    stars = [star + next(rest) for flag, star in ((CO_VARARGS, "*"), (CO_VARKEYWORDS, "**")) if code.co_flags & flag]
    return {*code.co_varnames[:count], *stars} - {"self"}


def _raises(function: FunctionType) -> bool:
    """Return whether the body of a function has a statement that raises a MomagenError."""
    tree = ast.parse(textwrap.dedent(getsource(unwrap(function))))
    raised = [node.exc for node in ast.walk(tree) if isinstance(node, ast.Raise)]
    return any(getattr(getattr(each, "func", None), "id", "") in ERRORS for each in raised)


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_name_has_a_summary_of_one_sentence(name: str) -> None:
    lines = cleandoc(getattr(PUBLIC[name], "__doc__", None) or "").splitlines()
    assert lines and lines[0].endswith("."), name
    assert lines[1:2] in ([], [""]), name


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_public_function_documents_its_parameters(name: str) -> None:
    documented = {*re.findall(r"^    (\*{0,2}\w+):", _section(FUNCTIONS[name], "Args"), re.MULTILINE)}
    wanted = _parameters(FUNCTIONS[name])
    assert documented == wanted or (not documented and _explains_all(FUNCTIONS[name], wanted)), name


def _explains_all(function: FunctionType, names: set[str]) -> bool:
    """Return whether the text of a short docstring mentions every parameter by its name."""
    return len(names) <= 2 and all(re.search(rf"\b{re.escape(name)}\b", function.__doc__ or "") for name in names)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_public_function_documents_its_errors(name: str) -> None:
    builder = name.count(".") == 1 and bool(_parameters(FUNCTIONS[name]))
    assert "MomagenError: " in _section(FUNCTIONS[name], "Raises") or not (builder or _raises(FUNCTIONS[name])), name


def test_functions_and_methods_are_found() -> None:
    assert {"momagen.ntt", "momagen.Kernel.__call__", "momagen.Kernel.save", "momagen.he.Ckks.add"} <= {*FUNCTIONS}
    assert "momagen.Kernel.order" in PUBLIC and len(PUBLIC) > 140
    assert {"*kinds", "seconds"} <= _parameters(FUNCTIONS["momagen.sweep"])
    assert _raises(FUNCTIONS["momagen.Kernel.at"])
