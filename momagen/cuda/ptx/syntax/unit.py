"""The parser of a complete PTX file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from .body import PtxBody
from .parts import PtxFunction, PtxOperand, PtxSymbol, PtxUnit, PtxVariable, refused
from .reader import PtxStatement, read_statements
from .variables import is_variable, read_parameters, read_variable

HEADER = re.compile(
    r"(?:\.(?:visible|extern|weak)\s+)*\.(?P<kind>entry|func)\b\s*(?P<noreturn>\.noreturn\s*)?"
    r"(?:\((?P<returns>[^)]*)\)\s*)?(?P<name>[$%_A-Za-z][\w$]*)\s*(?:\((?P<parameters>[^)]*)\))?"
    r"(?P<tuning>(?:\s*\.(?:maxntid|reqntid|minnctapersm|maxnreg|noreturn)[\s\d,]*)*)$"
)
IGNORED = (".version", ".target", ".address_size", ".file", ".section")


def read_unit(text: str) -> PtxUnit:
    """Return the variables and functions of a PTX file.

    Raises:
        MomagenError: A statement is not supported. The message has its line number.
    """
    variables, functions = list[PtxVariable](), list[PtxFunction]()
    statements = read_statements(text)
    header: re.Match[str] | None = None
    for statement in statements:
        if statement.kind == "open" and header:
            functions.append(_function(header, statement.line, _block(statements), variables))
            continue
        header = HEADER.match(statement.text)  # a declaration has a header without a block
        if is_variable(statement.text):
            variables.append(read_variable(statement.text, statement.line))
        elif not header and not statement.text.startswith(IGNORED):
            raise refused("a directive that is valid outside functions", statement.text, statement.line)
    return PtxUnit(tuple(variables), tuple(functions))


def _block(statements: Iterator[PtxStatement]) -> list[PtxStatement]:
    """Return the statements up to the brace that closes the current block."""
    inside, depth = list[PtxStatement](), 1
    for statement in statements:
        depth += {"open": 1, "close": -1}.get(statement.kind, 0)
        if not depth:
            return inside
        inside.append(statement)
    raise refused("the closing brace of a function", "the end of the file", inside[-1].line if inside else 0)


def _function(
    header: re.Match[str], line: int, inside: Sequence[PtxStatement], outside: Sequence[PtxVariable]
) -> PtxFunction:
    returns = read_parameters(header["returns"] or "", line)
    parameters = read_parameters(header["parameters"] or "", line)
    names: dict[str, PtxOperand] = {each.name: PtxSymbol(each) for each in (*outside, *returns, *parameters)}
    body = PtxBody()
    body.read(inside, names)
    return PtxFunction(
        header["name"], header["kind"] == "entry", returns, parameters, tuple(body.variables), body.registers,
        body.branches, body.items,
    )  # fmt: skip
