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
from momagen.tables import read_toml

from .check import check_kinds
from .shipped import unknown

Raw = dict[str, Any]


def inherited(path: Path) -> Raw:
    """The keys of the target file ``path``.

    Raises:
        MomagenError: no such file or parent, an unknown key, or a row left out that the parent does not have.
    """
    own = _read(path)
    parent = own.pop("inherits", None)
    if parent is None:
        return own
    base = inherited(_parent(str(parent), path))
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


def _read(path: Path) -> Raw:
    raw = read_toml(path, "a target file in TOML", path.name)
    check_kinds(raw, path.name)
    if "prelude" in raw:
        raw["prelude"] = {op: text for ops, text in raw["prelude"].items() for op in ops.split()}
    if "header" in raw:
        raw["front"] = [_header(path, raw.pop("header"))]
    return raw


def _header(path: Path, name: str) -> str:
    """The C in front of kernels that the file ``name`` beside ``path`` holds; compilers name it in what they say."""
    where = f"{path.name}, header"
    if Path(name).name != name:
        raise MomagenError("the name of a file beside the target's", name, where)
    try:
        text = (path.parent / name).read_text(encoding="utf-8")
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
