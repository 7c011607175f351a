"""Prints a loop over elements on digits."""

from __future__ import annotations

from collections.abc import Iterator

from momagen.ir import Instr
from momagen.rewrite.accumulate import LATENCY
from momagen.targets import Target

from .c import BodyText, Place, templates
from .digit_body import DigitBody, digit_body
from .layout import Rows
from .products import DigitLoop
from .source import Writer
from .turns import fetched, in_turns, share, texts_of


def write_digit_loop(writer: Writer, name: str, loop: DigitLoop, turns: int = 1) -> None:
    """Write ``void name(z, x, y, c, n)``: ``turns`` times n vectors of residues, as many at once, statement by
    statement in turns; c holds the constants of ``loop``."""
    target, body = writer.target, digit_body(writer, loop)
    texts, memory = texts_of(target, writer.chains, turns), Rows(writer.arith.words, target.lanes, False)
    constants = list((_in_memory if loop.long else _in_registers)(texts[0], body, loop))
    share(texts)

    def statements(text: BodyText, turn: int) -> list[str]:
        lines = [line for key, row in body.loads.items() for line in memory.load(text, key, row, turn)]
        lines += text.instructions(body.block)
        return [*lines, *memory.store(text, "z", body.stores, turn)]

    lines = in_turns(texts, statements)
    writer.texts[name] = templates().get_template("c/loop.c.j2").render(
        name=name, attribute="MG_SIMD " if target.attribute else "",
        advance=turns * target.lanes * writer.arith.words, vectors=list(body.loads), constants=constants, lines=lines,
        unroll=writer.unroll, fetched=fetched(writer.spec, len(body.loads), turns),
    )  # fmt: skip


def _in_registers(text: BodyText, body: DigitBody, loop: DigitLoop) -> Iterator[str]:
    """Declarations of the constants."""
    for key, values in body.constants.items():
        yield from text.load(key, values, Place("c", loop.at[key], 1, broadcast=True))


def _in_memory(text: BodyText, body: DigitBody, loop: DigitLoop) -> Iterator[str]:
    """Leaves constants, and the digits of vectors, in memory: products read them there, row by row.

    Returns what stands in front of the loop: room for the digits.
    """
    target, printer = text.target, text.printer
    for key, values in body.constants.items():
        texts = (target.moves["broadcast"].format(p="c", i=loop.at[key] + i) for i in range(len(values)))
        printer.names.update(zip(map(id, values), texts, strict=True))
    made = {id(r) for i in body.block.instrs for r in i.results}
    found = dict.fromkeys(id(v) for row in body.digits.values() for v in row if id(v) in made)
    printer.kept = {value: ("m", target.lanes * i) for i, value in enumerate(found)}
    columns = {*printer.names, *(id(v) for key, row in body.digits.items() if key != "x" for v in row)}
    printer.rows = set(_rows(body.block.instrs, columns))
    yield from _room(target, len(found))


def _rows(instrs: list[Instr], columns: set[int]) -> Iterator[int]:
    """The first product of every row: those by one factor that is none of ``columns``."""
    row = 0
    for instr in instrs:
        if instr.op in LATENCY:
            factor = next(id(a) for a in (*instr.args[1:], instr.args[0]) if id(a) not in columns)
            if factor != row:
                yield id(instr.results[0])
            row = factor


def _room(target: Target, count: int) -> Iterator[str]:
    """Declares m, aligned, for ``count`` vectors."""
    line = target.lanes * target.word // 8
    yield f"uint64_t room[{target.lanes * (count + 1)}];"
    yield f"uint64_t *m = (uint64_t *)(((uintptr_t)room + {line - 1}) & ~(uintptr_t){line - 1});"
