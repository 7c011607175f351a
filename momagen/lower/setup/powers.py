"""Powers of the root of unity, and of its inverse: what the tables of a transform are made of."""

from __future__ import annotations

from momagen.lower.names import ONE, POWERS, C, G, literal_zero, written
from momagen.lower.writer import ProgramWriter
from momagen.program import Function, Name, Number, Same, Type

from .scalars import write_scalars


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
    f.give(Same(total, writer.static(literal_zero(count)), Number(count)))
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
    masks = [0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F, 0x00FF00FF00FF00FF, 0x0000FFFF0000FFFF,
             0x00000000FFFFFFFF]  # fmt: skip
    doc = "The lowest bits of i in reverse: neighbours change places, then pairs, …, then halves."
    f = Function("reversed", (i, bits), doc, Type.COUNT)
    r = f.variable("r", i, Type.LONG)
    for step, mask in enumerate(masks):
        m = Number(mask, Type.LONG)
        f.set(r, (r >> (1 << step) & m) | (r & m) << (1 << step))
    with f.if_(bits.is_(0)):
        f.give(0)
    f.give(r >> 64 - bits)
    return f
