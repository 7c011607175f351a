"""How operations are written on a machine, and the instructions that do not exist yet."""

from __future__ import annotations

from typing import NamedTuple

from momagen.ir import OPS


class Spelling(NamedTuple):
    """How one operation is written: a statement first where there is one, then an expression per result; ``link``: as a
    link of a carry chain, which may be all."""

    results: tuple[str, ...]
    temp: str = ""
    link: str = ""


class Proposal(NamedTuple):
    """A proposed instruction: its operation, the statement that emulates it, the assembly of its proxy (or a statement,
    ``in_c``), and what listings call it."""

    op: str
    emulation: str
    proxy: str
    mnemonic: str
    in_c: bool = False

    @property
    def results(self) -> range:
        """Its results by number, high part first."""
        return range(len(OPS[self.op].results))
