"""The transforms of standards by name, which set the values of parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from momagen.errors import build_error
from momagen.kinds.limits import Limit, check
from momagen.params.presets import preset
from momagen.values.texts import flag

from .kinds.modular_kind import ModularKind

SET = ("n", "max_n", "depth", "modulus_bits", "modulus", "moduli", "root", "roots", "generator")
"""The parameters that a preset sets, or that concern other moduli or sizes."""
LIMITS = (
    Limit(lambda given: next((name for name in SET if given.get(name) not in (None, 0)), ""), "{1}",
          "`{1}` cannot be combined with `preset`, which determines the transform", "omit `{1}`"),
)  # fmt: skip
"""The parameters that exclude a preset."""
REFERENCE = "reference"
"""The value of ``montgomery`` that selects the factor in the reference implementation of the preset."""


def filled(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values with the values that the preset among them sets.

    Raises:
        MomagenError: There is no such preset, or it is combined with a value that it sets.
    """
    if "preset" not in given:
        return dict(given)
    found = preset(given["preset"]).given
    check(given, LIMITS)
    return {**given, **found}


def reference(given: Mapping[str, Any], kind: ModularKind) -> int:
    """Return k of the factor 2^k of inverse transforms, or 1/2^k of products, in the preset's reference implementation.

    Raises:
        MomagenError: There is no preset.
    """
    if "preset" not in given:
        problem = f'`montgomery="{REFERENCE}"` requires a preset'
        raise build_error(problem, "montgomery", "specify `preset`, or a number of bits")
    known = preset(given["preset"]).reference
    return known.get(kind.reference_of(flag(given.get("inverse", False), "inverse")), 0)
