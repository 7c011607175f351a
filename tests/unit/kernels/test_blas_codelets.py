"""BLAS codelets against the definition, interpreted on whole integers and on words, with every interval checked."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from itertools import product

import gmpy2
import pytest
from support.oracle import COMPARISONS, ELEMENTS, element

from momagen.emit import generate
from momagen.ir import OPS, Block, run
from momagen.kernels.elementwise.blas import (
    COMPARES,
    KERNELS,
    default_product,
    elementwise,
    lanes_for,
    montgomery_product,
)
from momagen.kernels.elementwise.codelet import Elementwise
from momagen.kernels.elementwise.forms import CONVERSIONS
from momagen.kernels.elementwise.scalars import scalar
from momagen.kernels.residues.arith import Arith
from momagen.kinds.modular.make_spec import make_spec, modular_kind
from momagen.kinds.modular.ranges import Ranges
from momagen.lower import lower, reduced
from momagen.program.notation import texts
from momagen.targets import load_target

WIDTHS = (2, 12, 60, 61, 64, 97, 124, 128, 192, 255, 256, 381, 512)
PRODUCTS = ("barrett", "montgomery")


def primes(bits: int) -> list[int]:
    """The smallest and the largest of ``bits`` bits."""
    return sorted({int(gmpy2.next_prime((1 << bits - 1) | 1)) if bits > 2 else 3, int(gmpy2.prev_prime(1 << bits))})


def constants(arith: Arith, q: int, a: int, derived: bool) -> dict[str, int]:
    """All that a codelet may ask for, by definition; ``derived``: the factor comes as rules ask for it."""
    r = 1 << arith.held
    scaled = a * r % q if derived and arith.kind == "montgomery" else a
    mu = ((1 << 2 * q.bit_length() + 3) - 1) // q
    return {
        "q": q, "qi": pow(q, -1, r) if q % 2 else 0, "mu": mu, "square": r * r % q, "u1": r // q, "n": r - q,
        "v": scaled, "u": (a << arith.held) // q,
    }  # fmt: skip


class KindRanges(Ranges):
    """The ranges of an element-wise kernel, with its name."""

    kind = ""


def ranges_of(kind: str, m_in: int, m_out: int, held: int) -> KindRanges:
    """Return the ranges of a kernel on vectors below m_in·q, whose results are below m_out·q."""
    found = KindRanges(KERNELS[kind].factors(m_in), m_in, m_out, held)
    found.kind = kind
    return found


def lowered(codelet: Elementwise, name: str, options: Mapping[str, str] | None = None) -> Block:
    target = load_target(name)
    return lower(reduced(codelet.block, target), target, choices=tuple((options or {}).items()))


def blocks(codelet: Elementwise) -> list[Block]:
    """As it is, and as words of several targets."""
    masked = lowered(codelet, "avx2", load_target("avx2").sums)
    return [codelet.block, masked, *(lowered(codelet, target) for target in ("c", "avx2", "avx512"))]


def demand(
    block: Block, arith: Arith, q: int, given: dict[str, int], wanted: int, m_out: int, where: object = "",
    derived: bool = False,
) -> None:  # fmt: skip
    """The result on these operands: congruent and in range, or equal where ``m_out`` is 0."""
    inputs = {**constants(arith, q, given.get("a", 0), derived), **given}
    z = run(block, {name: inputs[name] for name in block.inputs})["z"]
    right = (z - wanted) % q == 0 and z < m_out * q if m_out else z == wanted
    assert right, (where, q, given, hex(z), hex(wanted))


def edges(q: int, top: int, rng: random.Random) -> list[int]:
    """Numbers below ``top`` around the multiples of q, and random ones."""
    found = {0, 1, top - 1, *(m * q + d for m in (1, 2, 4) for d in (-1, 0, 1)), rng.randrange(top), rng.randrange(q)}
    return sorted(value for value in found if value < top)


def check(
    codelet: Elementwise, ranges: KindRanges, arith: Arith, moduli: list[int], cmp: str = "nle", count: int = 12
) -> None:
    """On edges and random operands, on whole integers and on the words of three targets."""
    rng = random.Random(moduli[0])
    for block, q in product(blocks(codelet), moduli):
        choices = {name: edges(q, ranges.top(m, q), rng) for name, m in ranges.operands.items()}
        rows = list(product(*choices.values()))
        for row in rng.sample(rows, min(count, len(rows))):
            given = dict(zip(choices, row, strict=True))
            derived = block is not codelet.block
            wanted = element(ranges.kind, q, r=1 << arith.held, cmp=cmp, **given)
            demand(block, arith, q, given, wanted, codelet.m, ranges, derived)


def made(
    kind: str, arith: Arith, product: str = "barrett", compare: str = "nle",
    m_in: int | None = None, m_out: int | None = None,
) -> tuple[Elementwise, KindRanges]:  # fmt: skip
    """A codelet with the ranges of its kind, or those of m_in and m_out."""
    m_in = KERNELS[kind].usual_factors[0] if m_in is None else m_in
    m_out = KERNELS[kind].usual_factors[1] if m_out is None else m_out
    return elementwise(KERNELS[kind], arith, product, compare, m_in, m_out), ranges_of(kind, m_in, m_out, arith.held)


@pytest.mark.parametrize("k", [3, 4, 7, 8])
@pytest.mark.parametrize("kind", ["vmul", "vmuladd", "axpy", "scal", "tomont", "frommont"])
def test_every_operand_in_montgomerys_form(kind: str, k: int) -> None:
    """z·2^k is what the kernel does to x·2^k: all operands at every odd q of three bits, in words of eight."""
    arith = Arith(3, 8)
    codelet, ranges = elementwise(KERNELS[kind], arith, form=k), ranges_of(kind, 1, 1, arith.held)
    for q in (3, 5, 7):
        known = {"q": q, "qi": pow(q, -1, 1 << k), "square": (1 << 2 * k) % q}
        over = pow(1 << k, -1, q)
        for row in product(range(q), repeat=len(ranges.operands)):
            given = dict(zip(ranges.operands, row, strict=True))
            plain = {name: value * over for name, value in given.items()}
            wanted = {"tomont": given["x"] << k, "frommont": given["x"] * over}.get(kind)
            if wanted is None:
                wanted = element(kind, q, r=1 << k, **plain) << k
            values = {**known, **given}
            z = run(codelet.block, {name: values[name] for name in codelet.block.inputs})["z"]
            assert z == wanted % q, (q, given)


WHOLE = ("vinv", "dot")
"""Kernels that are more than one codelet for each element, tested by themselves."""
COMPARED = [kind for kind, row in KERNELS.items() if row.compared]
PLAIN = [*((kind, "barrett") for kind in KERNELS if kind not in WHOLE), ("vmul", "montgomery")]


def test_every_kernel_is_defined_here() -> None:
    assert {*ELEMENTS, *WHOLE} == set(KERNELS) and set(COMPARISONS) == set(COMPARES)


@pytest.mark.parametrize(("m_in", "m_out"), [(1, 1), (1, 2), (2, 1)])
@pytest.mark.parametrize("bits", [12, 53, 60, 61, 62])
@pytest.mark.parametrize("kind", ["axpy", "scal"])
def test_one_word_by_quotients_of_digits(kind: str, bits: int, m_in: int, m_out: int) -> None:
    """On integers, where the product gets what it requires, and on the words of the target."""
    ifma, rng = load_target("avx512ifma"), random.Random(bits)
    arith = Arith(bits, digit=ifma.digit)
    codelet, ranges = made(kind, arith, m_in=m_in, m_out=m_out)
    plain = reduced(codelet.block, ifma)
    (product_of,) = (instr for instr in plain.instrs if instr.op == "shoup_split")
    taken = Block(plain.inputs, plain.instrs, dict(zip("yvfegq", product_of.args, strict=True)))
    for block, q in product((codelet.block, plain, lower(plain, ifma)), primes(bits)):
        choices = {name: edges(q, ranges.top(m, q), rng) for name, m in ranges.operands.items()}
        for row in rng.sample(rows := list(product(*choices.values())), min(40, len(rows))):
            given = dict(zip(choices, row, strict=True))
            demand(block, arith, q, given, element(kind, q, **given), codelet.m, ranges)
            inputs = {**constants(arith, q, given["a"], True), **given}
            args = run(taken, {name: inputs[name] for name in taken.inputs}).values()
            assert OPS["shoup_split"].requires(64, ifma.digit, *args)


@pytest.mark.parametrize(("kind", "more"), [("reduce", {}), ("scal", {"m_in": 32})])
def test_a_factor_of_all_bits_has_a_quotient_of_words(kind: str, more: dict[str, int]) -> None:
    """y·(v·2^84 - [g, e]·q) is below q·2^84 by too little for the largest words."""
    codelet, _ = made(kind, Arith(59, digit=52), **more)
    assert not any(instr.op == "mulmod_split" for instr in codelet.block.instrs)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize(("kind", "reduction"), PLAIN)
def test_codelets(kind: str, reduction: str, bits: int) -> None:
    arith = Arith(bits)
    codelet, ranges = made(kind, arith, product=reduction)
    check(codelet, ranges, arith, primes(bits))


def in_ranges() -> Iterator[tuple[str, str, int, int, int]]:
    """Every kernel, with both products, at all factors that the words hold: with little room and with much."""
    for (kind, reduction), bits in product(PLAIN, (60, 61, 62, 63, 124, 125, 126, 189, 252, 381)):
        factors = [modular_kind(kind).option_values[option] for option in ("input_factor", "output_factor")]
        for m_in, m_out in product(*([0 if text == "any" else int(text) for text in each] for each in factors)):
            if max(m_in, m_out) <= Arith(bits).room and (m_in, m_out) != (1, 1):
                yield kind, reduction, bits, m_in, m_out


LONG = [pytest.param(bits, marks=pytest.mark.slow) for bits in (189, 252, 381)]


@pytest.mark.thorough
@pytest.mark.sampled(6)
@pytest.mark.parametrize("bits", [60, 61, 62, 63, 124, 125, 126, *LONG])
def test_ranges(bits: int) -> None:
    arith = Arith(bits)
    for kind, reduction, _, m_in, m_out in (case for case in in_ranges() if case[2] == bits):
        codelet, ranges = made(kind, arith, product=reduction, m_in=m_in, m_out=m_out)
        check(codelet, ranges, arith, primes(bits), count=6)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("cmp", COMPARES)
@pytest.mark.parametrize("kind", COMPARED)
def test_comparisons(kind: str, cmp: str) -> None:
    for bits, m_in in product((60, 97, 124, 254), (1, 4, 0) if kind == "cmpsub" else (0,)):
        arith = Arith(bits)
        codelet, ranges = made(kind, arith, compare=cmp, m_in=m_in)
        check(codelet, ranges, arith, primes(bits), cmp, 24)


TINY = [(kind, reduction, 3, m_in, m_out) for kind, reduction in PLAIN if kind not in COMPARED
        for m_in in (1, 2, 4) for m_out in (1, 2, 4)]  # fmt: skip
TINY += [("reduce", "barrett", 3, 0, m_out) for m_out in (1, 2)]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("kind", "reduction", "bits", "m_in", "m_out"), TINY, ids=str)
def test_every_operand_of_small_moduli(kind: str, reduction: str, bits: int, m_in: int, m_out: int) -> None:
    """All operands at every q of at most three bits, in words of eight; Barrett's has three, Montgomery's is odd."""
    arith = Arith(bits, 8)
    codelet, ranges = made(kind, arith, product=reduction, m_in=m_in, m_out=m_out)
    least = 4 if kind in ("vmul", "vmuladd") and reduction == "barrett" else 2
    for q in range(least, 8) if reduction == "barrett" and kind not in CONVERSIONS else (3, 5, 7):
        tops = {name: range(ranges.top(m, q)) for name, m in ranges.operands.items()}
        for row in product(*tops.values()):
            given = dict(zip(tops, row, strict=True))
            demand(codelet.block, arith, q, given, element(kind, q, r=1 << 8, **given), m_out)


@pytest.mark.parametrize(("kind", "m_in"), [("axpy", 1), ("scal", 1), ("reduce", 0)])
def test_every_operand_of_moduli_that_fill_their_words(kind: str, m_in: int) -> None:
    """All operands at every q, where 2q does not fit."""
    arith = Arith(4, 4, "wide")
    codelet, ranges = made(kind, arith, m_in=m_in)
    for q in range(2, 16):
        tops = {name: range(ranges.top(m, q)) for name, m in ranges.operands.items()}
        for row in product(*tops.values()):
            given = dict(zip(tops, row, strict=True))
            demand(codelet.block, arith, q, given, element(kind, q, r=16, **given), 1)


@pytest.mark.parametrize("bits", [3, 4])
def test_every_quotient_of_small_moduli(bits: int) -> None:
    """⌊a·R/q⌋ and its remainder, with room in words of four bits and without."""
    arith, r = Arith(bits, 4), 16
    for q in range(2, 1 << bits):
        m = r * r // q
        for a in range(q):
            quotient = run(scalar(texts()["over"]["scalar"], arith), {"a": a, "q": q, "m0": m % r, "m1": m // r})["z"]
            left = run(scalar(texts()["rest"]["scalar"], arith), {"a": quotient, "q": q})["z"]
            assert (quotient, left) == divmod(a * r, q)


@pytest.mark.parametrize("cmp", COMPARES)
@pytest.mark.parametrize(
    ("kind", "m_in", "held"), [("cmpadd", 0, 3), ("cmpsub", 1, 5), ("cmpsub", 4, 5), ("cmpsub", 0, 5)]
)
def test_every_comparison_of_small_numbers(kind: str, m_in: int, held: int, cmp: str) -> None:
    """All of bound, diff and x at q = 5, in words of a few bits."""
    arith = Arith(3, held)
    codelet, ranges = made(kind, arith, compare=cmp, m_in=m_in)
    tops = {name: range(ranges.top(m, 5)) for name, m in ranges.operands.items()}
    for row in product(*tops.values()):
        given = dict(zip(tops, row, strict=True))
        demand(codelet.block, arith, 5, given, element(kind, 5, r=1 << held, cmp=cmp, **given), codelet.m)


@pytest.mark.parametrize("scheme", ["approximate", "lazy", "tight", "wide", "montgomery"])
@pytest.mark.parametrize("kind", ["axpy", "scal", "reduce"])
def test_every_scheme(kind: str, scheme: str) -> None:
    arith = Arith(124, 64, scheme)
    for m_in, m_out in ((KERNELS[kind].usual_factors[0], 1), (4, 1), (1, 2), (8, 4)):
        codelet, ranges = made(kind, arith, m_in=m_in, m_out=m_out)
        check(codelet, ranges, arith, primes(124))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("bits", WIDTHS)
def test_montgomery_product_lacks_a_factor(bits: int) -> None:
    arith = Arith(bits)
    for m_in, m_out in {(1, 1), (min(arith.room, 4), min(arith.room, 2))}:
        codelet = montgomery_product(arith, m_in, m_out)
        rng = random.Random(bits)
        for block, q in product(blocks(codelet), primes(bits)):
            pairs = [*product(edges(q, m_in * q, rng), repeat=2)]
            for x, y in rng.sample(pairs, min(12, len(pairs))):
                wanted = x * y * pow(2, -arith.held, q) % q
                demand(block, arith, q, {"x": x, "y": y}, wanted, m_out)


@pytest.mark.parametrize("q", [2**64 - 2**32 + 1, 2**127 - 1, 2**255 - 19], ids=hex)
@pytest.mark.parametrize(("kind", "reduction"), PLAIN)
def test_baked_modulus(kind: str, reduction: str, q: int) -> None:
    arith = Arith(q.bit_length(), modulus=q)
    codelet, ranges = made(kind, arith, product=reduction)
    assert not {"q", "qi", "mu", "square", "u1"} & set(codelet.block.inputs)
    check(codelet, ranges, arith, [q])


def test_default_product() -> None:
    chosen = {bits: default_product(Arith(bits)) for bits in (60, 61, 64, 124, 125, 128, 188, 189, 256)}
    assert [bits for bits, product in chosen.items() if product == "montgomery"] == [61, 64]


def test_three_words_cost_three_words() -> None:
    """A 192-bit product, held in 256-bit operations, has no fourth word; Barrett's constant has a short one."""
    counts = {
        bits: lowered(made("vmul", Arith(bits), product="barrett")[0], "c").counts()["mul"] for bits in (188, 192, 252)
    }
    assert counts[188] < counts[192] < counts[252]


def operations(kind: str, m_in: int, m_out: int, reduction: str = "barrett") -> int:
    """How many word operations an element takes at 124 bits."""
    codelet, _ = made(kind, Arith(124), product=reduction, m_in=m_in, m_out=m_out)
    return len(lowered(codelet, "c").instrs)


@pytest.mark.parametrize(("kind", "reduction"), [case for case in PLAIN if case[0] not in ("cmpadd", "reduce")])
def test_a_wider_range_saves_operations(kind: str, reduction: str) -> None:
    costs = [operations(kind, 1, m_out, reduction) for m_out in (1, 2, 4)]
    assert costs[0] > costs[1] >= costs[2]
    assert operations(kind, 2, 4, reduction) < operations(kind, 2, 1, reduction)


def test_numbers_in_their_range_are_copied() -> None:
    assert operations("reduce", 2, 2) == operations("reduce", 2, 4) == 0
    assert operations("reduce", 4, 1) > operations("reduce", 4, 2) > 0


@pytest.mark.parametrize("kind, count", [("vadd", 4), ("vsub", 3), ("vadds", 4), ("vsubs", 3), ("vneg", 3)])
def test_a_sum_of_one_word_on_avx2_takes_masks_and_no_more(kind: str, count: int) -> None:
    """Of two numbers a sum or difference, a comparison, and q by the mask; a sum that fits needs no carry."""
    generated = generate(make_spec(kind, bits=60, target="avx2"))
    body = generated.source.split("by_4(")[1].split("\n}")[0]
    made = [line for line in body.splitlines() if " t" in line and "=" in line]
    assert len(made) == count and "blendv" not in body and "0x8000000000000000" not in body
    assert "GCC unroll 8" in body
    few = generate(make_spec(kind, bits=60, target="avx2", options={"unroll": "2"}))
    assert "GCC unroll 2" in few.source and "GCC unroll 8" not in few.source


def test_what_is_multiplied_by_one_costs_no_product() -> None:
    body = generate(make_spec("reduce", bits=64, target="avx2")).source.split("by_4(")[1].split("\n}")[0]
    assert body.count("_mm256_mul_epu32(") == 4 and body.count("_mm256_mullo_epi32(") == 1
    assert "UINT64_C(0x1))" not in body


def test_sums_of_many_words_stay_out_of_lanes() -> None:
    def lanes(kind: str, bits: int, halves: bool = False) -> int:
        arith = Arith(bits)
        return lanes_for(made(kind, arith)[0], arith, 8, halves)

    for kind in ("vadd", "vsubs", "vneg", "cmpadd", "cmpsub"):
        words = {count: lanes(kind, 64 * count - 4) for count in (1, 3, 4, 5, 6, 8, 12, 16)}
        two = [8, 16] if kind == "vadd" else []  # two vectors cost twice the moves
        assert [count for count, found in words.items() if found == 1] == sorted([5, 6, 12, *two])
        assert {lanes(kind, 64 * count - 4, halves=True) for count in words} == {8}, "moves by halves are cheap"
    assert {lanes(kind, 380) for kind in ("vmul", "axpy", "scal", "reduce")} == {8}


@pytest.mark.parametrize("kind", ["vmul", "axpy", "scal", "reduce"])
def test_products_of_more_words_than_lanes_multiply_well_are_scalar(kind: str) -> None:
    for words, one in ((6, False), (7, True), (12, True)):
        options = {"limbs": "full"} if kind == "vmul" else {}  # in doubles, lanes multiply well
        found = generate(make_spec(kind, bits=64 * words, target="avx2", options=options))
        assert ("by_4(" not in found.source) == one == any("than scalar products" in note for note in found.notes)


@pytest.mark.parametrize("kind", ["axpy", "scal", "reduce"])
def test_scalar_code_is_that_of_the_host(kind: str) -> None:
    """Where nothing is in lanes, products of half words, which lanes would need, save nothing."""
    ours, host = (generate(make_spec(kind, modulus=2**748 - 1, target=target)) for target in ("avx2", "c"))
    assert ours.operations == host.operations and not ours.operations["mulhalf"]
