"""Targets, as users name them."""

from __future__ import annotations

from os import PathLike

from momagen.errors import MomagenError, quoted
from momagen.targets import Target, load_target, right

TargetName = str | PathLike[str]
"""The type of ``target``: the name of a shipped target, "native" for the best target of this CPU, or a TOML file."""


def target_name(target: object, where: str = "target") -> str:
    """Return the name of a target, or the path of its file.

    Raises:
        MomagenError: ``target`` is neither a text nor a path, or names a target whose results are incorrect by design.
    """
    if not isinstance(target, str | PathLike):
        raise MomagenError("the name of a target or a TOML file", quoted(target), where)
    return right(str(target), where)


def requested_target(target: object, where: str = "target") -> Target:
    """Return the target that the user names in the argument ``where``; a target stays as it is.

    Raises:
        MomagenError: There is no such target, its file is invalid, or its results are incorrect by design.
    """
    return target if isinstance(target, Target) else load_target(target_name(target, where))
