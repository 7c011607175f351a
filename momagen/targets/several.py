"""Targets that leave residues of several words to another one."""

from __future__ import annotations

from .read import load_target
from .target import Target


def target_of(name: str, bits: int) -> Target:
    """The target whose words hold residues of so many bits: the one called ``name``, or if they need several of its
    words, the one that it names for those.

    Raises:
        MomagenError: no such target, or a broken file.
    """
    target = load_target(name)
    return load_target(target.several) if target.several and bits > target.word else target
