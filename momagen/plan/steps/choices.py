"""The choices of the planner of register-blocked transforms."""

from __future__ import annotations

from typing import NamedTuple

RUN = 16
"""The number of blocks of rows that one loop after another processes. The first-level cache holds them and their
constants."""


class StepChoices(NamedTuple):
    """The choices of the planner, from which everything else of a register-blocked transform follows.

    Attributes:
        longer: Whether values between passes are in lanes of several words.
        ring: Whether values of limbs are not reduced.
        columns: The numbers of levels of the steps of each pass over columns, from the whole ring down.
        rows: The numbers of levels of a tile of rows on whole vectors and across lanes; (0, 0) without rows.
        pairs: Whether constants that differ by lane are stored with their quotients.
        together: The number of interleaved tiles of rows.
    """

    longer: bool
    ring: bool
    columns: tuple[tuple[int, ...], ...]
    rows: tuple[int, int] = (0, 0)
    pairs: bool = False
    together: int = 1
