"""The advice of wisdom for one kernel; wisdom is read only if the caller or $MOMAGEN_WISDOM asks for it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from momagen import __version__
from momagen.errors import MomagenError
from momagen.files import path_of
from momagen.kinds.modular.make_spec import with_options
from momagen.kinds.modular.options.reading import read_options
from momagen.kinds.modular.spec import Spec
from momagen.runtime import Compiler, list_compilers

from .compilers import usual_compiler
from .row import WisdomRow, key_for
from .wisdom import read
from .wish import VARIABLE, Wish, default_path


@dataclass(frozen=True)
class Advice:
    """A specification with the options that wisdom adds, and the source of these options.

    Attributes:
        spec: The specification to be generated.
        path: The wisdom file.
        row: The row that was found there, or None; ``reason`` then says why.
        reason: Why there is no row, or "".
        compiler: The compiler that the row names, if it is not the usual one.
    """

    spec: Spec
    path: Path
    row: WisdomRow | None = None
    reason: str = ""
    compiler: Compiler | None = None

    def blamed(self, error: MomagenError) -> MomagenError:
        """Return ``error`` with the wisdom row as its location, because the options of the row caused it.

        Without a row, return ``error`` unchanged.
        """
        return _said_of(self.row, self.path, error) if self.row else error

    def to_dict(self) -> dict[str, object]:
        """Return plain data for JSON."""
        return {"file": str(self.path), "row": self.row and self.row.to_dict(), "reason": self.reason}

    def __str__(self) -> str:
        if not self.row:
            return f"none, {self.reason} ({self.path})"
        return f"{self.row.found}, {self.row.gain or 'which nothing beat'} ({self.path})"


def place(wish: Wish) -> tuple[Path, bool] | None:
    """Return the file to read and whether it must exist, as a named file must; None if no file is to be read."""
    named = bool(os.environ.get(VARIABLE))
    if wish is None or isinstance(wish, bool):
        return (default_path(), named) if wish or (wish is None and named) else None
    return path_of(wish, "wisdom").expanduser(), True


def check(wish: Wish) -> None:
    """Check the wisdom file that ``wish`` selects, before any work.

    Args:
        wish: True for the default file, a path for this file, False for none, or None for the file that the
            environment variable MOMAGEN_WISDOM names, if it is set.

    Raises:
        MomagenError: The file is invalid, or was named but does not exist.
    """
    if asked := place(wish):
        read(asked[0], needed=asked[1])


def advise(spec: Spec, wish: Wish, compiler: str | None = None) -> Advice | None:
    """Return the advice of wisdom for ``spec``, or None if no wisdom is to be used.

    A row applies if all of its key agrees: kernel, width, target, options that were passed, CPU, compiler, and the
    version of momagen that found it. Options that the user passed are part of the key, so wisdom never changes them.

    Args:
        spec: The specification.
        wish: The wisdom to use; see :func:`momagen.ntt`.
        compiler: The compiler that the user named; wisdom may choose another one only if it is None.

    Returns:
        An :class:`Advice`, whose ``spec`` has the options of the row that applies; without such a row it is ``spec``
        itself, and ``reason`` says why.

    Raises:
        MomagenError: A file is invalid, a named file is missing, or the options of a row do not fit the kernel.
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
    if spec.modulus % 2 == 0 and read_options(None, row.options).reduction == "montgomery":
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
    """Return ``spec`` with the options of the row, checked as those of a user.

    Raises:
        MomagenError: They do not fit the kernel.
    """
    try:
        return with_options(spec, row.options)
    except MomagenError as error:
        raise _said_of(row, path, error) from None


def _said_of(row: WisdomRow, path: Path, error: MomagenError) -> MomagenError:
    """Return the error with the row as its location."""
    return error.at(f"{path}, {row.label}, {error.where}")
