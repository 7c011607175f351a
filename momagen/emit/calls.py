"""Prints calls of procedures: words go by memory, which costs nothing beside the hundreds of operations in between."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from momagen.ir import Instr, Procedure, Value

if TYPE_CHECKING:
    from .words import Printer

Place = tuple[str, int]
"""A pointer's text and an index from it."""


def call_lines(printer: Printer, instr: Instr, procedure: Procedure) -> Iterator[str]:
    """The statements of one call."""
    word, wanted = printer.target.types["word"], {name: printer.fresh() for name in procedure.block.outputs}
    args = dict(zip(procedure.block.inputs, instr.args, strict=True))
    found = [_address(printer, {_at(name): args[name] for name in args if name[0] == letter}) for letter in "ab"]
    result = printer.fresh()
    yield f"{word} {', '.join(wanted.values())};"
    yield "{"
    yield from (f"    {line}" for _, lines in found for line in lines)
    yield f"    {word} {result}[{max(map(_at, wanted)) + 1}];"
    yield f"    {procedure.name}({', '.join([result, *(address for address, _ in found)])});"
    yield from (f"    {name} = {result}[{_at(key)}];" for key, name in wanted.items())
    yield "}"
    printer.names.update((id(value), name) for value, name in zip(instr.results, wanted.values(), strict=True))


def _at(name: str) -> int:
    """Word 3 of an argument is called a3 or b3, of the results c3."""
    return int(name[1:])


def _address(printer: Printer, values: Mapping[int, Value]) -> tuple[str, list[str]]:
    """A pointer from which ``values`` stand in memory, each at its index, and the statements that put them there.

    Without values, which is an argument that the procedure knows, the null pointer.
    """
    if not values:
        return "0", []
    places = {_shifted(printer.memory.get(id(value)), at) for at, value in values.items()}
    place = places.pop()
    if place is not None and not places:
        return "{} + {}".format(*place), []
    name, word = printer.fresh(), printer.target.types["word"]
    stores = [f"{name}[{at}] = {printer.name(value)};" for at, value in values.items()]
    return name, [f"{word} {name}[{max(values) + 1}];", *stores]


def _shifted(place: Place | None, at: int) -> Place | None:
    """Where an array begins whose element ``at`` stands at ``place``; None where that is in front of the pointer."""
    return (place[0], place[1] - at) if place is not None and place[1] >= at else None
