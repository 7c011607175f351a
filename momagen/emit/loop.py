"""Loops over elements: the C function that does z = f(x, y), or f(x), for one vector of residues after another."""

from __future__ import annotations

from itertools import accumulate

from momagen.kernels.frame import Elementwise
from momagen.kernels.lanes import Wanted, move
from momagen.kernels.stage import USER, inverse_places, near_places

from .body import Body, Move, bare_body, moved_body
from .c import BodyText, Place, templates
from .sink import sunk
from .source import Writer


def write_loop(writer: Writer, name: str, codelet: Elementwise, lanes: int, layout: str) -> None:
    """Write ``void name(z, x, y, c, n)``: n vectors of ``lanes`` residues in ``layout``; c holds the constants.

    There is no y where the codelet has none.
    """
    target, count = (writer.target if lanes > 1 else writer.host), writer.arith.words
    body = bare_body(writer.lower(codelet.block, target), codelet.vectors, "z", count, target.word)
    if lanes > 1 and layout == USER and count > 1:
        body = sunk(_from_user(body, lanes, target.word), target.ops.__contains__)
    text = BodyText(target, writer.chains)
    constants: list[str] = []
    for key, offset in zip(codelet.constants, offsets(codelet), strict=True):
        constants += text.load(key, body.others.get(key, ()), Place("c", offset, 1, broadcast=target.vector))
    lines = [
        line
        for key, row in zip(codelet.vectors, body.loads, strict=True)
        for line in text.load(key, row, Place(key, 0, lanes))
    ]  # fmt: skip
    lines += text.instructions(body.block)
    lines += text.store(body.stores[0], Place("z", 0, lanes))
    writer.texts[name] = templates().get_template("c/loop.c.j2").render(
        name=name, attribute="MG_SIMD " if target.attribute else "", advance=lanes * count,
        vectors=codelet.vectors, constants=text.needed(constants), lines=text.needed(lines),
        unroll=writer.unroll,
    )  # fmt: skip


def offsets(codelet: Elementwise) -> list[int]:
    """Where each constant begins, in words."""
    return list(accumulate(codelet.constants.values(), initial=0))[:-1]


def _from_user(body: Body, lanes: int, word: int) -> Body:
    """``body`` with moves from residue after residue to one word per register, and back.

    Elements share nothing but constants, so their order in the lanes is free.
    """

    def moved(places: Wanted) -> Move:
        return lambda b, grid: [move(b, row, places) for row in grid]

    places = near_places(len(body.loads[0]), lanes)
    return moved_body(body, word, moved(places), moved(inverse_places(places)))
