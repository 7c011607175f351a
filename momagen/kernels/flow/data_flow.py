"""The data flow of an expanded formula: its kernels, with the permutations and twiddles between them merged into them.

Everything is described by index bits (see :mod:`momagen.kernels.flow.index_bits`) and is independent of
language and machine. :func:`fold` collects the permutations and twiddles between kernels, :func:`butterflies`
assigns every twiddle to a kernel, and :func:`route` assigns every permutation to a load or a store.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter

from momagen.errors import MomagenError
from momagen.formula.atoms import Diagonal, Permutation, Scale
from momagen.formula.breakdown import expand
from momagen.formula.expression import Formula, Leaf
from momagen.formula.factors import stages
from momagen.formula.transforms import Ring, Transform

from .index_bits import Order, Phase, inverted, order_of, phase_of, product, renamed


@dataclass(frozen=True)
class Gap:
    """The permutation and the twiddles between two kernels: position p receives e(phase(p))·x[order(p)].

    Attributes:
        order: The permutation.
        phase: The twiddles.
        scaled: Whether the values are also multiplied by 1/n.
    """

    order: Order
    phase: Phase = field(default_factory=dict)
    scaled: bool = False


@dataclass(frozen=True)
class Butterflies:
    """One pass: a transform of a few points, with separate twiddles, on some bits of the position.

    Position p is loaded from address load(p), transformed by NTT(r) or its inverse, and stored at address
    store(p). Input l of butterfly o is multiplied by e(l·before(o)) first and by e(l·after(o)) last; both
    forms are affine in the bits of o.

    Attributes:
        core: The transform of a few points.
        legs: The bits of the position that number the butterfly inputs, the lowest bit of that number first.
        load: The addresses of the loads.
        store: The addresses of the stores.
        before: The twiddles before the transform, as a form in the bits of o.
        after: The twiddles after the transform, as a form in the bits of o.
        common: A factor e(common(o)) of all inputs.
        scaled: Whether all values are also multiplied by 1/n.
    """

    core: Transform
    legs: Order
    load: Order
    store: Order
    before: Phase = field(default_factory=dict)
    after: Phase = field(default_factory=dict)
    common: Phase = field(default_factory=dict)
    scaled: bool = False

    @property
    def late(self) -> bool:
        """Whether butterflies are Gentleman–Sande ones with inputs in bit-reversed order.

        This is the case if twiddles only come after the butterflies, or if there are no twiddles and the
        inputs have this order.
        """
        turned = [self.load[b] for b in self.legs] == sorted((self.load[b] for b in self.legs), reverse=True)
        return not self.before and (bool(self.after) or (self.core.inverse and turned))

    @property
    def heap(self) -> Phase:
        """The form F of the factor e(l·F(o)) that the twiddles of the butterflies include."""
        return self.after if self.late else self.before

    @property
    def weights(self) -> Phase:
        """The form F of the factors after the butterflies, if there are twiddles on both sides."""
        return {} if self.late else self.after

    @property
    def read(self) -> set[int]:
        """The bits of the position on which twiddles depend."""
        return {bit for form in (self.heap, self.weights, self.common) for term in form for bit in term}

    def named(self, names: Sequence[int]) -> Butterflies:
        """Return the pass with other names for the bits of the position, a permutation of their numbers.

        Args:
            names: The new name of each bit.
        """
        old, name = inverted(tuple(names)), names.__getitem__
        load, store = (tuple(order[bit] for bit in old) for order in (self.load, self.store))
        before, after, common = (renamed(form, name) for form in (self.before, self.after, self.common))
        legs = tuple(map(name, self.legs))
        return Butterflies(self.core, legs, load, store, before, after, common, self.scaled)


def fold(formula: Formula) -> tuple[list[Butterflies], list[Gap]]:
    """Return the kernels in the order in which they act, without twiddles, and the gaps before, between and after them.

    There is one gap more than there are kernels. If a kernel has a turn, its twiddles and reversals are in
    the gaps.
    """
    still = tuple(range(formula.size.bit_length() - 1))
    kernels, gaps = list[Butterflies](), [Gap(still)]
    for whole in stages(formula):
        for stage in stages(expand(whole.core, plain_kernel)):
            low = (whole.right * stage.right).bit_length() - 1
            if isinstance(stage.core, Transform) and isinstance(whole.core, Transform):
                legs = tuple(range(low, low + whole.core.n.bit_length() - 1))
                kernels.append(Butterflies(whole.core, legs, still, still))
                gaps.append(Gap(still))
            else:
                gaps[-1] = _then(gaps[-1], stage.core, low)
    return kernels, gaps


def plain_kernel(kernel: Transform) -> tuple[str, int] | None:
    """Return the rule that expresses ``kernel`` by NTT(r) or its inverse, or None if it has this form."""
    rule = "rings_twist" if isinstance(kernel, Ring) else "twist" * (kernel.turn > 0)
    return (rule + "_inverse" * kernel.inverse, 0) if rule else None


def _then(gap: Gap, core: Leaf, low: int) -> Gap:
    """Return the gap followed by ``core`` on the bits from ``low`` on."""
    match core:
        case Permutation():
            own = order_of(core)
            order = (*range(low), *(low + b for b in own), *range(low + len(own), len(gap.order)))
            phase = renamed(gap.phase, inverted(order).__getitem__)
            return replace(gap, order=tuple(gap.order[b] for b in order), phase=phase)
        case Scale():
            return replace(gap, scaled=True)
        case Diagonal():
            return replace(gap, phase=product(gap.phase, renamed(phase_of(core), lambda b: b + low)))
    raise MomagenError("a permutation or a diagonal", core, "data flow")


@dataclass(frozen=True)
class Reordering:
    """A pass that only moves values: y[p] = x[order(p)]."""

    order: Order


def butterflies(kernels: Sequence[Butterflies], gaps: Sequence[Gap]) -> list[Butterflies]:
    """Return the kernels with their twiddles, before permutations are assigned.

    Decimation in time has its twiddles before the kernels; decimation in frequency and inverse ring splitting
    have them after. Factors before the first kernel and after the last stay there.

    Raises:
        MomagenError: The twiddles between two kernels do not have the form that butterflies need.
    """
    before = [_split(gap.phase, kernel.legs) for gap, kernel in zip(gaps, kernels, strict=False)]
    behind = (renamed(gap.phase, gap.order.__getitem__) for gap in gaps[1:])  # as functions of the stored positions
    after = [_split(phase, kernel.legs) for phase, kernel in zip(behind, kernels, strict=True)]
    merges = all(isinstance(kernel.core, Ring) and kernel.core.inverse for kernel in kernels)
    in_time = None not in before[1:] and not merges
    made = []
    for at, kernel in enumerate(kernels):
        first = before[at] if in_time or at == 0 else ({}, {})
        then = after[at] if not in_time or at == len(kernels) - 1 else ({}, {})
        if first is None or then is None:
            raise MomagenError(
                "twiddles that are products of a factor for the butterfly input and one for the other index bits",
                kernel.core,
                "data flow",
            )
        made.append(replace(kernel, before=first[0], after=then[0], common=product(first[1], then[1])))
    made[-1] = replace(made[-1], scaled=any(gap.scaled for gap in gaps))
    return made


def _split(phase: Phase, legs: Order) -> tuple[Phase, Phase] | None:
    """Return affine forms F and C such that ``phase`` is l·F + C for butterfly input l, or None if there are none."""
    common = {term: t for term, t in phase.items() if not term & set(legs)}
    low = {legs[0]}
    leg = {term - low: t for term, t in phase.items() if term & set(legs) == low}
    again = product(common, *({term | {b}: t * 2**at for term, t in leg.items()} for at, b in enumerate(legs)))
    affine = all(len(term) < 2 for term in (*common, *leg))
    return (leg, common) if affine and again == phase else None


MOVE = 4000
"""The cost of a pass that only moves values, in the units of :func:`route`."""

Cost = Callable[[Butterflies], int | None]
"""A function that returns the cost of the loads and stores of one pass, or None if the pass is impossible."""

Path = tuple[int, list[Butterflies | Reordering]]
"""A path of the search: its cost, and its passes."""


def route(passes: Sequence[Butterflies], gaps: Sequence[Gap], cost: Cost) -> list[Butterflies | Reordering]:
    """Return the passes after assigning the permutation of every gap to a load, a store, or a separate pass.

    Viterbi's algorithm finds the cheapest assignment, gap by gap.

    Args:
        passes: The kernels with their twiddles.
        gaps: The gaps before, between and after them.
        cost: The cost of a pass.
    """
    best: dict[str, Path] = {"load": (0, []), "move": (MOVE, [Reordering(gaps[0].order)])}
    for at, here in enumerate(passes):
        front, behind, found = gaps[at].order, gaps[at + 1].order, dict[str, list[Path]]()
        for way in ("load", "store", "move") if at < len(passes) - 1 else ("store", "move"):
            store, after = inverted(behind) if way == "store" else here.store, [Reordering(behind)] * (way == "move")
            for side, (spent, path) in best.items():
                placed = replace(here, load=front if side == "load" else here.load, store=store)
                if (extra := cost(placed)) is not None:
                    found.setdefault(way, []).append((spent + extra + MOVE * len(after), [*path, placed, *after]))
        best = {way: min(paths, key=itemgetter(0)) for way, paths in found.items()}
    return min(best.values(), key=itemgetter(0))[1]
