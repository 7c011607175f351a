"""Tables of limits: the combinations of kind, parameters, options and target for which momagen generates no kernel.

A kind states its limits next to its declaration, and a planner or a printer those of its targets. One function,
:func:`check`, raises the error of the first limit that applies, so that a refused combination is one row of a table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from momagen.errors import MomagenError


@dataclass(frozen=True)
class Limit:
    """A combination that is refused.

    The texts are format strings: ``{0}`` is the request, as in "{0.target}", and ``{1}`` what ``applies`` found.

    Attributes:
        applies: Returns a true value if a request has the combination.
        where: The argument at fault.
        problem: What is wrong, as :func:`momagen.errors.build_error` takes it; with ``expected``, the value at fault.
        remedy: What the user can do.
        expected: The values that are supported, if the error names these.
    """

    applies: Callable[[Any], Any]
    where: str
    problem: str
    remedy: str = ""
    expected: str = ""

    def error(self, request: object, found: object) -> MomagenError:
        """Return the error for a request, for which ``applies`` returned ``found``."""
        parts = self.expected, self.problem, self.where, self.remedy
        expected, problem, where, remedy = (part.format(request, found) for part in parts)
        return MomagenError(expected, problem, where, remedy, whole=not expected)


def check(request: object, limits: Iterable[Limit]) -> None:
    """Raise the error of the first limit that applies to a request.

    Raises:
        MomagenError: A limit applies.
    """
    for limit in limits:
        if found := limit.applies(request):
            raise limit.error(request, found)
