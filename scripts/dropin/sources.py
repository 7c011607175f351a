"""The folders that the user names: what each must hold, and one message for all that do not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path


class Refused(Exception):
    """Something that the user named cannot be used: one line for each, with expected, got and where."""


@dataclass(frozen=True)
class Source:
    """A folder: what it is, and a file in it by which it is known (a pattern of ``glob``)."""

    title: str
    holds: str


PACKAGE = "lib*/cmake/*/HEXLConfig.cmake"
SOURCES = {
    "hexl": Source("the sources of HEXL 1.2.6", "test/test-ntt.cpp"),
    "seal": Source("the sources of SEAL 4.4", "native/tests/seal/testrunner.cpp"),
    "openfhe": Source("the sources of OpenFHE 1.5.1", "src/pke/unittest"),
    "openfhe-hexl": Source("the sources of openfhe-hexl 1.5.1.0", "third-party/intel-hexl/intel-hexl.cmake"),
    "googletest": Source("the sources of GoogleTest", "googletest/include/gtest/gtest.h"),
    "benchmark": Source("the sources of Google Benchmark", "include/benchmark/benchmark.h"),
    "cereal": Source("the sources of cereal", "include/cereal/cereal.hpp"),
    "package": Source("the install prefix of the drop-in replacement for HEXL", PACKAGE),
    "original": Source("the install prefix of HEXL itself", PACKAGE),
    "rows": Source("the install prefix of the library of rows/kernels.toml", "lib*/cmake/rows/rows-config.cmake"),
}
"""By the name of the option."""


def check(named: Mapping[str, Path | None], needed: Iterable[str]) -> None:
    """Raise ``Refused`` with a line for every folder that is needed and not named, or named and not the right one."""
    if faults := [fault for option in needed for fault in _faults(option, named.get(option))]:
        raise Refused("\n".join(faults))


def _faults(option: str, folder: Path | None) -> Iterator[str]:
    source = SOURCES[option]
    wanted = f"--{option}: expected {source.title}, a folder that holds {source.holds}"
    if folder is None:
        yield f"{wanted}; got no such option"
    elif not folder.is_dir():
        yield f"{wanted}; got {folder}, which is no folder"
    elif not any(folder.glob(source.holds)):
        yield f"{wanted}; got {folder}, which holds no such file"
