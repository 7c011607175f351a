"""The schemes by which products modulo q by constants are reduced: the rows of ``rules/reductions.toml``."""

from __future__ import annotations

from typing import NamedTuple

from momagen.data import folder
from momagen.tables import read_toml

FILE = "reductions.toml"


class ReductionRow(NamedTuple):
    """A scheme.

    Attributes:
        title: What it does.
        chooser: Who may choose it: "width", "option" or "machine".
        room: The multiples of q that the words of a residue must hold.
        form: Whether it needs a baked modulus of a special form.
        table: The product whose rules state the columns of tables.
        product: The operation for products by constants.
        multiple: Products are below multiple·k·q.
        butterfly: The suffix of the operations of butterflies.
        closed: Butterflies of values below closed·q leave values below closed·q; 0 if the ranges of values grow.
        counts: The operations whose attribute is the number of bits of a residue's words.
    """

    title: str
    chooser: str
    room: int
    form: bool
    table: str
    product: str
    multiple: int
    butterfly: str
    closed: int
    counts: list[str]


ROWS = read_toml(folder("rules") / FILE, "schemes in TOML", FILE)
REDUCTIONS = {name: ReductionRow(**row) for name, row in ROWS.items()}
"""All schemes by name."""
SCHEMES = tuple(name for name, row in REDUCTIONS.items() if row.chooser == "width")
"""The schemes among which the width and the options choose."""
REQUESTED = {name: row for name, row in REDUCTIONS.items() if row.chooser != "machine"}
"""The schemes that options may request."""
