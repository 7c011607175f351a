"""Schedules as JSON: the fields of the types by name, with turns as fractions."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from functools import cache
from typing import Any, get_args, get_origin, get_type_hints

from momagen.errors import MomagenError, build_error

from .types import Blocks, MatrixProduct, Move, Rectangles, Schedule, Step, ThreadLaunch, TileBlocks

KINDS: Mapping[Any, tuple[str, Mapping[str, Any]]] = {
    Step | Move: ("step", {"butterflies": Step, "move": Move}),
    ThreadLaunch | Rectangles | Blocks | TileBlocks | MatrixProduct: (
        "nest",
        {
            "launch": ThreadLaunch, "rectangles": Rectangles, "blocks": Blocks, "tiles": TileBlocks,
            "matrix": MatrixProduct,
        },
    ),
}  # fmt: skip
"""For types that are alternatives, the key that tells them apart, and the type of each of its values."""
NAMES: Mapping[Any, str] = {int: "an integer", bool: "true or false", str: "a text"}
"""The types of simple values, for errors."""
WHERE = "schedule"
FRACTION = re.compile(r"[0-9]{1,9}/[0-9]{1,9}")
LONGEST = 16_000_000
"""The largest number of characters of a schedule that is read."""


def to_json(schedule: Schedule) -> str:
    """Return a schedule as JSON, with one line for each field of a step, an edge or a nest."""
    return _laid_out(to_data(schedule)) + "\n"


def from_json(text: str) -> Schedule:
    """Return the schedule that a JSON text describes.

    Raises:
        MomagenError: The text is not JSON, or a value is missing, unknown or of the wrong type.
    """
    if len(text) > LONGEST:
        raise MomagenError(f"at most {LONGEST} characters", f"{len(text)}", WHERE)
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise MomagenError("a schedule as JSON", str(error), WHERE) from None
    found = from_data(Schedule, data, WHERE)
    assert isinstance(found, Schedule)
    return found


def canonical(text: str) -> str:
    """Return the JSON of a schedule in its shortest form.

    Raises:
        MomagenError: The text does not describe a schedule.
    """
    return json.dumps(to_data(from_json(text)), separators=(",", ":"))


def to_data(value: Any) -> Any:
    """Return a value of a schedule as lists, mappings, texts and integers."""
    if is_dataclass(value):
        own = {each.name: to_data(getattr(value, each.name)) for each in fields(value)}
        named = {key: name for key, known in KINDS.values() for name, kind in known.items() if type(value) is kind}
        return {**named, **own}
    if isinstance(value, Mapping):
        return {",".join(map(str, sorted(bits))): str(turn) for bits, turn in sorted(value.items(), key=_in_order)}
    return [to_data(each) for each in value] if isinstance(value, tuple) else value


def from_data(hint: Any, data: Any, where: str) -> Any:
    """Return the value of a type that lists, mappings, texts and integers describe.

    Args:
        hint: The type.
        data: The description.
        where: The place in the schedule, for errors.

    Raises:
        MomagenError: A value is missing, unknown or of the wrong type.
    """
    if hint in KINDS:
        return _alternative(*KINDS[hint], data, where)
    if is_dataclass(hint):
        return _record(hint, data, where)
    if get_origin(hint) is tuple:
        if not isinstance(data, list):
            raise MomagenError("a list", data, where)
        return tuple(from_data(get_args(hint)[0], each, f"{where}[{at}]") for at, each in enumerate(data))
    if isinstance(get_origin(hint), type) and issubclass(get_origin(hint), Mapping):
        return _turns(data, where)
    if type(data) is not hint:
        raise MomagenError(NAMES[hint], data, where)
    return data


@cache
def _hints(kind: Any) -> Mapping[str, Any]:
    """Return the types of the fields of a dataclass."""
    known = get_type_hints(kind)
    return {each.name: known[each.name] for each in fields(kind)}


def _record(kind: Any, data: Any, where: str) -> Any:
    """Return the dataclass that a mapping describes."""
    hints = _hints(kind)
    if not isinstance(data, dict):
        raise MomagenError(f"a mapping with the keys {', '.join(hints)}", data, where)
    missing, unknown = [key for key in hints if key not in data], [key for key in data if key not in hints]
    if missing or unknown:
        problem = f"the key {missing[0]} is missing" if missing else f"the key {unknown[0]} is unknown"
        raise build_error(problem, where, f"the keys are {', '.join(hints)}")
    return kind(**{key: from_data(hint, data[key], f"{where}.{key}") for key, hint in hints.items()})


def _alternative(name: str, kinds: Mapping[str, Any], data: Any, where: str) -> Any:
    """Return the dataclass that a mapping describes, one of several that its key ``name`` tells apart."""
    kind = kinds.get(str(data.get(name))) if isinstance(data, dict) else None
    if kind is None:
        raise MomagenError(f"a mapping whose key {name} is {' or '.join(kinds)}", data, where)
    return _record(kind, {key: value for key, value in data.items() if key != name}, where)


def _turns(data: Any, where: str) -> Mapping[frozenset[int], Fraction]:
    """Return the turns that a mapping of index bits to fractions describes."""
    if not isinstance(data, dict):
        raise MomagenError('a mapping such as {"3": "1/8"} from index bits to turns', data, where)
    try:
        found = {frozenset(map(int, filter(None, key.split(",")))): _turn(turn) for key, turn in data.items()}
    except (ValueError, ArithmeticError):
        raise MomagenError('index bits separated by commas, and turns such as "1/8"', data, where) from None
    if any(not 0 < turn < 1 for turn in found.values()) or len(found) < len(data):
        raise MomagenError("each set of index bits once, with a turn between 0 and 1", data, where)
    return found


def _turn(text: object) -> Fraction:
    """Return the fraction that a text states.

    Raises:
        ValueError: The text is not a fraction of two short integers.
    """
    if not FRACTION.fullmatch(str(text)):
        raise ValueError(text)
    return Fraction(str(text))


def _in_order(item: tuple[frozenset[int], Fraction]) -> tuple[int, list[int]]:
    """Return the sort key of a turn: few bits first."""
    return len(item[0]), sorted(item[0])


def _laid_out(data: Any, depth: int = 0) -> str:
    """Return data as JSON in which only the outer three levels are broken into lines."""
    if depth > 2 or not isinstance(data, dict | list) or not data:
        return json.dumps(data)
    begin, end = "{}" if isinstance(data, dict) else "[]"
    items = data.items() if isinstance(data, dict) else ((None, each) for each in data)
    lines = [(f"{json.dumps(key)}: " if key else "") + _laid_out(each, depth + 1) for key, each in items]
    inside, outside = " " * (depth + 1), " " * depth
    return f"{begin}\n{inside}" + f",\n{inside}".join(lines) + f"\n{outside}{end}"
