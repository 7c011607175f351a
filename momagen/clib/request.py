"""Requests for libraries from the command line, Python or a TOML file: kernels as ``KIND:key=value,…`` or as tables."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from momagen.errors import MomagenError, among, build_error, quoted
from momagen.kinds.registry import kind_named, kind_of, names
from momagen.tables import read_toml

from .variants import IDENTIFIER, first_twice

Row = Mapping[str, object]
KEYS = ("name", "version", "targets", "layout", "kernel")
"""The keys of a library's TOML file."""
OF_ALL = {
    "threads": "a library divides batches among threads by OpenMP, so its kernels have no option `threads`",
    "layout": "all kernels of a library have one layout; set it with --layout, or with layout = in the TOML file",
}
"""The options that single kernels have and kernels of a library lack, and the reasons."""
VERSION = re.compile(r"\d+\.\d+\.\d+")
TARGETS = ("all", "clean", "edit_cache", "help", "install", "package", "rebuild_cache", "test")
"""The targets that every CMake project has."""
LIBRARIES = ("c", "dl", "gcc", "gomp", "m", "pthread", "rt", "util")
"""The names of libraries that a linker finds."""
HEADERS = (
    "assert", "complex", "cpuid", "ctype", "errno", "fenv", "float", "immintrin", "inttypes", "iso646", "limits",
    "locale", "math", "omp", "setjmp", "signal", "stdalign", "stdarg", "stdatomic", "stdbool", "stddef", "stdint",
    "stdio", "stdlib", "stdnoreturn", "string", "tgmath", "threads", "time", "uchar", "unistd", "wchar", "wctype",
)  # fmt: skip
"""The names of the system's headers, which the header of a library must not hide."""


@dataclass(frozen=True)
class Wanted:
    """The request for one kernel of a library.

    Attributes:
        name: The name of the kernel.
        spec: The specification, for no target yet.
        targets: The kernel's own targets, or None for those of the library.
    """

    name: str
    spec: Any
    targets: tuple[str, ...] | None

    @property
    def runs_on_gpus(self) -> bool:
        """Whether there are kernels of this kind for GPUs."""
        return kind_of(self.spec).runs_on_gpus

    @property
    def bits(self) -> int:
        """The width of the longest modulus in bits."""
        return int(self.spec.width)


@dataclass(frozen=True)
class LibraryRequest:
    """The request for one library.

    Attributes:
        name: The name of the library.
        version: The version of the library.
        targets: The targets, or None for the default.
        kernels: The requests for the kernels.
        layout: The words of the vectors, "" for the words of the targets.
    """

    name: str
    version: str
    targets: tuple[str, ...] | None
    kernels: tuple[Wanted, ...]
    layout: str = ""

    @property
    def bits(self) -> int:
        """The width of the longest modulus in bits."""
        return max(kernel.bits for kernel in self.kernels)


def read(path: Path) -> dict[str, object]:
    """Return the keys and values of a library's TOML file.

    Raises:
        MomagenError: The file cannot be read, or has an unknown key.
    """
    raw = read_toml(path, "a library's description in TOML", str(path))
    if unknown := set(raw) - set(KEYS):
        raise among("only the keys", KEYS, ", ".join(sorted(unknown)), str(path))
    rows = raw.setdefault("kernel", [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise MomagenError("tables [[kernel]]", quoted(rows), str(path))
    return raw


def wish(
    name: object, version: object, targets: object, kernels: Sequence[str | Row], layout: object = None
) -> LibraryRequest:  # fmt: skip
    """Return the checked request for a library; the targets check the layout later.

    Args:
        name: The name of the library.
        version: The version of the library.
        targets: The targets, or None.
        kernels: The kernels, as texts or tables.
        layout: The words of the vectors, or None.

    Raises:
        MomagenError: The name or the version cannot be used in files, there is no kernel, two kernels have the same
            name, or the description of a kernel is invalid.
    """
    if not isinstance(name, str) or not IDENTIFIER.fullmatch(name):
        raise MomagenError("a name of lower-case letters, digits and _ that begins with a letter", name, "name")
    if name in (*TARGETS, *LIBRARIES, *HEADERS):
        raise MomagenError("a name that no system header, library or CMake target has", name, "name")
    if not isinstance(version, str) or not VERSION.fullmatch(version):
        raise MomagenError("a version such as 1.0.0", version, "version")
    if not kernels:
        raise build_error("the library has no kernels", "kernels", "add one, such as ntt:n=4096,bits=128")
    wanted = tuple(_wanted(kernel, at) for at, kernel in enumerate(kernels, 1))
    if twice := first_twice(kernel.name for kernel in wanted):
        raise build_error(f"two kernels have the name {twice}", "kernels", "rename one with name=…")
    return LibraryRequest(name, version, _texts(targets, "targets"), wanted, "" if layout is None else str(layout))


def parse(text: str) -> dict[str, object]:
    """Return the table that the text ``KIND:key=value,switch,…`` describes; ``blas:vmul,…`` is the same as ``vmul:…``.

    Raises:
        MomagenError: A key occurs twice, or a key without a value is not a switch.
    """
    kind, _, rest = text.partition(":")
    items = [item.strip() for item in rest.split(",") if item.strip()]
    if kind == "blas" and items:
        kind = items.pop(0)
    row: dict[str, object] = {"kind": kind}
    for item in items:
        key, equals, value = (part.strip() for part in item.partition("="))
        if key in row:
            raise MomagenError("every key once", f"{key} twice", f"kernel {text}")
        if not equals and key not in (known := _switches(kind)):
            switches = f", or one of the switches {', '.join(known)}" if known else ""
            raise MomagenError(f"KEY=VALUE{switches}", item, f"kernel {text}")
        row[key] = value if equals else True
    return row


def _switches(kind: str) -> Sequence[str]:
    """Return the keys that a text may have without a value: the parameters of a kind that are true or false."""
    return [each.name for each in kind_named(kind).parameters.values() if each.type is bool] if kind in names() else []


def _wanted(kernel: str | Row, at: int) -> Wanted:
    """Return the checked request for kernel number ``at``."""
    if not isinstance(kernel, str | Mapping):
        expected = "a string such as ntt:n=4096,bits=128, or a table"
        raise MomagenError(expected, f"a {type(kernel).__name__}", f"kernel {at}")
    row, label = (parse(kernel), f"kernel {kernel}") if isinstance(kernel, str) else (dict(kernel), f"kernel {at}")
    kind, name, targets = row.pop("kind", None), row.pop("name", None), row.pop("targets", None)
    if not isinstance(kind, str):
        raise MomagenError("the key `kind` with the kind of a kernel", kind, label)
    if kind not in (kinds := [*names()]):
        raise among("one of the kernels", kinds, kind, f"{label}, kernel")
    for key in (key for key in OF_ALL if key in row):
        raise build_error(OF_ALL[key], f"{label}, {key}")
    row |= {key: _switch(row[key], f"{label}, {key}") for key in _switches(kind) if key in row}
    try:
        spec = kind_named(kind).library_request(row)
    except MomagenError as error:
        raise error.at(f"{label}, {error.where}" if error.where else label) from None
    name = spec.stem if name is None else name
    if not isinstance(name, str) or not IDENTIFIER.fullmatch(name):
        expected = "a name of lower-case letters, digits and _ that begins with a letter"
        raise MomagenError(expected, name, f"{label}, name")
    return Wanted(name, spec, _texts(targets, f"{label}, targets"))


def _switch(value: object, where: str) -> bool:
    """Return the value of a switch.

    Raises:
        MomagenError: The value is neither true nor false.
    """
    words = {"yes": True, "true": True, "no": False, "false": False}
    if isinstance(value, bool):
        return value
    if str(value) not in words:
        raise MomagenError("yes or no", value, where)
    return words[str(value)]


def _texts(value: object, where: str) -> tuple[str, ...] | None:
    """Return a list of texts as a tuple, or None.

    Raises:
        MomagenError: The value is something else.
    """
    if value is None:
        return None
    if isinstance(value, str) or not isinstance(value, list | tuple) or not all(isinstance(t, str) for t in value):
        raise MomagenError("a list of names of targets", quoted(value), where)
    return tuple(value)
