"""Check the host's part of a kernel on a GPU: errors, streams, CUDA graphs.

python scripts/check_cuda_host.py prepare FOLDER    needs momagen: writes a kernel and the program that checks it
python scripts/check_cuda_host.py run FOLDER        needs Python, nvcc and a GPU: builds, runs, 1 if a check fails
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

PROGRAM = Path(__file__).resolve().parent / "cuda_host" / "check.cu"
KERNEL = """#include "{name}.h"
#define NTT(verb) {name}_##verb
#define CODE(word) {upper}_##word
static const uint32_t q_words[] = {{{q}}}, root_words[] = {{{root}}};
"""
OTHER = "sm_120"
"""An architecture whose machine code no GPU of another one runs."""


def prepare(folder: Path) -> None:
    """A transform of two launches in natural order, whose files are those that ``momagen ntt`` writes."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from momagen.emit import generate
    from momagen.kinds.modular.make_spec import make_spec

    source = generate(make_spec("ntt", n=1 << 16, bits=128, order="natural", target="cuda"))
    q, root = (
        ", ".join(hex(each >> 32 * i & 0xFFFFFFFF) for i in range(4))
        for each in (source.spec.modulus, source.spec.root)
    )
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{source.name}.cu").write_text(source.source, encoding="utf-8")
    (folder / f"{source.name}.h").write_text(source.header, encoding="utf-8")
    kernel = KERNEL.format(name=source.name, upper=source.name.upper(), q=q, root=root)
    (folder / "kernel.h").write_text(kernel, encoding="utf-8")
    shutil.copy(PROGRAM, folder)


def run(folder: Path) -> int:
    """How many of the three programs failed."""
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    files = sorted(each.name for each in folder.glob("*.cu"))
    for name, arch in (("check", "native"), ("check_other", OTHER)):
        subprocess.run([nvcc, f"-arch={arch}", "-O2", "-o", name, *files], cwd=folder, check=True)
    hidden = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
    runs = ((["check"], None), (["check_other", "bad device"], None), (["check", "no device"], hidden))
    return sum(subprocess.run([folder / name, *more], env=env).returncode != 0 for (name, *more), env in runs)


def main(arguments: Sequence[str] | None = None) -> int:
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("part", choices=["prepare", "run"])
    made.add_argument("folder", type=Path)
    given = made.parse_args(arguments)
    if given.part == "prepare":
        prepare(given.folder)
        return 0
    return 1 if run(given.folder) else 0


if __name__ == "__main__":
    sys.exit(main())
