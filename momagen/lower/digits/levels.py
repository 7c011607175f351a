"""The levels of a transform on tiles of vectors that fit the first-level cache: loops of butterflies.

The level ``half`` has blocks of 2·``half`` vectors. Its butterflies combine vectors that are ``half`` vectors
apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, partial

from momagen.ir import Value
from momagen.kernels.butterflies.levels import cooley_tukey, gentleman_sande
from momagen.program import Expr, Load, Name, Run, Statement, Store, Woven

from .bodies import DigitBody, butterfly
from .writer import TileWriter

DOES = (
    ". Reads `rows` vectors, which are `source_step` words apart, from `source`, and writes them to `out`, `out_step`"
    " words apart; s is scratch memory. Returns the end of the twiddles that it used."
)
FAR, NEAR = ((0, 2), (1, 3)), ((0, 1), (2, 3))
"""The pairs of four vectors that the butterflies of a level combine, and the pairs of the next level."""


def write_levels(writer: TileWriter, name: str, *, opens: bool = False) -> None:
    """Write the functions for the levels from ``first`` down to 1, or from 1 up to ``first`` in an inverse transform.

    One loop computes two levels if the registers hold four residues and three twiddles. If the number of
    levels is odd, one level has a separate loop.

    Args:
        writer: The writer of the transform.
        name: The name of the function: "shared" if all lanes of a vector have the same twiddle, or "apart" if
            each lane has its own.
        opens: Whether carries of sums are not normalised in these levels.
    """
    plan, shared = writer.plan, name == "shared"
    loops = cache(partial(_loops, writer, shared))
    if plan.fused:
        runs = plan.runs * shared
        writer.write("fused", name, copies="inline" if runs else "apart", prefetched=0, **loops())
        for rows, half in runs:
            writer.write("shared_run", f"{name}_{rows}_{half}", rows=rows, half=half)
        return
    for prefetched in {0} | {one.prefetched for one in plan.passes if shared}:
        called = name + "_prefetching" * (prefetched > 0)
        if opens or writer.inner.pace == 1:
            writer.write("levels", called, bound=0, prefetched=prefetched, **loops(settles=not opens))
            continue
        parts = {part: partial(writer.call, f"{called}_{part}") for part in ("open", "settled")}
        for part in parts:
            settles = part == "settled"
            writer.write("levels", f"{called}_{part}", bound=1, prefetched=prefetched, **loops(settles=settles))
        writer.write("paced", called, prefetched=prefetched, **parts)


def _loops(writer: TileWriter, shared: bool, settles: bool = True) -> Mapping[str, object]:
    """Return the values that the texts of loops use, by name.

    Args:
        writer: The writer of the transform.
        shared: Whether all lanes of a vector have the same twiddle.
        settles: Whether the carries of sums are normalised.
    """
    a, plan = writer.inner, writer.plan
    block = gentleman_sande(a, shared, settles) if plan.breakdown.inverse else cooley_tukey(a, shared)
    one = butterfly(writer, writer.lowered(block), shared)
    second, *three = (one.other(turned=True) for _ in range(4))

    def three_twiddles(*tables: Name) -> list[Statement]:
        return [load for each, table in zip(three, tables, strict=True) for load in each.twiddle(table)]

    return {
        "does": DOES, "line": writer.target.first.line * 8 // writer.target.word,
        "entry": a.shared_words if shared else a.apart_words * plan.lanes, "together": 1 + plan.paired,
        "anew": int(plan.again and (shared or not a.packed)), "constants": one.constants, "twiddle": one.twiddle,
        "second_twiddle": second.twiddle, "butterflies": partial(_side_by_side, [one, *[one.other()] * plan.paired]),
        "neighbour_butterflies": partial(_side_by_side, [one, second]),
        "three_twiddles": three_twiddles, "four_butterflies": partial(_four, one, three, plan.breakdown.inverse),
    }  # fmt: skip


def _side_by_side(
    each: Sequence[DigitBody], x: Expr, y: Expr, x_to: Expr, y_to: Expr, step: Expr, to_step: Expr
) -> list[Statement]:
    """Return interleaved butterflies on pairs of vectors.

    Args:
        each: The butterflies.
        x: The address of the first input of the first butterfly.
        y: The address of its second input.
        x_to: The address of its first result.
        y_to: The address of its second result.
        step: The distance of the inputs of consecutive butterflies, in words.
        to_step: The distance of their results, in words.
    """
    parts = list[list[Statement]]()
    for at, one in enumerate(each):
        legs, goals = [x + step * at, y + step * at], [x_to + to_step * at, y_to + to_step * at]
        parts.append(one.at("zw" if at else "xy", legs, goals))
    return [Woven(parts)] if len(parts) > 1 else parts[0]


def _four(one: DigitBody, twiddles: Sequence[DigitBody], inverse: bool, *places: Expr) -> list[Statement]:
    """Return two levels of butterflies on four vectors, with the two butterflies of each level interleaved.

    The butterflies of vectors that are far apart share one twiddle; the others have one twiddle each.

    Args:
        one: The butterfly.
        twiddles: The butterflies whose twiddles are used.
        inverse: Whether the level of adjacent vectors is first.
        places: The addresses of the four inputs, then of the four results.
    """
    far, close, other = twiddles
    legs: list[list[Value]] = [one.other().body.loads[0] for _ in range(4)]
    found: list[Statement] = [Load(name, leg, at) for name, leg, at in zip("xyzw", legs, places[:4], strict=True)]
    ways = [(FAR, (far, far)), (NEAR, (close, other))]
    for pairs, own in ways[::-1] if inverse else ways:
        both = [one.other(legs=[legs[a], legs[b]], of=of) for (a, b), of in zip(pairs, own, strict=True)]
        found.append(Woven([[Run(each.body.block)] for each in both]))
        for pair, each in zip(pairs, both, strict=True):
            for at, row in zip(pair, each.body.stores, strict=True):
                legs[at] = row
    return [*found, *(Store(leg, goal) for leg, goal in zip(legs, places[4:], strict=True))]
