"""Butterflies on one word: right on integers and in lanes, whose words wrap, within the ranges that they promise."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import pytest
from test_single_limb_butterflies import ends, levels

from momagen.ir import Block, run
from momagen.kernels.butterflies.codelets import Codelet, Range
from momagen.kernels.butterflies.single_digit_levels import step_codelet
from momagen.kernels.residues.single_digit import HALF, LANE, OneDigit, longest, one_word
from momagen.lower import lower_words
from momagen.targets import load_target

TARGETS = {HALF: load_target("avx512"), 52: load_target("avx512ifma")}
"""By the bits of what they multiply quotients with."""
SHAPES = [*((8, bits, 52) for bits in (53, 58, 60, 61, 62)), (2, 60, 52), (16, 59, 52), (2, 61, HALF), (8, 60, HALF)]
Lane = Callable[..., int]


def _low(n: int, x: int) -> int:
    return x & (1 << n) - 1


LANES: dict[str, Lane] = {
    "plus": lambda k, a, b: a + b, "addlo": lambda k, a, b: a + b, "minus": lambda k, a, b: a - b,
    "sublo": lambda k, a, b: a - b, "mullo": lambda k, a, b: a * b,
    "mulhalf": lambda k, a, b: _low(32, a) * _low(32, b),
    "shr": lambda k, a: a >> k, "sal": lambda k, a: a << k, "low": lambda k, a: _low(k, a),
    "umin": lambda k, a, b: min(a, b), "umax": lambda k, a, b: max(a, b),
    "fmahi": lambda k, c, a, b: c + (_low(k, a) * _low(k, b) >> k),
}  # fmt: skip
"""What a machine does with words."""


def in_a_lane(block: Block, known: dict[str, int]) -> dict[str, int]:
    """The outputs of ``block`` as words."""
    words = {id(value): _low(LANE, known[name]) for name, value in block.inputs.items()}
    for instr in block.instrs:
        args = [_low(LANE, a.lo) if a.is_const else words[id(a)] for a in instr.args]
        words[id(instr.results[0])] = _low(LANE, LANES[instr.op](instr.k, *args))
    return {name: words[id(value)] for name, value in block.outputs.items()}


def held(number: int, v: int, q: int, digit: int) -> dict[str, int]:
    """Twiddle ``number`` as products take it: v and its quotient by q, to 32 + ``digit`` bits."""
    quotient = (v << HALF + digit) // q
    f = quotient >> HALF
    return {f"v{number}": v, f"f{number}": f, f"e{number}": _low(digit, quotient), f"g{number}": f >> digit - HALF}


def check(
    step: Codelet, block: Block, arith: OneDigit, given: Range, back: bool, last: int, rng: random.Random
) -> None:  # fmt: skip
    q = rng.choice((1 << arith.bits, 1 << arith.bits, rng.randrange(4, 1 << arith.bits))) - 1 | 1
    radix, scale = step.radix, ends(rng, 0, q) if back and last else 1
    xs = [ends(rng, given[0] * q, given[1] * q) for _ in range(radix)]
    xs = rng.choice((xs, [given[1] * q - 1] * radix))
    plain = [1, *(ends(rng, 0, q) for _ in range(1, radix))]
    first = radix // 2 if back and last else radix
    twiddles = {t: v if t < first else v * scale % q for t, v in enumerate(plain)} | {0: scale}
    twiddles |= {radix + t: plain[t] * scale % q for t in range(1, radix // 2)}
    known = {name: x for t, v in twiddles.items() for name, x in held(t, v, q, arith.digit).items()}
    known |= {"q": q} | {f"x{i}": x for i, x in enumerate(xs)}
    known = {name: known[name] for name in block.inputs}
    exact, words = run(block, known), in_a_lane(block, known)
    lo, hi = (0, last) if last else step.out
    for i, value in enumerate(levels(xs, plain, back)):
        got = exact[f"y{i}"]
        assert (got - value * scale) % q == 0
        assert lo * q <= got < hi * q
        assert words[f"y{i}"] == _low(LANE, got)


def given_ranges(arith: OneDigit, back: bool) -> Iterator[Range]:
    most = arith.most // (2 if back else 1)
    every = ((0, 1), (0, most), (-most, 0), (-7, 8), (-24, 3), (-3, 11))
    return (given for given in every if given[1] - given[0] <= most)


@pytest.mark.parametrize("back", [False, True], ids=["forward", "inverse"])
@pytest.mark.parametrize(("radix", "bits", "digit"), SHAPES)
def test_step(radix: int, bits: int, digit: int, back: bool) -> None:
    rng, arith = random.Random(radix * bits), one_word(bits, digit)
    for given in given_ranges(arith, back):
        for last, pairs in ((0, True), (1, False)) if given != (0, 1) else ((2, True),):
            step = step_codelet(arith, radix, given, back=back, pairs=pairs, last=last)
            lowered = lower_words(step.block, TARGETS[digit])
            for _ in range(3):
                check(step, lowered, arith, given, back, last, rng)


def per_butterfly(step: Codelet, digit: int) -> float:
    """Vector uops of a butterfly in a step, but for the multiples of q, which a loop makes once."""
    lowered = lower_words(step.block, TARGETS[digit])
    known, counted = {id(lowered.inputs["q"])}, 0
    for instr in lowered.instrs:
        if all(a.is_const or id(a) in known for a in instr.args):
            known |= {id(r) for r in instr.results}
        else:
            counted += 3 if instr.op == "mullo" else 1
    return counted / (step.radix // 2 * (step.radix.bit_length() - 1))


@pytest.mark.parametrize(("digit", "more"), [(52, 0.0), (HALF, 3.0)])
def test_what_a_butterfly_costs(digit: int, more: float) -> None:
    """Fourteen uops, of which a product is twelve, and what keeps ranges beside them; three more by half words."""
    arith = one_word(58, digit)
    assert per_butterfly(step_codelet(arith, 8, (0, 16)), digit) <= 15 + more
    assert per_butterfly(step_codelet(arith, 8, (0, 4), back=True), digit) <= 15.5 + more
    tight = one_word(60, 52)
    assert per_butterfly(step_codelet(tight, 4, (0, 4)), 52) <= 14.25
    assert per_butterfly(step_codelet(tight, 8, (0, 16)), 52) <= 15.95
    assert per_butterfly(step_codelet(tight, 8, (0, 1), ones=True), 52) <= 7.5
    assert per_butterfly(step_codelet(tight, 8, (0, 8), back=True), 52) <= 16.35
    assert per_butterfly(step_codelet(tight, 8, (0, 8), back=True, last=1), 52) <= 20.25


@pytest.mark.parametrize("digit", TARGETS)
def test_the_longest_modulus(digit: int) -> None:
    """It leaves a summand room beside a product, and one more bit would not."""
    most = one_word(longest(digit), digit)
    assert most.room > most.spread >= one_word(most.bits + 1, digit).room
