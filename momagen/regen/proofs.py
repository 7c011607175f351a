"""The certificates of the generated kernels that the manifest lists as proven."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from momagen.errors import MomagenError, quoted
from momagen.lazy import on_call
from momagen.prove.certificates.certificate import SUFFIX, load, place_of
from momagen.prove.installed import require_parsers
from momagen.threads import cores

from .kernels import Progress

FOLDER = "proofs"
"""The folder of the certificates, next to the kernels."""

certify: Callable[..., Any] = on_call("momagen.prove.kernels", "certify")
check_by: Callable[..., Any] = on_call("momagen.prove.kernels", "check")


def proven(manifest: Path, kernels: Collection[str]) -> list[str]:
    """Return the kernels that a manifest lists as proven, which must be among all its kernels.

    Raises:
        MomagenError: The key ``proven`` is no list of names of kernels.
    """
    names = tomllib.loads(manifest.read_text(encoding="utf-8")).get("proven", [])
    where = f"{manifest.name}, proven"
    if not isinstance(names, list):
        raise MomagenError("a list of names of kernels", quoted(names), where)
    if unknown := [name for name in names if name not in kernels]:
        raise MomagenError("names of kernels of this manifest", quoted(unknown[0]), where)
    return names


def faults(where: Path, names: Collection[str], progress: Progress) -> dict[Path, str]:
    """Return which certificates do not prove their kernels, with the reasons; each core checks some of them."""
    if not names:
        return {}
    require_parsers("regen")
    found, paths = dict[Path, str](), {name: place_of(where / FOLDER, name) for name in names}
    with ProcessPoolExecutor(min(cores(), len(names)), mp_context=get_context("spawn")) as pool:
        begun = {pool.submit(_problem, where / f"{name}.c", path): name for name, path in paths.items()}
        for at, done in enumerate(as_completed(begun), 1):
            progress(at / len(names), f"the proof of {begun[done]}")
            if problem := done.result():
                found[paths[begun[done]]] = problem
    return {path: found[path] for path in paths.values() if path in found}


def _problem(source: Path, path: Path) -> str:
    if not path.is_file():
        return "missing"
    try:
        return str(check_by(source, load(path)).problem)
    except MomagenError as error:
        return str(error)


def stale(where: Path, names: Collection[str]) -> Iterator[Path]:
    """Return the certificates that no listed kernel has."""
    wanted = {place_of(where / FOLDER, name) for name in names}
    yield from (path for path in sorted((where / FOLDER).glob(f"*{SUFFIX}")) if path not in wanted)


def write(path: Path, where: Path, progress: Progress) -> None:
    """Search for the proof of a kernel, and write its certificate.

    Raises:
        MomagenError: The kernel is listed as proven, but no proof is found.
    """
    name = path.name.removesuffix(SUFFIX)
    result, certificate = certify(where / f"{name}.c", progress)
    if certificate is None:
        remedy = "remove it from the key `proven` of the manifest, or extend the prover"
        raise MomagenError(f"a proof of {name}", result.problem, "regen", remedy)
    certificate.save(path.parent)
