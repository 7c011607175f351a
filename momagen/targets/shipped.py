"""The targets that come with momagen, by name; nothing of them is read."""

from __future__ import annotations

from momagen.data import folder


def names() -> list[str]:
    """The names of all shipped targets."""
    return sorted(path.stem for path in folder("targets").glob("*.toml"))
