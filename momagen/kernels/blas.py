"""Element by element: x + y, x - y, x·y and a·x + y modulo q, as codelets on big integers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from momagen.ir import Block, Builder, Value

from .arith import Arith
from .codelets import Lazy, Maker

PRODUCTS = ("barrett", "montgomery")
"""How two residues that are both new are multiplied; a constant factor is :class:`Arith`'s matter."""

MEANING: dict[str, Callable[..., int]] = {
    "vadd": lambda q, x, y: (x + y) % q,
    "vsub": lambda q, x, y: (x - y) % q,
    "vmul": lambda q, x, y: x * y % q,
    "axpy": lambda q, a, x, y: (a * x + y) % q,
}
"""What each kernel computes, on integers."""


@dataclass(frozen=True, eq=False)
class Elementwise:
    """z = f(x, y) for residues x, y, z below q.

    Attributes:
        block: inputs x, y and those of the constants that are not baked in; output z.
        constants: what all elements share, by name and number of words, in the order that memory holds it.
    """

    block: Block
    constants: dict[str, int]


class _Frame:
    """A builder with the two operands; constants are taken by name."""

    def __init__(self, arith: Arith) -> None:
        self.arith, self.b = arith, Builder()
        self.x, self.y = arith.residue(self.b, "x"), arith.residue(self.b, "y")
        self.constants: dict[str, int] = {}

    def constant(self, name: str, most: int, value: Callable[[int], int]) -> Value:
        """The constant ``name``, at most ``most``; ``value`` of q where that is baked in."""
        self.constants[name] = -(-most.bit_length() // self.arith.word)
        return self.arith.constant(self.b, name, most, value)

    def modulus(self) -> Value:
        self.constants["q"] = self.arith.words
        return self.arith.q(self.b)

    def inverse(self) -> Value:
        self.constants["qi"] = self.arith.words
        return self.arith.inverse_q(self.b)

    def montgomery(self, x: Value, y: Value, q: Value, inverse: Value) -> Value:
        return self.b.one("montgomery", self.arith.width, x, y, q, inverse, k=self.arith.held)

    def finish(self, z: Value) -> Elementwise:
        self.b.output("z", z)
        return Elementwise(self.b.block, self.constants)


def default_product(arith: Arith) -> str:
    """Barrett's product, but Montgomery's for one or two words that q all but fills.

    There Barrett's quotient would need another word; elsewhere Montgomery's two reductions cost 1.4 to 2 times as much,
    and serve every odd q of the width and below, where Barrett's constant is right for one bit length only.
    """
    return "montgomery" if arith.words <= 2 and arith.bits > arith.held - 4 else "barrett"


def lanes_for(kind: str, arith: Arith, lanes: int) -> int:
    """The lanes worth filling: all, but one where bringing words to lanes and back costs more than the sum itself.

    Residues of up to four words, or of a power of two, move cheaply; a product pays for any move.
    """
    cheap = arith.words <= 4 or arith.words & (arith.words - 1) == 0
    return lanes if cheap or kind not in ("vadd", "vsub") else 1


def elementwise(kind: str, arith: Arith, product: str = "") -> Elementwise:
    """The codelet of the BLAS kernel ``kind``; ``product`` is vmul's reduction."""
    return {"vadd": _add, "vsub": _subtract, "axpy": _axpy, **_PRODUCTS}[product if kind == "vmul" else kind](arith)


def montgomery_product(arith: Arith) -> Elementwise:
    """z = x·y/R: a product whose missing factor R some later constant makes good."""
    f = _Frame(arith)
    return f.finish(f.montgomery(f.x, f.y, f.modulus(), f.inverse()))


def _add(arith: Arith) -> Elementwise:
    f = _Frame(arith)
    return f.finish(f.b.one("addmod", arith.width, f.x, f.y, f.modulus()))


def _subtract(arith: Arith) -> Elementwise:
    f = _Frame(arith)
    return f.finish(f.b.one("submod", arith.width, f.x, f.y, f.modulus()))


def _barrett_product(arith: Arith) -> Elementwise:
    """x·y for q of exactly k bits; μ = ⌊2^(2k + 3)/q⌋ has four bits more, and the operation room for it."""
    f, k = _Frame(arith), arith.bits
    q, mu = f.modulus(), f.constant("mu", (1 << k + 4) - 1, lambda q: (1 << 2 * k + 3) // q)
    return f.finish(f.b.one("barrett", Arith(k + 4, arith.word).width, f.x, f.y, q, mu, k=k))


def _montgomery_product(arith: Arith) -> Elementwise:
    """(x·y/R)·R²/R = x·y for any odd q."""
    f = _Frame(arith)
    q, inverse = f.modulus(), f.inverse()
    square = f.constant("square", arith.top - 1, lambda q: (1 << 2 * arith.held) % q)
    return f.finish(f.montgomery(f.montgomery(f.x, f.y, q, inverse), square, q, inverse))


_PRODUCTS = {"barrett": _barrett_product, "montgomery": _montgomery_product}


def _axpy(arith: Arith) -> Elementwise:
    """a·x + y, where a comes as twiddles do: with its Shoup quotient, or in Montgomery form."""
    maker, words = Maker(arith), arith.words
    x, y = (Lazy(arith.residue(maker.b, name), 1) for name in "xy")
    product = maker.times(x, 0)
    if product.m + 1 > arith.room:
        product = maker.reduce(product, 1)
    maker.b.output("z", _sum(maker, product, y))
    names = ("q", "qi", "v0") if arith.kind == "montgomery" else ("q", "v0", "u0")
    return Elementwise(maker.b.block, dict.fromkeys(names, words))


def _sum(maker: Maker, x: Lazy, y: Lazy) -> Value:
    """x + y below q; where not even 2q fits the words, by the addition that keeps its carry."""
    width, total = maker.arith.width, x.m + y.m
    if total > maker.arith.room:
        return maker.b.one("addmod", width, x.value, y.value, maker.q)
    return maker.reduce(Lazy(maker.b.one("addlo", width, x.value, y.value), total), 1).value
