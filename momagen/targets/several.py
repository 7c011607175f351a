"""The choice of a target for residues of several words."""

from __future__ import annotations

from .read import load_target
from .target import Target


def target_of(name: str, bits: int) -> Target:
    """Return the target whose words hold residues of ``bits`` bits.

    It is the target ``name``, or, for residues that need several of its words, the target that it names for these.

    Raises:
        MomagenError: There is no such target, or its file is invalid.
    """
    target = load_target(name)
    return load_target(target.several) if target.several and bits > target.word else target
