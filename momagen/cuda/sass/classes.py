"""Classes of SASS instructions, from classes.toml: what an instruction does, and on which pipe."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from pathlib import Path

from momagen.errors import among, build_error
from momagen.tables import checked, read_toml

TABLE = Path(__file__).with_name("classes.toml")
KINDS = ("arithmetic", "move", "memory", "constant", "control")
KEYS = {"name": "a text", "match": "a text", "kind": "a text"}
OPTIONAL = {"pipe": "a text", "rate": "a text"}


@dataclass(frozen=True)
class SassClass:
    """A class of instructions.

    Attributes:
        match: a regular expression that the whole mnemonic fits. kind: one of ``KINDS``.
        pipe: that executes it; "" where that is not known. rate: the entry of a GPU's lanes for it.
    """

    name: str
    match: str
    kind: str
    pipe: str = ""
    rate: str = ""

    @property
    def lanes(self) -> str:
        """The entry of a GPU's lanes: its own, or its pipe's."""
        return self.rate or self.pipe


OTHER = SassClass("other", ".*", "arithmetic")
"""What no row knows: counted, so that nothing goes unseen."""


def class_of(mnemonic: str) -> SassClass:
    """The class of a mnemonic with its modifiers ("IMAD.WIDE.U32.X"); ``OTHER`` where no row fits."""
    return next((row for row in sass_classes().values() if re.fullmatch(row.match, mnemonic)), OTHER)


@functools.cache
def sass_classes() -> dict[str, SassClass]:
    """Return all instruction classes by name, in the order of the file.

    Raises:
        MomagenError: the table is invalid.
    """
    raw = read_toml(TABLE, "a table of classes in TOML", TABLE.name)
    found: dict[str, SassClass] = {}
    for number, row in enumerate(raw.get("class", []), 1):
        where = f"{TABLE.name}, row {number}"
        kinds = KEYS | {key: kind for key, kind in OPTIONAL.items() if key in row}
        each = SassClass(**checked(row, kinds, where))
        if each.kind not in KINDS:
            raise among("one of the kinds", KINDS, each.kind, where)
        if each.name in found:
            raise build_error(f"the class {each.name} has two rows", where, "remove one")
        found[each.name] = each
    return found
