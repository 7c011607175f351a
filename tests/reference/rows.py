"""Which kernels the reference holds: the sets of ``rows.toml``, every combination of their lists a row."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from momagen.kinds.modular.make_spec import make_spec
from momagen.kinds.modular.spec import Spec

HERE = Path(__file__).parent
OWN = ("family", "count", "create")
"""Keys of a set that say where its rows stand and what is measured; "why" is for people."""
SHAPE = ("kind", "width", "modulus", "target", "n", "columns", "inverse", "negacyclic", "order")
"""Keys that say what is made; all others are options of the kernel."""
FULL = {64: (1 << 64) - (1 << 32) + 1}
"""The modulus of a width at which no default has that length; other widths take the largest prime that fits."""


@dataclass(frozen=True)
class Row:
    """A kernel of the reference.

    Attributes:
        label: its name in the frozen files. family: the file.
        given: the keys of ``SHAPE``, and options. count: whether its instructions are. create: whether its set-up is.
    """

    label: str
    family: str
    given: Mapping[str, Any]
    count: bool
    create: bool

    def spec(self) -> Spec:
        """What to generate.

        Raises:
            MomagenError: an option that there is not, or a value that it does not take.
        """
        shape = {key: value for key, value in self.given.items() if key in SHAPE}
        options = {key: str(value) for key, value in self.given.items() if key not in SHAPE}
        width = shape.pop("width")
        size = {"modulus": FULL[width]} if width in FULL else {"bits": width + 4}
        return make_spec(**shape, **size, options=options)


def rows(path: Path = HERE / "rows.toml") -> list[Row]:
    """All rows, those of one label once: what several sets ask of it is measured together."""
    found: dict[str, Row] = {}
    for chosen in tomllib.loads(path.read_text(encoding="utf-8"))["set"]:
        for row in _of_set(chosen):
            old = found.get(row.label, row)
            found[row.label] = Row(row.label, old.family, row.given, row.count or old.count, row.create or old.create)
    return [found[label] for label in sorted(found)]


def _of_set(chosen: Mapping[str, Any]) -> Iterator[Row]:
    own = {key: chosen.get(key, False) for key in OWN}
    axes = {key: value for key, value in chosen.items() if key not in (*OWN, "why")}
    lists = [value if isinstance(value, list) else [value] for value in axes.values()]
    for values in product(*lists):
        given = dict(zip(axes, values, strict=True))
        yield Row(_label(given), own["family"], given, own["count"], own["create"])


def _label(given: Mapping[str, Any]) -> str:
    """The keys that differ from the plain kernel: "ntt 124 avx2 n=4096 inverse radix=2"."""
    first = [str(given[key]) for key in ("kind", "width", "target")]
    rest = {key: value for key, value in given.items() if key not in ("kind", "width", "target") and value is not False}
    return " ".join([*first, *(key if value is True else f"{key}={value}" for key, value in rest.items())])
