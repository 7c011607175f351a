"""Layouts of residues in memory, and the contents of registers that are loaded from them.

In the user's layout residues follow one another, each with its low word first. In the lane layout a group of
residues is stored word by word, so that a register contains one word of each residue.
"""

from __future__ import annotations

from .permutation_network import Wanted

USER, LANES = "user", "lanes"
"""The layouts of memory: residue after residue with the low word first; or, in groups of ``lanes`` residues,
word after word."""


def user_places(words: int, lanes: int) -> Wanted:
    """Return where word w of lane e is in the registers that contain ``lanes`` residues of the user's layout."""
    return [[divmod(e * words + w, lanes) for e in range(lanes)] for w in range(words)]


def near_places(words: int, lanes: int) -> Wanted:
    """Return the places as :func:`user_places` does, with the elements in the order that takes the fewest permutes.

    The lane bits that number words are exchanged with register bits; no other bit moves.
    """
    if words & (words - 1) or words > lanes:
        return user_places(words, lanes)
    return [[(lane % words, lane - lane % words + w) for lane in range(lanes)] for w in range(words)]


def inverse_places(places: Wanted) -> Wanted:
    """Return the places of the inverse move."""
    lanes = len(places[0])
    where = {place: (r, lane) for r, row in enumerate(places) for lane, place in enumerate(row)}
    return [[where[r, lane] for lane in range(lanes)] for r in range(len(places))]
