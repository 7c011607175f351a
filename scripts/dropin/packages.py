"""The packages that a build must use, and whether its CMake cache says that it found them there.

``find_package(HEXL)`` searches HEXL_ROOT first: the CMake variable, then the environment variable, which our benchmarks
read, too. A build that names its package only in CMAKE_PREFIX_PATH silently uses the HEXL of the environment.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path


class Broken(Exception):
    """A step failed: which one, the end of what it printed, and where all of it is."""


def named(packages: Mapping[str, Path | None]) -> list[str]:
    """Return the settings that make CMake search anew for each package, first below its prefix if it has one."""
    prefixes = [f"-D{package}_ROOT={prefix}" if prefix else f"-U{package}_ROOT" for package, prefix in packages.items()]
    return [*(f"-U{package}_DIR" for package in packages), *prefixes]


def check_found(name: str, cache: Path, packages: Mapping[str, Path | None]) -> None:
    """Check that the build ``name`` found each package below its prefix, and found none whose prefix is None.

    Raises:
        Broken: CMake found a package elsewhere, did not look for it, or found one that must not be used.
    """
    text = cache.read_text(encoding="utf-8")
    for package, prefix in packages.items():
        found = _folder_of(package, text)
        if found not in (_installed(package, prefix) if prefix else [None]):
            expected = f"{package} below {prefix}" if prefix else f"no {package}"
            raise Broken(f"{name}: expected {expected}, got {found or 'none'} ({cache})")


def _folder_of(package: str, cache: str) -> Path | None:
    """Return where ``find_package`` found a package: it stores the folder of the package's configuration."""
    entry = re.search(rf"^{package}_DIR:PATH=(.*)$", cache, re.MULTILINE)
    return Path(entry[1]).resolve() if entry and not entry[1].endswith("-NOTFOUND") else None


def _installed(package: str, prefix: Path) -> list[Path]:
    """Return the folders below ``prefix`` that hold the package's configuration."""
    names = (f"{package}Config.cmake", f"{package.lower()}-config.cmake")
    return [path.parent.resolve() for name in names for path in prefix.glob(f"lib*/**/{name}")]
