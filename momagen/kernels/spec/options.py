"""The options of a kernel beside its shape: their names and values, one table for requests, wisdom and the tuner."""

from __future__ import annotations

from collections.abc import Mapping

from momagen.errors import among
from momagen.formula.algorithms import ALGORITHMS
from momagen.formula.transforms import RADICES
from momagen.rewrite import DEFAULTS, table
from momagen.targets.check import UNROLLS

KERNEL_OPTIONS: Mapping[str, tuple[str, ...]] = {
    "algorithm": tuple(ALGORITHMS), "bake": ("no", "yes"), "radix": tuple(map(str, RADICES)), "reduction": (),
    "unroll": UNROLLS,
    "digits": ("full", "slack"), "interleave": ("1", "2", "3", "4", "6", "8"),
    "levels": ("2", "3", "4", "5", "6"), "group": ("1", "2", "4", "8"),
    "paired": ("no", "yes"), "constants": ("registers", "memory"), "chain": ("8", "16", "32", "64"),
    "twiddles": ("whole", "packed"), "storage": ("digits", "words"), "quotients": ("table", "computed"),
    **dict.fromkeys(("cmp", "input_factor", "output_factor"), ()),
}  # fmt: skip
"""Options beside the choices of the rule table, with their values; () where those depend on the kernel."""
TILING = ("levels", "group", "paired", "constants", "chain", "twiddles", "storage")
"""Those of a transform in tiles: the most levels of a pass, blocks processed together, two interleaved butterflies,
where a butterfly reads its constants, the longest chain of multiply-adds, how tables hold per-lane twiddles, and how
residues are stored between two passes over columns."""
MACHINE = ("carry", "borrow", "product")
"""Choices of the rule table that every target makes; given as options, they hold for vector code, not for set-up."""

RULES = ("multiply", "compare", *MACHINE)
"""Options that choose among rules for words."""


def choices() -> dict[str, tuple[str, ...]]:
    """The options of the rule table, each with its values, the default one first."""
    found = {option: [value] for option, value in DEFAULTS.items()}
    for rule in table():
        option, _, value = rule.choice.partition(":")
        if option and value not in found.setdefault(option, []):
            found[option].append(value)
    return {option: tuple(values) for option, values in found.items() if len(values) > 1}


def options() -> dict[str, tuple[str, ...]]:
    """All of them."""
    return {**choices(), **KERNEL_OPTIONS}


def check_option(name: str, value: str) -> str:
    """``value``, or MomagenError where there is no such option, or none of its values."""
    allowed = options()
    if name not in allowed:
        raise among("an option among", sorted(allowed), name, "options")
    if allowed[name] and value not in allowed[name]:
        raise among("one of", allowed[name], value, name)
    return value
