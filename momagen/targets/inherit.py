"""The keys of a target file with those of the target that it inherits.

Tables are merged row by row, and rows set to ``false`` are left out; a header stands after the parent's, under the key
"front", and rules before.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from momagen.data import folder
from momagen.errors import MomagenError, reason
from momagen.renamed import renewed_keys
from momagen.tables import parse_toml

from .check import check_kinds
from .reading.sources import Sources
from .shipped import unknown

Raw = dict[str, Any]


MOST_ANCESTORS = 16
"""Files that a target may inherit, one from the other."""


def inherited(path: Path, sources: Sources, heirs: tuple[Path, ...] = ()) -> Raw:
    """Return the keys of the target file ``path``, which ``sources`` reads; ``heirs`` inherit it.

    Raises:
        MomagenError: no such file or parent, a file that inherits itself, an unknown key, or a row left out that the
            parent does not have.
    """
    own = _read(path, sources)
    parent = own.pop("inherits", None)
    if parent is None:
        return own
    line = (*heirs, path)
    base = inherited(_checked(_parent(str(parent), path), line), sources, line)
    return _merged({key: value for key, value in base.items() if key != "layouts"}, own, path.name)


def target_path(name: str, where: str) -> Path:
    """The file of the shipped target ``name``."""
    path = folder("targets") / f"{name}.toml"
    if not path.is_file():
        raise unknown(name, where)
    return path


def _parent(name: str, path: Path) -> Path:
    """A shipped target by its name, or a file by its path from the heir's folder."""
    return path.parent / name if name.endswith(".toml") else target_path(name, f"{path.name}, inherits")


def _checked(parent: Path, line: tuple[Path, ...]) -> Path:
    """Refuse a parent that is among its own heirs, or has too many of them."""
    where, names = f"{line[-1].name}, inherits", " → ".join(path.name for path in (*line, parent))
    if parent.resolve() in [path.resolve() for path in line]:
        raise MomagenError("a target that does not inherit itself", names, where)
    if len(line) > MOST_ANCESTORS:
        raise MomagenError(f"at most {MOST_ANCESTORS} targets, each of which inherits the next", names, where)
    return parent


def _read(path: Path, sources: Sources) -> Raw:
    try:
        text = sources.read(path)
    except (OSError, ValueError) as error:
        raise MomagenError("a target file in TOML", reason(error), path.name) from None
    raw = renewed_keys(parse_toml(text, "a target file in TOML", path.name), path.name)
    check_kinds(raw, path.name)
    if "prelude" in raw:
        raw["prelude"] = {op: text for ops, text in raw["prelude"].items() for op in ops.split()}
    if "header" in raw:
        raw["front"] = [_header(path, raw.pop("header"), sources)]
    return raw


def _header(path: Path, name: str, sources: Sources) -> str:
    """The C in front of kernels that the file ``name`` beside ``path`` holds; compilers name it in what they say."""
    where = f"{path.name}, header"
    if Path(name).name != name:
        raise MomagenError("the name of a file beside the target's", name, where)
    try:
        text = sources.read(path.parent / name)
    except (OSError, ValueError) as error:
        raise MomagenError(f"a text beside {path.name}", f"{name}: {reason(error)}", where) from None
    return f'#line 1 "{name}"\n{text.rstrip()}\n#line 1 "behind {name}"'


def _merged(base: Raw, own: Raw, where: str) -> Raw:
    tables = {key: _rows(value, own.get(key, {}), f"{where}, [{key}]") for key, value in base.items() if _table(value)}
    front = [*base.get("front", []), *own.get("front", [])]
    rules = [*own.get("rule", []), *base.get("rule", [])]
    return {**base, **own, **tables, "front": front, "rule": rules}


def _table(value: object) -> bool:
    return isinstance(value, dict)


def _rows(base: Mapping[str, object], own: Mapping[str, object], where: str) -> Raw:
    for name, row in own.items():
        if row is False and name not in base:
            raise MomagenError(f"a row of the parent to leave out, among {', '.join(base)}", name, where)
    return {name: row for name, row in {**base, **own}.items() if own.get(name) is not False}
