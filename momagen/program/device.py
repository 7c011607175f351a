"""A program for a device: kernels that a host launches, in the order in which they run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .build import Function
from .expressions import Name, Type
from .statements import Static

THREAD, BLOCK, ROW, ROWS = Name("thread"), Name("block"), Name("row"), Name("rows")
"""In a kernel: the number of the thread in its block, of the block, and of the modulus; how many moduli there are."""
SHARED = Name("shared", Type.WORDS)
"""The memory that the threads of a block share."""


class Launch(NamedTuple):
    """One launch: for every modulus so many blocks.

    Attributes:
        kernel: the function. threads: of a block. shared: bytes of shared memory.
        blocks: for one group of transforms, or in all where ``group`` is 0. group: transforms of a group.
        operands: vectors that it takes by name, the one that it writes first; "t" is the room.
    """

    kernel: str
    threads: int
    blocks: int
    group: int = 0
    shared: int = 0
    operands: tuple[str, ...] = ()


BLOCKS_OF_PROCESSOR = 2
"""Blocks of each multiprocessor that a launch on rows has at least, as far as there are rows to be shared."""


class RowsProgram(NamedTuple):
    """What a kernel on the rows of an RNS basis does on a device, without a language.

    Attributes:
        functions: by name, what is called before what calls it; kernels, too. statics: arrays of words.
        setup: the launch that makes a plan, by one thread: kernel(tables, status, arrays …, moduli, goals).
        arrays: the arrays of words that it reads.
        run: the launch of a call, kernel(operands …, tables, numbers …, n), of which a group is the columns of a block.
        numbers: the numbers of a plan that it takes; ``goals`` is the number of rows, of the result or of each of its
            groups, that blocks compute.
        shares: whether blocks of the grid's second dimension share these rows, as a block computes something for all of
            them; otherwise each row has blocks of its own.
        fixed, each: words of the tables, and words more for each of these rows.
        residue: bits of a residue in memory.
        sources: the number of source moduli that the kernel is made for; 0 for any number.
        word: bits of a word. stride: words from one number to the next.
    """

    functions: Mapping[str, Function]
    statics: Mapping[str, Static]
    setup: Sequence[Launch]
    arrays: Sequence[str]
    run: Sequence[Launch]
    numbers: Sequence[str]
    shares: bool
    fixed: int
    each: int
    residue: int
    sources: int = 0
    word: int = 64
    stride: int = 1

    def blocks_of_rows(self, blocks: int, processors: int, goals: int) -> int:
        """Return the second dimension of the grid of a call.

        Args:
            blocks: the number of blocks of columns. processors: the number of multiprocessors. goals: as above.
        """
        return min(goals, max(1, BLOCKS_OF_PROCESSOR * processors // blocks)) if self.shares else goals


class DeviceProgram(NamedTuple):
    """What a kernel does on a device, without a language.

    Attributes:
        functions: by name, what is called before what calls it; kernels, too. statics: arrays of words.
        setup: launches that make a plan: kernel(c, status, q, root), then kernel(tables, powers, c) each.
        run: launches of a call, kernel(operands …, c, tables, count) each.
        constants, tables: words that a plan keeps for each modulus. powers: words that set-up works in.
        room: words of one transform that a call needs beside its operands.
        stride: words from one residue to the next. size: words of one transform; 1 of element-wise kernels.
        numbers: words of room that a call needs for each modulus, however many elements it does.
        word: bits of a word.
    """

    functions: Mapping[str, Function]
    statics: Mapping[str, Static]
    setup: Sequence[Launch]
    run: Sequence[Launch]
    constants: int
    tables: int
    powers: int
    room: int
    stride: int
    size: int
    numbers: int = 0
    word: int = 32

    @property
    def parts(self) -> int:
        """32-bit parts of a word: arrays of devices have these."""
        return self.word // 32
