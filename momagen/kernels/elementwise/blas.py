"""Element by element: one row of ``KERNELS`` per kernel, as codelets on big integers.

The set is HEXL's (Intel HEXL, WAHC 2021, Section 4): sums and differences of vectors, of a vector and a scalar,
negation, products, a·x + y, reduction, and the conditional sum and difference. Codelets of more than a line are in
`elements`; in products by a, twiddle 0 is that factor.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from momagen.kernels.butterflies.codelets import Lazy
from momagen.kernels.residues.arith import Arith
from momagen.rewrite import can_look_ahead, registers

from . import elements
from .codelet import Elementwise
from .compare import Compare
from .frame import Choices, Frame

PRODUCTS = ("barrett", "montgomery")
"""How two residues that are both new are multiplied; a constant factor is :class:`Arith`'s matter."""
RESIDUE, INPUT, WORDS = "residue", "input", "words"
"""Ranges of an operand: below q, below input_factor·q, whatever the words hold."""
VECTORS = ("x", "y")
"""The operands that are vectors; all others are one number each."""


@dataclass(frozen=True)
class Setting:
    """What a kernel's meaning depends on beside its operands: q, R = 2^(bits of the words), and how x is compared."""

    q: int
    r: int
    compare: Compare


@dataclass(frozen=True)
class ElementwiseKernel:
    """One kernel, called as k(*operands) and, in C, as execute(plan, z, operands…, n).

    Attributes:
        formula: what it computes, for people; ``{x > bound}`` stands for the comparison.
        operands: their ranges by name: scalars first, then vectors.
        meaning: one element of the result, on integers; where it is modulo q, less than q.
        codelet: the same as operations, up to a multiple of q that ``Lazy`` tells.
        modular: whether the result is a residue modulo q; else it is modulo R.
    """

    formula: str
    operands: dict[str, str]
    meaning: Callable[..., int]
    codelet: Callable[[Frame], Lazy]
    modular: bool = True


_X, _A = {"x": INPUT}, {"a": RESIDUE}
_XY = {"x": INPUT, "y": INPUT}

KERNELS = {
    "vadd": ElementwiseKernel("x + y", _XY, lambda s, x, y: (x + y) % s.q, lambda f: f.sum(f.x, f.y)),
    "vsub": ElementwiseKernel("x - y", _XY, lambda s, x, y: (x - y) % s.q, lambda f: f.difference(f.x, f.y)),
    "vmul": ElementwiseKernel("x·y", _XY, lambda s, x, y: x * y % s.q, elements.multiply),
    "axpy": ElementwiseKernel("a·x + y", _A | _XY, lambda s, a, x, y: (a * x + y) % s.q,
                              lambda f: f.sum(f.times(f.x, 0), f.y)),
    "scal": ElementwiseKernel("a·x", _A | _X, lambda s, a, x: a * x % s.q, lambda f: f.times(f.x, 0)),
    "vadds": ElementwiseKernel("x + a", _A | _X, lambda s, a, x: (x + a) % s.q, lambda f: f.sum(f.x, f.a)),
    "vsubs": ElementwiseKernel("x - a", _A | _X, lambda s, a, x: (x - a) % s.q, lambda f: f.difference(f.x, f.a)),
    "vneg": ElementwiseKernel("-x", _X, lambda s, x: -x % s.q, lambda f: f.difference(f.zero, f.x)),
    "reduce": ElementwiseKernel("x", _X, lambda s, x: x % s.q, lambda f: f.x),
    "cmpadd": ElementwiseKernel("({x > bound} ? x + diff : x)", {"bound": WORDS, "diff": WORDS, "x": WORDS},
                  lambda s, bound, diff, x: (x + s.compare.holds(x, bound) * diff) % s.r,
                  elements.compare_add, modular=False),
    "cmpsub": ElementwiseKernel("({x > bound} ? x - diff : x)", {"bound": WORDS, "diff": RESIDUE, "x": INPUT},
                  lambda s, bound, diff, x: (x - s.compare.holds(x, bound) * diff) % s.q, elements.compare_subtract),
}  # fmt: skip
"""Every kernel. The conditional ones compare x as it comes, before any reduction, as HEXL's do."""

ANY = ("reduce", "cmpsub")
"""Kernels whose input may be any number that the words hold."""
COMPARED = ("cmpadd", "cmpsub")
"""Kernels with a comparison to choose."""


def elementwise(kind: str, arith: Arith, choices: Choices | None = None) -> Elementwise:
    """The codelet of the kernel ``kind``, its results below ``choices.m_out``·q."""
    frame = Frame(arith, choices or Choices())
    return frame.finish(KERNELS[kind].codelet(frame))


def residue_of(arith: Arith, m: int, m_out: int = 1) -> Elementwise:
    """z ≡ t below m_out·q for any t below m·q."""
    frame = Frame(arith, Choices(m_out=m_out))
    return frame.finish(Lazy(arith.residue(frame.b, "t", m), m))


def default_product(arith: Arith) -> str:
    """Barrett's product, but Montgomery's for one word that q all but fills.

    There Barrett's quotient would need another word; elsewhere Montgomery's two reductions cost 1.2 to 2 times as much.
    They take every odd q as it is; Barrett's constant is right for one bit length, to which shorter moduli are shifted,
    and takes even ones too.
    """
    return "montgomery" if arith.words == 1 and arith.bits > arith.held - 4 else "barrett"


def across(codelet: Elementwise, arith: Arith, lanes: int) -> int:
    """The residues of a group whose words stand across lanes; 0 where something else than sums is asked for."""
    words = arith.words
    if codelet.multiplies or not can_look_ahead(codelet.block, arith.word, words, lanes):
        return 0
    return lanes * registers(words, lanes) // words


def lanes_for(codelet: Elementwise, arith: Arith, lanes: int, halves: bool, widest: int = 0) -> int:
    """The lanes worth filling: all, but one where lanes cost more than they save.

    Residues of up to four words move to lanes and back cheaply, those of a power of two where only one vector comes in,
    and all that go by ``halves`` of registers; in other sums moves cost more than the sum itself. A product pays for
    any move, up to ``widest`` words where that is not 0.
    """
    if codelet.multiplies:
        return lanes if not widest or arith.words <= widest else 1
    square = arith.words & (arith.words - 1) == 0
    return lanes if halves or arith.words <= 4 or (square and len(codelet.vectors) == 1) else 1
