"""Kernels of every kind at every class of width, whose machine code is searched for data-dependent branches."""

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
"""The number of points of transforms. Longer ones have the same loops and take longer to compile."""
LEVELS = ("-O2", "-O3")
BITS = (31, 50, 60, 64, 124, 128, 252, 255, 256, 381, 384, 753)
"""The widths of moduli in bits: some leave headroom in their words for lazy reduction, some leave a bit or
two, and some fill their words."""
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
"""The arguments of :func:`make_spec` by the name of the kind."""


@cache
def moduli() -> dict[str, int]:
    """Return one modulus for each class of width: the largest suitable prime of each length, and Goldilocks."""
    found = {f"{bits} bits": default_prime(bits + HEADROOM, POINTS) for bits in BITS}
    return {**found, "goldilocks": known_fields()["goldilocks"].modulus}


OLDER = tuple(f"clang-{version}" for version in range(13, 8, -1))
"""Compilers that are used for this check if they are installed, although nothing else is compiled with them."""


@cache
def compilers() -> tuple[Compiler, ...]:
    """Return all installed compilers."""
    found = list_compilers()
    for name in OLDER:
        with suppress(MomagenError):
            found.append(find_compiler(name))
    return tuple(found)


def title(compiler: Compiler) -> str:
    """Return the name of a compiler in a table, such as "clang-14", "gcc" or "zig"."""
    return compiler.kind if compiler.kind == "zig" else compiler.command[0]


@dataclass(frozen=True)
class Case:
    """A kernel of one target, and the way in which it is compiled.

    Attributes:
        kind: A key of ``KINDS``.
        width: A key of :func:`moduli`.
        target: The name of the target.
        compiler: The compiler.
        level: The optimisation level, such as "-O3".
    """

    kind: str
    width: str
    target: str
    compiler: Compiler
    level: str

    def __str__(self) -> str:
        return f"{self.kind}, {self.width}, {self.target}, {title(self.compiler)} {self.level}"

    def source(self) -> Source:
        """Return the generated source."""
        return _source(self.kind, self.width, self.target)

    def inspect(self) -> BranchReport:
        """Compile the kernel and return the report on its machine code. The compiled file is deleted.

        Raises:
            MomagenError: The kernel cannot be compiled, or its machine code has no loops.
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
    """Return the cases for all kinds, classes of width (by default all), compilers and levels, in this order."""
    return [Case(*row) for row in product(KINDS, widths or moduli(), [target], compilers, levels)]


def inspected(rows: Sequence[Case]) -> Iterator[tuple[Case, BranchReport | Exception]]:
    """Yield each case with its report or the error, in order.

    One compiler runs on each core that this process may use.
    """

    def look(case: Case, go_on: GoOn) -> BranchReport | Exception:
        try:
            return case.inspect()
        except Exception as error:
            return error

    yield from zip(rows, side_by_side(look, rows), strict=True)
