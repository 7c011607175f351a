"""The twiddles of inverse transforms by decimation in time, as the broken-down formula states them.

Level l joins values whose positions differ in bit l. The value whose bit l is set is first multiplied by a
twiddle; the turn of the twiddle is a sum over the lower bits of the position. After the last level, each
coefficient of a negacyclic transform has a factor, whose turn is a sum over the bits of its position.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from momagen.errors import build_error
from momagen.formula.atoms import Diagonal, Permutation
from momagen.formula.breakdown import asked, expand
from momagen.formula.factors import stages
from momagen.formula.transforms import NTT

from .level_twiddles import REMEDY, LevelTwiddles, turn_at

COOLEY_TUKEY = "cooley_tukey"


@cache
def time_levels(n: int, negacyclic: bool = False) -> tuple[LevelTwiddles, ...]:
    """Return the twiddles of all levels, followed by the factors of the coefficients.

    Args:
        n: The number of points, a power of two.
        negacyclic: Whether the ring is Z_q[x]/(x^n + 1).

    Raises:
        MomagenError: The broken-down formula does not decimate in time, level by level.
    """
    found, diagonals = list[LevelTwiddles](), list[Diagonal]()
    for stage in stages(expand(*asked(COOLEY_TUKEY, n, 2, inverse=True, negacyclic=negacyclic))):
        if isinstance(stage.core, NTT):
            if stage.right != 1 << len(found):
                raise build_error(f"the formula does not join bit {len(found)} of positions", "formula", REMEDY)
            found.append(_read(diagonals, len(found), 1 << len(found)))
            diagonals = []
        elif isinstance(stage.core, Diagonal):
            diagonals.append(stage.core)
        elif isinstance(stage.core, Permutation) and found:
            raise build_error("the formula moves values between levels", "formula", REMEDY)
    return (*found, _read(diagonals, len(found), 0))


def _read(diagonals: Sequence[Diagonal], bits: int, leg: int) -> LevelTwiddles:
    """Return the turns at positions that have the bit ``leg`` and some of the lower bits."""
    return LevelTwiddles.read(lambda position: turn_at(diagonals, leg + position), bits)
