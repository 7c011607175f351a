"""The scalar functions that a plan computes with, and the constants of a modulus that they need."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from momagen.ir import const, words
from momagen.kernels.elementwise.scalars import BODIES, scalar
from momagen.lower.names import CONSTANTS, C, Q, Z, literal_one, written
from momagen.lower.writer import ProgramWriter, wanted
from momagen.program import Expr, Function, Name, Number, Same, Static, Type

A, B = Name("a", Type.INPUT), Name("b", Type.INPUT)


def write_scalars(writer: ProgramWriter, needs: Collection[str]) -> None:
    """The functions ``needs``, each z = f(a, b) with c = [q, 1/q mod R] or [q, floor(R^2 / q)]; whether a modulus fits;
    and where 1/q is needed, what begins every plan."""
    for name in wanted(needs, BODIES):
        writer.put(_scalar(writer, name))
    writer.put(_modulus_fits(writer))
    if "newton" in needs:
        writer.put(_core_init(writer))


def _scalar(writer: ProgramWriter, name: str) -> Function:
    arith = replace(writer.arith, modulus=0)
    count, word = arith.words, writer.host.word
    places = {"a": (A, 0), "b": (B, 0), "q": (C, 0), "qi": (C, count), "m0": (C, count), "m1": (C, 2 * count)}
    block = writer.on_words(scalar(name, arith), writer.host)
    results = words(block.outputs["z"], word, count)
    read = {id(a) for instr in block.instrs for a in instr.args} | {id(value) for value in results}
    f = Function(name, (Z, A, B, C))
    for key, (pointer, offset) in places.items():
        if key in block.inputs:
            values = words(block.inputs[key], word, count)
            f.load(key, [v if id(v) in read else const(0) for v in values], pointer, offset)
    f.run(block)
    f.store(results, Z)
    return f


def _modulus_fits(writer: ProgramWriter) -> Function:
    """Whether q is a modulus that the kernel serves."""
    count, baked = writer.arith.words, writer.arith.modulus
    limit = "" if baked else "q > 2, " if writer.spec.odd else "q > 1, "
    f = Function("modulus_fits", (Q,), f"{limit}{writer.moduli}", Type.COUNT)
    if baked:
        word = writer.arith.word
        only = [baked >> word * i & (1 << word) - 1 for i in range(count)]
        f.give(Same(Q, writer.static(Static(Name("only", Type.INPUT), only)), Number(count)))
        return f
    large, fits = Q[0] > (2 if writer.spec.odd else 1), writer.fits(Q)
    if count > 1:
        high = f.variable("high", 0, Type.WORD)
        with f.each("i", count, first=1) as i:
            f.set(high, high | Q[i])
        large = (high | large).is_not(0)
    odd = (Q[0] & 1).both(large) if writer.spec.odd else large
    f.give(odd if isinstance(fits, Number) else odd.both(fits))
    return f


def double(writer: ProgramWriter, f: Function, x: Expr, times: int) -> None:
    """Append what multiplies x by 2^times modulo q."""
    with f.each("i", times):
        f.do(writer.call("add", x, x, x, C))


def _core_init(writer: ProgramWriter) -> Function:
    count, held, steps = writer.arith.words, writer.arith.held, 0
    while 3 << steps < held:
        steps += 1
    one, square = (Name(name, Type.WORDS) for name in ("one", "square"))
    doc = "1/q by Newton's iteration, R mod q and R^2 mod q by doubling."
    f, c = Function("core_init", (CONSTANTS, one, square, Q), doc, copies="once"), written(C)
    f.copy(c, Q, count)
    f.copy(c + count, Q, count)
    with f.each("i", steps):
        f.do(writer.call("newton", c + count, c + count, c, c))
    f.copy(one, writer.static(literal_one(count)), count)
    double(writer, f, one, held)
    f.copy(square, one, count)
    double(writer, f, square, held)
    return f
