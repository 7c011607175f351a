"""Butterflies modulo 2^52: what stands above a digit in its lane is of no account, and no level reduces."""

from __future__ import annotations

import random

import pytest
from test_single_limb_butterflies import levels, per_butterfly

from momagen.ir import run
from momagen.kernels.butterflies.single_digit_levels import step_codelet
from momagen.kernels.residues.single_digit import OneDigit, unreduced
from momagen.lower import lower_digits
from momagen.targets import load_target

TARGET = load_target("avx512ifma")
RING = 1 << TARGET.digit


@pytest.mark.parametrize("last", [0, 1, 4])
@pytest.mark.parametrize("back", [False, True], ids=["forward", "inverse"])
@pytest.mark.parametrize(("radix", "bits"), [(2, 20), (8, 31), (16, 40)])
def test_step(radix: int, bits: int, back: bool, last: int) -> None:
    rng, arith = random.Random(radix * bits), OneDigit(bits, TARGET.digit, ring=True)
    given = (-3, 5) if back else (9, 12)
    step = step_codelet(arith, radix, given, back=back, last=last, opens=False)
    lowered = lower_digits(step.block, TARGET)
    lo, hi = (0, last) if last else step.out
    for _ in range(8):
        q = rng.choice((1 << bits, rng.randrange(4, 1 << bits))) - 1 | 1
        plain = [rng.choice((q - 1, rng.randrange(q))) for _ in range(radix)] if back else [1, *(q - 1,) * (radix - 1)]
        every = dict(enumerate(plain))
        if back and last:
            every |= {t: plain[t] * plain[0] for t in range(radix // 2, radix)}
            every |= {radix + t: plain[t] * plain[0] for t in range(1, radix // 2)}
        known = {"q": q, "mu": RING // q} | {f"v{t}": v % q for t, v in every.items()} | {
            f"u{t}": v % q * RING // q for t, v in every.items()
        }  # fmt: skip
        xs = [rng.choice((given[0] * q, given[1] * q - 1, rng.randrange(given[0] * q, given[1] * q)))
              for _ in range(radix)]  # fmt: skip
        known |= {f"x{i}": x + rng.randrange(-5, 5) * RING for i, x in enumerate(xs)}
        found = run(lowered, {k: [known[k]] if v.digits else known[k] for k, v in lowered.inputs.items()})
        wanted = levels(xs, plain, back)
        for i, value in enumerate(x * plain[0] if back and last else x for x in wanted):
            got = found[f"y{i}"]
            assert isinstance(got, int)
            number = (got - lo * q) % RING + lo * q
            assert (number - value) % q == 0
            assert lo * q <= number < hi * q
            assert not last or got == number


def test_what_a_butterfly_costs() -> None:
    """Three multiply-adds, a sum and a difference; on the way back one more, which keeps factors above 0."""
    ring = OneDigit(40, TARGET.digit, ring=True)
    assert per_butterfly(step_codelet(ring, 8, (24, 49), opens=False)) == 5
    assert per_butterfly(step_codelet(ring, 8, (0, 49), opens=False, back=True)) <= 6


def test_what_keeps_factors_above_zero() -> None:
    """On the way back a lift for each pair of sums that have met no product, and none at the end: beside them there are
    five operations a butterfly, a product by 1/n, two to reduce each sum that is left, and one to make each result a
    number, as it was known modulo 2^52 only."""
    step = step_codelet(OneDigit(31, TARGET.digit, ring=True), 8, (0, 8), opens=False, back=True, last=2)
    assert per_butterfly(step) * 12 == 12 * 5 + (4 + 2 + 1) + 3 + 3 * 2 + 8
    assert step.out[0] >= 0


def test_where_no_level_reduces() -> None:
    """Forward every level adds 4q to the range, on the way back it doubles it."""
    assert unreduced(46, 52, 15, 1, back=False)
    assert not unreduced(46, 52, 16, 1, back=False)
    assert unreduced(31, 52, 19, 1, back=True)
    assert not unreduced(31, 52, 20, 1, back=True)
