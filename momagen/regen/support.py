"""The page of the documentation that lists what targets support, generated from the query ``supports``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import groupby

from momagen.api.lookup.support_table import MACHINES, SupportRow, support_rows
from momagen.kinds.registry import SHIPPED, kind_named
from momagen.templates import templates


@cache
def support_page() -> str:
    """Return the source of the page."""
    reasons: dict[str, int] = {}
    groups = groupby(support_rows({name: kind_named(name) for name in SHIPPED}, MACHINES), lambda row: row.kind)
    tables = [{"kind": kind, "rows": [_row(row, reasons) for row in rows]} for kind, rows in groups]
    return templates().get_template("api/support.md.j2").render(targets=MACHINES, tables=tables, reasons=reasons)


def _row(row: SupportRow, reasons: dict[str, int]) -> Sequence[str]:
    """Return the cells of a row; reasons that are new get the next numbers."""
    cells = []
    for target, answer in row.answers.items():
        text = _general(answer.reason, target, row.values)
        cells.append(f"no ({reasons.setdefault(text, len(reasons) + 1)})" if text else "yes")
    return [f"`{row.label}`" if row.label else "defaults", *cells]


def _general(reason: str, target: str, values: Mapping[str, object]) -> str:
    """Return a reason with placeholders for the target and for the parameter, if the row has one."""
    for word in ("on", "target", "to", "with", "as", "got"):
        reason = re.sub(rf"\b{word} {target}\b", f"{word} TARGET", reason)
    reason = reason.replace(f'target="{target}"', 'target="TARGET"')
    for name, value in values.items() if len(values) == 1 and "combined" not in reason else ():
        reason = re.sub(rf'`{name}="?{value}"?`', "`PARAMETER=VALUE`", reason).replace(f"`{name}`", "`PARAMETER`")
    return reason.replace("|", "\\|").replace("<", "&lt;")
