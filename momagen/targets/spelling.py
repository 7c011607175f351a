"""The spelling of operations on a machine, and proposed instructions."""

from __future__ import annotations

from typing import NamedTuple

from momagen.ir import OPS


class Spelling(NamedTuple):
    """The spelling of one operation.

    Attributes:
        results: An expression for each result.
        temp: A statement before them, or "".
        link: The text of the operation as a link of a carry chain, or ""; it may be the only spelling.
    """

    results: tuple[str, ...]
    temp: str = ""
    link: str = ""


class Proposal(NamedTuple):
    """A proposed instruction.

    Attributes:
        op: The operation that it computes.
        emulation: The statement that emulates it.
        proxy: The assembly of its proxy, or a C statement.
        mnemonic: The name of the instruction in listings.
        in_c: Whether the proxy is a C statement.
    """

    op: str
    emulation: str
    proxy: str
    mnemonic: str
    in_c: bool = False

    @property
    def results(self) -> range:
        """The indices of its results, the high part first."""
        return range(len(OPS[self.op].results))
