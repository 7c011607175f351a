"""The one error a user meets: what was expected, what came, and where."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from os import PathLike

NEAR = 0.75
"""Likeness from which on a name is suggested; at difflib's own 0.6 ``--inverse`` is like ``--verbose``."""


class MomagenError(ValueError):
    """Bad input, in one line: ``where: expected …, got …``.

    Args:
        expected: what would have been right, as a noun phrase ("an odd prime modulus").
        got: what came instead; "" when empty; shortened when long, unless it is a path.
        where: the option, argument, file or table row at fault.
        hint: an optional remedy, put at the end.
        whole: never shorten ``got``.
    """

    def __init__(self, expected: str, got: object, where: str, hint: str = "", *, whole: bool = False) -> None:
        self.expected, self.got, self.where, self.hint = expected, str(got) if whole else _shown(got), where, hint
        super().__init__(f"{where}: expected {expected}, got {self.got}" + (f" ({hint})" if hint else ""))

    def __reduce__(self) -> tuple[Callable[..., MomagenError], tuple[str, str, str, str]]:
        """Pickled as what it was made from; one with more to say arrives as this plain one."""
        return partial(MomagenError, whole=True), (self.expected, self.got, self.where, self.hint)


def among(lead: str, known: Iterable[str], got: object, where: str) -> MomagenError:
    """The error for a name that is none of the ``known`` ones: ``lead`` ("a target among"), all, and the nearest."""
    names = list(known)
    return MomagenError(f"{lead} {', '.join(names)}", got, where, nearest(str(got), names))


def nearest(word: str, known: Iterable[str]) -> str:
    """ "did you mean …?" with the name that is most like ``word``, dashes in front aside; "" where none is."""
    from difflib import get_close_matches  # only where something is wrong, so that start-up stays quick

    names = {name.lstrip("-"): name for name in known}
    found = get_close_matches(word.lstrip("-"), names, n=1, cutoff=NEAR)
    return f"did you mean {names[found[0]]}?" if found else ""


def _shown(got: object) -> str:
    return str(got) if isinstance(got, PathLike) else shorten(got) or '""'


def reason(error: Exception) -> str:
    """What went wrong: of a file, in the system's words, without its number."""
    return getattr(error, "strerror", None) or str(error)


def shorten(value: object, limit: int = 80) -> str:
    """Text of ``value`` with the middle cut out when it is longer than ``limit`` characters."""
    try:
        text = str(value)
    except (ValueError, RecursionError):  # of an integer with thousands of digits, or tables deep in one another
        text = hex(value) if isinstance(value, int) else f"a {type(value).__name__}"
    return text if len(text) <= limit else f"{text[: limit // 2 - 2]}…{text[-limit // 2 + 2 :]}"
