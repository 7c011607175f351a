"""What wisdom has to say of one kernel. Nothing is asked unless the caller or $MOMAGEN_WISDOM says so."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from momagen import __version__
from momagen.build import Compiler, list_compilers
from momagen.errors import MomagenError
from momagen.files import path_of
from momagen.kernels.spec.make_spec import with_options
from momagen.kernels.spec.spec import Spec

from .compilers import usual_compiler
from .row import WisdomRow, key_for
from .wisdom import read
from .wish import VARIABLE, Wish, default_path


@dataclass(frozen=True)
class Advice:
    """A specification with the options that wisdom adds, and where they come from.

    Attributes:
        spec: to be generated. path: the file. row: what was found there; None where it has nothing, for ``reason``.
        compiler: the one that the row names, where that is not the usual one.
    """

    spec: Spec
    path: Path
    row: WisdomRow | None = None
    reason: str = ""
    compiler: Compiler | None = None

    def blamed(self, error: MomagenError) -> MomagenError:
        """``error``, said of the row where there is one: its options made it."""
        return _said_of(self.row, self.path, error) if self.row else error

    def to_dict(self) -> dict[str, object]:
        """Plain data for JSON."""
        return {"file": str(self.path), "row": self.row and self.row.to_dict(), "reason": self.reason}

    def __str__(self) -> str:
        if not self.row:
            return f"none, {self.reason} ({self.path})"
        return f"{self.row.found}, {self.row.gain or 'which nothing beat'} ({self.path})"


def place(wish: Wish) -> tuple[Path, bool] | None:
    """The file to ask, and whether it must exist, as one that is named must; None where none is to be asked."""
    named = bool(os.environ.get(VARIABLE))
    if wish is None or isinstance(wish, bool):
        return (default_path(), named) if wish or (wish is None and named) else None
    return path_of(wish, "wisdom").expanduser(), True


def check(wish: Wish) -> None:
    """Refuse a file that is to be asked and is broken, or named and missing, before any work.

    Raises:
        MomagenError: naming the file.
    """
    if asked := place(wish):
        read(asked[0], needed=asked[1])


def advise(spec: Spec, wish: Wish, compiler: str | None = None) -> Advice | None:
    """``spec`` as wisdom would have it made; None where no wisdom is to be asked.

    A row counts where all of its key agrees: kernel, width, target, given options, CPU, compiler, and the version of
    momagen that found it. Options that the user gave are part of the key: wisdom never changes them.

    Args:
        compiler: the one that the user named; wisdom may choose another only where that is None.

    Raises:
        MomagenError: a broken file, a named one that is missing, or a row whose options do not fit the kernel.
    """
    asked = place(wish)
    if asked is None:
        return None
    path, needed = asked
    known = read(path, needed=needed)
    if spec.sized:
        return Advice(spec, path, reason="for a transform of any size")
    try:
        usual = usual_compiler(spec, compiler)
    except MomagenError:
        return Advice(spec, path, reason="as no compiler works here")
    row = known.find(key_for(spec, usual))
    if row is None:
        return Advice(spec, path, reason="for this kernel, CPU and compiler")
    if spec.modulus % 2 == 0 and row.options.get("reduction") == "montgomery":
        return Advice(spec, path, reason="for an even modulus")
    if row.momagen != __version__:
        return Advice(spec, path, reason=f"by momagen {__version__}, only by {row.momagen}")
    other = None
    if row.by != row.compiler:
        other = next((each for each in list_compilers() if str(each) == row.by), None)
        if compiler or other is None:
            return Advice(spec, path, reason=f"but for {row.by}")
    return Advice(_tuned(spec, row, path), path, row, compiler=other)


def _tuned(spec: Spec, row: WisdomRow, path: Path) -> Spec:
    """``spec`` with the row's options, checked as a user's."""
    try:
        return with_options(spec, row.options)
    except MomagenError as error:
        raise _said_of(row, path, error) from None


def _said_of(row: WisdomRow, path: Path, error: MomagenError) -> MomagenError:
    return error.at(f"{path}, {row.label}, {error.where}")
