"""The macros of operating systems that select variants of the source."""

from __future__ import annotations

import re
from itertools import product

ANY = "a_value_that_depends_on_the_system"
LINUX, HUGE_PAGES = "__linux__", "MADV_HUGEPAGE"
MACROS = {LINUX: ANY, "_DEFAULT_SOURCE": ANY, HUGE_PAGES: HUGE_PAGES}
"""The macros that a system or its headers may define, with their values. The name ``MADV_HUGEPAGE`` remains."""


def systems(text: str) -> list[dict[str, str]]:
    """Return, for each kind of system, which of the macros that a source mentions it defines, with their values.

    Linux may define ``MADV_HUGEPAGE``, and other systems do not. The first system defines all macros.
    """
    named = [name for name in MACROS if re.search(rf"\b{name}\b", text)]
    found = [
        {name: MACROS[name] for name, is_defined in zip(named, choice, strict=True) if is_defined}
        for choice in product((True, False), repeat=len(named))
    ]
    return [macros for macros in found if LINUX in macros or HUGE_PAGES not in macros]
