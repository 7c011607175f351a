"""The engine: any width to any word, on machines rich and poor, verified against gmpy2; and what it costs.

The seed of the run picks the sample; ``--tier all`` sweeps longer.
"""

from __future__ import annotations

import random

import pytest
from gmpy2 import mpz
from support.engine_problems import PLAIN, PROBLEMS, block_of, container, draw
from support.tiers import SEED

from momagen.errors import MomagenError
from momagen.ir import OPS, Builder, const, leaves, run
from momagen.ir.block import words
from momagen.rewrite import Machine, Trace, rewrite, table

WORDS = (8, 16, 32, 52, 64, 128)
LEAST = {"addlo", "sublo", "mulhalf", "lt", "eq", "and", "or", "not", "select", "word", "shr", "shl", "low"}
LANES = LEAST | {"mullo", "le", "top", "addclo", "subblo"}
CARRIES = LANES | {"add", "addc", "sub", "subb", "mul", "mulhi"}
SIGNED = LEAST - {"lt"} | {"lts", "top", "addclo", "subblo"}
MACHINES = {"signed": SIGNED, "least": LEAST, "lanes": LANES, "carries": CARRIES, "funnel": CARRIES | {"shrd"}}
"""From a machine that cannot even multiply two words to one that shifts across them."""


def machine(word: int, name: str = "funnel", **options: str) -> Machine:
    return Machine(word, lambda op, w: w == word and op in MACHINES[name], options)


def bits_for(rng: random.Random, word: int, most: int) -> int:
    """Any width up to ``most`` words and 2048 bits, or one next to a whole number of words."""
    top = min(2048, most * word)
    near = word * rng.randint(1, top // word) + rng.randint(-1, 1)
    return rng.randint(2, top) if rng.random() < 0.6 else max(2, min(2048, near))


def check(op: str, rng: random.Random, bits: int, word: int, name: str, options: dict[str, str], tries: int) -> None:
    """The wide block and the rewritten one both do what gmpy2 says, and the latter only with what the machine has."""
    problem, context = PROBLEMS[op](rng, bits, word), (SEED, op, bits, word, name, options)
    low = rewrite(problem.block, table(), machine(word, name, **options))
    assert {i.w for i in low.instrs} <= {word} and set(low.counts()) <= MACHINES[name], context
    for _ in range(tries):
        inputs = problem.draw()
        assert problem.right(inputs, run(problem.block, inputs)), (context, inputs)
        given = inputs | problem.derived(inputs)
        assert problem.right(inputs, run(low, {name: given[name] for name in low.inputs})), (context, inputs)


def sampled(op: str, word: int, salt: str, count: int, most: int) -> None:
    rng = random.Random(f"{SEED} {salt} {op} {word}")
    for _ in range(count):
        multiply = rng.choice(["schoolbook", "karatsuba", "karatsuba_words"])
        options = {"multiply": multiply, "compare": rng.choice(["borrow", "less"])}
        check(op, rng, bits_for(rng, word, most), word, rng.choice(list(MACHINES)), options, 4)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("op", PROBLEMS)
def test_sample(op: str, word: int) -> None:
    sampled(op, word, "sample", 2, 6)


@pytest.mark.slow
@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("op", PROBLEMS)
def test_long_sweep(op: str, word: int) -> None:
    sampled(op, word, "sweep", 4, 40)


@pytest.mark.parametrize("bits, word", [(2048, 64), (2048, 128), (1024, 32), (753, 52), (2, 8), (2, 128), (256, 8)])
def test_the_ends_of_the_range(bits: int, word: int) -> None:
    for op in ("mul", "add", "sub", "lt"):
        check(op, random.Random(f"{SEED} {op}"), bits, word, "carries", {}, 3)


@pytest.mark.parametrize("op", ["shl", "shr", "low", "shrd"])
@pytest.mark.parametrize("word", [8, 52])
def test_a_shift_by_every_constant(op: str, word: int) -> None:
    """Across words, by whole words, and by more than there is."""
    width, rng = 4 * word, random.Random(SEED)
    top = (1 << 3 * word + 3) - 1
    for k in range(2 * width + 2):
        tops = {f"x{i}": top for i in range(len(OPS[op].args))}
        block = block_of(op, width, tops, k)
        low = rewrite(block, table(), machine(word, "lanes"))
        for _ in range(2):
            inputs = {name: draw(rng, 0, top) for name in tops}
            wanted = PLAIN[op](mpz(1) << width, k, *map(mpz, inputs.values()))
            assert tuple(run(low, inputs).values()) == tuple(map(int, wanted)), (k, inputs)
        assert all(0 < i.k < word for i in low.instrs if i.op in ("shl", "shr", "low", "shrd")), k


def products(bits: int, word: int = 64, op: str = "mul", **options: str) -> tuple[int, int]:
    """Word products and other operations of a product of two numbers of ``bits`` bits."""
    top = (1 << bits) - 1
    block = block_of(op, container(bits, word), {"x": top, "y": top})
    counts = rewrite(block, table(), machine(word, **options)).counts()
    multiplied = sum(counts[name] for name in ("mul", "mulhi", "mullo"))
    return multiplied, counts.total() - multiplied


@pytest.mark.parametrize("bits, wanted", [(64, 1), (124, 4), (192, 9), (320, 25), (381, 36), (384, 36), (753, 144),
                                          (768, 144), (1020, 256), (2048, 1024)])  # fmt: skip
def test_padding_costs_no_products(bits: int, wanted: int) -> None:
    """n words cost n² products, whatever the container: 384 bits in 512 cost 36, not 64."""
    assert products(bits)[0] == wanted


@pytest.mark.parametrize("bits", [192, 320, 384, 448, 640, 768])
def test_padding_costs_no_additions(bits: int) -> None:
    """There are no more additions to a product than in the same container filled."""
    (some, others), (all_, all_others) = products(bits), products(container(bits, 64))
    assert others / some <= all_others / all_


def test_spare_bits_in_the_top_word_cost_nothing() -> None:
    assert products(381)[0] == products(384)[0] and products(381)[1] <= products(384)[1]
    assert products(753)[0] == products(768)[0] and products(753)[1] <= products(768)[1]


@pytest.mark.parametrize("op, family", [("add", "add addc addlo addclo"), ("sub", "sub subb sublo subblo"),
                                        ("lt", "sub subb sublo subblo lt")])  # fmt: skip
@pytest.mark.parametrize("bits", [64, 320, 384, 753, 2048])
def test_sums_cost_one_operation_a_word(op: str, family: str, bits: int) -> None:
    """And one more, at most, that widens the last carry or borrow where the container has words to spare."""
    top, n = (1 << bits) - 1, -(-bits // 64)
    counts = rewrite(block_of(op, container(bits, 64), {"x": top, "y": top}), table(), machine(64)).counts()
    assert sum(counts[name] for name in family.split()) == n and counts.total() <= n + (64 * n < container(bits, 64))


def test_a_low_product_costs_half() -> None:
    assert products(512, op="mullo")[0] == 8 * 9 // 2


@pytest.mark.parametrize("bits", [256, 512, 753, 1024])
def test_karatsuba_takes_fewer_products(bits: int) -> None:
    assert products(bits, multiply="karatsuba")[0] < products(bits)[0]
    check("mul", random.Random(SEED), bits, 64, "carries", {"multiply": "karatsuba"}, 20)


def test_karatsuba_takes_three_for_four_at_every_level() -> None:
    assert [products(bits, multiply="karatsuba")[0] for bits in (128, 256, 512, 1024)] == [4, 12, 36, 108]
    assert [products(bits, multiply="karatsuba_words")[0] for bits in (128, 256, 512)] == [3, 9, 27]
    check("mul", random.Random(SEED), 128, 64, "carries", {"multiply": "karatsuba_words"}, 20)


def test_the_option_compare_less() -> None:
    """MoMA's (24) and (26) as the paper has them: comparisons, where ours share the subtraction's borrow."""
    top = (1 << 128) - 1
    block = block_of("addmod", 128, {"x": top, "y": top, "q": top})
    trace = {name: Trace() for name in ("less", "borrow")}
    low = {name: rewrite(block, table(), machine(64, compare=name), trace[name]) for name in trace}
    assert {"(24) reduce_by_comparison", "(26) less"} <= set(trace["less"].rules_applied)
    assert {"reduce_by_borrow", "subtract_borrow_out"} <= set(trace["borrow"].rules_applied)
    assert low["less"].counts()["lt"] and not low["borrow"].counts()["lt"]
    check("addmod", random.Random(SEED), 128, 64, "funnel", {"compare": "less"}, 30)


def worst_error(words_a_side: int, word: int, pairs: list[tuple[int, int]]) -> int:
    """How much the truncated high product falls short, at worst; never negative."""
    width = words_a_side * word
    block = block_of("mulhi_about", width, {"x": (1 << width) - 1, "y": (1 << width) - 1}, words_a_side)
    low = rewrite(block, table(), machine(word))
    errors = [(x * y >> width) - run(low, {"x": x, "y": y})["r0"] for x, y in pairs]
    assert min(errors) >= 0
    return max(errors)


@pytest.mark.parametrize("word", [2, 3])
def test_a_truncated_high_product_of_two_words_is_short_by_two(word: int) -> None:
    """On every pair of numbers: the bound 2(k - 1) is kept, and reached."""
    every = range(1 << 2 * word)
    assert worst_error(2, word, [(x, y) for x in every for y in every]) == 2


@pytest.mark.slow
def test_a_truncated_high_product_of_four_words_on_every_pair() -> None:
    assert worst_error(4, 2, [(x, y) for x in range(256) for y in range(256)]) <= 6


@pytest.mark.parametrize("count", [2, 4, 8])
@pytest.mark.parametrize("word", [4, 64])
def test_a_truncated_high_product_keeps_its_bound(count: int, word: int) -> None:
    rng, top = random.Random(f"{SEED} {count}"), (1 << count * word) - 1
    pairs = [(draw(rng, 0, top), draw(rng, 0, top)) for _ in range(1500 // count)] + [(top, top)]
    assert worst_error(count, word, pairs) <= 2 * (count - 1)


@pytest.mark.thorough
@pytest.mark.parametrize("count, bits", [(2, 5), (4, 11), (8, 26)])
def test_shoup_with_a_truncated_quotient_stays_below_2kq(count: int, bits: int) -> None:
    """Words of 4 bits, k of them a side: t < 2k·q, and more than 2q does come (so the bound is needed)."""
    rng, width = random.Random(count), 4 * count
    top, full = (1 << bits) - 1, (1 << width) - 1
    block = block_of("shoup", width, {"y": full, "v": top, "vq": full, "q": top}, count)
    low, worst = rewrite(block, table(), machine(4)), 0.0
    for _ in range(1000):
        q = draw(rng, 1, min(top, (1 << width) // (2 * count)))
        v, y = draw(rng, 0, q - 1), draw(rng, 0, full)
        t = run(low, {"y": y, "v": v, "vq": (v << width) // q, "q": q})["r0"]
        assert (t - y * v) % q == 0 and t < 2 * count * q
        worst = max(worst, t / q)
    assert worst > 2


def test_a_rewritten_block_keeps_its_border() -> None:
    """Inputs and outputs keep their names; their words are digits of the target."""
    low = rewrite(block_of("mullo", 512, {"x": (1 << 384) - 1, "y": 3}), table(), machine(64))
    assert list(low.inputs) == ["x", "y"] and list(low.outputs) == ["r0"]
    border = (low.inputs["x"], low.inputs["y"], low.outputs["r0"])
    assert [len([*leaves(value)]) for value in border] == [6, 1, 7]
    assert [w.hi for w in words(low.inputs["x"], 64, 8)] == [(1 << 64) - 1] * 6 + [0, 0]


def test_constants_fold_through() -> None:
    builder = Builder()
    x = builder.input("x", 0, (1 << 128) - 1)
    builder.output("r", builder.one("mullo", 128, x, const(1 << 64)))
    assert not rewrite(builder.block, table(), machine(64)).instrs


def test_the_trace_counts() -> None:
    trace = Trace()
    rewrite(block_of("add", 256, {"x": (1 << 256) - 1, "y": (1 << 256) - 1}), table(), machine(64), trace)
    assert trace.rules_applied["(22) add"] == 1 + 1 and trace.rules_applied["(22) add_with_carry"] == 1


@pytest.mark.parametrize("bits", [192, 384, 600, 764])
def test_a_difference_costs_the_words_of_its_minuend(bits: int) -> None:
    """v·(x - y) is no dearer than v·y where x, y < 2^bits, whatever the container: x + c - y stays below x + c."""
    cost = {op: 0 for op in ("butterfly", "inverse_butterfly")}
    for op in cost:
        top = (1 << bits - 8) - 1
        tops = {"x": 2 * top, "y": 2 * top, "v": top, "q": top, "c": 4 * top}
        cost[op] = rewrite(block_of(op, container(bits, 64), tops, 1), table(), machine(64)).counts()["mul"]
    assert cost["inverse_butterfly"] == cost["butterfly"]


def test_an_operation_without_rule_or_row_is_refused() -> None:
    with pytest.raises(MomagenError, match="expected a rule or a target instruction for “mulhalf” at 64 bits"):
        rewrite(block_of("mul", 128, {"x": (1 << 128) - 1, "y": (1 << 128) - 1}), table(),
                Machine(64, lambda op, w: w == 64 and op in LEAST - {"mulhalf"}))  # fmt: skip
