"""The assembly of the 124-bit c transform: no branch may depend on data, whichever compiler made it."""

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
N, BITS = 4096, 128


def branches() -> Iterator[Figure]:
    """The section: conditional jumps in innermost loops besides their back edges, by compiler."""
    if not disassembler():
        yield Figure(SECTION, "branches", None, note="neither objdump nor llvm-objdump")
        return
    for inverse in (False, True):
        source = generate(make_spec("ntt", n=N, bits=BITS, inverse=inverse))
        for family, compiler in families().items():
            name = f"{'inverse ' * inverse}ntt, c, {family}"
            try:
                report = inspect(library_path(compile_kernel(source, compiler)), f"{source.name}_execute")
            except MomagenError as error:
                yield failure(SECTION, name, error)
                continue
            note = f"{report.loops} innermost loops in {len(report.functions)} functions"
            yield Figure(SECTION, name, report.branches, "data-dependent branches", 0, note=note)
