"""Saved kernels: the source, the header, and a JSON manifest with everything that verification needs."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from momagen import __version__, files
from momagen.emit import Source, generate
from momagen.emit.source import suffixes
from momagen.errors import MomagenError, among, quoted, reason
from momagen.kinds.kind import Kind
from momagen.kinds.modular.incomplete import asked_values
from momagen.kinds.modular.make_spec import make_spec, modular_kind
from momagen.kinds.modular.options.record import KernelOptions
from momagen.kinds.modular.spec import Spec
from momagen.kinds.registry import kind_named, kind_of, names
from momagen.languages import MachineModel
from momagen.renamed import current
from momagen.tables import checked, parse_json, with_defaults
from momagen.targets import right

FORMAT = 6
"""The version of manifests and of the C functions that they describe.

Earlier versions: in 1, ``execute`` of element-wise kernels returned nothing; in 2, ``rules_applied`` had another name;
in 3, specifications did not say whether ``create`` takes the number of points; in 4 they had one modulus, and in 5 one
column. A parameter that a specification lacks has its default, so that kernels can be loaded that were saved before the
parameter existed.
"""
NUMBERS = ("modulus", "root")
LISTS = ("basis", "roots")
"""The fields of a specification that are written in hexadecimal, and the lists of such numbers.

They may exceed the numbers that JSON readers accept.
"""
KEYS = {
    **dict.fromkeys(("momagen", "name", "command"), "a text"), **dict.fromkeys(("format", "words"), "a whole number"),
    **dict.fromkeys(("rules_applied", "operations"), "counts by name"), "spec": "a table", "notes": "a list of texts",
}  # fmt: skip
NOUNS: Mapping[type, str] = {
    bool: "true or false", int: "a whole number", tuple: "a list of texts",
    KernelOptions: "options with texts as values",
}  # fmt: skip
"""The descriptions of JSON values, by the type of the default of their field; others are texts."""
SPEC = {each.name: NOUNS.get(type(each.default), "a text") for each in fields(Spec)}
SPEC |= dict.fromkeys(("n", "bits"), NOUNS[int])
USUAL: dict[str, object] = {"options": {}, **{key: [] for key in LISTS}}
USUAL |= {each.name: each.default for each in fields(Spec) if isinstance(each.default, bool | int | str)}
"""The expected type of every key of a manifest (``KEYS``) and of every field of its specification, and the defaults of
these fields.
"""
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)


def write(generated: Source, folder: Path) -> Path:
    """Write NAME.c, NAME.h and NAME.json to ``folder``, which is created if it is missing; return the folder.

    Every file is written completely or not at all.

    Raises:
        MomagenError: The folder cannot be written.
    """
    texts = {**generated.files, ".json": manifest(generated)}
    return files.save(folder, {f"{generated.name}{suffix}": text for suffix, text in texts.items()})


def manifest(generated: Source) -> str:
    """Return the text of the manifest."""
    spec = generated.spec
    content = {
        "format": FORMAT, "momagen": __version__, "name": generated.name, "command": spec.command(),
        "spec": kind_of(spec).to_manifest(spec), "words": spec.row,
        "rules_applied": dict(generated.rules_applied), "operations": dict(generated.operations),
        "notes": generated.notes,
    }  # fmt: skip
    return json.dumps(content, indent=2) + "\n"


def spec_values(spec: Spec) -> dict[str, object]:
    """Return a specification as JSON values."""
    values = {each.name: getattr(spec, each.name) for each in fields(spec)}
    numbers = {key: hex(values[key]) for key in NUMBERS} | {key: [*map(hex, values[key])] for key in LISTS}
    return {**values, **numbers, "kind": spec.kind.name, "target": str(spec.target), "options": spec.options.texts()}


def read(path: Path) -> Source:
    """Return the kernel of a manifest, with the sources as they are in its folder now.

    Args:
        path: A manifest, or a folder that contains exactly one.

    Raises:
        MomagenError: There is no manifest or there are several, a manifest is invalid, or a file is missing.
    """
    path = _manifest_in(path) if path.is_dir() else path
    try:
        return _source(parse_json(path.read_text(encoding="utf-8"), "a manifest in JSON", path.name), path)
    except OSError as error:
        raise MomagenError("a saved kernel", Path(error.filename or path), "load", reason(error)) from None
    except UnicodeDecodeError as error:
        raise MomagenError("a saved kernel encoded in UTF-8", path, "load", str(error)) from None


def _manifest_in(folder: Path) -> Path:
    """Return the path of the only manifest in a folder."""
    found = sorted(folder.glob("*.json"))
    if len(found) != 1:
        hint = ", ".join(path.name for path in found)
        got = f"{len(found)} manifests in {folder}"
        raise MomagenError("a folder with exactly one manifest (*.json)", got, "load", hint)
    return found[0]


def _source(content: object, path: Path) -> Source:
    """Return the kernel that the manifest ``content`` at ``path`` describes."""
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        got = content.get("format") if isinstance(content, dict) else content
        raise MomagenError(f"a manifest of format {FORMAT}", f"format {quoted(got)}", path.name)
    told = checked(content, KEYS, path.name)
    if not NAME.fullmatch(name := told["name"]):
        raise MomagenError("the name of a kernel", name, f"{path.name}, name")
    spec = kind_in(told["spec"], path.name).from_manifest(told["spec"], path.name)
    text, *header = (path.with_name(f"{name}{end}").read_text(encoding="utf-8") for end in suffixes(spec))
    applied, operations = Counter(told["rules_applied"]), Counter(told["operations"])
    again = generate(spec) if spec.target.machine is MachineModel.THREADS else None
    program = again and again.program
    return Source(spec, name, text, "".join(header), applied, operations, told["notes"], program=program)


def kind_in(raw: object, where: str) -> Kind:
    """Return the kind that a manifest names.

    Raises:
        MomagenError: It names no kind.
    """
    name = raw.get("kind") if isinstance(raw, dict) else None
    if name not in (known := [*names()]):
        raise among("one of the kernels", known, name, f"{where}, kernel")
    return kind_named(str(name))


def read_spec(raw: object, where: str) -> Spec:
    """Return the specification that a manifest contains, checked."""
    told = checked(with_defaults(raw, USUAL), SPEC, f"{where}, spec")
    try:
        numbers: dict[str, Any] = {key: int(told[key], 16) for key in NUMBERS}
        numbers |= {key: tuple(int(text, 16) for text in told[key]) for key in LISTS}
    except ValueError:
        got = ", ".join([*(told[key] for key in NUMBERS), *(text for key in LISTS for text in told[key])])
        raise MomagenError("modulus and root in hexadecimal", got, f"{where}, spec") from None
    if not modular_kind(told["kind"]).has_points:
        numbers |= {"root": None, "roots": ()}
    told["options"] = current(told["options"])
    try:
        right(told["target"], "target")
        return make_spec(**asked_values({**told, **numbers}))
    except MomagenError as error:
        raise error.at(f"{where}, {error.where}") from None
