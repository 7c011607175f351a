"""The locations of NVIDIA's libraries and programs: wheels from PyPI, a CUDA toolkit, and the system."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

LIBRARY_FOLDERS = ("lib", "lib64", "bin/x64", "bin/x86_64", "bin")
"""The folders of libraries in a wheel or a toolkit. The last ones contain the DLLs on Windows."""
TOOLKITS = ("/usr/local/cuda", "/opt/cuda")


def libraries(pattern: str) -> Iterator[Path]:
    """Yield shared libraries whose file names match a regular expression, each file once.

    Wheels come before toolkits, and in one folder the highest version is first.
    """
    seen: set[Path] = set()
    for folder in (base / name for base in (*_wheels(), *_toolkits()) for name in LIBRARY_FOLDERS):
        names = [path for path in _listed(folder) if re.fullmatch(pattern, path.name)]
        for path in sorted(names, key=lambda path: _numbers(path.name), reverse=True):
            if (real := path.resolve()) not in seen:
                seen.add(real)
                yield path


def program(name: str) -> Path | None:
    """Return the path of the program ``name``, such as "nvdisasm", or None.

    It is searched for in wheels, in toolkits and on the PATH.
    """
    folders = [str(base / "bin") for base in (*_wheels(), *_toolkits())]
    found = next(filter(None, (shutil.which(name, path=folder) for folder in folders)), None) or shutil.which(name)
    return Path(found) if found else None


def _wheels() -> list[Path]:
    """Return the folders of NVIDIA's wheels, such as nvidia/cu13 in site-packages, newest first.

    CUDA 13 has one folder for all wheels, and CUDA 12 one for each wheel.
    """
    found = [path for entry in dict.fromkeys(sys.path) for path in _listed(Path(entry or ".") / "nvidia")]
    return sorted(found, key=lambda path: (not re.fullmatch(r"cu\d+", path.name), [-n for n in _numbers(path.name)]))


def _toolkits() -> Iterator[Path]:
    named = [os.environ.get(name, "") for name in ("CUDA_HOME", "CUDA_PATH")]
    return (Path(path) for path in (*filter(None, named), *TOOLKITS))


def _listed(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _numbers(name: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", name)]
