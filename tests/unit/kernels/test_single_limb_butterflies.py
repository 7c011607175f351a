"""Butterflies on one digit: right on integers and on a target's digits, within the ranges that they promise."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import pytest

from momagen.ir import Block, leaves, run
from momagen.kernels.butterflies.codelets import Codelet, Range
from momagen.kernels.butterflies.single_digit_levels import step_codelet
from momagen.kernels.residues.single_digit import OneDigit
from momagen.kinds.modular.make_spec import modular_kind
from momagen.kinds.modular.options.record import KernelOptions
from momagen.kinds.modular.spec import Spec
from momagen.lower import lower_digits
from momagen.plan.planners.single_limb import step_plan
from momagen.plan.tiles import parts, radix_levels, step_passes
from momagen.targets import load_target

TARGET = load_target("avx512ifma")
WORD = TARGET.digit
WHOLE, BELOW, STEP, MOST = 8, 7, 3, 4
"""Levels that half of 48 KiB holds in vectors of 64 bytes, one less; those that half of 32 registers hold."""
BITS = (8, 20, 40, 46, 47, 48, 49, 50, 51, 52)
Numbers = dict[str, int]


def ends(rng: random.Random, lo: int, hi: int) -> int:
    return rng.choice((lo, hi - 1, min(lo + 1, hi - 1), rng.randrange(lo, hi), rng.randrange(lo, hi)))


def constants(
    rng: random.Random, q: int, radix: int, back: bool, ones: bool, last: int
) -> tuple[list[int], Numbers, Numbers]:
    """Twiddles, as inputs of a codelet, and what rules derive of them; twiddle 0 is what the inverse scales by at last,
    else 1."""
    plain = [1 if (ones and not t & t - 1) or (not t and not back) else ends(rng, 0, q) for t in range(radix)]
    inverse_q = pow(q, -1, 1 << WORD)
    scaled = {radix + t: plain[t] * plain[0] for t in range(1, radix // 2)} if back else {}
    scaled |= {t: plain[t] * plain[0] for t in range(radix // 2, radix)} if last and back else {}
    every = dict(enumerate(plain)) | scaled
    held = {t: (v << WORD) % q for t, v in every.items()}
    known = {f"v{t}": v for t, v in held.items()} | {f"u{t}": v * inverse_q % 2**WORD for t, v in held.items()}
    return plain, {"q": q} | {f"v{t}": v % q for t, v in every.items()}, {**known, "q": q, "qi": inverse_q}


def levels(xs: list[int], plain: list[int], back: bool) -> list[int]:
    """What a step means on integers, without 1/n."""
    xs, count = list(xs), len(xs).bit_length() - 1
    for level in range(count) if not back else reversed(range(count)):
        half, t = len(xs) >> level + 1, 1 << level
        for at in range(t):
            for i in range(2 * half * at, 2 * half * at + half):
                x, y, v = xs[i], xs[i + half], plain[t + at]
                xs[i], xs[i + half] = (x + y, (x - y) * v) if back else (x + y * v, x - y * v)
    return xs


def check(
    step: Codelet, block: Block, arith: OneDigit, given: Range, back: bool, last: int, rng: random.Random,
    ones: bool = False,
) -> None:  # fmt: skip
    q = rng.choice((1 << arith.bits, rng.randrange(4, 1 << arith.bits))) - 1 | 1
    xs = [ends(rng, given[0] * q, given[1] * q) for _ in range(step.radix)]
    plain, given_plain, derived = constants(rng, q, step.radix, back, ones, last)
    known = given_plain if block is step.block else derived
    known |= {f"x{i}": x for i, x in enumerate(xs)}
    found = run(block, {name: [known[name]] if value.digits else known[name] for name, value in block.inputs.items()})
    wanted = levels(xs, plain, back)
    if back and last:
        wanted = [x * plain[0] for x in wanted]
    lo, hi = (0, last) if last else step.out
    for i, value in enumerate(wanted):
        got = found[f"y{i}"]
        assert isinstance(got, int)
        assert (got - value) % q == 0
        assert lo * q <= got < hi * q


def given_ranges(arith: OneDigit, back: bool) -> Iterator[Range]:
    yield from ((0, 1), (0, 2), (0, 8))
    yield (0, arith.most) if not back else (0, arith.most // 2)
    yield (-2, 2) if not back else (-1, 1)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("back", [False, True], ids=["forward", "inverse"])
@pytest.mark.parametrize(("radix", "bits"), [*((2, b) for b in BITS), *((8, b) for b in BITS), (16, 40), (16, 50)])
def test_step(radix: int, bits: int, back: bool) -> None:
    rng, arith = random.Random(radix * bits), OneDigit(bits, WORD)
    for given in given_ranges(arith, back):
        for last, pairs in ((0, True), (0, False), (1, True), (2, False)):
            step = step_codelet(arith, radix, given, back=back, pairs=pairs, last=last)
            lowered = lower_digits(step.block, TARGET)
            for _ in range(3):
                check(step, step.block, arith, given, back, last, rng)
                check(step, lowered, arith, given, back, last, rng)
            ends_of = [(x.lo, x.hi) for v in lowered.outputs.values() for x in leaves(v)]
            assert all(-(1 << 63) <= lo <= hi < 1 << 63 for lo, hi in ends_of)


@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("radix", [2, 8, 16])
def test_first_step(radix: int, bits: int) -> None:
    """Of x^n - 1: the first twiddles are 1, and nobody multiplies by those."""
    rng, arith = random.Random(radix * bits), OneDigit(bits, WORD)
    for m_in, lift in ((1, 0), (2, 0), (8, 0), (1, 12)):
        step = step_codelet(arith, radix, (0, m_in), lift=lift, ones=True)
        lowered = lower_digits(step.block, TARGET)
        for _ in range(3):
            check(step, step.block, arith, (0, m_in), False, 0, rng, ones=True)
            check(step, lowered, arith, (0, m_in), False, 0, rng, ones=True)
        assert m_in > 2 or "v1" not in lowered.inputs


def per_butterfly(step: Codelet) -> float:
    """Operations of a butterfly in a step, but for the multiples of q, which a loop makes once."""
    lowered = lower_digits(step.block, TARGET)
    shared = {"q"} & set(lowered.inputs)
    known = {id(lowered.inputs[name]) for name in shared}
    counted = 0
    for instr in lowered.instrs:
        if all(a.is_const or id(a) in known for a in instr.args):
            known |= {id(r) for r in instr.results}
        else:
            counted += 1
    return counted / (step.radix // 2 * (step.radix.bit_length() - 1))


def test_what_a_butterfly_costs() -> None:
    """Six operations where there is room, and conditional subtractions and signs beside them where there is not."""
    lifted = step_codelet(OneDigit(40), 8, (12, 25))
    assert per_butterfly(lifted) == 6
    assert Counter(i.op for i in lower_digits(lifted.block, TARGET).instrs)["umin"] == 0
    assert per_butterfly(step_codelet(OneDigit(50), 8, (0, 4))) <= 8.67
    assert per_butterfly(step_codelet(OneDigit(50), 8, (0, 1), ones=True)) <= 6
    assert per_butterfly(step_codelet(OneDigit(50), 8, (0, 2), back=True)) <= 8.34
    assert per_butterfly(step_codelet(OneDigit(52), 8, (0, 4))) <= 12.34


@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("log_n", [6, 7, 10, 13, 16, 24])
def test_ranges_pass_from_step_to_step(log_n: int, bits: int, inverse: bool) -> None:
    q, options = (1 << bits) - 1, KernelOptions(output_factor=2)
    plan = step_plan(Spec(modular_kind("ntt"), 1 << log_n, 64, q, 0, TARGET, inverse, not bits % 2, options=options))
    placed = [p for row in plan.chain for p in row]
    assert sum(p.levels for p in placed) == log_n and [p.apart for p in placed].count(True) == 1
    order = placed[::-1] if inverse else placed
    reach = (0, 1)
    for p in order:
        for i in range(p.radix):
            value = p.step.block.inputs[f"x{i}"]
            assert value.lo <= min(0, reach[0]) * q and value.hi >= reach[1] * q - 1
        reach = p.step.out
    assert reach == (0, 2)


def test_registers_choose_the_radix() -> None:
    assert [radix_levels(registers) for registers in (32, 16, 8, 2)] == [4, 3, 2, 0]
    assert [parts(levels, 4) for levels in (1, 4, 5, 8, 9)] == [[1], [4], [3, 2], [4, 4], [3, 3, 3]]


def test_upper_passes_are_one_step_and_the_last_fits_a_cache() -> None:
    for levels in range(1, 30):
        *above, last = step_passes(levels, TARGET)
        assert sum(above) + last == levels and last <= (BELOW if above else WHOLE)
        assert all(STEP <= each <= MOST for each in above) and (not above or last >= BELOW - 1)
    assert step_passes(0, TARGET) == []
