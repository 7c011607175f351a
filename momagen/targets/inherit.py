"""The keys of a target file, merged with those of the target that it inherits.

Tables are merged row by row, and rows set to ``false`` are omitted. A header follows the parent's header, under the key
"front", and rules precede the parent's rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from momagen.data import folder
from momagen.errors import MomagenError, build_error, reason
from momagen.renamed import renewed_keys
from momagen.tables import parse_toml

from .check import check_kinds
from .reading.sources import Sources
from .shipped import unknown

Raw = dict[str, Any]


OWN = ("layouts", "cores")
"""The keys that are not inherited."""
MOST_ANCESTORS = 16
"""The largest number of files in a chain of inheritance."""


def inherited(path: Path, sources: Sources, heirs: tuple[Path, ...] = ()) -> Raw:
    """Return the keys of the target file ``path``, which ``sources`` reads; ``heirs`` inherit it.

    Raises:
        MomagenError: The file or a parent cannot be read, a file inherits itself, a key is unknown, or a row is removed
            that the parent does not have.
    """
    own = _read(path, sources)
    parent = own.pop("inherits", None)
    if parent is None:
        return own
    line = (*heirs, path)
    base = inherited(_checked(_parent(str(parent), path), line), sources, line)
    return merged({key: value for key, value in base.items() if key not in OWN}, own, path.name)


def target_path(name: str, where: str) -> Path:
    """Return the file of the shipped target ``name``, or raise MomagenError for an unknown name."""
    path = folder("targets") / f"{name}.toml"
    if not path.is_file():
        raise unknown(name, where)
    return path


def _parent(name: str, path: Path) -> Path:
    """Return the file of the parent ``name``: a shipped target, or a path relative to the folder of ``path``."""
    return path.parent / name if name.endswith(".toml") else target_path(name, f"{path.name}, inherits")


def _checked(parent: Path, line: tuple[Path, ...]) -> Path:
    """Return ``parent``, or raise MomagenError if it inherits itself or if the chain ``line`` is too long."""
    where, names = f"{line[-1].name}, inherits", " → ".join(path.name for path in (*line, parent))
    if parent.resolve() in [path.resolve() for path in line]:
        raise build_error(f"the target inherits itself ({names})", where)
    if len(line) > MOST_ANCESTORS:
        raise build_error(f"more than {MOST_ANCESTORS} targets inherit one another ({names})", where)
    return parent


def _read(path: Path, sources: Sources) -> Raw:
    """Return the keys of one file.

    Raises:
        MomagenError: The file cannot be read, or a key is invalid.
    """
    try:
        text = sources.read(path)
    except (OSError, ValueError) as error:
        raise build_error(f"the target file cannot be read ({reason(error)})", path.name) from None
    raw = renewed_keys(parse_toml(text, "a target file in TOML", path.name), path.name)
    check_kinds(raw, path.name)
    if "prelude" in raw:
        raw["prelude"] = {op: text for ops, text in raw["prelude"].items() for op in ops.split()}
    if "header" in raw:
        raw["front"] = [_header(path, raw.pop("header"), sources)]
    return raw


def _header(path: Path, name: str, sources: Sources) -> str:
    """Return the C text of the header ``name``, a file in the folder of ``path``, which is put before kernels.

    It is enclosed in ``#line`` directives, so that diagnostics of compilers name the header.
    """
    where = f"{path.name}, header"
    if Path(name).name != name:
        raise MomagenError("the name of a file in the folder of the target file, without a path", name, where)
    try:
        text = sources.read(path.parent / name)
    except (OSError, ValueError) as error:
        problem = f"the file {name} in the folder of {path.name} cannot be read ({reason(error)})"
        raise build_error(problem, where) from None
    return f'#line 1 "{name}"\n{text.rstrip()}\n#line 1 "behind {name}"'


def merged(base: Raw, own: Mapping[str, Any], where: str) -> Raw:
    """Return the keys of ``base`` with those of ``own``, which replace them; tables are merged row by row."""
    tables = {key: _rows(value, own.get(key, {}), f"{where}, [{key}]") for key, value in base.items() if _table(value)}
    front = [*base.get("front", []), *own.get("front", [])]
    rules = [*own.get("rule", []), *base.get("rule", [])]
    return {**base, **own, **tables, "front": front, "rule": rules}


def _table(value: object) -> bool:
    """Return whether a value is a table."""
    return isinstance(value, dict)


def _rows(base: Mapping[str, object], own: Mapping[str, object], where: str) -> Raw:
    """Return the rows of two tables, without those set to ``false``.

    Raises:
        MomagenError: A row is removed that the parent does not have.
    """
    for name, row in own.items():
        if row is False and name not in base:
            raise MomagenError(f"`false` only for the inherited rows {', '.join(base)}", f"{name} = false", where)
    return {name: row for name, row in {**base, **own}.items() if own.get(name) is not False}
