"""No branch may depend on data, whichever compiler made it: none in the assembly of kernels for target c, none in what
kernels for vectors run, instruction after instruction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from momagen.bench.assembly import disassembler, inspect
from momagen.bench.built import build, library_path
from momagen.bench.figure import Figure, failure
from momagen.bench.machine import families
from momagen.bench.walk import obstacle, walks
from momagen.build import missing_features
from momagen.build.call import compile_kernel
from momagen.emit import generate
from momagen.errors import MomagenError
from momagen.kernels.spec import make_spec
from momagen.targets import load_target, names

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
POINTS: dict[str, object] = {"n": 256}
WALKED: Sequence[tuple[str, int, dict[str, object]]] = (
    *(("ntt", bits, POINTS) for bits in (54, 64, 128, 256)), ("ntt", 128, {**POINTS, "inverse": True}),
    ("polymul", 128, {"n": 64}), *((kind, bits, {}) for kind in ("vmul", "axpy", "cmpadd") for bits in (54, 64, 128)),
)  # fmt: skip
"""What is followed on every target with lanes that runs here; of BLAS, so many elements:"""
ELEMENTS = 77


def branches() -> Iterator[Figure]:
    """The section: what is seen in assembly, then what is seen of calls."""
    yield from _seen()
    yield from _walked()


def _walked() -> Iterator[Figure]:
    """Other instructions than with the first data, by kernel, target and compiler."""
    if reason := obstacle():
        yield Figure(SECTION, "instructions that depend on data", None, note=reason)
        return
    for target, (family, compiler), (kind, bits, more) in product(able(), families().items(), WALKED):
        spec = make_spec(kind, bits=bits, target=target, **more)  # type: ignore[arg-type]
        label = f"{spec.name}, {family}"
        try:
            found = walks(build(spec, compiler), 1 if spec.n else ELEMENTS)
        except MomagenError as error:
            yield failure(SECTION, label, error)
            continue
        note = f"{found[0].instructions} instructions, {len(found)} pairs of vectors"
        yield Figure(SECTION, label, len(set(found)) - 1, "", 0, note=note)


def able() -> list[str]:
    """The targets with lanes that run here."""
    rows = [load_target(name) for name in names()]
    return [row.name for row in rows if row.lanes > 1 and not missing_features(row.features)]


def _seen() -> Iterator[Figure]:
    """Conditional jumps in innermost loops besides their back edges, by kernel and compiler."""
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
