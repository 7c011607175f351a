"""The range plan of limbs in integer lanes: lazy reduction, in which only results are reduced and butterflies are not.

Factors are limbs modulo 2^word, so values must stay in [0, R) for R = 2^held. They begin at an offset, which
is a multiple of q, and a product changes them by at most g·q at each level. If products are balanced around
zero by subtracting g·q/2, they change values by half as much. If even then not all levels fit, each pass
begins with a reduction, which is cheaper than one more limb.
"""

from __future__ import annotations

from dataclasses import replace

from .reduced_radix import LEVELS, ReducedRadix, fewest, power

LOOSE, DOUBLED, SETTLED = 2, 3, 5
"""The number of bits of a lane that limbs leave free: if no level normalises carries; if sums double until a
level normalises them; and otherwise. Every level adds less than 4·words·2^word."""


def lazy(asked: ReducedRadix, spare: int = 0) -> ReducedRadix:
    """Return the representation with the fewest limbs in which no value is reduced before the end.

    Args:
        asked: The properties of the transform.
        spare: The number of bits that values leave free.
    """

    def grown(count: int, tight: bool) -> int:
        """Return the bound of products for ``count`` limbs, in multiples of q.

        It is count + 1 for folded constants. For a truncated quotient it is 2 for each limb of the
        operation's width, or 3 in total if the quotient includes one more column.
        """
        return max(count + 1, 3 if tight else 2 * power(count))

    def reach(count: int, tight: bool) -> int:
        """Return the bound of values, in multiples of q.

        Sums double at each level. Otherwise the bound is twice the offset, which is the sum of all numbers
        that differences subtract.
        """
        g = grown(count, tight)
        return power(4 * g << max(asked.levels, 4) if asked.doubling else 2 * (g * asked.levels + asked.m_in - 1))

    def least(tight: bool) -> int:
        """Return the number of limbs for the largest value between levels, or for differences if sums double."""
        need = asked.bits + asked.doubling + spare
        return fewest(asked, lambda c: need + (reach(c, tight) - 1).bit_length() <= c * asked.word)

    deep = not asked.folds and not spare and least(True) < least(False)
    tight = asked.folds or deep
    count = least(tight)
    found = replace(asked, words=count, grown=grown(count, tight), deep=deep, reach=reach(count, tight))
    return _bounded(found, asked.levels)


def balanced(asked: ReducedRadix, apart: int, cyclic: bool) -> ReducedRadix:
    """Return the representation with the fewest limbs, with lazy products or with products around zero.

    Among those with the fewest limbs it has the fewest reductions.

    Args:
        asked: The properties of the transform.
        apart: The number of levels of the last pass whose constants differ by lane, which is also the number
            of the levels of the pass before them.
        cyclic: Whether the transform is modulo x^n - 1, whose first two levels are sums except for one
            product.
    """
    ways = [] if asked.doubling else [_balanced(asked, apart, cyclic, b) for b in (0, *range(LEVELS, 1, -1))]
    return min([lazy(asked), *ways], key=lambda way: way.words)  # the first one among equal numbers of limbs


def _balanced(asked: ReducedRadix, apart: int, cyclic: bool, between: int) -> ReducedRadix:
    """Return the representation with the fewest limbs for products around zero.

    Args:
        asked: The properties of the transform.
        apart: The number of levels of the last pass whose constants differ by lane.
        cyclic: Whether the transform is modulo x^n - 1.
        between: The largest number of levels of a pass if each pass except the first one begins with a
            reduction, or 0 if no pass does.
    """
    last, levels = 2 * apart, asked.levels

    def bears(count: int, m: int, levels: int, apart: int = 0, opens: bool = False) -> bool:
        """Return whether values below m·q, with an offset, stay in [0, room·q) during ``levels`` levels.

        Args:
            count: The number of limbs.
            m: The bound of the values at the beginning, in multiples of q.
            levels: The number of levels.
            apart: The number of levels at the end that have Shoup products.
            opens: Whether these are the first levels of the transform, two of which may be sums
                (``sums_first``).
        """
        room, half = 1 << count * asked.word - asked.bits, count // 2 + 1  # a product has count + 1 multiples of q
        up, down, left = m, 0, levels - apart
        if opens and cyclic and left >= 2 and 3 * m < 2 * max(count + 1, 3):
            up, down, left = max(4 * m, m + half), max(2 * m, m + half), left - 2
        moved = half * left + (half if asked.folds else 2) * apart
        lift = (room - m + 1) // 2
        return down + moved <= lift and lift + up + moved <= room

    def fits(count: int) -> bool:
        if not between or levels <= last:  # a level on columns has two rows, and no sums of four
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
    """Return ``a`` with the bounds of its limbs, to which each of ``steps`` additions adds less than 4·words·2^word.

    A column of products fits the lane. Sums that double are normalised; all other values are products.
    """
    added = 4 * a.words << a.word
    settles = a.doubling or steps * added > 1 << a.lane - LOOSE
    loose = added.bit_length() if a.doubling else a.lane - (SETTLED if settles else LOOSE)
    pace = ((1 << a.lane - DOUBLED) // added).bit_length() if a.doubling else 1
    # Estimates of quotients omit whole limbs if the remaining bits stay below 2^(word - 1).
    cut, most = a.word * ((a.bits - 2) // a.word), a.bits + (a.reach if a.rests else a.last).bit_length()
    cut = cut if most - cut < a.word else most - a.word + 1
    return replace(a, begun=added, loose=loose, pace=pace, settles=settles, cut=cut)
