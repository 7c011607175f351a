"""The exception type for user errors, and suggestions for misspelt names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import partial
from os import PathLike

CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
"""Characters that control a terminal instead of being shown, and those that change the direction of text."""

LONGEST_PLACE = 400
"""The largest number of characters of a location in an error; longer ones hold input and are cut in the middle."""
NEAR = 0.75
"""The similarity from which on a name is suggested.

At difflib's default of 0.6, ``--inverse`` would resemble ``--verbose``.
"""
PREFIX = 3
"""The number of letters from which on the beginning of a name suggests the name."""
MOST = 3
"""The largest number of names in one suggestion."""


class MomagenError(ValueError):
    """An error in the user's input, stated in one line.

    All public functions raise this error, which is a ``ValueError``; the command line prints it and exits with code 2.

    The line has one of two forms. The first suits a value that is out of range or of the wrong kind: ``where: expected
    …, got … (hint)``, with ``did you mean …?`` in front if a name is misspelt. The second, which :func:`build_error`
    builds, is a sentence and a remedy: "`root` cannot be combined with `moduli`; use `roots`".

    Args:
        expected: A noun phrase for the valid values ("an odd prime modulus"); "" in an error of the second form.
        got: The invalid value, shortened if it is long and not a path; in an error of the second form, the sentence.
        where: The option, argument, file or table row at fault.
        hint: An optional remedy, which is put at the end.
        near: An optional suggestion as :func:`nearest` returns it, which is put at the beginning.
        whole: Whether ``got`` is never shortened.

    Attributes:
        expected: The valid values, or "" in an error of the second form.
        got: The invalid value or the sentence, as in the line.
        where: The option, argument, file or table row at fault.
        hint: The remedy, or "".
        near: The suggestion, or "".

    Examples:
        >>> import momagen as mg
        >>> try:
        ...     mg.ntt(12, modulus=97)
        ... except mg.MomagenError as error:
        ...     print(error.where)
        n
    """

    def __init__(
        self, expected: str, got: object, where: str, hint: str = "", near: str = "", *, whole: bool = False
    ) -> None:
        self.expected, self.got = expected, str(got) if whole else _shown(got)
        self.where, self.hint, self.near = shorten(where, LONGEST_PLACE), hint, near
        super().__init__(printable(self._compare() if expected else self._state()))

    def _compare(self) -> str:
        """Return the line of the first form, which compares the value with the valid ones."""
        begin = f"{self.near} Expected" if self.near else "expected"
        return f"{self.where}: {begin} {self.expected}, got {self.got}" + (f" ({self.hint})" if self.hint else "")

    def _state(self) -> str:
        """Return the line of the second form; ``where`` is put in front unless the sentence names it in backquotes."""
        named = not self.where or f"`{self.where}`" in self.got or f"`{self.where}=" in self.got
        return ("" if named else f"{self.where}: ") + self.got + (f"; {self.hint}" if self.hint else "")

    def at(self, where: str) -> MomagenError:
        """Return the same error with the location ``where``."""
        return MomagenError(self.expected, self.got, where, self.hint, self.near, whole=True)

    def __reduce__(self) -> tuple[Callable[..., MomagenError], tuple[str, str, str, str, str]]:
        """Pickle the error as its arguments; an object of a subclass is restored as a plain ``MomagenError``."""
        return partial(MomagenError, whole=True), (self.expected, self.got, self.where, self.hint, self.near)


def build_error(problem: str, where: str, remedy: str = "") -> MomagenError:
    """Return an error that is a sentence: "`root` cannot be combined with `moduli`; use `roots`".

    Args:
        problem: What is wrong, as a sentence without a full stop. Backquotes mark arguments as Python names them, with
            or without a value: "`input_factor`", '`limbs="full"`', "`negacyclic=True`". The command line shows those
            that are its options as options: "`--input-factor`", "`--limbs full`", "`--negacyclic`".
        where: The option, argument, file or table row at fault; it is put in front of a sentence that does not name it.
        remedy: What the user can do, as an imperative ("use `roots`"); "" if the problem says it already.
    """
    return MomagenError("", problem, where, remedy, whole=True)


def among(lead: str, known: Iterable[str], got: object, where: str) -> MomagenError:
    """Return the error for a name that is none of the ``known`` ones; ``lead`` is a phrase like "one of the orders"."""
    names = list(known)
    return MomagenError(f"{lead} {', '.join(names)}", got, where, near=nearest(shorten(got), names))


def nearest(word: str, known: Iterable[str]) -> str:
    """Return "did you mean …?" with the names most similar to ``word``, or "" if none is similar.

    Case and leading dashes are ignored. A name is similar if difflib says so, if one typing error turns one into the
    other, or if the name begins with the word.
    """
    names = {name.lstrip("-").casefold(): name for name in known}
    found = _like(word.lstrip("-").casefold(), names)[:MOST]
    return f"did you mean {' or '.join(names[each] for each in found)}?" if found else ""


def _like(word: str, names: Iterable[str]) -> list[str]:
    """Return the shortest names that begin with ``word``, or otherwise the one name that is most similar to it."""
    from difflib import get_close_matches  # imported only when there is an error, so that start-up is fast

    begins = [name for name in names if len(word) >= PREFIX and name.startswith(word)]
    shortest = [name for name in begins if len(name) == min(map(len, begins))]
    return shortest or get_close_matches(word, names, n=1, cutoff=NEAR) or [x for x in names if _is_slip(word, x)][:1]


def _is_slip(word: str, name: str) -> bool:
    """Return whether one typing error turns ``name`` into ``word``.

    An error is one letter replaced, added or omitted, or two neighbours swapped. The first letter must be correct, as
    otherwise "vax" would resemble "jax".
    """
    shorter = min(len(word), len(name))
    start = next((at for at in range(shorter) if word[at] != name[at]), shorter)
    rest, other = word[start:], name[start:]
    if not start or shorter < PREFIX:
        return False
    swapped = rest[:2] == other[1::-1] and rest[2:] == other[2:]
    return swapped or rest[1:] == other[1:] or rest == other[1:] or rest[1:] == other


def _shown(got: object) -> str:
    """Return the input as a message shows it."""
    return str(got) if isinstance(got, PathLike) else shorten(got) or '""'


def printable(text: str) -> str:
    r"""Return ``text`` with control characters escaped, as \x1b, so that text from a file can be shown safely."""
    return CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def reason(error: Exception) -> str:
    """Return the reason for an error; for an error of the operating system, its text without the number."""
    return getattr(error, "strerror", None) or str(error)


def quoted(value: object) -> str:
    """Return the ``repr`` of ``value``, shortened, also where Python refuses it, as for integers of many digits."""
    try:
        return shorten(repr(value))
    except (ValueError, RecursionError):
        return shorten(value)


def shorten(value: object, limit: int = 80) -> str:
    """Return the text of ``value``, with the middle cut out if it is longer than ``limit`` characters."""
    try:
        text = str(value)
    except (ValueError, RecursionError):  # an integer of thousands of digits, or deeply nested tables
        text = hex(value) if isinstance(value, int) else f"a {type(value).__name__}"
    return text if len(text) <= limit else f"{text[: limit // 2 - 2]}…{text[-limit // 2 + 2 :]}"
