"""The names of the shipped targets; their files are not read."""

from __future__ import annotations

from momagen.data import folder
from momagen.errors import MomagenError, nearest

COMMON = ("c", "avx2", "avx512", "cuda", "jax")
"""The targets that an error names, because a list of all would be too long."""


def names() -> list[str]:
    """Return the names of all shipped targets."""
    return sorted(path.stem for path in folder("targets").glob("*.toml"))


def unknown(name: str, where: str) -> MomagenError:
    """Return the error for a name that no shipped target has."""
    near = nearest(name, [*names(), *["native"] * (where == "target")])
    common = f"a target such as {', '.join(COMMON[:-1])} or {COMMON[-1]}"
    return MomagenError(common, name, where, "run `momagen targets` to list all targets", near)
