"""The range plan of digits in lanes of integers: lazy reduction. Butterflies do not reduce; results are, at the end.

Factors are digits modulo 2^word, so values must stay in [0, R), R = 2^held: they begin at an offset of multiples of q,
and a product moves them by at most g·q at each level. Balanced around zero, with g·q/2 subtracted, products move values
half as far. If even then not all levels fit, each pass begins with a reduction: that is cheaper than one more digit.
"""

from __future__ import annotations

from dataclasses import replace

from .reduced_radix import LEVELS, ReducedRadix, fewest, power

LOOSE, DOUBLED, SETTLED = 2, 3, 5
"""The bits of a lane that digits leave: where no level normalises carries; where sums double until a level normalises
them; else. Every level adds less than 4·words·2^word."""


def lazy(asked: ReducedRadix, spare: int = 0) -> ReducedRadix:
    """The fewest digits in which no value is reduced before the end, with ``spare`` bits beyond what values need."""

    def grown(count: int, tight: bool) -> int:
        """count + 1 by folding; 2 for each digit of the operation's width by a truncated quotient, or 3 if that takes
        in one more column."""
        return max(count + 1, 3 if tight else 2 * power(count))

    def reach(count: int, tight: bool) -> int:
        """Sums double at each level; or the offset, which is what differences subtract in all, and as much again."""
        g = grown(count, tight)
        return power(4 * g << max(asked.levels, 4) if asked.doubling else 2 * (g * asked.levels + asked.m_in - 1))

    def least(tight: bool) -> int:
        """Digits that hold the largest value between levels or, where sums double, a difference of two."""
        need = asked.bits + asked.doubling + spare
        return fewest(asked, lambda c: need + (reach(c, tight) - 1).bit_length() <= c * asked.word)

    deep = not asked.folds and not spare and least(True) < least(False)
    tight = asked.folds or deep
    count = least(tight)
    found = replace(asked, words=count, grown=grown(count, tight), deep=deep, reach=reach(count, tight))
    return _bounded(found, asked.levels)


def balanced(asked: ReducedRadix, apart: int, cyclic: bool) -> ReducedRadix:
    """The fewest digits, lazy ones or those with products around zero, with as few reductions as those allow.

    Args:
        apart: the levels of the last pass whose constants differ by lane, as many as it has before them.
        cyclic: of x^n - 1, whose first two levels are sums but for one product.
    """
    ways = [] if asked.doubling else [_balanced(asked, apart, cyclic, b) for b in (0, *range(LEVELS, 1, -1))]
    return min([lazy(asked), *ways], key=lambda way: way.words)  # the first of equals


def _balanced(asked: ReducedRadix, apart: int, cyclic: bool, between: int) -> ReducedRadix:
    """With at most ``between`` levels in a pass, where each but the first begins with a reduction; 0: no pass does."""
    last, levels = 2 * apart, asked.levels

    def bears(count: int, m: int, levels: int, apart: int = 0, opens: bool = False) -> bool:
        """Whether values below m·q, with an offset, stay in [0, room·q) on so many levels, the last ``apart`` with
        Shoup products; ``opens``: the first levels of the transform, of which two may be sums (``sums_first``)."""
        room, half = 1 << count * asked.word - asked.bits, count // 2 + 1  # products have count + 1 multiples of q
        up, down, left = m, 0, levels - apart
        if opens and cyclic and left >= 2 and 3 * m < 2 * max(count + 1, 3):
            up, down, left = max(4 * m, m + half), max(2 * m, m + half), left - 2
        moved = half * left + (half if asked.folds else 2) * apart
        lift = (room - m + 1) // 2
        return down + moved <= lift and lift + up + moved <= room

    def fits(count: int) -> bool:
        if not between or levels <= last:  # level of columns: two rows, no sums of four
            return bears(count, asked.m_in, levels, apart, levels != last + 1)
        first = bears(count, asked.m_in, min(between, levels - last), 0, True)
        return first and bears(count, 2, between) and bears(count, 2, last, apart)

    count, run = fewest(asked, fits), between or LEVELS
    opening = next((x for x in range(LEVELS, run, -1) if bears(count, asked.m_in, x, 0, True)), run)
    found = replace(
        asked, words=count, grown=max(count + 1, 3), half=count // 2 + 1, deep=not asked.folds, run=run,
        opening=opening, reach=1 << count * asked.word - asked.bits, settles_between=between > 0,
        reduces_between=between > 0,
    )  # fmt: skip
    return _bounded(found, levels + (levels // 2 if between else 0))


def _bounded(a: ReducedRadix, steps: int) -> ReducedRadix:
    """``a`` with the bounds of its digits, which grow ``steps`` times by less than 4·words·2^word: a column of products
    fits the lane. Sums that double are normalised; all other values are products."""
    added = 4 * a.words << a.word
    settles = a.doubling or steps * added > 1 << a.lane - LOOSE
    loose = added.bit_length() if a.doubling else a.lane - (SETTLED if settles else LOOSE)
    pace = ((1 << a.lane - DOUBLED) // added).bit_length() if a.doubling else 1
    # Estimates of quotients leave out whole digits if what is left stays below 2^(word - 1).
    cut, most = a.word * ((a.bits - 2) // a.word), a.bits + (a.reach if a.rests else a.last).bit_length()
    cut = cut if most - cut < a.word else most - a.word + 1
    return replace(a, begun=added, loose=loose, pace=pace, settles=settles, cut=cut)
