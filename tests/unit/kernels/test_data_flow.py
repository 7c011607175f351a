"""Data flows on index bits: folding and routing compute the formula, and loops with lanes touch every element once."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from support.formulas import RingContext, apply

from momagen.errors import MomagenError
from momagen.formula.atoms import Diagonal, I, L, Permutation, R, T
from momagen.formula.breakdown import ALGORITHMS, asked, expand, leftover
from momagen.formula.expression import Tensor
from momagen.formula.instantiate import formula
from momagen.formula.transforms import NTT, RADICES
from momagen.kernels.flow.data_flow import Butterflies, Cost, Gap, Reordering, butterflies, fold, route
from momagen.kernels.flow.index_bits import Phase, inverted, moved, order_of, phase_of, turn
from momagen.kernels.flow.loop_nest import LoopNest, shape_of
from momagen.kernels.residues.arith import Arith
from momagen.kinds.modular.make_spec import make_spec
from momagen.plan.planners.whole_words import words_schedule
from momagen.plan.schedule.passes import Pass, passes_of
from momagen.plan.schedule.types import Breakdown, Move, Step
from momagen.plan.word_plan import WordPlan

Q = 12289
RING = RingContext(Q, pow(11, (Q - 1) // 1024, Q), 1024)
STOCKHAM = {"algorithm": "stockham", "radix": "16"}
SIZES = (2, 4, 8, 32, 64, 128)
KINDS = list(product((False, True), repeat=3))
"""Inverse, negacyclic, natural."""


def still(order: tuple[int, ...]) -> bool:
    return list(order) == sorted(order)


COSTS: dict[str, Cost] = {
    "anything": lambda one: 0,
    "loads only": lambda one: 1 if still(one.store) else None,
    "stores only": lambda one: 1 if still(one.load) else None,
    "neither": lambda one: 1 if still(one.load) and still(one.store) else None,
}


def weighted(x: list[int], form: Phase, common: Phase, legs: range) -> list[int]:
    """Every position times e(l·form + common)."""

    def factor(p: int) -> int:
        leg = p >> legs[0] & (1 << len(legs)) - 1
        return RING.e((leg * turn(form, p) + turn(common, p)) % 1)

    return [v * factor(p) % Q for p, v in enumerate(x)]


def step(one: Butterflies | Reordering, x: list[int]) -> list[int]:
    """What one pass does, as its docstring says."""
    n = len(x)
    if isinstance(one, Reordering):
        return [x[moved(one.order, p)] for p in range(n)]
    right, radix = 1 << one.legs[0], 1 << len(one.legs)
    v = weighted([x[moved(one.load, p)] for p in range(n)], one.before, one.common, one.legs)
    v = apply(Tensor(I(n // radix // right), NTT(radix, one.core.inverse), I(right)), v, RING)
    v = weighted(v, one.after, {}, one.legs)
    scale = pow(n, -1, Q) if one.scaled else 1
    y = [0] * n
    for p in range(n):
        y[moved(one.store, p)] = v[p] * scale % Q
    return y


@pytest.mark.sampled(3)
@pytest.mark.parametrize("cost", COSTS.values(), ids=COSTS)
@pytest.mark.parametrize("radix", RADICES)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_way_through_the_flow_computes_the_formula(algorithm: str, radix: int, cost: Cost) -> None:
    for n, (inverse, negacyclic, natural) in product(SIZES, KINDS):
        whole = expand(*asked(algorithm, n, radix, inverse=inverse, negacyclic=negacyclic, natural=natural))
        random = Random(n)
        x = [random.randrange(Q) for _ in range(n)]
        kernels, gaps = fold(whole)
        y = x
        for one in route(butterflies(kernels, gaps), gaps, cost):
            y = step(one, y)
        assert y == apply(whole, x, RING), (n, inverse, negacyclic, natural)


def test_identities_move_and_change_nothing() -> None:
    _, gaps = fold(formula("L(8, 8) · T(8, 1) · (I(2) ⊗ NTT(4)) · T(8, 8) · L(8, 1) · (I(2) ⊗ R(4, 4))"))
    assert gaps == [Gap((0, 1, 2))] * 2


@pytest.mark.parametrize("permutation", [L(64, 2), L(64, 16), R(64), R(64, 4), R(64, 8)])
def test_bit_permutations(permutation: Permutation) -> None:
    order = order_of(permutation)
    assert [moved(order, p) for p in range(64)] == [permutation.source(p) for p in range(64)]
    assert all(moved(inverted(order), moved(order, p)) == p for p in range(64))


@pytest.mark.parametrize("diagonal", [T(64, 8), T(64, 2, True), formula("D[j=0..63](j/128)")])
def test_diagonals_by_bits(diagonal: Diagonal) -> None:
    phase = phase_of(diagonal)
    assert all(turn(phase, p) == diagonal.angle(p) % 1 for p in range(64))


def test_what_bits_cannot_say_is_refused() -> None:
    with pytest.raises(MomagenError, match="at most two index bits in each term of its phase, got D"):
        phase_of(formula("D[j=0..7](⌊j/7⌋/2)"))


def touched(shape: LoopNest, step: int, strides: list[int]) -> list[int]:
    """The addresses of all registers and lanes over the whole loop nest, in ascending order."""
    inside = [step * register + lane for register in range(shape.radix) for lane in range(shape.lanes)]
    starts = [range(0, loop.count * stride, stride) for loop, stride in zip(shape.loops, strides, strict=True)]
    return sorted(sum(base) + offset for base in product(*starts) for offset in inside)


@pytest.mark.thorough
@pytest.mark.sampled(2)
@pytest.mark.parametrize("lanes", [1, 4, 8])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_loops_touch_every_element_once(algorithm: str, lanes: int) -> None:
    for radix, n, (inverse, negacyclic, natural) in product(RADICES, (32, 256, 512), KINDS):
        if n < radix * lanes:
            continue
        asked = Breakdown(algorithm, n, radix, False, (), inverse, negacyclic, natural, 1, 0, 1, 0)
        for one in passes_of(words_schedule(asked, Arith(60), lanes)):
            if isinstance(one, Pass):
                assert touched(one, one.step(one.load), [loop.x for loop in one.loops]) == list(range(n))
                assert touched(one, one.step(one.store), [loop.y for loop in one.loops]) == list(range(n))


@pytest.mark.parametrize(("columns", "lanes"), [(3, 1), (2, 8), (4, 4), (8, 4), (11, 4), (24, 8)])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_loops_touch_every_column_of_every_row_once(algorithm: str, columns: int, lanes: int) -> None:
    for n, (inverse, negacyclic, natural) in product((8, 64), KINDS):
        radix = min(4, n // max(1, lanes // columns))
        asked = Breakdown(algorithm, n, radix, False, (), inverse, negacyclic, natural, 1, 0, 1, 0)
        for one in passes_of(words_schedule(asked, Arith(60), lanes, columns)):
            parts = one.parts() if isinstance(one, Pass) else []
            for order, stride in (("load", "x"), ("store", "y")):
                found = [
                    first + at
                    for first, shape in parts
                    for at in touched(
                        shape, shape.step(getattr(shape, order)), [getattr(loop, stride) for loop in shape.loops]
                    )
                ]
                assert not parts or sorted(found) == list(range(n * columns))
            assert all(shape.networks == 0 for _, shape in parts if columns >= lanes)


@pytest.mark.parametrize("lanes", [1, 8])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_only_reversals_need_a_pass_of_their_own(algorithm: str, lanes: int) -> None:
    """Stockham sorts itself; the others reverse once, at one end; no flow moves data between its kernels."""
    for n in (2**11, 2**12, 2**22):
        asked = Breakdown(algorithm, n, 4, False, (), False, False, True, 1, 0, 1, 0)
        done = words_schedule(asked, Arith(124), lanes)
        moves = [at for at, one in enumerate(done.steps) if isinstance(one, Move)]
        front, back = [0], [len(done.steps) - 1]
        ends = {"stockham": [], "stockham_dif": [], "gentleman_sande": back, "ring": back,
                "korn_lambiotte_dif": back, "pease_dif": back}
        assert moves == ends.get(algorithm, front)


def test_leftover_radix() -> None:
    assert [leftover(n, 4) for n in (4, 8, 64, 128)] == [1, 2, 1, 2]
    plan = WordPlan(make_spec("ntt", n=2048, bits=128, target="c", order="natural", options=STOCKHAM))
    assert [step.radix for step in plan.schedule.steps if isinstance(step, Step)] == [16, 16, 8]
    assert plan.notes == ["n = 2048 is not a power of 16: mixed radices 16 · 16 · 8"]


@pytest.mark.thorough
def test_passes_never_read_what_they_overwrite() -> None:
    for name, lanes, (inverse, negacyclic, natural) in product(ALGORITHMS, (1, 8), KINDS):
        asked = Breakdown(name, 1024, 4, False, (), inverse, negacyclic, natural, 1, 0, 1, 0)
        done = words_schedule(asked, Arith(124), lanes)
        assert [edge.memory for edge in (done.edges[0], done.edges[-1])] == ["x", "y"]
        for source, goal, one in zip(done.edges, done.edges[1:], passes_of(done), strict=False):
            assert source.memory != goal.memory or (isinstance(one, Pass) and one.in_place)


def test_lanes_that_memory_does_not_bear() -> None:
    """Bit reversal on load: the lowest bits of memory are the highest of the position."""
    bits = tuple(range(12))
    straight = Butterflies(NTT(4), (0, 1), bits, bits)
    assert shape_of(straight, 8) is not None
    backwards = Butterflies(NTT(4), (0, 1), bits[::-1], bits)
    assert shape_of(backwards, 8) is None
