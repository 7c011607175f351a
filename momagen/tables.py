"""Tables in JSON and TOML files that anyone may have written: the type of every entry is checked."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from momagen.errors import MomagenError, among, build_error, quoted, reason

T = TypeVar("T")

DEPTH = 16
"""The largest number of levels of nested tables and lists; files that momagen writes have four."""
SIZE = 1 << 26
"""The largest number of characters of a file."""
LENGTH, DIGITS = 4096, 40
"""The largest number of characters of a formula or rule, and a number of digits that its numbers must not reach."""


def _texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _options(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(each, str) for each in value.values())


def _counts(value: object) -> bool:
    return isinstance(value, dict) and all(type(each) is int and each >= 0 for each in value.values())


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


KINDS: dict[str, Callable[[object], bool]] = {
    "a text": lambda value: isinstance(value, str),
    "a whole number": lambda value: type(value) is int,
    "true or false": lambda value: isinstance(value, bool),
    "a number": _number,
    "a table": lambda value: isinstance(value, dict),
    "a list": lambda value: isinstance(value, list),
    "a list of texts": _texts,
    "options with texts as values": _options,
    "counts by name": _counts,
}
"""The types that an entry may have, by their descriptions, with a function that checks each."""
NAMED = {
    "a text": "a string", "a whole number": "an integer", "a list of texts": "a list of strings",
    "options with texts as values": "options whose values are strings", "counts by name": "a table of counts",
}  # fmt: skip
"""The names of types in messages, if they differ from those descriptions."""


def parse_json(text: str, expected: str, where: str) -> Any:
    """Return the value of a JSON text.

    Args:
        text: The text.
        expected: The description of the expected content.
        where: The file that an error names.

    Raises:
        MomagenError: The text is not JSON, or is nested too deeply.
    """
    return _parsed(json.loads, text, expected, where)


def read_toml(path: Path, expected: str, where: str) -> dict[str, Any]:
    """Return the table in a TOML file.

    Args:
        path: The file.
        expected: The description of the expected content.
        where: The file that an error names.

    Raises:
        MomagenError: The file cannot be read, is not TOML, or is nested too deeply.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise build_error(f"the file cannot be read ({reason(error)})", where) from None
    return parse_toml(text, expected, where)


def parse_toml(text: str, expected: str, where: str) -> dict[str, Any]:
    """Return the table in a TOML text.

    Args:
        text: The text.
        expected: The description of the expected content.
        where: The file that an error names.

    Raises:
        MomagenError: The text is not TOML, or is nested too deeply.
    """
    found: dict[str, Any] = _parsed(tomllib.loads, text, expected, where)
    return found


def _parsed(load: Callable[[str], Any], text: str, expected: str, where: str) -> Any:
    if len(text) > SIZE:
        raise MomagenError(f"at most {SIZE} characters", len(text), where)
    try:
        found = load(text)
    except (ValueError, RecursionError) as error:
        raise MomagenError(expected, str(error), where) from None
    _check(found, where)
    return found


def _check(found: object, where: str) -> None:
    """Reject deep nesting and unpaired surrogates, which few functions accept.

    Raises:
        MomagenError: The value has one of them.
    """
    level = [found]
    for _ in range(DEPTH):
        inside: list[object] = []
        for value in level:
            if isinstance(value, dict):
                inside += [*value, *value.values()]
            elif isinstance(value, list):
                inside += value
            elif isinstance(value, str) and not value.isascii():
                _check_text(value, where)
        level = inside
        if not level:
            return
    raise MomagenError(f"at most {DEPTH} levels of tables and lists", "more", where)


def _check_text(text: str, where: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise MomagenError("valid Unicode text", ascii(text), where) from None


@contextmanager
def shallow(text: str, where: str) -> Iterator[None]:
    """Convert errors of functions that read ``text`` recursively.

    Raises:
        MomagenError: The text is too long or nested too deeply, or a number in it has too many digits.
    """
    if len(text) > LENGTH:
        raise MomagenError(f"at most {LENGTH} characters", len(text), where)
    if number := re.search(rf"\d{{{DIGITS},}}", text):
        raise MomagenError(f"numbers of less than {DIGITS} digits", number[0], where)
    try:
        yield
    except RecursionError:
        raise MomagenError("less deeply nested brackets and signs", text, where) from None


def checked(raw: object, kinds: Mapping[str, str], where: str) -> dict[str, Any]:
    """Return ``raw`` if it is a table with exactly the keys of ``kinds``, each of the type that is given there.

    Args:
        raw: The value.
        kinds: The keys, with their types as ``KINDS`` describes them.
        where: The location that an error names.

    Raises:
        MomagenError: It is not; the message names the key.
    """
    if not isinstance(raw, dict):
        raise MomagenError("a table", quoted(raw), where)
    for name in kinds:
        if name not in raw:
            raise MomagenError(f"the key “{name}”", ", ".join(raw) or "nothing", where)
    if unknown := set(raw) - set(kinds):
        raise among("only the keys", kinds, ", ".join(sorted(unknown)), where)
    for name, kind in kinds.items():
        if not KINDS[kind](raw[name]):
            raise MomagenError(NAMED.get(kind, kind), quoted(raw[name]), f"{where}, {name}")
    return raw


def with_defaults(raw: object, defaults: Mapping[str, object]) -> object:
    """Return a table with the defaults of the keys that it lacks, because it was stored before they existed.

    Anything other than a table is returned unchanged.
    """
    return {**defaults, **raw} if isinstance(raw, dict) else raw


def rows_of(raw: list[Any], kinds: Iterable[str], where: str) -> list[tuple[Any, ...]]:
    """Return the rows of ``raw`` as tuples; each must be a list with one entry of each type in ``kinds``.

    Raises:
        MomagenError: A row has another number of entries, or an entry of another type; the message names the row.
    """
    wanted = list(kinds)
    for at, row in enumerate(raw, 1):
        if not isinstance(row, list) or len(row) != len(wanted):
            raise MomagenError(f"a list of {len(wanted)} entries", quoted(row), f"{where}, row {at}")
        for value, kind in zip(row, wanted, strict=True):
            if not KINDS[kind](value):
                raise MomagenError(NAMED.get(kind, kind), quoted(value), f"{where}, row {at}")
    return [tuple(row) for row in raw]


def with_sources(raw: object, kinds: Mapping[str, str], figures: Iterable[str], where: str) -> dict[str, Any]:
    """Return the row of a device, as :func:`checked` does, with a source for each figure.

    Args:
        raw: The value.
        kinds: The keys, with their types.
        figures: The keys that must be above 0, and that the keys of ``sources`` must name, one or several each.
        where: The location that an error names.

    Raises:
        MomagenError: A key has another type, or a figure is not above 0 or has no source.
    """
    row = checked(raw, kinds, where)
    named = {key for keys in row["sources"] for key in keys.split()}
    for key in figures:
        if row[key] <= 0:
            raise MomagenError("a positive number", row[key], f"{where} {key}")
        if key not in named:
            raise build_error(f"the source of {key} is missing", f"{where} sources")
    return row


def chosen(known: Mapping[str, T], name: str, what: str, where: str = "") -> T:
    """Return the row ``name``.

    Args:
        known: The rows by name.
        name: The name.
        what: A description of a row.
        where: The location that an error names (default: ``what``).

    Raises:
        MomagenError: There is no row with this name.
    """
    if name not in known:
        raise among(f"one of the {what}s", known, name, where or what)
    return known[name]
