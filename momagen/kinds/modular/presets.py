"""Standards' transforms by name, as arguments of makers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from momagen.errors import build_error
from momagen.params.presets import preset

from .kinds.modular_kind import ModularKind

SAID = ("n", "max_n", "depth", "modulus_bits", "modulus", "moduli", "root", "roots", "generator")
"""Arguments that a preset has, or that are about other moduli or sizes."""
REFERENCE = "reference"
"""For ``montgomery``: what the reference code of the preset's standard does."""


def filled(name: object, given: Mapping[str, Any]) -> dict[str, Any]:
    """``given`` with what the preset of that name says; as it is where the name is None.

    Raises:
        MomagenError: no such preset, or an argument beside it that it has.
    """
    if name is None:
        return dict(given)
    found = preset(name).given
    for each in SAID:
        if given.get(each) not in (None, 0):
            problem = f"`{each}` cannot be combined with `preset`, which determines the transform"
            raise build_error(problem, each, f"omit `{each}`")
    return {**given, **found}


def reference(name: object, kind: ModularKind, *, inverse: bool) -> int:
    """K of the factor 2^k of an inverse transform, or 1/2^k of products, as the preset's reference code has it.

    Raises:
        MomagenError: no preset.
    """
    if name is None:
        problem = f'`montgomery="{REFERENCE}"` requires a preset'
        raise build_error(problem, "montgomery", "specify `preset`, or a number of bits")
    known = preset(name).reference
    return known.get(kind.reference_of(inverse), 0)
