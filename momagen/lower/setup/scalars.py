"""What a plan computes with: scalar functions, the constants of a modulus, and powers of the root of unity."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from momagen.ir import const, words
from momagen.kernels.elementwise.scalars import BODIES, scalar
from momagen.lower.names import CONSTANTS, ONE, POWERS, C, G, Q, Z, written
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
    f.copy(one, writer.literal(1), count)
    double(writer, f, one, held)
    f.copy(square, one, count)
    double(writer, f, square, held)
    return f


def write_powers(writer: ProgramWriter, inverted: bool, *needs: str) -> None:
    """What tables are made of, and whether a root is below q; ``inverted``: of the root's inverse. ``needs``: scalar
    functions beside those that all tables need."""
    write_scalars(writer, {"mont", "add", "newton", *needs})
    for make in (below, put_powers, *[invert_root] * inverted):
        writer.put(make(writer))


def below(writer: ProgramWriter) -> Function:
    """A comparison."""
    a, b = Name("a", Type.INPUT), Name("b", Type.INPUT)
    f = Function("below", (a, b), "a < b", Type.COUNT)
    with f.each("i", writer.arith.words, down=True) as i, f.if_(a[i].is_not(b[i])):
        f.give(a[i] < b[i])
    f.give(0)
    return f


def put_powers(writer: ProgramWriter) -> Function:
    """All powers below half the order of the root."""
    doc = (
        "powers[i] = g^rev(i) * R for i < 2^bits, where rev reverses the bits of i: powers[2^k] = g^(2^(bits - 1 - k))"
        " is the factor from those below 2^k to the next 2^k. Returns 0 where g^(2^bits) is not -1."
    )
    count, bits, powers = writer.arith.words, Name("bits"), written(POWERS)
    f = Function("put_powers", (powers, G, ONE, C, bits), doc, Type.COUNT, copies="once")
    power, total = f.array("power", count), f.array("sum", count)
    f.copy(power, G, count)
    with f.each("k", bits, down=True) as k:
        f.copy(powers + (Number(count) << k), power, count)
        f.do(writer.call("mont", power, power, power, C))
    f.copy(powers, ONE, count)
    half = f.variable("half", 2)
    with f.while_((half >> bits).is_(0)):
        with f.each("i", half, first=1) as i:
            f.do(writer.call("mont", powers + (half + i) * count, powers + i * count, powers + half * count, C))
        f.set(half, half * 2)
    f.do(writer.call("add", total, power, ONE, C))
    f.give(Same(total, writer.literal(0), Number(count)))
    return f


def invert_root(writer: ProgramWriter) -> Function:
    """The root's inverse."""
    count, log_order, g = writer.arith.words, Name("log_order"), written(G)
    doc = "g becomes 1/g = g^(order - 1) = g · g^2 · g^4 · …"
    f = Function("invert_root", (g, ONE, C, log_order), doc, copies="once")
    product, power = f.array("product", count), f.array("power", count)
    f.copy(product, ONE, count)
    f.copy(power, g, count)
    with f.each("i", log_order):
        f.do(writer.call("mont", product, product, power, C))
        f.do(writer.call("mont", power, power, power, C))
    f.copy(g, product, count)
    return f


def reversed_bits() -> Function:
    """Bit reversal of a number."""
    i, bits = Name("i"), Name("bits")
    doc = "The lowest bits of i in reverse: neighbours change places, then pairs, …, then halves."
    f = Function("reversed", (i, bits), doc, Type.COUNT)
    r = f.variable("r", i, Type.LONG)
    for shift in (1, 2, 4, 8, 16, 32):
        m = Number(((1 << 64) - 1) // ((1 << shift) + 1), Type.LONG)  # of 2 · shift bits the lower half
        f.set(r, (r >> shift & m) | (r & m) << shift)
    with f.if_(bits.is_(0)):
        f.give(0)
    f.give(r >> 64 - bits)
    return f
