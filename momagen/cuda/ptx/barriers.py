"""The barriers of PTX code, and the code without one of them, with which a kernel that needs the barrier must fail."""

from __future__ import annotations

import re

from momagen.errors import MomagenError

from .syntax.reader import without_comments

BARRIER = re.compile(r"(?:@\s*!?\s*[%$\w]+\s+)?\bbar(?:rier)?(?:\.cta|\.warp)?\.sync(?:\.aligned)?\b[^;]*;")


def barrier_lines(ptx: str) -> list[int]:
    """Return the line number of each barrier of a block or a warp, in order."""
    plain = without_comments(ptx)
    return [plain.count("\n", 0, found.start()) + 1 for found in BARRIER.finditer(plain)]


def without_barrier(ptx: str, k: int) -> str:
    """Return the PTX without its k-th barrier, counted from 0. The other lines keep their numbers.

    Raises:
        MomagenError: There is no barrier with this index.
    """
    found = list(BARRIER.finditer(without_comments(ptx)))
    if not 0 <= k < len(found):
        raise MomagenError(f"a number below {len(found)}, the number of barriers in the PTX", k, "k")
    start, end = found[k].span()
    return ptx[:start] + "\n" * ptx.count("\n", start, end) + ptx[end:]
