"""Kernels as text: assembly behind directives that say what stands in memory.

.points 1024                   # of a transform, and the order of its root
.order 2048
.towers 1                      # so many moduli are the first words of the scalar memory,
.scalars a                     # then for each name a number for each modulus
.area x 0 1024                 # words 0 to 1023 of the vector memory
.table 0 3072 512 1024 256     # words from 3072 on: root^(512 + Σ of 1024 and 256, by the bits of the word's number)
.table 0 3076 0 /n             # the same over n; both of tower 0
"""

from __future__ import annotations

from collections.abc import Iterator

from momagen.errors import MomagenError, among

from .assembly import COMMENT, assemble, disassemble
from .kernel import Powers, PowerTable, RpuKernel
from .program import Area

SCALED, DIGITS = "/n", 20
"""What ends a table over n, and digits of a number at most."""
DIRECTIVES = {
    ".points": "N", ".order": "N", ".towers": "COUNT", ".scalars": "NAME…", ".area": "NAME BEGIN WORDS",
    ".table": f"TOWER BEGIN FIRST STEP… [{SCALED}]",
}  # fmt: skip
"""By name, what follows."""


def kernel_text(kernel: RpuKernel) -> str:
    """The text of a kernel; :func:`read_kernel` takes it back."""
    return "".join(f"{line}\n" for line in _directives(kernel)) + "\n" + disassemble(kernel.instructions)


def _directives(kernel: RpuKernel) -> Iterator[str]:
    if kernel.n:
        yield from (f".points {kernel.n}", f".order {kernel.order}")
    yield f".towers {kernel.towers}"
    if kernel.scalars:
        yield f".scalars {' '.join(kernel.scalars)}"
    for name, area in kernel.areas.items():
        yield f".area {name} {area.begin} {area.words}"
    for tower, begin, (first, steps, scaled) in kernel.tables:
        yield f".table {' '.join(map(str, (tower, begin, first, *steps, *[SCALED] * scaled)))}"


def is_kernel(text: str) -> bool:
    """Whether a text has directives."""
    return any(line.startswith(".") for line in text.splitlines())


def read_kernel(text: str, name: str = "kernel") -> RpuKernel:
    """Return the kernel that a text describes.

    Raises:
        MomagenError: a line is neither a directive nor an instruction; the message has its number.
    """
    lines = text.splitlines()
    found = _Found()
    for number, line in enumerate(lines, 1):
        if line.startswith("."):
            found.take(line.split(COMMENT)[0].split(), f"{name}, line {number}")
    code = "\n".join("" if line.startswith(".") else line for line in lines)
    return RpuKernel(assemble(code, name), found.areas, found.counts.get(".towers", 1), found.scalars,
                     found.counts.get(".points", 0), found.counts.get(".order", 0), found.tables)  # fmt: skip


class _Found:
    """What directives said so far."""

    def __init__(self) -> None:
        self.counts, self.areas = dict[str, int](), dict[str, Area]()
        self.scalars, self.tables = tuple[str, ...](), list[PowerTable]()

    def take(self, words: list[str], where: str) -> None:
        directive, *given = words
        if directive not in DIRECTIVES:
            raise among("one of the directives", DIRECTIVES, directive, where)
        try:
            self._put(directive, given)
        except ValueError:
            raise MomagenError(f"`{directive} {DIRECTIVES[directive]}`", " ".join(words), where) from None

    def _put(self, directive: str, given: list[str]) -> None:
        """ValueError where that is not what belongs there."""
        if directive == ".scalars":
            self.scalars = tuple(given)
        elif directive == ".area":
            name, begin, words = given
            self.areas[name] = Area(_number(begin), _number(words))
        elif directive == ".table":
            scaled = given[-1:] == [SCALED]
            tower, at, first, *steps = map(_number, given[: len(given) - scaled])
            self.tables.append(PowerTable(tower, at, Powers(first, tuple(steps), scaled)))
        else:
            (self.counts[directive],) = map(_number, given)


def _number(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= DIGITS):
        raise ValueError(text)
    return int(text)
