"""A kernel on disk: the C file, the header, and a manifest in JSON with all that it takes to verify it again."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from momagen import __version__, files
from momagen.emit import Source
from momagen.errors import MomagenError, reason
from momagen.kernels.kinds import BLAS
from momagen.kernels.spec import make_spec

FORMAT = 2
"""Of manifests, and of the C functions beside them; in 1 the execute of a BLAS kernel gave nothing back."""
NUMBERS = ("modulus", "root")
"""Fields of a specification that may exceed what JSON readers take for a number; written in hexadecimal."""


def write(generated: Source, folder: Path) -> Path:
    """NAME.c, NAME.h and NAME.json in ``folder``, which is created: each complete or not there at all.

    Raises:
        MomagenError: the folder cannot be written.
    """
    texts = {".c": generated.source, ".h": generated.header, ".json": manifest(generated)}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        files.write_all(folder, {f"{generated.name}{suffix}": text for suffix, text in texts.items()})
    except OSError as error:
        raise MomagenError("a folder that can be written", folder, "save", reason(error)) from None
    return folder


def manifest(generated: Source) -> str:
    """The manifest's text."""
    spec = asdict(generated.spec)
    numbers = {key: hex(spec[key]) for key in NUMBERS}
    content = {
        "format": FORMAT, "momagen": __version__, "name": generated.name, "command": generated.spec.command(),
        "spec": {**spec, **numbers}, "words": generated.spec.arith.words,
        "fired": dict(generated.fired), "operations": dict(generated.operations), "notes": generated.notes,
    }  # fmt: skip
    return json.dumps(content, indent=2) + "\n"


def read(path: Path) -> Source:
    """The kernel of a folder with one manifest, or of that manifest; its texts as they stand there now.

    Raises:
        MomagenError: no manifest or several, a broken one, or a file missing.
    """
    path = _manifest_in(path) if path.is_dir() else path
    try:
        return _source(json.loads(path.read_text(encoding="utf-8")), path)
    except OSError as error:
        raise MomagenError("a saved kernel", Path(error.filename or path), "load", reason(error)) from None
    except (ValueError, KeyError, TypeError) as error:
        if isinstance(error, MomagenError):
            raise
        raise MomagenError("a manifest that momagen wrote", f"{type(error).__name__}: {error}", path.name) from None


def _manifest_in(folder: Path) -> Path:
    found = sorted(folder.glob("*.json"))
    if len(found) != 1:
        hint = ", ".join(path.name for path in found)
        raise MomagenError("a folder with one manifest (*.json)", f"{len(found)} of them in {folder}", "load", hint)
    return found[0]


def _source(content: Mapping[str, Any], path: Path) -> Source:
    if content["format"] != FORMAT:
        raise MomagenError(f"format {FORMAT}", content["format"], path.name)
    fields = {**content["spec"], **{key: int(content["spec"][key], 16) for key in NUMBERS}}
    if fields["kind"] in BLAS:
        fields["root"] = None
    texts = [path.with_name(f"{content['name']}{suffix}").read_text(encoding="utf-8") for suffix in (".c", ".h")]
    fired, operations = Counter(content["fired"]), Counter(content["operations"])
    return Source(make_spec(**fields), content["name"], texts[0], texts[1], fired, operations, list(content["notes"]))
