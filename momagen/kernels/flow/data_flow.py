"""The data flow of an expanded formula: kernels, with the permutations and twiddles between them folded into them.

All is on index bits (see `index_bits`) and independent of language and machine: `fold` gathers what stands between
kernels, `butterflies` assigns every twiddle to a kernel, `route` assigns every permutation to a load or a store.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from momagen.errors import MomagenError
from momagen.formula.atoms import Diagonal, Permutation, Scale
from momagen.formula.factors import KernelStage, Stage
from momagen.formula.transforms import Ring

from .index_bits import Order, Phase, inverted, order_of, phase_of, product, renamed


@dataclass(frozen=True)
class Gap:
    """What stands between two kernels: position p gets e(phase(p))·x[order(p)], times 1/n where ``scaled``."""

    order: Order
    phase: Phase = field(default_factory=dict)
    scaled: bool = False

    @property
    def identity(self) -> bool:
        """Whether its permutation is the identity."""
        return list(self.order) == sorted(self.order)


def fold(stages: Sequence[Stage]) -> tuple[list[KernelStage], list[Gap]]:
    """The kernels in the order in which they act, and the gaps before, between and after them: one more."""
    still = tuple(range(stages[0].formula.size.bit_length() - 1))
    kernels: list[KernelStage] = []
    gaps = [Gap(still)]
    for stage in stages:
        if isinstance(stage, KernelStage):
            back = stage.core.inverse
            gaps[-1] = _reversed(gaps[-1], stage) if back else gaps[-1]
            kernels.append(stage)
            gaps.append(Gap(still))
            at = -1 if back else -2
            gaps[at] = replace(gaps[at], phase=product(gaps[at].phase, _twist(stage)))
            gaps[-1] = gaps[-1] if back else _reversed(gaps[-1], stage)
        else:
            gaps[-1] = _then(gaps[-1], stage)
    return kernels, gaps


def _twist(kernel: KernelStage) -> Phase:
    """NTT(r, t) = NTT(r)·D(l·t/r); for the inverse, the conjugate on the other side.

    Of the m factors of Rings(m, r, t), factor b has (t + rev(b))/m for t.
    """
    core, legs = kernel.core, _legs(kernel)
    many = core.blocks if isinstance(core, Ring) else 1
    unit = Fraction(-1 if core.inverse else 1, many * core.n)
    bits = many.bit_length() - 1
    terms: dict[frozenset[int], Fraction] = {}
    for at, leg in enumerate(legs):
        terms[frozenset({leg})] = unit * core.turn * 2**at
        for block in range(bits):
            terms[frozenset({leg, legs[-1] + 1 + block})] = unit * 2 ** (at + bits - 1 - block)
    return product(terms)


def _reversed(gap: Gap, kernel: KernelStage) -> Gap:
    """Ring(r, t) = R(r)·NTT(r, t): the legs of a ring stand in bit-reversed order behind it, or before its inverse."""
    legs = list(_legs(kernel))
    if not isinstance(kernel.core, Ring):
        return gap
    order = list(range(len(gap.order)))
    order[legs[0] : legs[-1] + 1] = legs[::-1]
    return _permuted(gap, tuple(order))


def _then(gap: Gap, stage: Stage) -> Gap:
    """The gap, then one more stage."""
    low = stage.right.bit_length() - 1
    match stage.core:
        case Permutation() as core:
            own = order_of(core)
            return _permuted(gap, (*range(low), *(low + b for b in own), *range(low + len(own), len(gap.order))))
        case Scale():
            return replace(gap, scaled=True)
        case Diagonal() as core:
            return replace(gap, phase=product(gap.phase, renamed(phase_of(core), lambda b: b + low)))
    raise MomagenError("a permutation or a diagonal", stage.core, "data flow")


def _permuted(gap: Gap, order: Order) -> Gap:
    """The gap, then y[p] = x[order(p)]."""
    phase = renamed(gap.phase, inverted(order).__getitem__)
    return replace(gap, order=tuple(gap.order[b] for b in order), phase=phase)


@dataclass(frozen=True)
class Twiddles:
    """The factor e(l·leg(o) + common(o)) of leg l in butterfly o; both forms are affine in the bits of o."""

    leg: Phase = field(default_factory=dict)
    common: Phase = field(default_factory=dict)


@dataclass(frozen=True)
class Butterflies:
    """One pass: NTT(r), or its inverse, on the bits ``legs`` of the position, the lowest first.

    Position p is read at address load(p), multiplied by ``before``, transformed, multiplied by ``after`` and by 1/n
    where ``scaled``, and written at address store(p).
    """

    legs: range
    inverse: bool
    before: Twiddles
    after: Twiddles
    load: Order
    store: Order
    scaled: bool = False


@dataclass(frozen=True)
class Move:
    """A pass that only moves: y[p] = x[order(p)]."""

    order: Order


def butterflies(kernels: Sequence[KernelStage], gaps: Sequence[Gap]) -> list[Butterflies]:
    """The kernels with their twiddles, before permutations are assigned.

    Decimation in time has its twiddles before the kernels; decimation in frequency and inverse ring splitting have them
    after. Factors before the first kernel and after the last stay there.
    """
    legs = [_legs(kernel) for kernel in kernels]
    before = [_split(gap.phase, own) for gap, own in zip(gaps, legs, strict=False)]
    after = [_split(_behind(gap), own) for gap, own in zip(gaps[1:], legs, strict=True)]
    merges = all(isinstance(kernel.core, Ring) and kernel.core.inverse for kernel in kernels)
    in_time = None not in before[1:] and not merges
    still = tuple(range(len(gaps[0].order)))
    made = []
    for at, (own, kernel) in enumerate(zip(legs, kernels, strict=True)):
        first = before[at] if in_time or at == 0 else Twiddles()
        then = after[at] if not in_time or at == len(legs) - 1 else Twiddles()
        if first is None or then is None:
            raise MomagenError("twiddles that are products of the leg and the other bits", kernel.formula, "data flow")
        made.append(Butterflies(own, kernel.core.inverse, first, then, still, still))
    made[-1] = replace(made[-1], scaled=any(gap.scaled for gap in gaps))
    return made


def _legs(kernel: KernelStage) -> range:
    low = kernel.right.bit_length() - 1
    return range(low, low + kernel.core.n.bit_length() - 1)


def _behind(gap: Gap) -> Phase:
    """The phase by the positions that the kernel in front wrote."""
    return renamed(gap.phase, gap.order.__getitem__)


def _split(phase: Phase, legs: range) -> Twiddles | None:
    """``phase`` as twiddles of a kernel on these legs; None where it has no such form."""
    common = {term: t for term, t in phase.items() if not term & set(legs)}
    low = {legs[0]}
    leg = {term - low: t for term, t in phase.items() if term & set(legs) == low}
    again = product(common, *({term | {b}: t * 2**at for term, t in leg.items()} for at, b in enumerate(legs)))
    affine = all(len(term) < 2 for term in (*common, *leg))
    return Twiddles(leg, common) if affine and again == phase else None


MOVE = 4000
"""The cost of a pass that only moves, in the units of `route`."""

Cost = Callable[[Butterflies], int | None]
"""What loads and stores of one pass cost; None where it cannot be done."""

Path = tuple[int, list[Butterflies | Move]]
"""The cost so far, and the passes."""


def route(passes: Sequence[Butterflies], gaps: Sequence[Gap], cost: Cost) -> list[Butterflies | Move]:
    """The passes with every gap's permutation in a load, in a store, or in a `Move` where no kernel can take it.

    The cheapest assignment, found gap by gap (Viterbi's algorithm).
    """
    first = gaps[0].order
    best: dict[str, Path] = {"load": (0, []), "move": (MOVE, [Move(first)])}
    for at, here in enumerate(passes):
        ways = ("load", "store", "move") if at < len(passes) - 1 else ("store", "move")
        best = {way: path for way in ways if (path := _cheapest(best, here, gaps[at], gaps[at + 1], way, cost))}
    return min(best.values(), key=lambda path: path[0])[1]


def _cheapest(best: dict[str, Path], here: Butterflies, front: Gap, behind: Gap, way: str, cost: Cost) -> Path | None:
    """The cheapest path through ``here`` that leaves the gap ``behind`` to this way."""
    store = inverted(behind.order) if way == "store" else here.store
    after: list[Butterflies | Move] = [Move(behind.order)] if way == "move" else []
    found: list[Path] = []
    for side, (spent, path) in best.items():
        placed = replace(here, load=front.order if side == "load" else here.load, store=store)
        extra = cost(placed)
        if extra is not None:
            found.append((spent + extra + MOVE * len(after), [*path, placed, *after]))
    return min(found, key=lambda path: path[0], default=None)
