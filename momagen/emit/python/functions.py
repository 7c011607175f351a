"""The printer of the functions of a program in Python."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from momagen.ir import Procedure
from momagen.program import Element, Function
from momagen.program import statements as st
from momagen.targets import Target

from .expressions import name_of, text
from .registers import RegisterRows

STEP = "    "


def function_text(function: Function, target: Target, preludes: set[str]) -> str:
    """Return the text of one function.

    Args:
        function: The function.
        target: The target.
        preludes: A set to which the helper functions that the text needs are added.
    """
    rows = RegisterRows(target, target.lanes if function.vector else 1, preludes)
    doc = [f'{STEP}"""{function.doc}"""'] if function.doc else []
    head = f"def {function.name}({', '.join(map(name_of, function.params))}):"
    return "\n".join([head, *doc, *_Printer(rows).body(function.body, STEP)])


def procedure_text(procedure: Procedure, target: Target, preludes: set[str]) -> str:
    """Return the text of a procedure, a function of words that returns a tuple of words.

    Args:
        procedure: The procedure.
        target: The target.
        preludes: A set to which the helper functions that the text needs are added.
    """
    rows, block = RegisterRows(target, 1, preludes), procedure.block
    rows.names = {id(value): name for name, value in block.inputs.items()}
    lines = [STEP + line for line in rows.instructions(block)]
    results = "".join(f"{rows.name(value)}, " for value in block.outputs.values())
    return "\n".join([f"def {procedure.name}({', '.join(block.inputs)}):", *lines, f"{STEP}return {results.strip()}"])


def _range(s: st.Each) -> str:
    """Return the arguments of Python's ``range`` for a loop."""
    first, limit, step = text(s.first), text(s.limit), text(s.step)
    if s.down:
        return f"{text(s.limit, False)} - 1, {text(s.first, False)} - 1, -1"
    return ", ".join([first, limit, step] if step != "1" else [first, limit] if first != "0" else [limit])


def _places(s: st.Load | st.Store) -> Iterator[dict[str, object]]:
    """Yield the pointer and the index of each register that a statement loads or stores."""
    return ({"p": text(s.pointer, False), "i": at} for at in count(s.offset, s.step))


class _Printer:
    """The printer of the statements of one function."""

    def __init__(self, rows: RegisterRows) -> None:
        self.rows = rows

    def body(self, body: st.Body, indent: str) -> list[str]:
        """Return the lines of all statements, each indented by ``indent``."""
        lines = [indent + line for statement in body for line in self._statement(statement)]
        return lines or [f"{indent}pass"]

    def _statement(self, s: st.Statement) -> Iterator[str]:
        """Yield the lines of one statement."""
        match s:
            case st.Each():
                yield f"for {name_of(s.name)} in range({_range(s)}):"
                yield from self.body(s.body, STEP)
            case st.While():
                yield f"while {text(s.test)}:"
                yield from self.body(s.body, STEP)
            case st.If():
                yield f"if {text(s.test)}:"
                yield from self.body(s.then, STEP)
                if s.otherwise:
                    yield from ["else:", *self.body(s.otherwise, STEP)]
            case st.Switch():
                yield f"match {text(s.value)}:"
                for number, body in s.cases:
                    yield from [f"{STEP}case {number}:", *self.body(body, STEP + STEP)]
            case st.Scope() | st.RoundToNearest():
                yield from self.body(s.body, "")
            case st.Woven():
                yield from self.body([one for part in s.parts for one in part], "")
            case st.Load() if s.name:
                yield from self.rows.load(s.name, s.values, "broadcast" if s.broadcast else "load", _places(s))
            case st.LoadHalves():
                place = {"a": text(s.low, False), "b": text(s.high, False)}
                yield from self.rows.load(s.name, [s.value], "halves", [place])
            case st.Run():
                yield from self.rows.instructions(s.block)
            case st.Store():
                yield from self.rows.store(s.values, "store", _places(s))
            case st.StoreHalves():
                yield from self.rows.store([s.value], "store_low", [{"p": text(s.low, False)}])
                yield from self.rows.store([s.value], "store_high", [{"p": text(s.high, False)}])
            case st.Load() | st.Again() | st.Prefetch():
                pass
            case _:
                yield _simple(s)


def _simple(s: st.Statement) -> str:
    """Return the line of a statement that has no statements inside."""
    match s:
        case st.Let():
            return f"{name_of(s.name)} = {text(s.value)}"
        case st.Assign(target=Element() as target):
            return f"{text(target.pointer, False)}[{text(target.at)}] = {text(s.value)}"
        case st.Assign():
            return f"{text(s.target)} = {text(s.value)}"
        case st.Array():
            first = [*(s.first or []), *[0] * (s.count - len(s.first or []))]
            return f"{name_of(s.name)} = " + (f"np.array({first}, u64)" if s.first else f"np.zeros({s.count}, u64)")
        case st.Table():
            return f"{name_of(s.name)} = {list(s.counts)}"
        case st.Do():
            return text(s.call)
        case st.Return():
            return f"return {text(s.value)}"
        case st.Copy():
            return f"{text(s.to, False)}[:{text(s.count)}] = {text(s.source, False)}[:{text(s.count)}]"
        case st.Clear():
            return f"{text(s.to, False)}[:{text(s.count)}] = 0"
    raise TypeError(s)
