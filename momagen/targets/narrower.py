"""Targets of shorter words for residues that fit these: chosen by the width of the modulus, or by the user's layout."""

from __future__ import annotations

from momagen.errors import MomagenError, nearest

from .check import LAYOUTS
from .read import load_target


def narrower(name: str, bits: int, layout: str = "") -> str:
    """The target that makes kernels for moduli of so many bits where the one called ``name`` is asked for.

    Args:
        layout: the words of users' arrays, one of :data:`LAYOUTS`; "": the shortest that put more residues, each with a
            bit to spare, into a register.

    Raises:
        MomagenError: no such target; or the layout is none that it has for this width.
    """
    own = load_target(name)
    words = {own.word: name, **{LAYOUTS[each]: other for each, other in own.layouts.items()}}
    if not layout:
        able = [word for word, other in sorted(words.items()) if bits < word and load_target(other).lanes > own.lanes]
        return words[able[0]] if able else name
    known = [text for text, word in LAYOUTS.items() if word in words and (bits <= word or word == own.word)]
    if layout not in known:
        wanted = f"a layout of {name} for {bits} bits: {', '.join(known) or 'none'}"
        raise MomagenError(wanted, layout, "layout", near=nearest(layout, known))
    return words[LAYOUTS[layout]]
