"""Old spellings of options, of their values and of keys in target files.

An old spelling works for one more release. Each use of one raises a :class:`RenamedWarning`, which names the new
spelling; the command line prints it on standard error. Help texts and completion show the new spellings only.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from .errors import MomagenError

OPTIONS = {"digits": "limbs", "group": "interleave_blocks", "paired": "interleave_butterflies", "rests": "storage"}
"""Options of kernels: the old name and the new one, as in Python; on the command line "-" stands for "_"."""
VALUES = {
    "limbs": {"slack": "reduced"}, "reduction": {"about": "approximate"}, "storage": {"digits": "limbs"},
}  # fmt: skip
"""Values of options, by the new name of the option: the old value and the new one."""
ARGUMENTS = {**OPTIONS, "release": "library_version", "rival": "baseline"}
"""Options of the command line."""
TARGET_KEYS = {"rests": "word_storage_from"}
"""Keys of target files."""


class RenamedWarning(DeprecationWarning):
    """An old spelling was used, which the next release does not accept."""


def renewed(options: Mapping[str, object]) -> dict[str, object]:
    """Return `options` with new names and values, and warn about the old ones.

    Raises:
        MomagenError: An option occurs by its old name and by its new name.
    """
    found, notes = dict[str, object](), list[tuple[str, str]]()
    for name, value in options.items():
        new = _unambiguous(name, options)
        found[new] = _value(new, value)
        if (new, found[new]) != (name, value):
            notes.append((f"{name}={value}", f"{new}={found[new]}"))
    _warn(notes)
    return found


def current(options: Mapping[str, str]) -> dict[str, str]:
    """Return `options` with new names and values, without a warning: a file that momagen itself wrote has them."""
    return {(new := OPTIONS.get(name, name)): str(_value(new, value)) for name, value in options.items()}


def renewed_words(words: Sequence[str], known: Collection[str]) -> list[str]:
    """Return the arguments of a command with new spellings, and warn about the old ones.

    Args:
        words: The arguments.
        known: The options that the command has, such as "--limbs".
    """
    found, notes, option = list[str](), list[tuple[str, str]](), ""
    for at, word in enumerate(words):
        if word == "--":
            found += words[at:]
            break
        if word.startswith("--"):
            name, equals, value = word.partition("=")
            new = name if name in known else _flag(ARGUMENTS.get(_name(name), ""))
            new = new if new in known else name
            option, text = ("", f"{new}={_value(_name(new), value)}") if equals else (new, new)
            if text != word:
                notes.append((word, text))
        else:
            text = str(_value(_name(option), word))
            if text != word:
                old = notes.pop()[0] if notes and notes[-1][1] == option else option
                notes.append((f"{old} {word}", f"{option} {text}"))
            option = ""
        found.append(text)
    _warn(notes)
    return found


def renewed_keys(raw: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return the keys of a target file with new names, and warn about the old ones.

    Raises:
        MomagenError: A key occurs by its old name and by its new name.
    """
    for old, new in TARGET_KEYS.items():
        if old in raw and new in raw:
            raise MomagenError(f"{new} without {old}, its old name", "both", where)
    _warn([(f"{where}: {old}", new) for old, new in TARGET_KEYS.items() if old in raw])
    return {TARGET_KEYS.get(key, key): value for key, value in raw.items()}


@contextmanager
def shown() -> Iterator[None]:
    """Print each warning about an old spelling once on standard error, instead of what Python does with warnings."""
    before, printed = warnings.showwarning, set[str]()

    def show(message: Warning | str, category: type[Warning], *place: object) -> None:
        if not issubclass(category, RenamedWarning):
            before(message, category, *place)  # type: ignore[arg-type]
        elif str(message) not in printed:
            printed.add(str(message))
            print(f"momagen: {message}", file=sys.stderr)

    with warnings.catch_warnings():
        warnings.simplefilter("always", RenamedWarning)
        warnings.showwarning = show  # type: ignore[assignment]
        yield


def _unambiguous(name: str, options: Collection[str]) -> str:
    """Return the new name of an option of which `options` may have only one of both names."""
    new = OPTIONS.get(name, name)
    if new != name and new in options:
        raise MomagenError(f"{new} without {name}, its old name", "both", new)
    return new


def _value(option: str, value: object) -> object:
    """Return the new spelling of a value of `option`, which goes by its new name."""
    return VALUES.get(option, {}).get(value, value) if isinstance(value, str) else value


def _name(option: str) -> str:
    """Return the name in Python of an option of the command line."""
    return option.removeprefix("--").replace("-", "_")


def _flag(name: str) -> str:
    """Return the option of the command line whose name in Python is `name`."""
    return f"--{name.replace('_', '-')}"


def _warn(notes: Sequence[tuple[str, str]]) -> None:
    """Warn once about old spellings, each paired with the new one, at the caller outside this package."""
    if notes:
        old, new = (", ".join(words) for words in zip(*notes, strict=True))
        verb = "is" if len(notes) == 1 else "are"
        text = f"{old} {verb} deprecated and will not work in the next release; use {new}"
        warnings.warn(text, RenamedWarning, stacklevel=_levels())


def _levels() -> int:
    """Return how many frames the caller outside this package is away from the caller of this function."""
    frame, levels = sys._getframe(1), 1
    while frame.f_back and str(frame.f_globals.get("__name__")).partition(".")[0] == "momagen":
        frame, levels = frame.f_back, levels + 1
    return levels
