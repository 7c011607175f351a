"""Programs for devices: kernels that a host launches, in the order in which they run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .build import Function
from .expressions import Name, Type
from .statements import Static

THREAD, BLOCK, ROW, ROWS = Name("thread"), Name("block"), Name("row"), Name("rows")
"""The variables of a kernel: the indices of the thread in its block, of the block and of the modulus, and the
number of moduli."""
SHARED = Name("shared", Type.WORDS)
"""The memory that the threads of a block share."""


class Launch(NamedTuple):
    """One launch of a kernel, with the same number of blocks for every modulus.

    Attributes:
        kernel: The name of the function.
        threads: The number of threads of a block.
        blocks: The number of blocks for one group of transforms or elements, or in total if ``group`` is 0.
        group: The number of transforms, elements or columns of a group.
        shared: The number of bytes of shared memory.
        operands: The names of the vectors that the kernel takes, the one that it writes first. "t" is the
            scratch memory.
    """

    kernel: str
    threads: int
    blocks: int
    group: int = 0
    shared: int = 0
    operands: tuple[str, ...] = ()


BLOCKS_OF_PROCESSOR = 2
"""The smallest number of blocks for each multiprocessor in a launch on rows, if there are enough rows to
distribute."""


class RowsProgram(NamedTuple):
    """All that a kernel on the rows of an RNS basis does on a device, independent of a language.

    Attributes:
        functions: The functions and kernels by name. A function is listed before its callers.
        statics: The arrays of constants by name.
        setup: The launch in which one thread computes a plan, kernel(tables, status, arrays …, moduli,
            goals).
        arrays: The names of the arrays of words that it reads.
        run: The launch of a call, kernel(operands …, tables, numbers …, n). A group is the columns of a
            block.
        numbers: The names of the numbers in a plan that are arguments of the kernel. ``goals`` is the number
            of rows that blocks compute: the rows of the result, or of each of its groups.
        shares: Whether a block computes several of these rows, so that it computes intermediate values once
            for all of them. The blocks in the second dimension of the grid then divide the rows; otherwise
            each row has separate blocks.
        fixed: The number of words of the tables that do not depend on the number of rows.
        each: The number of additional words of the tables for each row.
        residue: The number of bits of a residue in memory.
        sources: The number of source moduli for which the kernel is generated, or 0 if it supports any
            number.
        word: The number of bits of a word.
        stride: The number of words from one number to the next.
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
            blocks: The number of blocks of columns.
            processors: The number of multiprocessors.
            goals: The number of rows that blocks compute.
        """
        return min(goals, max(1, BLOCKS_OF_PROCESSOR * processors // blocks)) if self.shares else goals


class DeviceProgram(NamedTuple):
    """All that a kernel does on a device, independent of a language.

    Attributes:
        functions: The functions and kernels by name. A function is listed before its callers.
        statics: The arrays of constants by name.
        setup: The launches that compute a plan: kernel(c, status, q, root), then kernel(tables, powers, c)
            each.
        run: The launches of a call: kernel(operands …, c, tables, count) each.
        constants: The number of words of plan constants for each modulus.
        tables: The number of words of tables in a plan for each modulus.
        powers: The number of words of scratch memory of ``setup`` for each modulus.
        room: The number of words of scratch memory that one transform of a call needs.
        stride: The number of words from one residue to the next.
        size: The number of words of one transform; 1 for element-wise kernels.
        numbers: The number of words of scratch memory that a call needs for each modulus, for any number of
            elements.
        word: The number of bits of a word.
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
        """The number of 32-bit parts of a word, which are the elements of arrays on devices."""
        return self.word // 32
