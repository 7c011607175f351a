"""The range plan of digits held in doubles: values of either sign, the longest digits whose sums are still exact.

Digits are integers of up to 53 bits and a sign, so all sums below are exact; a codelet asks for every rounding. Where
one double holds a residue, a product by a constant is reduced by the nearest multiple of q, as its precomputed quotient
says (Intel HEXL, WAHC 2021, Algorithm 9): within q/2 and the error of the quotient.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import accumulate, repeat, takewhile
from math import ceil

from momagen.ir.real import MANTISSA

from .reduced_radix import LEVELS, ReducedRadix, fewest

SHORTEST = 32
"""The fewest bits of a digit."""
LONGEST = 960
"""The most bits of a modulus: the units of constants, 2^-(word·words) and more, are then normal doubles, as set-up
makes them of an exponent."""
SPREAD, KEPT = 24, 8
"""The least modulus has so many bits fewer than the width, and at least so many above the digits that the estimate of a
quotient leaves out: the estimate errs by less than 2^-KEPT + reach·2^(SPREAD - word)."""
DIGIT = MANTISSA - 1
"""Bits of what one double holds, and of the estimate of 1/q."""
FACTOR = MANTISSA - 2
"""Bits of a factor at most: its quotient then has so many, and a sum rounds it to an integer."""
NEAREST = Fraction(1, 2) + Fraction(1, 1 << 16)
"""The bound of reduced values in multiples of q: the estimate of 1/q errs by far less than 2^-16."""
SUMS = 2
"""Levels that are sums on values that were reduced (`sums_first`): they leave values within 2·2·NEAREST."""


def doubles(asked: ReducedRadix, most: int, quotients: int = 1, first: int = 0) -> ReducedRadix:
    """The fewest digits of at most ``most`` bits, and of these the shortest.

    Args:
        quotients: up to so many digits, constants come with their precomputed quotients by q.
        first: levels of the first pass; where there are more levels and sums double, passes may begin with values that
            are reduced, which costs less than one more digit. 0: none does.
    """
    passes = range(first, LEVELS + 1) if asked.doubling and 0 < first < asked.levels else ()
    sized = [replace(asked, word=word, real=True, folds=True) for word in range(SHORTEST, most + 1)]
    tried = [(each, between) for between in (0, *passes) for each in (_exact(a, quotients, between) for a in sized)]
    return min(((a, b) for a, b in tried if a), key=lambda it: (it[0].words, it[1] > 0, -it[1], it[0].word))[0]


def _exact(asked: ReducedRadix, quotients: int, between: int) -> ReducedRadix | None:
    """Digits, if all sums are exact: of digits that levels leave, of high halves, and of x - e·q in between and at the
    end. ``between``: the most levels of a pass where each but the first begins with a reduction; 0: no pass does."""
    word, levels, doubling = asked.word, asked.levels, asked.doubling

    def grown(count: int) -> int:
        """A quotient of ``count`` rounded parts; else factors and the Montgomery digit are within half of 2^word, the
        leading factor within 2^word."""
        return count // 2 + (1 if count <= quotients else 2)

    def reach(count: int) -> int:
        each = grown(count)
        return max(each, asked.m_in) << (between or levels) if doubling else each * levels + asked.m_in

    count = fewest(asked, lambda c: asked.bits + doubling + reach(c).bit_length() <= c * word)
    added = 2 * count + 3 << word - 1  # by a product: halves above and below, of all factors and of the quotient
    grows = not doubling and (1 << word) + levels * added > 1 << MANTISSA - 1
    run = between or (LEVELS if grows else max(levels, 1))
    loose = (added if doubling else (1 << word) + run * added).bit_length()
    begun = added + (1 << word - 1)  # a half more, for what the halves themselves are rounded by
    found = replace(
        asked, words=count, over_q=count <= quotients, grown=grown(count), reach=reach(count), run=run, opening=run,
        loose=loose, begun=begun, pace=max(1, ((1 << MANTISSA) // begun).bit_length() - 1) if doubling else 1,
        settles=doubling, settles_between=grows or between > 0, reduces_between=between > 0,
    )  # fmt: skip
    room, ends = 1 << MANTISSA - 2, found.grown if doubling else found.reach
    exact = loose + doubling < MANTISSA and added <= room and (ends + 3) << word <= room
    if not exact or ((between or asked.rests) and (found.reach + 3) << word > 1 << MANTISSA):
        return None
    return _divided(found)


def _divided(a: ReducedRadix) -> ReducedRadix:
    """With the estimate of quotients, which leaves out all digits but two; 2^over is divided out at the end if those of
    what levels leave are right for moduli of ``fitting`` bits fewer than the width."""
    fitting = a.word - 3 - a.reach.bit_length()
    held = a.bits + a.over <= a.word * a.words
    over = a.over if a.words > 1 and held and 2 * fitting >= SPREAD and 2 * a.over < MANTISSA else 0
    spread = min(SPREAD, fitting) if over else SPREAD
    return replace(a, over=over, cut=max(a.word * max(a.words - 2, 0) + KEPT, a.bits - spread, 1) - 1)


def one_double(asked: ReducedRadix) -> ReducedRadix | None:
    """One double, or None where it has no room for what levels add to values: at most q each, or they are reduced."""
    bits, run = asked.bits, max(asked.levels, 1)
    a = replace(
        asked, word=DIGIT, words=1, real=True, folds=True, over=0, over_q=True, grown=1, reach=asked.levels + 1,
        run=run, opening=run, loose=MANTISSA, cut=max(bits - SPREAD, 1) - 1,
    )  # fmt: skip
    if asked.doubling:
        a = replace(a, reach=1, reduces=True)
    elif bits + a.reach.bit_length() > FACTOR:
        a = _reduced(a)
    room = bits < FACTOR and a.reach < 1 << MANTISSA - bits and asked.m_in << bits <= 1 << DIGIT
    return a if room else None


def _reduced(a: ReducedRadix) -> ReducedRadix:
    """Values are reduced at the start of every pass, or where too few levels fit, of all but the first and before
    products."""
    nearest, sums = _drifts(a.bits, NEAREST), _drifts(a.bits, 4 * NEAREST)
    run, reach, factor = LEVELS, 0, 0
    if reduces := min(len(nearest) - 1, SUMS + len(sums) - 1) < LEVELS:
        run = min(LEVELS, (1 << max(MANTISSA - a.bits, 0)) - 2)
        reach = run + 1
    else:  # of so many levels two may be sums
        factor, reach = (ceil(max(nearest[at], sums[at - SUMS])) for at in (LEVELS - 1, LEVELS))
    return replace(
        a, run=run, opening=run, reach=reach, factor=factor, reduces=reduces, settles_between=True, reduces_between=True
    )


def _drifts(bits: int, start: Fraction) -> list[Fraction]:
    """In multiples of q, what levels one after another leave that begin within ``start``·q, while factors fit.

    u = ⌊v·2^53/q⌋ makes the quotient of y·v err by |y|/2^53, rounding it by 1/2: a product is within
    (1/2 + |y|/2^53)·q, and a sum x + v·y of values within s·q is within s + 1/2 + s·2^bits/2^53 multiples of q.
    """
    lacks = Fraction(1 << bits, 1 << MANTISSA)
    drifts = accumulate(repeat(start), lambda s, _: s * (1 + lacks) + Fraction(1, 2))
    factors = list(takewhile(lambda s: s * (1 << bits) <= 1 << FACTOR, drifts))
    return [*factors, factors[-1] * (1 + lacks) + Fraction(1, 2)] if factors else [start]
