"""The last step of a derivation as source for the target, with the names that the steps use."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from momagen.emit.c.words import Printer
from momagen.emit.cuda.words import CudaPrinter
from momagen.ir import Block, Value, leaves
from momagen.targets import Target

from .naming import Names
from .steps import RewriteStep

_NAME = re.compile(r"\bt\d+(?=c?\b)")


@dataclass(frozen=True)
class CodeLine:
    """A statement of the generated source.

    Attributes:
        text: The statement.
        path: The position of its result in the derivation.
    """

    text: str
    path: str


def _values(block: Block) -> Iterator[Value]:
    for value in (*block.inputs.values(), *(r for instr in block.instrs for r in instr.results)):
        yield from leaves(value)


def code_lines(block: Block, target: Target, names: Names, last: RewriteStep) -> tuple[CodeLine, ...]:
    """Return the statements of a lowered block, with the names of the steps instead of the printer's names.

    Args:
        block: The block on words of the target.
        target: The target.
        names: The names of the values in the steps.
        last: The last step, whose lines determine the paths of the statements.
    """
    spelled = {id(v): names[v].code for v in _values(block) if v in names}
    printer = (CudaPrinter if target.syntax == "cuda" else Printer)(target, spelled, set())
    lines = list(printer.lines(block))
    lines += printer.rest() if isinstance(printer, CudaPrinter) else []
    better = {printer.names[key]: name for key, name in spelled.items()}
    texts = [_NAME.sub(lambda found: better.get(found[0], found[0]), line) for line in lines]
    return tuple(map(CodeLine, texts, _paths(texts, last)))


def _paths(texts: list[str], last: RewriteStep) -> list[str]:
    """Return the path of each statement. A statement defines the names that occur in it for the first time.

    A statement that defines no name gets the path of the next statement that does. There is one exception: an
    assignment to a variable that was just declared gets the path of the declaration.
    """
    paths = {name: line.path for line in last.lines for name in line.defines}
    seen: set[str] = set()
    found: list[str] = []
    for text in texts:
        new = [word for word in re.findall(r"\w+", text) if word in paths and word not in seen]
        seen.update(new)
        found.append(paths[new[0]] if new else "")
    for at in range(1, len(found)):
        found[at] = found[at] or (found[at - 1] if "=" not in texts[at - 1] else "")
    for at in range(len(found) - 1, 0, -1):
        found[at - 1] = found[at - 1] or found[at]
    return found
