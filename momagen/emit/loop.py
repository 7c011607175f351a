"""Loops over elements: the C function that does z = f(x, y), or f(x), for one vector of residues after another."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate

from momagen.ir import Builder
from momagen.kernels.frame import Elementwise
from momagen.kernels.stage import USER

from .body import Body, Move, bare_body, moved_body
from .c import BodyText, Place, templates
from .layout import Layout, Row, layout_of
from .sink import sunk
from .source import Writer
from .turns import fetched, in_turns, share, texts_of


def write_loop(
    writer: Writer, name: str, codelet: Elementwise, lanes: int, layout: str, turns: int = 1
) -> None:
    """Write ``void name(z, x, y, c, n)``: ``turns`` times n vectors of ``lanes`` residues in ``layout``, as many at
    once, statement by statement in turns; c holds the constants.

    There is no y where the codelet has none.
    """
    target, count = (writer.target if lanes > 1 else writer.host), writer.arith.words
    body = bare_body(writer.lower(codelet.block, target), codelet.vectors, "z", count, target.word)
    memory = layout_of(target, count, lanes, layout == USER)
    if lanes > 1 and layout == USER and count > 1:
        body = sunk(_from_user(body, memory, target.word), target.ops.__contains__)
    texts = texts_of(target, writer.chains, turns)
    constants: list[str] = []
    for key, offset in zip(codelet.constants, offsets(codelet), strict=True):
        constants += texts[0].load(key, body.others.get(key, ()), Place("c", offset, 1, broadcast=target.vector))
    share(texts)

    def statements(text: BodyText, turn: int) -> list[str]:
        pairs = zip(codelet.vectors, body.loads, strict=True)
        lines = [line for key, row in pairs for line in memory.load(text, key, row, turn)]
        lines += text.instructions(body.block)
        return text.needed([*lines, *memory.store(text, "z", body.stores[0], turn)])

    lines = in_turns(texts, statements)
    writer.texts[name] = templates().get_template("c/loop.c.j2").render(
        name=name, attribute="MG_SIMD " if target.attribute else "", advance=lanes * count * turns,
        vectors=codelet.vectors, constants=texts[0].needed(constants), lines=lines, unroll=writer.unroll,
        fetched=fetched(writer.spec, len(codelet.vectors), turns) if codelet.multiplies and lanes > 1 else None,
    )  # fmt: skip


def offsets(codelet: Elementwise) -> list[int]:
    """Where each constant begins, in words."""
    return list(accumulate(codelet.constants.values(), initial=0))[:-1]


def _from_user(body: Body, memory: Layout, word: int) -> Body:
    """``body`` with moves from residue after residue to one word per register, and back."""

    def each(moved: Callable[[Builder, Row], Row]) -> Move:
        return lambda b, grid: [moved(b, row) for row in grid]

    return moved_body(body, word, each(memory.arrive), each(memory.leave), memory.registers)
