"""The number theoretic transform as stages: which radices, which order, which layouts, where reductions finish.

Forward: natural order in, bit-reversed out, by splitting Z_q[x]/(x^n - ζ) (ζ = 1 cyclic, ζ = -1 negacyclic); the
inverse runs the stages backwards with Gentleman–Sande butterflies and scales by 1/n in its last stage.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from momagen.errors import MomagenError

from .arith import Arith
from .breakdown import expand, plan, specification
from .codelets import Codelet, forward, inverse
from .stage import LANES, USER, Stage
from .stages import Kernel, stages
from .transform import RADICES


@dataclass(frozen=True)
class Transform:
    """The stages of one transform, first one first."""

    arith: Arith
    n: int
    inverse: bool
    negacyclic: bool
    stages: tuple[Stage, ...]

    @property
    def butterflies(self) -> int:
        """n/2·log2 n."""
        return self.n // 2 * (self.n.bit_length() - 1)


def radices_for(n: int, radix: int) -> list[int]:
    """Radices whose product is n, first stage first: ``radix``, what is left over in front (strides are long there)."""
    log, step = n.bit_length() - 1, radix.bit_length() - 1
    rest = log % step
    return [1 << rest] * bool(rest) + [radix] * (log // step)


def default_radix(arith: Arith, lanes: int) -> int:
    """By the words of a residue: what still compiles to code that fits the registers and the instruction cache."""
    if arith.words <= 2:
        return 4
    return 4 if arith.words <= 4 and lanes == 1 else 2


def shape_of(n: int, radices: list[int], negacyclic: bool, inverse: bool) -> list[tuple[int, int, int]]:
    """(blocks, radix, stride) of every stage, from the breakdown rules, first stage first."""
    turn = Fraction(1, 2) if negacyclic else Fraction(0)
    names = ("rings_merge",) if inverse else ("rings_split",)
    order = radices[::-1] if inverse else radices
    found = stages(expand(specification(n, turn, inverse=inverse), plan(names, radices)))
    kernels = [stage for stage in found if isinstance(stage, Kernel)]
    shapes = [(stage.left * stage.core.blocks, stage.core.n, stage.right) for stage in kernels]
    assert [r for _, r, _ in shapes] == order
    return shapes


def most_radix(arith: Arith, n: int, lanes: int, radix: int = 0) -> int:
    """The radix asked for, or the default, as far as n and the lanes allow; MomagenError where it is none."""
    if radix and radix not in RADICES:
        raise MomagenError("a radix of 2, 4, 8 or 16", radix, "radix")
    return min(radix or default_radix(arith, lanes), n // lanes if lanes > 1 else n)


WIDE = 12
"""Words from which one codelet serves all ranges: a conditional subtraction is nothing beside it, its text is much."""


def range_class(arith: Arith, m: int, radix: int, inverse_: bool) -> int:
    """The range that a codelet is made for when its inputs are below m·q: few classes, so that stages share code.

    Either none of its log2 radix levels needs a conditional subtraction (``easy``), or any range the words hold.
    """
    levels = radix.bit_length() - 1
    if arith.kind in ("tight", "montgomery"):
        return m
    most = arith.room if inverse_ else max(m, arith.reach)
    easy = most >> levels if inverse_ else most - 2 * arith.k * levels
    return easy if m <= easy and arith.words < WIDE else most


@lru_cache(maxsize=256)
def _codelet(make: Callable[..., Codelet], arith: Arith, radix: int, m: int, last: int, scale: bool) -> Codelet:
    return make(arith, radix, m, last, scale) if make is inverse else make(arith, radix, m, last)


def transform(
    arith: Arith, n: int, *, inverse_: bool = False, negacyclic: bool = False, lanes: int = 1, radix: int = 0,
    m_in: int = 1, m_out: int = 1,
) -> Transform:  # fmt: skip
    """The stages of an n-point transform on vectors of ``lanes``, from values below m_in·q to values below m_out·q.

    Raises:
        MomagenError: a radix other than 2, 4, 8 or 16.
    """
    radices = radices_for(n, most_radix(arith, n, lanes, radix))
    shapes = shape_of(n, radices, negacyclic, inverse_)
    make, m, made = (inverse if inverse_ else forward), m_in, []
    for at, (blocks, r, stride) in enumerate(shapes):
        last = at == len(shapes) - 1
        codelet = _codelet(make, arith, r, range_class(arith, m, r, inverse_), last * m_out, last and inverse_)
        m = codelet.m_out
        load, store = (USER if at == 0 else LANES), (USER if last else LANES)
        made.append(Stage(codelet, blocks, stride, lanes, load, store, scaled=last and inverse_))
    return Transform(arith, n, inverse_, negacyclic, tuple(made))
