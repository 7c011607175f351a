"""The C++ layer of the replacement for HEXL: the files in ``templates/hexl``; those named ``.j2`` are rendered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from momagen import __version__
from momagen.clib import Library
from momagen.clib.kernel_member import KernelMember
from momagen.packages import render

CLASSED = ("vmul", "scal", "axpy", "reduce")
"""The kinds of which several kernels serve different moduli and operands."""


def layer(kernels: Library, command: str, max_n: int) -> dict[str, str]:
    """Return all texts of the package other than those of the library ``kernels``, by path.

    Args:
        kernels: The library.
        command: The command that generates the package.
        max_n: The number of points of the longest transforms.
    """
    return render("hexl", kernels, _numbers(kernels, command, max_n))


def _numbers(kernels: Library, command: str, max_n: int) -> dict[str, Any]:
    """Return the values that the templates use."""
    members = [member for member in kernels.members if isinstance(member, KernelMember)]
    return {
        "version": __version__, "release": kernels.version, "command": command, "max_n": max_n,
        "degree_bits": max_n.bit_length() - 1, "variants": [variant.name for variant in kernels.variants],
        "classes": _classes([member for member in members if not member.spec.n]),
        "transforms": {
            name: [member.name for member in members if member.spec.n and member.spec.inverse == inverse]
            for name, inverse in (("FORWARD", False), ("INVERSE", True))
        },
    }  # fmt: skip


def _classes(members: Sequence[KernelMember]) -> dict[str, dict[str, Any]]:
    """Return the tables of kernels, fastest first, with the moduli and operands of each, and the operands' types.

    There is one table for each kind in ``CLASSED``, and one for each other kernel.
    """
    tables: dict[str, dict[str, Any]] = {}
    for member in members:
        spec = member.spec
        inputs = ["const uint64_t*"] * len(spec.ranges.operands)
        name = spec.kind.name if spec.kind.name in CLASSED else member.name
        table = tables.setdefault(name, {"rows": [], "operands": ["uint64_t*", *inputs, "size_t"]})
        table["rows"].append({"name": member.name, "bits": spec.width, "factor": spec.ranges.input})
    return tables
