"""Functions of a program in Python."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from momagen.ir import Procedure
from momagen.program import (
    Again,
    Array,
    Assign,
    Clear,
    Copy,
    Do,
    Each,
    Element,
    Function,
    If,
    Let,
    Load,
    LoadHalves,
    Prefetch,
    Return,
    Run,
    Scope,
    Statement,
    Static,
    Store,
    StoreHalves,
    Table,
    While,
    Woven,
)
from momagen.targets import Target

from .expressions import name_of, text
from .registers import RegisterRows

STEP = "    "


def function_text(function: Function, target: Target) -> str:
    """The text of one function."""
    printer = _Printer(RegisterRows(target, target.lanes if function.vector else 1))
    doc = [f'{STEP}"""{function.doc}"""'] if function.doc else []
    head = f"def {function.name}({', '.join(map(name_of, function.params))}):"
    return "\n".join([head, *doc, *printer.body(function.body, STEP)])


def procedure_text(procedure: Procedure, target: Target) -> str:
    """The text of a procedure: words to words."""
    rows, block = RegisterRows(target, 1), procedure.block
    rows.names = {id(value): name for name, value in block.inputs.items()}
    lines = [STEP + line for line in rows.instructions(block)]
    results = "".join(f"{rows.name(value)}, " for value in block.outputs.values())
    return "\n".join([f"def {procedure.name}({', '.join(block.inputs)}):", *lines, f"{STEP}return {results.strip()}"])


def static_text(static: Static) -> str:
    """Words that all functions may read."""
    return f"{static.name.text} = np.array({[hex(word) for word in static.words]}, u64)".replace("'", "")


def _range(s: Each) -> str:
    first, limit, step = text(s.first), text(s.limit), text(s.step)
    if s.down:
        return f"{text(s.limit, False)} - 1, {text(s.first, False)} - 1, -1"
    return ", ".join([first, limit, step] if step != "1" else [first, limit] if first != "0" else [limit])


class _Printer:
    def __init__(self, rows: RegisterRows) -> None:
        self.rows = rows

    def body(self, body: list[Statement], indent: str) -> list[str]:
        """All statements, one ``indent`` in."""
        lines = [indent + line for statement in body for line in self._statement(statement)]
        return lines or [f"{indent}pass"]

    def _statement(self, s: Statement) -> Iterator[str]:
        match s:
            case Each():
                yield f"for {name_of(s.name)} in range({_range(s)}):"
                yield from self.body(s.body, STEP)
            case While():
                yield f"while {text(s.test)}:"
                yield from self.body(s.body, STEP)
            case If():
                yield f"if {text(s.test)}:"
                yield from self.body(s.then, STEP)
                if s.otherwise:
                    yield "else:"
                    yield from self.body(s.otherwise, STEP)
            case Scope():
                yield from self.body(s.body, "")
            case Woven():
                for part in s.parts:
                    yield from self.body(part, "")
            case Load() | LoadHalves() | Run() | Store() | StoreHalves():
                yield from self._registers(s)
            case Again() | Prefetch():
                pass
            case _:
                yield self._simple(s)

    def _registers(self, s: Statement) -> Iterator[str]:
        rows, half = self.rows, self.rows.lanes // 2
        match s:
            case Load():
                how = "broadcast" if s.broadcast else "load"
                yield from rows.load(s.name, s.values, text(s.pointer, False), count(s.offset, s.step), how)
            case LoadHalves():
                rows.names[id(s.value)] = s.name
                low, high = (f"{text(at, False)}[:{half}]" for at in (s.low, s.high))
                yield f"{s.name} = np.concatenate(({low}, {high}))"
            case Run():
                yield from rows.instructions(s.block)
            case Store():
                yield from rows.store(s.values, text(s.pointer, False), count(s.offset, s.step))
            case StoreHalves():
                yield f"{text(s.low, False)}[:{half}] = {rows.name(s.value)}[:{half}]"
                yield f"{text(s.high, False)}[:{half}] = {rows.name(s.value)}[{half}:]"

    def _simple(self, s: Statement) -> str:
        match s:
            case Let():
                return f"{name_of(s.name)} = {text(s.value)}"
            case Assign(target=Element() as target):
                return f"{text(target.pointer, False)}[{text(target.at)}] = {text(s.value)}"
            case Assign():
                return f"{text(s.target)} = {text(s.value)}"
            case Array():
                first = ", ".join(map(str, [*(s.first or []), *[0] * (s.count - len(s.first or []))]))
                array = f"np.array([{first}], u64)" if s.first else f"np.zeros({s.count}, u64)"
                return f"{name_of(s.name)} = {array}"
            case Table():
                return f"{name_of(s.name)} = {list(s.counts)}"
            case Do():
                return text(s.call)
            case Return():
                return f"return {text(s.value)}"
            case Copy():
                count = text(s.count)
                return f"{text(s.to, False)}[:{count}] = {text(s.source, False)}[:{count}]"
            case Clear():
                return f"{text(s.to, False)}[:{text(s.count)}] = 0"
        raise TypeError(s)
