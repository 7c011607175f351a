"""Every kind of kernel at every class of width: where data-dependent branches are looked for."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import product

from momagen.bench.x86.assembly import BranchReport, inspect
from momagen.emit import Source, generate
from momagen.errors import MomagenError
from momagen.kinds.modular.lists import BLAS
from momagen.kinds.modular.make_spec import make_spec
from momagen.params.fields import known_fields
from momagen.params.primes import HEADROOM, default_prime
from momagen.runtime import Compiler, compile_shared, find_compiler, list_compilers
from momagen.threads import GoOn, side_by_side

POINTS = 64
"""Of transforms: the loops are those of longer ones, and compile sooner."""
LEVELS = ("-O2", "-O3")
BITS = (31, 50, 60, 64, 124, 128, 252, 255, 256, 381, 384, 753)
"""Lengths of moduli: with room in their words for lazy reduction, with a bit or two, and filling them."""
SHAPES = {
    f"{'negacyclic ' * negacyclic}{'inverse ' * back}ntt, {order}": {
        "kind": "ntt", "n": POINTS, "inverse": back, "negacyclic": negacyclic, "order": order,
    }
    for negacyclic, back, order in product((False, True), (False, True), ("bitrev", "natural"))
}  # fmt: skip
KINDS: dict[str, dict[str, object]] = {
    **SHAPES,
    "polymul": {"kind": "polymul", "n": POINTS},
    "negacyclic polymul": {"kind": "polymul", "n": POINTS, "negacyclic": True},
    **{kind: {"kind": kind} for kind in BLAS},
}
"""Arguments of make_spec by what they ask for."""


@cache
def moduli() -> dict[str, int]:
    """One modulus for each class of width: the largest prime of its length, and Goldilocks."""
    found = {f"{bits} bits": default_prime(bits + HEADROOM, POINTS) for bits in BITS}
    return {**found, "goldilocks": known_fields()["goldilocks"].modulus}


OLDER = tuple(f"clang-{version}" for version in range(13, 8, -1))
"""Compilers that are inspected where they are installed, though nothing else is made with them."""


@cache
def compilers() -> tuple[Compiler, ...]:
    """Every compiler at hand."""
    found = list_compilers()
    for name in OLDER:
        with suppress(MomagenError):
            found.append(find_compiler(name))
    return tuple(found)


def title(compiler: Compiler) -> str:
    """A compiler's name in a table: "clang-14", "gcc", "zig"."""
    return compiler.kind if compiler.kind == "zig" else compiler.command[0]


@dataclass(frozen=True)
class Case:
    """A kernel of one target, and how it is compiled."""

    kind: str
    width: str
    target: str
    compiler: Compiler
    level: str

    def __str__(self) -> str:
        return f"{self.kind}, {self.width}, {self.target}, {title(self.compiler)} {self.level}"

    def source(self) -> Source:
        """The kernel's text."""
        return _source(self.kind, self.width, self.target)

    def inspect(self) -> BranchReport:
        """What its machine code holds; the compiled file is deleted.

        Raises:
            MomagenError: it does not compile, or nothing is found to look at.
        """
        source = self.source()
        flags = ["-std=c99", *source.spec.target.flags, self.level]
        header = {f"{source.name}.h": source.header}
        path = compile_shared(source.source, name=source.name, flags=flags, includes=header, compiler=self.compiler)
        try:
            return inspect(path, f"{source.name}_execute")
        finally:
            shutil.rmtree(path.parent, ignore_errors=True)


@cache
def _source(kind: str, width: str, target: str) -> Source:
    return generate(make_spec(modulus=moduli()[width], target=target, **KINDS[kind]))  # type: ignore[arg-type]


def cases(
    target: str, compilers: Sequence[Compiler], levels: Sequence[str] = LEVELS, widths: Sequence[str] = ()
) -> list[Case]:
    """Every kind × class of width (all, where none is named) × compiler × level, kernel by kernel."""
    return [Case(*row) for row in product(KINDS, widths or moduli(), [target], compilers, levels)]


def inspected(rows: Sequence[Case]) -> Iterator[tuple[Case, BranchReport | Exception]]:
    """What is found in each, in order; as many compilers run at a time as this process has cores."""

    def look(case: Case, go_on: GoOn) -> BranchReport | Exception:
        try:
            return case.inspect()
        except Exception as error:
            return error

    yield from zip(rows, side_by_side(look, rows), strict=True)
