"""Kernels on the rows of an RNS basis, which the interpreter runs."""

from __future__ import annotations

from random import Random

from momagen.kinds.rns.basis import RowsSpec
from momagen.kinds.rns.conversion import ConversionSpec
from momagen.lower.rns.kernels import rows_kernel
from momagen.program.interpret import Interpreter, Pointer


def interpreter(spec: RowsSpec) -> Interpreter:
    """Return an interpreter of the program of ``spec``."""
    made = rows_kernel(spec)
    program = made.host_program
    return Interpreter(program.functions, program.statics, made.writer.target.lanes)


def rows(numbers: list[int], moduli: tuple[int, ...]) -> list[int]:
    """Return the residues of all numbers modulo each modulus, one row after the other."""
    return [a % q for q in moduli for a in numbers]


def done(spec: RowsSpec, numbers: list[int], *, apart: bool = False) -> list[int]:
    """Return the rows of the result, computed in three parts of which two are empty.

    Args:
        spec: The kernel.
        numbers: The numbers whose residues modulo the moduli of ``spec`` are the operands.
        apart: Whether the rows are passed as an array of pointers instead of one array.
    """
    run, conversion = interpreter(spec), isinstance(spec, ConversionSpec)
    counts = [len(spec.moduli), *[len(spec.goals)] * conversion]
    names, bases = spec.kind.lowering(spec).names, [spec.moduli, spec.goals] if conversion else [spec.moduli]
    tables, t = Pointer([0] * run.call(names.tables, *counts)), Pointer([0] * run.call(names.room, *counts[:1]))
    assert run.call(names.setup, tables, *(Pointer([*basis]) for basis in bases), *counts)
    z, x, n = Pointer([0] * len(spec.goals) * len(numbers)), Pointer(rows(numbers, spec.moduli)), len(numbers)
    z_rows, x_rows = (Pointer([each.moved(i * n) for i in range(len(basis))])
                      for each, basis in ((z, spec.goals), (x, spec.moduli)))  # fmt: skip
    for part in range(3):
        vectors = (0, z_rows, 0, x_rows) if apart else (z, 0, x, 0)
        run.call(names.run, *vectors, tables, t, *counts, n, part, 3)
    return z.words


def near(whole: int) -> list[int]:
    """Return 0, 1, ``whole`` - 1, both sides of the middle, and four random numbers below ``whole``."""
    some = Random(whole)
    return [0, 1, whole - 1, *(whole // 2 + i for i in range(-2, 4)), *(some.randrange(whole) for _ in range(4))]
