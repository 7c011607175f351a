"""The replacement for HEXL as a package: a library of kernels, and the layer in C++ that uses it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from momagen.clib import library
from momagen.clib.request import Row, read
from momagen.clib.variants import variants
from momagen.data import folder
from momagen.notebook import Progress
from momagen.packages import Package, largest_size, whole

from .layer import layer

DEFAULT = 1 << 17
"""The default number of points of the longest transforms."""


@dataclass(frozen=True)
class HexlPackage(Package):
    """A CMake project that replaces Intel HEXL; built by :func:`package`.

    Attributes:
        files: The texts of all files, by path.
        library: The kernels.
        max_n: The number of points of the longest transforms.
    """

    max_n: int

    def __repr__(self) -> str:
        names = ", ".join(variant.name for variant in self.library.variants)
        return f"<momagen package HEXL {self.library.version}; transforms up to n = {self.max_n} for {names}>"


def package(
    targets: Sequence[str] | None = None, *, max_n: int | str = DEFAULT, progress: Progress | None = None
) -> HexlPackage:
    """Generate a package with HEXL's interface on generated kernels.

    Args:
        targets: The names of targets or TOML files (default: those in ``templates/hexl/kernels.toml``).
        max_n: The number of points of the longest transforms, a power of two from 2 to 2^20, or an expression such as
            "2^17".
        progress: A function that is called before every kernel with the part done (0 to 1) and the kernel's name.

    Returns:
        The package, which is verified by ``verify()`` and written by ``save(folder)``.

    Raises:
        MomagenError: ``max_n`` is out of range, or a target does not support a kernel.
    """
    longest = largest_size(max_n)
    found = read(folder("templates") / "hexl" / "kernels.toml")
    rows, given = found["kernel"], found["targets"] if targets is None else targets
    assert isinstance(rows, list) and isinstance(given, list | tuple)
    kernels = library(
        str(found["name"]), [_sized(row, longest) for row in _served(rows, given)], targets=given,
        version=str(found["version"]), progress=progress,
    )  # fmt: skip
    command = f"momagen hexl --output DIR --max-n {longest}"
    return HexlPackage(whole(layer(kernels, command, longest), kernels), kernels, longest)


def _served(rows: Sequence[Row], targets: Sequence[str]) -> Iterator[Row]:
    """Yield the kernels for ``targets``; some kernels are generated for a few targets only, and others for the rest."""
    known = {variant.name for variant in variants(targets)}
    for row in rows:
        own = row.get("targets", [*known])
        assert isinstance(own, list)
        if known.intersection(own):
            yield {**row, "targets": [name for name in own if name in known]} if "targets" in row else row


def _sized(row: Row, max_n: int) -> Row:
    """Return the description of a kernel, in which a transform with ``n=any`` gets the largest size ``max_n``."""
    return {**row, "max_n": max_n} if row.get("n") == "any" else row
