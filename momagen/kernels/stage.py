"""Stages: one pass over the data each, a loop of one codelet. What the loops are, in numbers; nothing of any syntax.

A stage acts on n = blocks·radix·stride elements, seen as (block i, leg l, offset j) at index (i·radix + l)·stride + j:
it is ⊕_i NTT_radix(ζ_i) ⊗ I_stride. Vectors run along j where the stride allows it (*column*), else across blocks and
offsets, moved into place by in-register permutes (*row*).
"""

from __future__ import annotations

from dataclasses import dataclass

from .codelets import Codelet
from .lanes import Wanted

USER, LANES = "user", "lanes"
"""Layouts of memory: residue after residue, low word first; or, in groups of ``lanes`` residues, word after word."""


@dataclass(frozen=True)
class Stage:
    """One pass.

    Attributes:
        codelet: what happens to ``radix`` elements. blocks, stride: the loops.
        lanes: elements per vector, 1 for scalar code.
        load, store: the memory layout it reads and writes.
        scaled: the codelet's twiddle 0 is 1/n, and its twiddle 1 carries 1/n too.
    """

    codelet: Codelet
    blocks: int
    stride: int
    lanes: int = 1
    load: str = USER
    store: str = USER
    scaled: bool = False

    @property
    def radix(self) -> int:
        return self.codelet.radix

    @property
    def row(self) -> bool:
        """Whether lanes run across blocks: the elements of one vector do not stand side by side."""
        return self.stride < self.lanes

    @property
    def twiddles(self) -> int:
        """Table entries per block."""
        return self.radix - 1 + self.scaled

    @property
    def sharing(self) -> int:
        """Lanes that share one block in a row stage: the stride; a column stage broadcasts."""
        return self.stride if self.row else 1

    @property
    def table_lanes(self) -> int:
        """Lanes of one table entry."""
        return self.lanes if self.row else 1

    @property
    def groups(self) -> int:
        """Iterations of the outer loop: blocks, or as many vectors of blocks."""
        return self.blocks * self.stride // self.lanes if self.row else self.blocks

    def entries(self) -> int:
        """Table entries of the whole stage, lanes counted one by one."""
        return self.groups * self.twiddles * self.table_lanes

    @property
    def load_places(self) -> Wanted | None:
        """Where lane λ of leg l stands in the registers as loaded; None where each leg is a register."""
        return self.row_places() if self.row else None

    @property
    def store_places(self) -> Wanted | None:
        """The same as stored."""
        return self.load_places

    def row_places(self) -> Wanted:
        """Where lane λ of leg l stands in the radix registers that hold one row group in memory order."""
        offsets = [(i, j) for i in range(self.lanes // self.stride) for j in range(self.stride)]
        return [
            [divmod((i * self.radix + leg) * self.stride + j, self.lanes) for i, j in offsets]
            for leg in range(self.radix)
        ]


def user_places(words: int, lanes: int) -> Wanted:
    """Where word w of lane e stands in the registers that hold ``lanes`` residues of the user's layout."""
    return [[divmod(e * words + w, lanes) for e in range(lanes)] for w in range(words)]


def near_places(words: int, lanes: int) -> Wanted:
    """As ``user_places``, but with the elements in the order that moves words least.

    Lane bits that number words change places with register bits, and no other bit moves.
    """
    if words & (words - 1) or words > lanes:
        return user_places(words, lanes)
    return [[(lane % words, lane - lane % words + w) for lane in range(lanes)] for w in range(words)]


def half_places(lanes: int) -> Wanted:
    """The turn of lanes/2 registers, each with as many words of a residue in its low half and of another in its high
    half; its own inverse."""
    half = lanes // 2
    return [[(lane % half, lane - lane % half + w) for lane in range(lanes)] for w in range(half)]


def inverse_places(places: Wanted) -> Wanted:
    """The move back."""
    lanes = len(places[0])
    where = {place: (r, lane) for r, row in enumerate(places) for lane, place in enumerate(row)}
    return [[where[r, lane] for lane in range(lanes)] for r in range(len(places))]
