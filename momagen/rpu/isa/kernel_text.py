"""The text of kernels: assembly, preceded by directives that describe the contents of the memories.

.points 1024                   # the number of points of a transform
.order 2048                    # the order of its root
.towers 1                      # the number of moduli, the first words of the scalar memory
.scalars a                     # the names of scalars, which follow, each with a number for each modulus
.area x 0 1024                 # a part of the vector memory: words 0 to 1023
.table 0 3072 512 1024 256     # from word 3072 on, for tower 0: root^(512 + Σ of 1024 and 256, by the bits of i)
.table 0 3076 0 /n             # the same kind of table, divided by n
"""

from __future__ import annotations

from collections.abc import Iterator

from momagen.errors import MomagenError, among

from .assembly import COMMENT, assemble, disassemble
from .kernel import Powers, PowerTable, RpuKernel
from .program import Area

SCALED, DIGITS = "/n", 20
"""The word that marks a table divided by n, and the largest number of digits of a number."""
DIRECTIVES = {
    ".points": "N", ".order": "N", ".towers": "COUNT", ".scalars": "NAME…", ".area": "NAME BEGIN WORDS",
    ".table": f"TOWER BEGIN FIRST STEP… [{SCALED}]",
}  # fmt: skip
"""The directives with their arguments."""


def kernel_text(kernel: RpuKernel) -> str:
    """Return the text of a kernel, from which :func:`read_kernel` returns the kernel."""
    return "".join(f"{line}\n" for line in _directives(kernel)) + "\n" + disassemble(kernel.instructions)


def _directives(kernel: RpuKernel) -> Iterator[str]:
    """Yield the directives of a kernel."""
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
    """Return whether a text has directives."""
    return any(line.startswith(".") for line in text.splitlines())


def read_kernel(text: str, name: str = "kernel") -> RpuKernel:
    """Return the kernel that a text describes.

    Args:
        text: The text.
        name: The name of the text in messages.

    Raises:
        MomagenError: A line is neither a directive nor an instruction; the message states its number.
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
    """The contents of the directives that were read."""

    def __init__(self) -> None:
        self.counts, self.areas = dict[str, int](), dict[str, Area]()
        self.scalars, self.tables = tuple[str, ...](), list[PowerTable]()

    def take(self, words: list[str], where: str) -> None:
        """Read one directive.

        Args:
            words: The directive and its arguments.
            where: The place in the text, for messages.

        Raises:
            MomagenError: The directive is unknown, or has invalid arguments.
        """
        directive, *given = words
        if directive not in DIRECTIVES:
            raise among("one of the directives", DIRECTIVES, directive, where)
        try:
            self._put(directive, given)
        except ValueError:
            raise MomagenError(f"`{directive} {DIRECTIVES[directive]}`", " ".join(words), where) from None

    def _put(self, directive: str, given: list[str]) -> None:
        """Store the arguments of one directive.

        Raises:
            ValueError: The arguments are invalid.
        """
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
    """Return the number that a text represents.

    Raises:
        ValueError: The text is not a decimal number of at most ``DIGITS`` digits.
    """
    if not (text.isascii() and text.isdecimal() and len(text) <= DIGITS):
        raise ValueError(text)
    return int(text)
