"""Conversions between memory and tiles: from words to limbs, from limbs to words, and transpositions."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from momagen.ir import Block
from momagen.kernels.butterflies import levels
from momagen.kernels.flow.layouts import inverse_places, user_places
from momagen.kernels.residues.reduced_radix import ReducedRadix
from momagen.lower.body.networks import WOVEN, network, woven_places
from momagen.lower.digits.bodies import conversion
from momagen.lower.digits.writer import TileWriter
from momagen.program import Expr, Statement


class Conversion(NamedTuple):
    """A function that converts vectors.

    Attributes:
        codelet: A function that returns the codelet for a representation and a number of butterfly inputs.
        come: Whether the function loads words.
        go: Whether it stores reduced words.
        user: Whether these words are in the user's layout.
        table: Whether it reads a twiddle.
        levels: The part of its comment that describes its levels, or "" if it computes none.
    """

    codelet: Callable[[ReducedRadix, int], Block]
    come: bool = False
    go: bool = False
    user: bool = False
    table: bool = False
    levels: str = ""


CONVERSIONS = {
    "first": Conversion(levels.first, come=True, user=True, table=True,
                        levels=" on words at x. tw begins with the twiddle of the first level."),
    "end_turned": Conversion(lambda a, _: levels.finish(a, a.last, a.m_out), go=True),
    "begin_turned": Conversion(lambda a, _: levels.lift(a, a.m_in), come=True),
    "last": Conversion(levels.last, go=True, user=True, table=True,
                       levels=", divides by {n} and stores words at y. tw begins with the twiddles of these levels."),
    "begin": Conversion(lambda a, _: levels.lift(a, a.m_in), come=True, user=True),
    "end": Conversion(lambda a, _: levels.finish(a, a.last, a.m_out), go=True, user=True),
    "end_scaled": Conversion(lambda a, _: levels.finish(a, a.reach, a.m_out, scaled=True), go=True, user=True,
                             table=True),
    "settle": Conversion(lambda a, _: levels.settle(a)),
    "rest": Conversion(lambda a, _: levels.finish(a, a.reach, a.resting), go=True),
    "resume": Conversion(lambda a, _: levels.lift(a, a.resting), come=True),
    "copy": Conversion(lambda a, _: levels.copied(a)),
}  # fmt: skip
"""The conversions by the names of their functions, in the order in which the functions are written."""


def write_conversions(writer: TileWriter) -> None:
    """Write the function turn, which transposes a tile, and the conversions that the passes call."""
    target, plan, lanes = writer.target, writer.plan, writer.plan.lanes

    def transpose(x: Expr, step: Expr) -> list[Statement]:
        vectors = [x + step * i for i in range(lanes)]
        return network(target, woven_places(1, lanes), vectors, vectors)

    if not plan.row:
        writer.write("turn", transpose=transpose)
    for name, one in CONVERSIONS.items():
        if name in plan.conversions:
            _write(writer, name, one)
    if not (plan.product or plan.row):
        _write_user_order(writer)
    if plan.passes[0].width > 1 and not plan.breakdown.inverse:
        writer.write("ahead", line=target.first.line // 8)


def _write(writer: TileWriter, name: str, one: Conversion) -> None:
    """Write the function ``name``(y, x, c, y_step, x_step, count), which converts ``count`` vectors.

    The steps are the distances of the vectors, in words. If the function reads twiddles, their address
    precedes the steps. If it has several butterfly inputs, their distances at y and x precede the steps, too.
    Only the first twiddle that is not 1 is read.
    """
    plan, several = writer.plan, bool(one.levels)
    legs = range(plan.legs if several else 1)
    body = conversion(writer, one.codelet(plan.inner, len(legs)), come=one.come, go=one.go, user=one.user)
    names = [f"x{i}" for i in legs] if several else ["x"]

    def convert(x: Expr, x_leg: Expr, y: Expr, y_leg: Expr) -> list[Statement]:
        return body.at(names, [x + x_leg * i for i in legs], [y + y_leg * i for i in legs])

    writer.write(
        "conversion", name, several=int(several), table=int(one.table), does=one.levels.format(n=plan.breakdown.n),
        anew=int(plan.again and several), constants=body.constants, convert=convert,
        twiddle=body.twiddle if one.table else lambda _: [],
    )  # fmt: skip


def _write_user_order(writer: TileWriter) -> None:
    """Write the function gather or scatter, which converts a tile from the user's order or to it.

    One network converts the whole tile if that is short.
    """
    lanes, count, inverse = writer.plan.lanes, writer.arith.words, writer.plan.breakdown.inverse
    woven = count <= WOVEN and count & (count - 1) == 0
    own = woven_places(count, lanes) if woven else user_places(count, lanes)
    places = own if inverse else inverse_places(own)

    def move(to: Expr, source: Expr) -> list[Statement]:
        sources, goals = ([at + lanes * i for i in range(len(places))] for at in (source, to))
        return network(writer.target, places, sources, goals)

    writer.write("gather" if inverse else "scatter", woven=int(woven), move=move)
