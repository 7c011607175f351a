"""The assembly of kernels for target c: no branch may depend on data, whichever compiler made it."""

from __future__ import annotations

from collections.abc import Iterator

from momagen.bench.assembly import disassembler, inspect
from momagen.bench.built import library_path
from momagen.bench.figure import Figure, failure
from momagen.bench.machine import families
from momagen.build.call import compile_kernel
from momagen.emit import generate
from momagen.errors import MomagenError
from momagen.kernels.spec import make_spec

SECTION = "branches"
KERNELS: dict[str, dict[str, object]] = {
    "128-bit ntt": {"kind": "ntt", "n": 4096, "bits": 128},
    "128-bit inverse ntt": {"kind": "ntt", "n": 4096, "bits": 128, "inverse": True},
    "128-bit vmul": {"kind": "vmul", "bits": 128},
    "64-bit ntt": {"kind": "ntt", "n": 4096, "bits": 64},
    "384-bit ntt": {"kind": "ntt", "n": 4096, "bits": 384},
    "64-bit cmpadd": {"kind": "cmpadd", "bits": 64},
    "128-bit cmpsub": {"kind": "cmpsub", "bits": 128},
}
"""What is looked at, as arguments of make_spec. Natural order is not: its permutation compares indices."""


def branches() -> Iterator[Figure]:
    """The section: conditional jumps in innermost loops besides their back edges, by kernel and compiler."""
    if not disassembler():
        yield Figure(SECTION, "data-dependent branches", None, note="neither objdump nor llvm-objdump")
        return
    for name, request in KERNELS.items():
        source = generate(make_spec(**request))  # type: ignore[arg-type]
        for family, compiler in families().items():
            label = f"{name}, c, {family}"
            try:
                report = inspect(library_path(compile_kernel(source, compiler)), f"{source.name}_execute")
            except MomagenError as error:
                yield failure(SECTION, label, error)
                continue
            note = f"{report.loops} innermost loops in {len(report.functions)} functions"
            yield Figure(SECTION, label, report.branches, "", 0, note=note)
