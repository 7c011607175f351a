"""The range plan of floating-point limbs: signed values, in the longest limbs whose sums are exact.

Limbs are integers of up to 53 bits and a sign, so that all sums below are exact; codelets request every
rounding explicitly. If one double holds a residue, a product by a constant is reduced by the nearest multiple
of q, which a precomputed quotient determines (Intel HEXL, WAHC 2021, Algorithm 9). The result is within q/2
plus the error of the quotient.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import accumulate, repeat, takewhile
from math import ceil

from momagen.ir.real import MANTISSA

from .reduced_radix import LEVELS, ReducedRadix, fewest

SHORTEST = 32
"""The smallest number of bits of a limb."""
LONGEST = 960
"""The largest number of bits of a modulus. The units of constants, 2^-(word·words) and larger, are then
normal doubles, which the setup constructs from an exponent."""
SPREAD, KEPT = 24, 8
"""The least modulus has ``SPREAD`` bits fewer than the width, and at least ``KEPT`` bits above the limbs that
the estimate of a quotient omits. The error of the estimate is below 2^-KEPT + reach·2^(SPREAD - word)."""
DIGIT = MANTISSA - 1
"""The number of bits of an integer in one double, and of the estimate of 1/q."""
FACTOR = MANTISSA - 2
"""The largest number of bits of a factor. Its quotient then has the same number of bits, and a sum rounds it
to an integer."""
NEAREST = Fraction(1, 2) + Fraction(1, 1 << 16)
"""The bound of reduced values in multiples of q. The estimate of 1/q contributes far less than 2^-16."""
SUMS = 2
"""The number of levels that are sums of reduced values (`sums_first`). They leave values within 2·2·NEAREST."""


def doubles(asked: ReducedRadix, most: int, quotients: int = 1, first: int = 0) -> ReducedRadix:
    """Return the representation with the fewest limbs of at most ``most`` bits, and among these the shortest limbs.

    Args:
        asked: The properties of the transform.
        most: The largest number of bits of a limb.
        quotients: The largest number of limbs for which constants come with precomputed quotients by q.
        first: The number of levels of the first pass, or 0. If there are more levels and sums double, passes
            may begin with a reduction of all values, which costs less than one more limb. With 0 no pass
            does.
    """
    passes = range(first, LEVELS + 1) if asked.doubling and 0 < first < asked.levels else ()
    sized = [replace(asked, word=word, real=True, folds=True) for word in range(SHORTEST, most + 1)]
    tried = [(each, between) for between in (0, *passes) for each in (_exact(a, quotients, between) for a in sized)]
    return min(((a, b) for a, b in tried if a), key=lambda it: (it[0].words, it[1] > 0, -it[1], it[0].word))[0]


def _exact(asked: ReducedRadix, quotients: int, between: int) -> ReducedRadix | None:
    """Return the representation for the limbs of ``asked``, or None unless all sums are exact.

    These are the sums of limbs after levels, of high halves, and of x - e·q between passes and at the end.

    Args:
        asked: The properties of the transform, with the width of limbs.
        quotients: The largest number of limbs for which constants come with precomputed quotients by q.
        between: The largest number of levels of a pass if each pass except the first one begins with a
            reduction, or 0 if no pass does.
    """
    word, levels, doubling = asked.word, asked.levels, asked.doubling

    def grown(count: int) -> int:
        """Return the bound of products for ``count`` limbs, in multiples of q.

        A precomputed quotient consists of ``count`` rounded parts. Without it, factors and the Montgomery
        quotient are within half of 2^word, and the leading factor within 2^word.
        """
        return count // 2 + (1 if count <= quotients else 2)

    def reach(count: int) -> int:
        each = grown(count)
        return max(each, asked.m_in) << (between or levels) if doubling else each * levels + asked.m_in

    count = fewest(asked, lambda c: asked.bits + doubling + reach(c).bit_length() <= c * word)
    added = 2 * count + 3 << word - 1  # the sum in a product: high and low halves, for all factors and the quotient
    grows = not doubling and (1 << word) + levels * added > 1 << MANTISSA - 1
    run = between or (LEVELS if grows else max(levels, 1))
    loose = (added if doubling else (1 << word) + run * added).bit_length()
    begun = added + (1 << word - 1)  # one half more, for the rounding of the halves themselves
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
    """Return ``a`` with the estimate of quotients, which omits all limbs except two.

    The final reduction also divides by 2^over if the estimate is accurate, for the values that levels leave,
    for moduli of up to ``fitting`` bits fewer than the width.
    """
    fitting = a.word - 3 - a.reach.bit_length()
    held = a.bits + a.over <= a.word * a.words
    over = a.over if a.words > 1 and held and 2 * fitting >= SPREAD and 2 * a.over < MANTISSA else 0
    spread = min(SPREAD, fitting) if over else SPREAD
    return replace(a, over=over, cut=max(a.word * max(a.words - 2, 0) + KEPT, a.bits - spread, 1) - 1)


def one_double(asked: ReducedRadix) -> ReducedRadix | None:
    """Return the representation in one double, or None if it lacks the headroom for the sums of levels.

    Each level adds at most q to a value, unless values are reduced.
    """
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
    """Return ``a`` with reductions at the beginning of every pass.

    If a pass could then have too few levels, values are reduced at the beginning of all passes except the
    first one, and before products.
    """
    nearest, sums = _drifts(a.bits, NEAREST), _drifts(a.bits, 4 * NEAREST)
    run, reach, factor = LEVELS, 0, 0
    if reduces := min(len(nearest) - 1, SUMS + len(sums) - 1) < LEVELS:
        run = min(LEVELS, (1 << max(MANTISSA - a.bits, 0)) - 2)
        reach = run + 1
    else:  # two of these levels may be sums
        factor, reach = (ceil(max(nearest[at], sums[at - SUMS])) for at in (LEVELS - 1, LEVELS))
    return replace(
        a, run=run, opening=run, reach=reach, factor=factor, reduces=reduces, settles_between=True, reduces_between=True
    )


def _drifts(bits: int, start: Fraction) -> list[Fraction]:
    """Return the bounds of values after successive levels, in multiples of q, as long as they can be factors.

    The values begin within ``start``·q. The quotient of y·v by means of u = ⌊v·2^53/q⌋ has an error of
    |y|/2^53, and rounding adds 1/2: a product is within (1/2 + |y|/2^53)·q, and a sum x + v·y of values
    within s·q is within s + 1/2 + s·2^bits/2^53 multiples of q.
    """
    lacks = Fraction(1 << bits, 1 << MANTISSA)
    drifts = accumulate(repeat(start), lambda s, _: s * (1 + lacks) + Fraction(1, 2))
    factors = list(takewhile(lambda s: s * (1 << bits) <= 1 << FACTOR, drifts))
    return [*factors, factors[-1] * (1 + lacks) + Fraction(1, 2)] if factors else [start]
