"""Kernels as files, so that a machine with a GPU needs no generator: what a row needs beside its CUDA file, as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from momagen.errors import MomagenError
from momagen.program.device import Launch

FORMAT = 1
SUMMARY = "rows.json"


@dataclass(frozen=True)
class Prepared:
    """A kernel, ready to be compiled.

    Attributes:
        name: of its row. source: CUDA C++. kernel: momagen's name of it. target: what it was made for.
        section, kind, n, bits: of the row. modulus, root: numbers. modulus_bits: of the modulus.
        operands, scalars, result: names. stride, constants, tables, powers, room, numbers: words, as DeviceProgram
            has them. setup, run: launches.
        butterfly: arithmetic instructions of a butterfly by class, from ``counted``; {} where no kernel of this one
            is without loops. traffic: words to and from memory for one transform, or element.
        cubins: machine code by architecture.
    """

    name: str
    section: str
    kind: str
    n: int
    bits: int
    source: str
    kernel: str
    target: str
    modulus: int
    root: int
    inverse: bool
    operands: Sequence[str]
    scalars: Sequence[str]
    result: str
    stride: int
    constants: int
    tables: int
    powers: int
    room: int
    numbers: int
    setup: Sequence[Launch]
    run: Sequence[Launch]
    traffic: int
    butterfly: Mapping[str, float] = field(default_factory=dict)
    counted: str = ""
    cubins: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def butterflies(self) -> int:
        """Of one transform; of an element-wise kernel 1, its element."""
        return self.n * (self.n.bit_length() - 1) // 2 or 1

    @property
    def size(self) -> int:
        """Words of one vector: of a transform, or an element."""
        return max(self.n, 1) * self.stride


def write_row(folder: Path, row: Prepared) -> None:
    """Put a kernel's files to ``folder``: its text, machine code, and JSON last."""
    (folder / f"{row.name}.cu").write_text(row.source, encoding="utf-8")
    for arch, cubin in row.cubins.items():
        (folder / f"{row.name}.{arch}.cubin").write_bytes(cubin)
    kept: dict[str, Any] = asdict(row) | {"source": "", "cubins": sorted(row.cubins)}
    kept |= {"modulus": hex(row.modulus), "root": hex(row.root), "format": FORMAT}
    kept |= {name: [launch._asdict() for launch in getattr(row, name)] for name in ("setup", "run")}
    (folder / f"{row.name}.json").write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def read_row(folder: Path, name: str) -> Prepared:
    """A kernel from its files.

    Raises:
        MomagenError: files that are missing, broken, or of another version of this script.
    """
    path = folder / f"{name}.json"
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        if kept.pop("format") != FORMAT:
            raise KeyError("format")
        kept |= {"modulus": int(kept["modulus"], 16), "root": int(kept["root"], 16)}
        kept |= {"source": (folder / f"{name}.cu").read_text(encoding="utf-8")}
        kept |= {part: [_launch(launch) for launch in kept[part]] for part in ("setup", "run")}
        kept["cubins"] = {arch: (folder / f"{name}.{arch}.cubin").read_bytes() for arch in kept["cubins"]}
        return Prepared(**kept)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise MomagenError("a kernel that `bench_cuda.py prepare` wrote", error, str(path)) from None


def _launch(kept: dict[str, Any]) -> Launch:
    return Launch(**{**kept, "operands": tuple(kept["operands"])})
