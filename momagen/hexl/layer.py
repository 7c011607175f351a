"""The layer in C++ as texts by path: the folder ``templates/hexl``, where ``.j2`` files are rendered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from momagen import __version__
from momagen.clib import Library
from momagen.clib.kernel_member import KernelMember
from momagen.data import folder
from momagen.kernels.elementwise.blas import KERNELS
from momagen.templates import templates

LICENCE = "LICENSE"
TEMPLATE = ".j2"
CLASSED = ("vmul", "scal", "axpy", "reduce")
"""The kinds of which several kernels serve different moduli and operands."""
DESCRIPTION = "kernels.toml"
"""What the kernels are made from: their library has its own description."""


def layer(kernels: Library, command: str, max_n: int) -> dict[str, str]:
    """All texts around the library ``kernels``."""
    place = folder("templates") / "hexl"
    paths = [str(path.relative_to(place)) for path in _walk(place)]
    numbers = _numbers(kernels, command, max_n) | {
        "sources": [path.removesuffix(TEMPLATE) for path in paths if ".cpp" in path]
    }
    texts = {path.removesuffix(TEMPLATE): _text(place, path, numbers) for path in paths if path != DESCRIPTION}
    return {LICENCE: kernels.files[LICENCE], **texts}


def _walk(place: Path) -> Iterator[Path]:
    return (path for path in sorted(place.rglob("*")) if path.is_file())


def _text(place: Path, path: str, numbers: dict[str, Any]) -> str:
    if not path.endswith(TEMPLATE):
        return (place / path).read_text(encoding="utf-8")
    return templates().get_template(f"hexl/{path}").render(numbers)


def _numbers(kernels: Library, command: str, max_n: int) -> dict[str, Any]:
    """What every template may ask for."""
    members = [member for member in kernels.members if isinstance(member, KernelMember)]
    return {
        "version": __version__, "release": kernels.version, "command": command, "max_n": max_n,
        "degree_bits": max_n.bit_length() - 1, "variants": [variant.name for variant in kernels.variants],
        "elementwise": [member.name for member in members if member.spec.kind in KERNELS],
        "classes": {kind: _classes(members, kind) for kind in CLASSED},
        "transforms": {
            name: [member.name for member in members if member.spec.n and member.spec.inverse == inverse]
            for name, inverse in (("FORWARD", False), ("INVERSE", True))
        },
    }  # fmt: skip


def _classes(members: Sequence[KernelMember], kind: str) -> dict[str, Any]:
    """The kernels of one kind, fastest first, what moduli and operands each serves, and the types of its operands."""
    rows = [
        {"name": member.name, "bits": member.spec.width, "factor": member.spec.ranges.input}
        for member in members if member.spec.kind == kind
    ]  # fmt: skip
    vectors = ["const uint64_t*"] * len(KERNELS[kind].operands)
    return {"rows": rows, "operands": ["uint64_t*", *vectors, "uint64_t"]}
