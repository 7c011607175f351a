"""The names that the statements of a function declare. Printers must not use them for their own variables."""

from __future__ import annotations

from collections.abc import Iterator

from .expressions import Name
from .statements import Statement


def declared(part: object) -> Iterator[str]:
    """Yield the names that the statements of ``part`` declare.

    Args:
        part: A statement or a sequence of statements. The bodies inside statements count as well.
    """
    if isinstance(part, Statement):
        name = getattr(part, "name", None)
        if name is not None:
            yield name.text if isinstance(name, Name) else name
        part = [each for each in vars(part).values() if isinstance(each, list | tuple)]
    if isinstance(part, list | tuple):
        for each in part:
            yield from declared(each)
