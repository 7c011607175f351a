"""Loops over elements on digits."""

from __future__ import annotations

from collections.abc import Iterator

from momagen.ir import Block, Instr
from momagen.lower.body.layouts import SideBySide
from momagen.lower.names import C
from momagen.lower.writer import ProgramWriter
from momagen.program import Again, Function, Load, Name, Run, Statement, Store, Type
from momagen.program.statements import Body
from momagen.rewrite.engine.accumulate import LATENCY
from momagen.targets import Target

from .digit_body import DigitBody, digit_body
from .loops import begun, in_turns, over_elements
from .products import DigitLoop

M = Name("m", Type.WORDS)


def write_digit_loop(writer: ProgramWriter, name: str, loop: DigitLoop, turns: int = 1) -> None:
    """Write ``name``(z, x, y, c, n): ``turns`` times n vectors of residues, as many at once, statement by statement in
    turns; c holds the constants of ``loop``.

    Long ones leave constants, and the digits of vectors, in memory: products read them there, row by row.
    """
    target, body = writer.target, digit_body(writer, loop)
    elements, memory = body.elements, SideBySide(writer.arith.words, target.lanes)
    f, size = begun(name, elements.loads, target), turns * target.lanes * writer.arith.words
    for key, values in elements.constants.items():
        f.load(key, values, C, loop.at[key], 1, True, stays=loop.long)
    parts = _by_rows(f, body, target) if loop.long else []
    with over_elements(writer, f, elements.loads, size, fetched=True):
        if loop.long:
            f.add(*elements.statements(memory, parts=parts))
        else:
            in_turns(f, elements, memory, turns)
    writer.put(f)


def _by_rows(f: Function, body: DigitBody, target: Target) -> Body:
    """The instructions in parts, between which digits go to m as soon as they are made, and rows of products begin:
    from there on, factors are loaded anew."""
    block, lanes = body.elements.block, target.lanes
    made = {id(r) for instr in block.instrs for r in instr.results}
    kept = {id(v): v for row in body.digits.values() for v in row if id(v) in made}
    places = {value: lanes * i for i, value in enumerate(kept)}
    f.variable(M.text, f.array("room", lanes * len(kept), line=lanes * target.word // 8))
    read = {id(a) for instr in block.instrs for a in instr.args} | set(map(id, block.outputs.values()))
    rows, found, part = set(_rows(body)), Body(), list[Instr]()

    def end(*more: Statement) -> None:
        outputs = {str(id(r)): r for instr in part for r in instr.results if id(r) in read}
        found.extend([Run(Block({}, part[:], outputs)), *more])
        part.clear()

    for instr in block.instrs:
        if id(instr.results[0]) in rows:
            end(Again(M), Again(C))
        part.append(instr)
        for value in instr.results:
            if id(value) in places:
                at = places[id(value)]
                end(Store([value], M, at), Load("", [value], M, at, stays=True))
    end()
    return found


def _rows(body: DigitBody) -> Iterator[int]:
    """The first product of every row: those by one factor that is no constant, and no digit of any but x."""
    others = [*body.elements.constants.values(), *(row for key, row in body.digits.items() if key != "x")]
    columns, row = {id(v) for each in others for v in each}, 0
    for instr in body.elements.block.instrs:
        if instr.op in LATENCY:
            factor = next(id(a) for a in (*instr.args[1:], instr.args[0]) if id(a) not in columns)
            if factor != row:
                yield id(instr.results[0])
            row = factor
