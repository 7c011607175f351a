"""One row of wisdom: for which kernel, on which machine, what was found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from momagen import __version__
from momagen.bench.measure.machine import cpu
from momagen.bench.measure.sample import Spread
from momagen.build import cache
from momagen.errors import MomagenError, among
from momagen.kernels.spec.kinds import check_options
from momagen.kernels.spec.spec import Spec
from momagen.renamed import current
from momagen.tables import checked
from momagen.targets import load_target

from .compilers import AnyCompiler
from .space import SEARCHED

NOUNS = {
    "str": "a text", "int": "a whole number", "bool": "true or false", "float": "a number",
    "Mapping[str, str]": "options with texts as values", "Spread": "a table",
}  # fmt: skip
"""What JSON must have where a field is of some type."""


@dataclass(frozen=True)
class Key:
    """What a row is for; all of it must agree.

    Attributes:
        kernel, modulus_bits, n, columns, inverse, negacyclic, order: its specification.
        target: its name, with a digest of its contents where it is a user's own file.
        given: the options that were asked for. modulus: where it is baked in, else "".
        cpu: model name, family and model. compiler: the one that makes the default kernel, with its version;
            of arrays XLA, with that of JAX and the device.
    """

    kernel: str
    modulus_bits: int
    n: int
    columns: int
    inverse: bool
    negacyclic: bool
    order: str
    target: str
    given: Mapping[str, str]
    modulus: str
    cpu: str
    compiler: str

    @property
    def label(self) -> str:
        """For people: "ntt, 124-bit modulus, n = 4096, inverse, c"."""
        words = [self.kernel, f"{self.modulus_bits}-bit modulus", *[f"n = {self.n}"] * bool(self.n)]
        words += [f"{self.columns} columns"] * (self.columns > 1)
        words += ["inverse"] * self.inverse + ["negacyclic"] * self.negacyclic + [self.order] * (self.order != "bitrev")
        return ", ".join([*words, *(f"{name} {value}" for name, value in sorted(self.given.items())), self.target])


@dataclass(frozen=True)
class WisdomRow(Key):
    """A key, and what was found.

    Attributes:
        options: those to add; none where the default is best. by: the compiler that was fastest.
        ratio: the default's time over that of the winner, pair by pair. unit: of default and tuned, their median times.
        momagen: the version that was tuned; another one's kernels may be others.
    """

    options: Mapping[str, str]
    by: str
    ratio: Spread
    unit: str
    default: float
    tuned: float
    momagen: str

    @property
    def key(self) -> tuple[object, ...]:
        """Rows with the same key replace each other; sorts."""
        return key_of(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return asdict(self)

    @property
    def found(self) -> str:
        """For people: "radix 8, unroll 2"."""
        words = [f"{name} {value}" for name, value in sorted(self.options.items())]
        return ", ".join([*words, *[f"by {self.by}"] * (self.by != self.compiler)]) or "the default"

    @property
    def gain(self) -> str:
        """For people: "1.071 × as fast as the default (1.052 … 1.1)"; "" where the default stays."""
        median, low, high = (f"{value:.4g}" for value in (self.ratio.median, self.ratio.low, self.ratio.high))
        return f"{median} × as fast as the default ({low} … {high})" if self.found != "the default" else ""


def key_of(key: Key) -> tuple[object, ...]:
    """The key's fields as a tuple that can be compared."""
    values = (getattr(key, field.name) for field in fields(Key))
    return tuple(tuple(sorted(value.items())) if isinstance(value, Mapping) else value for value in values)


def key_for(spec: Spec, compiler: AnyCompiler) -> Key:
    """The key of ``spec``, as it was given, on this machine."""
    modulus = hex(spec.modulus) if spec.baked else ""
    return Key(
        spec.kind, spec.width, spec.n, spec.columns, spec.inverse, spec.negacyclic, spec.order, _target(spec.target),
        dict(spec.options), modulus, cpu(), str(compiler),
    )  # fmt: skip


def _target(name: str) -> str:
    target = load_target(name)
    return f"{target.name} {cache.key(repr(target))[:8]}" if name.endswith(".toml") else target.name


def row_of(
    key: Key, options: Mapping[str, str], by: str, ratio: Spread, unit: str, times: tuple[float, float]
) -> WisdomRow:
    """What was found for ``key`` by this momagen; ``times`` are the default's and the winner's."""
    default, tuned = times
    return WisdomRow(
        **vars(key), options=dict(options), by=by, ratio=ratio, unit=unit, default=default, tuned=tuned,
        momagen=__version__,
    )  # fmt: skip


def parse_row(raw: object, where: str, path: Path) -> WisdomRow:
    """The row of one JSON object.

    Raises:
        MomagenError: no object, a key that is missing, unknown or of the wrong kind, or an option that does not exist.
    """
    place = f"{path}, {where}"
    values = checked(raw, {field.name: NOUNS[str(field.type)] for field in fields(WisdomRow)}, place)
    known = {field.name: NOUNS[str(field.type)] for field in fields(Spread)}
    ratio = checked(values["ratio"], known, f"{place}, ratio")
    options = {name: current(values[name]) for name in ("given", "options")}
    row = WisdomRow(**{**values, **options, "ratio": Spread(**ratio)})
    place = f"{path}, {where} ({row.label})"
    for name in row.options:
        if name not in SEARCHED:
            raise among("one of the options", SEARCHED, name, f"{place}, options")
    try:
        check_options("", {name: str(value) for name, value in {**row.given, **row.options}.items()})
    except MomagenError as error:
        raise error.at(f"{place}, {error.where}") from None
    return row
