"""One row of wisdom: its kernel, its machine, and the options that were found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from momagen import __version__
from momagen.bench.measure.machine import cpu
from momagen.bench.measure.sample import Spread
from momagen.errors import MomagenError, among
from momagen.kinds.modular.options.reading import check_texts
from momagen.kinds.modular.parameters import SharedParameters
from momagen.kinds.modular.spec import Spec
from momagen.kinds.parameter import ParameterRole, parameters_of
from momagen.renamed import current
from momagen.runtime import cache
from momagen.tables import checked
from momagen.targets import Target

from .compilers import AnyCompiler
from .space import SEARCHED

SHAPE = {
    name: each for name, each in parameters_of(SharedParameters).items() if each.param.role is ParameterRole.MEANING
}  # fmt: skip
"""The parameters that change the generated code, by name."""
STORED = ("columns", "inverse", "negacyclic", "order")
"""Those that files state for every row; they state others only where they differ from the defaults."""
NOUNS = {
    "str": "a text", "int": "a whole number", "bool": "true or false", "float": "a number",
    "Mapping[str, str]": "options with texts as values", "Spread": "a table",
}  # fmt: skip
"""The descriptions of JSON values, by the type of the field."""


@dataclass(frozen=True)
class Key:
    """The key of a row, all of which must agree.

    Attributes:
        kernel: The kind of kernel.
        modulus_bits: The width of the modulus in bits.
        n: The number of points.
        shape: The parameters of ``STORED``, and others of ``SHAPE`` that differ from their defaults.
        target: The name of the target, with a digest of its contents if it is a user's own file.
        given: The options that were passed.
        modulus: The modulus if it is baked in, otherwise "".
        cpu: The name, family and model of the CPU.
        compiler: The compiler of the default kernel with its version; for arrays XLA, with the version of JAX and the
            device.
    """

    kernel: str
    modulus_bits: int
    n: int
    shape: Mapping[str, object]
    target: str
    given: Mapping[str, str]
    modulus: str
    cpu: str
    compiler: str

    @property
    def label(self) -> str:
        """A description such as "ntt, 124-bit modulus, n = 4096, inverse, c"."""
        words = [self.kernel, f"{self.modulus_bits}-bit modulus", *[f"n = {self.n}"] * bool(self.n)]
        unusual = ((name, value) for name, value in self.shape.items() if not SHAPE[name].is_usual(value))
        words += [name if value is True else f"{name} {value}" for name, value in unusual]
        return ", ".join([*words, *(f"{name} {value}" for name, value in sorted(self.given.items())), self.target])


@dataclass(frozen=True)
class WisdomRow(Key):
    """A key and the result for it.

    Attributes:
        options: The options to add; empty if the default is best.
        by: The compiler that was fastest.
        ratio: The default's time over the winner's, pair by pair.
        unit: The unit of ``default`` and ``tuned``.
        default: The median time of the default.
        tuned: The median time of the winner.
        momagen: The version of momagen that was tuned, because the kernels of other versions may differ.
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
        """The key as a tuple that can be compared; rows with the same key replace each other."""
        return key_of(self)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON, in which the parameters of the shape are keys like others."""
        return {name: value for key, own in asdict(self).items()
                for name, value in (own if key == "shape" else {key: own}).items()}  # fmt: skip

    @property
    def found(self) -> str:
        """A description of the options, such as "radix 8, unroll 2"."""
        words = [f"{name} {value}" for name, value in sorted(self.options.items())]
        return ", ".join([*words, *[f"by {self.by}"] * (self.by != self.compiler)]) or "the default"

    @property
    def gain(self) -> str:
        """A description such as "1.071 × as fast as the default (1.052 … 1.1)", or "" if the default is best."""
        median, low, high = (f"{value:.4g}" for value in (self.ratio.median, self.ratio.low, self.ratio.high))
        return f"{median} × as fast as the default ({low} … {high})" if self.found != "the default" else ""


def key_of(key: Key) -> tuple[object, ...]:
    """Return the fields of a key as a tuple that can be compared."""
    values = (getattr(key, field.name) for field in fields(Key))
    return tuple(tuple(sorted(value.items())) if isinstance(value, Mapping) else value for value in values)


def key_for(spec: Spec, compiler: AnyCompiler) -> Key:
    """Return the key of ``spec``, as it was requested, on this machine."""
    modulus = hex(spec.modulus) if spec.baked else ""
    values = {name: getattr(spec, name) for name in SHAPE}
    shape = {name: value for name, value in values.items() if name in STORED or not SHAPE[name].is_usual(value)}
    return Key(
        spec.kind.name, spec.width, spec.n, shape, _target(spec.target), spec.options.texts(), modulus, cpu(),
        str(compiler),
    )  # fmt: skip


def _target(target: Target) -> str:
    """Return the text of a shipped target, or the name of a user's own one with a digest of its contents."""
    return f"{target.name} {cache.key(target.content)[:8]}" if ".toml" in str(target) else str(target)


def row_of(
    key: Key, options: Mapping[str, str], by: str, ratio: Spread, unit: str, times: tuple[float, float]
) -> WisdomRow:
    """Return the row for a result of this version of momagen.

    Args:
        key: The key.
        options: The options that were found.
        by: The compiler that was fastest.
        ratio: The default's time over the winner's.
        unit: The unit of the times.
        times: The median times of the default and of the winner.
    """
    default, tuned = times
    return WisdomRow(
        **vars(key), options=dict(options), by=by, ratio=ratio, unit=unit, default=default, tuned=tuned,
        momagen=__version__,
    )  # fmt: skip


def parse_row(raw: object, where: str, path: Path) -> WisdomRow:
    """Return the row in one JSON object.

    Args:
        raw: The object.
        where: The position of the row, for errors.
        path: The wisdom file.

    Raises:
        MomagenError: It is not an object, a key is missing, unknown or of the wrong type, or an option does not exist.
    """
    place = f"{path}, {where}"
    others = [name for name in SHAPE if name in STORED or (isinstance(raw, dict) and name in raw)]
    nouns = {field.name: NOUNS[str(field.type)] for field in fields(WisdomRow) if field.name != "shape"}
    nouns |= {name: NOUNS[type(SHAPE[name].usual).__name__] for name in others}
    values = dict(checked(raw, nouns, place))
    shape = {name: values.pop(name) for name in others}
    known = {field.name: NOUNS[str(field.type)] for field in fields(Spread)}
    ratio = checked(values["ratio"], known, f"{place}, ratio")
    options = {name: current(values[name]) for name in ("given", "options")}
    row = WisdomRow(**{**values, **options, "shape": shape, "ratio": Spread(**ratio)})
    place = f"{path}, {where} ({row.label})"
    for name in row.options:
        if name not in SEARCHED:
            raise among("one of the options", SEARCHED, name, f"{place}, options")
    try:
        check_texts(None, {**row.given, **row.options})
    except MomagenError as error:
        raise error.at(f"{place}, {error.where}") from None
    return row
