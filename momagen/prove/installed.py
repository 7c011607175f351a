"""Proofs of kernels in Python, and the packages from PyPI that a proof needs."""

from __future__ import annotations

import importlib
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from momagen.errors import MomagenError, build_error, reason

if TYPE_CHECKING:
    from collections.abc import Callable

    from momagen.prove.machine.build import Build
    from momagen.prove.result import Result

PARSERS = ("pcpp", "pycparser")
DISASSEMBLER = "capstone"


def require_parsers(where: str, *others: str) -> None:
    """Raise a ``MomagenError`` if a package that preprocesses or parses C, or another one, is not installed."""
    for package in (*PARSERS, *others):
        if find_spec(package) is None:
            remedy = "install it (python3 -m pip install 'momagen[prove]')"
            raise build_error(f"a proof needs {package}, which is not installed", where, remedy)


def prove_source(
    write: Callable[[Path], Any], name: str, certificates: Path | None, progress: Callable[[float, str], None]
) -> Result:
    """Prove a kernel that is not saved yet.

    Args:
        write: A function that writes the kernel into a folder.
        name: The name of the C source in it.
        certificates: The folder for the certificate; None to save none.
        progress: A function that is called with the part done (0 to 1) and the name of the next step.

    Raises:
        MomagenError: A package is not installed, or the certificate cannot be written.
    """
    require_parsers("prove")
    with TemporaryDirectory() as folder:
        write(Path(folder))
        return prove_saved(Path(folder) / name, certificates, progress)


def prove_saved(
    path: Path, certificates: Path | None, progress: Callable[[float, str], None], build: Build | None = None
) -> Result:
    """Prove a saved kernel, and save the certificate in a folder, unless that is None.

    Args:
        path: The C source.
        certificates: The folder for the certificate; None to save none.
        progress: A function that is called with the part done (0 to 1) and the name of the next step.
        build: What a compiler made of the source, if its machine code is proven, too.

    Raises:
        MomagenError: The certificate cannot be written.
    """
    kernels = importlib.import_module("momagen.prove.kernels")
    if certificates is None:
        return kernels.prove(path, progress, build=build)  # type: ignore[no-any-return]
    result, certificate = kernels.certify(path, progress, build)
    if certificate is not None:
        try:
            certificate.save(certificates)
        except OSError as error:
            raise MomagenError("a folder that can be written", certificates, "prove", reason(error)) from None
    return result  # type: ignore[no-any-return]
