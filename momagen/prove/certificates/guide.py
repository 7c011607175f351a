"""Where the proofs of a kernel come from: a search finds them, and it may be recorded or replaced by a certificate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from momagen.prove.checker import Checker

if TYPE_CHECKING:
    from collections.abc import Callable

Found = TypeVar("Found")


class Guide:
    """The search as the source of proofs."""

    def checker(self, least: int, greatest: int) -> Checker:
        """Return a checker for statements about all moduli of an interval."""
        return Checker(least, greatest)

    def ask(self, checker: Checker, question: Callable[..., Found], *given: Any) -> Found:
        """Return the answer to a question about the variables of a checker: a statement that its rules derived.

        Args:
            checker: A checker that this guide made.
            question: The method of the search that answers the question.
            given: Its arguments.

        Raises:
            ProofError: There is no answer.
        """
        return question(*given)


SEARCH = Guide()
