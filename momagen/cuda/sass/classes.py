"""The classes of SASS instructions from classes.toml: their kinds, and the pipes that execute them."""

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
        name: The name.
        match: A regular expression that matches the whole mnemonic.
        kind: The kind, one of ``KINDS``.
        pipe: The pipe that executes the instructions, or "" if it is unknown.
        rate: The key of their rate among the lanes of a GPU, or "" if it is the pipe.
    """

    name: str
    match: str
    kind: str
    pipe: str = ""
    rate: str = ""

    @property
    def lanes(self) -> str:
        """The key of the rate among the lanes of a GPU: ``rate``, or by default the pipe."""
        return self.rate or self.pipe


OTHER = SassClass("other", ".*", "arithmetic")
"""The class of all instructions that match no row, so that they are counted, too."""


def class_of(mnemonic: str) -> SassClass:
    """Return the class of a mnemonic with its modifiers, such as "IMAD.WIDE.U32.X"; ``OTHER`` if no row matches."""
    return next((row for row in sass_classes().values() if re.fullmatch(row.match, mnemonic)), OTHER)


@functools.cache
def sass_classes() -> dict[str, SassClass]:
    """Return all instruction classes by name, in the order of the file.

    Raises:
        MomagenError: The table is invalid.
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
