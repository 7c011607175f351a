"""Targets with shorter words, selected by the width of the modulus or by the user's layout."""

from __future__ import annotations

from momagen.errors import among, build_error

from .check import LAYOUTS
from .read import load_target


def narrower(name: str, bits: int, layout: str = "") -> str:
    """Return the name of the target whose words fit moduli of ``bits`` bits: ``name``, or one with shorter words.

    Args:
        name: The target that was requested.
        bits: The bit length of the modulus.
        layout: The words of users' arrays, one of :data:`LAYOUTS`; "": the shortest words that hold a residue with one
            bit to spare, if a register then holds more residues.

    Raises:
        MomagenError: The target is unknown, or does not support the layout at this width.
    """
    own = load_target(name)
    words = {own.word: name, **{LAYOUTS[each]: other for each, other in own.layouts.items()}}
    if not layout:
        able = [word for word, other in sorted(words.items()) if bits < word and load_target(other).lanes > own.lanes]
        return words[able[0]] if able else name
    known = [text for text, word in LAYOUTS.items() if word in words and (bits <= word or word == own.word)]
    if layout not in known:
        if layout not in LAYOUTS:
            raise among("one of the layouts", known, layout, "layout")
        problem = f'`layout="{layout}"` is not available for a modulus of {bits} bits on `{name}`'
        raise build_error(problem, "layout", f"use {' or '.join(known)}" if known else "leave it out")
    return words[LAYOUTS[layout]]
