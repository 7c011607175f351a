"""Programs as the interpreter runs them, and what they must give: for the tests of programs and of printers."""

from __future__ import annotations

import gmpy2

from momagen.emit.flow import flow_of, way
from momagen.errors import MomagenError
from momagen.kernels.spec import Spec
from momagen.lower.step_part import StepPart
from momagen.lower.steps import steps_transform
from momagen.lower.tile_transforms import TiledWriter, tiles_transform
from momagen.lower.transforms import words_transform
from momagen.lower.writer import ProgramWriter
from momagen.program import Program
from momagen.program.interpret import Interpreter, Pointer


def split(numbers: list[int], words: int) -> list[int]:
    return [number >> 64 * w & (1 << 64) - 1 for number in numbers for w in range(words)]


def joined(words: list[int], each: int) -> list[int]:
    return [sum(w << 64 * i for i, w in enumerate(words[at : at + each])) for at in range(0, len(words), each)]


def program_of(spec: Spec) -> tuple[ProgramWriter, Program]:
    """The program of a transform, the way it goes on its target."""
    if way(spec) == "tiles":
        tiled = TiledWriter(spec, {"": spec})
        return tiled, tiles_transform(tiled)
    writer = ProgramWriter(spec)
    if way(spec) == "steps":
        return writer, steps_transform(writer, StepPart(spec))
    lanes = writer.target.lanes if spec.n >= 2 * writer.target.lanes else 1
    return writer, words_transform(writer, flow_of(writer, lanes, spec.inverse, 1, 1))


def interpreted(spec: Spec, xs: list[int], root: int) -> list[int]:
    """The transform of ``xs`` as the interpreter does it: create, then execute."""
    writer, program = program_of(spec)
    words, run = spec.arith.words, Interpreter(program.functions, program.statics, writer.target.lanes)
    fields = program.kept, program.beside, program.room
    kept, beside, room = ([Pointer([0] * field.words) for field in each] for each in fields)
    q, g = (Pointer(split([number], words)) for number in (spec.modulus, root))
    assert run.call("modulus_fits", q)
    if not run.call(program.setup, *kept, *beside, q, g):
        raise MomagenError("a root of the order", root, "root")
    y = Pointer([0] * program.stride)
    run.call(program.run, y, Pointer(split(xs, words)), *kept, *room)
    return joined(y.words, words)


def points(spec: Spec) -> list[int]:
    """Where a polynomial is evaluated, in the order of the values."""
    bits = spec.n.bit_length() - 1

    def at(j: int) -> int:
        i = j if spec.order == "natural" else int(format(j, f"0{bits}b")[::-1], 2)
        return 2 * i + 1 if spec.negacyclic else i

    return [int(gmpy2.powmod(spec.root, at(j), spec.modulus)) for j in range(spec.n)]


def evaluated(spec: Spec, xs: list[int]) -> list[int]:
    found = []
    for point in points(spec):
        total = gmpy2.mpz(0)
        for x in reversed(xs):
            total = (total * point + x) % spec.modulus
        found.append(int(total))
    return found
