"""Types as Python source, with the modules from which their names are imported."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin

from momagen.kinds.modular import typed
from momagen.tune import wish
from momagen.values import targets

UNIONS = (Union, UnionType)
ALIASES = {
    **{name: (value, typed.__name__) for name, value in vars(typed).items() if get_origin(value) is not None},
    "Wish": (wish.Wish, wish.__name__), "TargetName": (targets.TargetName, targets.__name__),
}
"""The names that types have, each with its type and its module."""


class Token(NamedTuple):
    """A part of a type's source.

    Attributes:
        text: The source.
        module: The module from which the text is imported, or "" if it needs no import.
    """

    text: str
    module: str = ""


def spelled(hint: Any) -> str:
    """Return the source of a type."""
    return "".join(token.text for token in tokens(hint))


def tokens(hint: Any) -> Iterator[Token]:
    """Yield the parts of a type's source; that of a type which the generated module defines is given."""
    if isinstance(hint, Token):
        yield hint
        return
    for name, (known, module) in ALIASES.items():
        if known == hint:
            yield Token(name, module)
            return
    if get_origin(hint) in UNIONS:
        yield from _listed(get_args(hint), " | ")
    elif get_origin(hint) is Literal:
        yield from (Token("Literal", "typing"), Token(f"[{', '.join(map(value, get_args(hint)))}]"))
    elif get_origin(hint):
        yield from (*_name(get_origin(hint)), Token("["), *_listed(get_args(hint), ", "), Token("]"))
    else:
        yield from _name(hint)


def _listed(hints: Iterable[Any], between: str) -> Iterator[Token]:
    for at, hint in enumerate(hints):
        yield from [Token(between)] * bool(at)
        yield from tokens(hint)


def _name(hint: Any) -> Iterator[Token]:
    """Yield the name of a class, of None, or of an ellipsis."""
    module = getattr(hint, "__module__", "builtins")
    text = {NoneType: "None", ...: "..."}.get(hint) or hint.__name__
    yield Token(text, "" if module in ("builtins", NoneType.__module__) else module)


def value(of: object) -> str:
    """Return the source of a default: a text in double quotes, or another constant."""
    return json.dumps(of, ensure_ascii=False) if isinstance(of, str) else repr(of)
