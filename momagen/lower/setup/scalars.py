"""What a plan computes with: scalar functions, the constants of a modulus, and powers of the root of unity."""

from __future__ import annotations

from collections.abc import Collection

from momagen.kernels.elementwise.scalars import SCALARS
from momagen.lower.names import C
from momagen.lower.writer import ProgramWriter
from momagen.program import Expr, Function


def write_scalars(writer: ProgramWriter, needs: Collection[str]) -> None:
    """The scalar functions ``needs``; whether a modulus fits; and where 1/q is needed, what begins every plan."""
    for name in [*(name for name in SCALARS if name in needs), "modulus_fits", *["core_init"] * ("newton" in needs)]:
        writer.write(name)


def write_powers(writer: ProgramWriter, inverted: bool, *needs: str) -> None:
    """What tables are made of, and whether a root is below q; ``inverted``: of the root's inverse. ``needs``: scalar
    functions beside those that all tables need."""
    write_scalars(writer, {"mont", "add", "newton", *needs})
    for name in ("below", "put_powers", *["invert_root"] * inverted):
        writer.write(name)


def double(writer: ProgramWriter, f: Function, x: Expr, times: int) -> None:
    """Append what multiplies x by 2^times modulo q."""
    with f.each("i", times):
        f.do(writer.call("add", x, x, x, C))
