"""The libraries of the paper that ``momagen bench --sweep`` does not time: HEXL without IFMA, and NFLlib."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from momagen.bench.measure.baselines import CPP, LIBRARIES, BaselineRow, linked
from momagen.data import folder
from momagen.errors import MomagenError
from momagen.runtime import Compiler, compile_shared

NFLLIB = BaselineRow("NFLlib", CPP, ("-lnfllib_static", "-lmpfr", "-lgmp", "-lstdc++", "-lm"), "NFLLIB_ROOT")
AVX2 = ("-march=native", "-DNFL_OPTIMIZED", "-DNTT_AVX2")
"""The flags that NFLlib's own build uses with ``NFL_OPTIMIZED=ON``."""


@dataclass(frozen=True)
class Rival:
    """A library behind the functions of ``scripts/baselines/README.md``, compiled for one row of the paper's tables.

    Attributes:
        title: The name of the row.
        row: How the library is compiled and linked.
        disabled: The environment variables that must be set while the library is loaded.
        flags: Compiler flags besides those of ``row``.
        is_comparable: Whether the library accepts the modulus of the race, so that its results can be compared.
    """

    title: str
    row: BaselineRow
    disabled: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    is_comparable: bool = True


HEXL = LIBRARIES["hexl"]
RIVALS: Mapping[str, Rival] = {
    "hexlnative": Rival("HEXL, native C++", HEXL, ("HEXL_DISABLE_AVX512DQ",)),
    "hexldq": Rival("HEXL, AVX512-DQ", HEXL, ("HEXL_DISABLE_AVX512IFMA",)),
    "nflsmall": Rival("NFLlib, two 30-bit moduli", NFLLIB, flags=(*AVX2, "-DLIMB=uint32_t", "-DMODULI=2"),
                      is_comparable=False),
    "nfllarge": Rival("NFLlib, one 62-bit modulus", NFLLIB, flags=(*AVX2, "-DLIMB=uint64_t", "-DMODULI=1"),
                      is_comparable=False),
}  # fmt: skip
"""The rivals by the prefix of their functions."""


@dataclass
class BuiltRivals:
    """The shared libraries of the rivals, and the reasons why others are missing.

    Attributes:
        paths: The libraries by prefix.
        missing: The reasons by title.
    """

    paths: dict[str, Path] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)


def build(compiler: Compiler, target: Path) -> BuiltRivals:
    """Compile all rivals into the folder ``target`` and load them once, with their environment variables set.

    HEXL reads these variables when it is loaded. A library that is loaded again is the same one.
    """
    built = BuiltRivals()
    for prefix, rival in RIVALS.items():
        try:
            path = _compiled(prefix, rival, compiler, target)
        except MomagenError as error:
            built.missing[rival.title] = error.hint.split("; ")[0] or str(error)
            continue
        with _environment(rival.disabled):
            ctypes.CDLL(str(path))
        built.paths[prefix] = path
    return built


def _compiled(prefix: str, rival: Rival, compiler: Compiler, target: Path) -> Path:
    """Return the library of a rival; its functions begin with ``prefix``.

    Raises:
        MomagenError: The library is not installed.
    """
    refusals: list[MomagenError] = []
    for libraries in linked(rival.row):
        flags = [*rival.row.language, *rival.flags, *libraries]
        try:
            found = compile_shared(_source(prefix, rival), name=prefix, flags=flags, compiler=compiler)
        except MomagenError as error:
            refusals.append(error)
            continue
        path = target / f"lib{prefix}.so"
        path.write_bytes(found.read_bytes())
        return path
    raise refusals[0]


def _source(prefix: str, rival: Rival) -> str:
    if rival.row is NFLLIB:
        text = Path(__file__).with_name("nfllib.cpp").read_text(encoding="utf-8")
        return text.replace("nfllib_", f"{prefix}_")
    return (folder("scripts/baselines") / "hexl.cpp").read_text(encoding="utf-8").replace("hexl_", f"{prefix}_")


@contextmanager
def _environment(names: tuple[str, ...]) -> Iterator[None]:
    """Set environment variables while the body runs."""
    before = {name: os.environ.get(name) for name in names}
    os.environ.update(dict.fromkeys(names, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
