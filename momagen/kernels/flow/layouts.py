"""Layouts of residues in memory, and what registers loaded from them hold.

In the user's layout residues follow one another, each low word first. In the lanes' layout a group of residues is
stored word by word, so that a register holds one word of each.
"""

from __future__ import annotations

from .permutation_network import Wanted

USER, LANES = "user", "lanes"
"""Layouts of memory: residue after residue, low word first; or, in groups of ``lanes`` residues, word after word."""


def user_places(words: int, lanes: int) -> Wanted:
    """Where word w of lane e stands in the registers that hold ``lanes`` residues of the user's layout."""
    return [[divmod(e * words + w, lanes) for e in range(lanes)] for w in range(words)]


def near_places(words: int, lanes: int) -> Wanted:
    """As ``user_places``, with the elements in the order that takes fewest permutes.

    The lane bits that number words change places with register bits; no other bit moves.
    """
    if words & (words - 1) or words > lanes:
        return user_places(words, lanes)
    return [[(lane % words, lane - lane % words + w) for lane in range(lanes)] for w in range(words)]


def inverse_places(places: Wanted) -> Wanted:
    """The move back."""
    lanes = len(places[0])
    where = {place: (r, lane) for r, row in enumerate(places) for lane, place in enumerate(row)}
    return [[where[r, lane] for lane in range(lanes)] for r in range(len(places))]
