"""The display of a kernel: one line in a terminal, and a small table in a notebook."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from momagen.emit import Source
from momagen.errors import shorten
from momagen.html import card, code, folded
from momagen.kinds.modular.spec import Spec
from momagen.kinds.registry import kind_of

if TYPE_CHECKING:
    from momagen.tune import Advice

EMULATED = "emulated in plain C, because this CPU lacks the target's features"
LINES = 120
"""The number of lines of the source that a notebook shows."""


def as_line(generated: Source, *, emulated: bool) -> str:
    """Return the text of the kernel's ``repr``."""
    spec = generated.spec
    return f"<momagen {kind_of(spec).describe(spec)}; {spec.widths}, {spec.target}{', emulated' * emulated}>"


def modular_facts(spec: Spec) -> dict[str, str]:
    """Return the rows of a kernel's table that its specification determines."""
    moduli = {"moduli": "\n".join(map(hex, spec.basis))} if spec.basis else {"modulus": hex(spec.modulus)}
    table = {"width": spec.widths, **moduli}
    if spec.n and not spec.basis:
        table["root"] = f"{spec.root:#x}, order {spec.order_of_root}"
    table["words"] = f"{spec.arith.words} of {spec.arith.word} bits, low word first"
    return {**table, "ranges": str(spec.ranges)}


def modular_data(spec: Spec) -> dict[str, object]:
    """Return the properties of a specification that JSON reports contain, with large numbers in hexadecimal."""
    return {
        "kind": spec.kind.name, "n": spec.length, "depth": spec.depth, "columns": spec.across,
        "modulus_bits": spec.width, "modulus": hex(spec.modulus), "root": hex(spec.root),
        "order_of_root": spec.order_of_root,
        "moduli": [*map(hex, spec.basis or (spec.modulus,))], "roots": [*map(hex, spec.roots or (spec.root,))],
        "inverse": spec.inverse, "negacyclic": spec.negacyclic, "order": spec.order, "automorphism": spec.automorphism,
        "options": spec.options.texts(), "ranges": str(spec.ranges),
    }  # fmt: skip


def rows(generated: Source, wisdom: Advice | None = None, *, emulated: bool) -> dict[str, str]:
    """Return the rows of the kernel's table: texts by heading."""
    spec, target = generated.spec, generated.spec.target
    kind = kind_of(spec)
    table = {"kernel": kind.describe(spec), **{name: shorten(text) for name, text in kind.facts(spec).items()}}
    table["target"] = f"{target.name} ({target.title}){f'; {EMULATED}' * emulated}"
    table["rewrite rules applied"] = _counts(generated.rules_applied)
    table["word operations"] = _counts(generated.operations)
    if generated.notes:
        table["notes"] = "; ".join(generated.notes)
    if wisdom:
        table["wisdom"] = str(wisdom)
    return table


def _counts(counts: Mapping[str, int]) -> str:
    """Return counts as text, the largest first."""
    return ", ".join(f"{name} ×{count}" for name, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def as_html(generated: Source, wisdom: Advice | None = None, *, emulated: bool) -> str:
    """Return the HTML that Jupyter shows: a table, and the source, which is folded."""
    known, lines = rows(generated, wisdom, emulated=emulated), generated.source.splitlines()
    more = [f"… {len(lines) - LINES:,} more lines in its .source"] * (len(lines) > LINES)
    source = folded(f"{generated.name}.c", code("\n".join([*lines[:LINES], *more])))
    return card(known.pop("kernel"), known.items(), source)
