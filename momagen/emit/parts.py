"""Files of one transform or of several: each is a text of its own, whose names begin with the transform's."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from momagen.lower.reorder import write_reorder

from .c.text import templates
from .ntt import ends
from .source import Writer

FUNCTION = re.compile(r"^static [\w *]*?(\w+)\(", re.MULTILINE)
OTHER = re.compile(r"^(?:#define |static const \w+ )(\w+)", re.MULTILINE)
"""What the text of a transform defines: functions, and macros and arrays."""
Numbers = dict[str, Any]


def named(text: str, name: str) -> str:
    """C text whose own names all begin with ``name``."""
    functions, others = ("|".join(sorted(set(found.findall(text)))) for found in (FUNCTION, OTHER))
    pattern = re.compile(rf"\b(?:(?:{functions})(?=\()|(?:{others})\b)")
    return pattern.sub(lambda own: (name.upper() if own[0].isupper() else name) + own[0], text) if name else text


def numbers_of(
    writer: Writer, parts: Mapping[str, Writer], numbers: Mapping[str, Numbers], template: str, kept: bool
) -> Numbers:
    """What the template of a file asks for: the ``numbers`` of its transforms with their texts, from ``template``.

    Args:
        kept: execute works in memory that a plan keeps.
    """

    for part in parts.values():
        if part.spec.order == "natural" and "reorder" not in writer.functions:
            write_reorder(writer, "reorder", part.spec.n.bit_length() - 1)

    def text(name: str) -> str:
        if not template:
            return ""
        part, own = parts[name], numbers[name]
        return named(templates().get_template(template).render({**part.numbers(), **own, **ends(part.spec)}), name)

    found = [
        {**own, "name": name, "text": text(name), "constants": own["constants"].format(name=name.upper())}
        for name, own in numbers.items()
    ]
    either = {key: any(own.get(key) for own in found) for key in ("inverse", "again")}
    return {
        **next(iter(numbers.values())), "parts": found, **either, "ranges": writer.spec.ranges, "kept": kept,
    }  # fmt: skip
