"""The engine: any width to any word, on machines rich and poor, checked against gmpy2; and what it costs.

``MOMAGEN_SEED`` picks the sample (the day does where it is unset); ``-m slow`` sweeps longer.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

import gmpy2
import pytest
from gmpy2 import mpz

from momagen.errors import MomagenError
from momagen.ir import OPS, Block, Builder, const, run
from momagen.ir.block import words
from momagen.rewrite import Machine, Trace, rewrite, table, word_count

SEED = int(os.environ.get("MOMAGEN_SEED", date.today().toordinal()))
WORDS = (8, 16, 32, 52, 64, 128)
LEAST = {"addlo", "sublo", "mulhalf", "lt", "eq", "and", "or", "not", "select", "word", "shr", "shl", "low"}
LANES = LEAST | {"mullo", "le", "top", "addclo", "subblo"}
CARRIES = LANES | {"add", "addc", "sub", "subb", "mul", "mulhi"}
MACHINES = {"least": LEAST, "lanes": LANES, "carries": CARRIES, "funnel": CARRIES | {"shrd"}}
"""From a machine that cannot even multiply two words to one that shifts across them."""

Inputs = dict[str, int]
Check = Callable[[Inputs], bool]


def machine(word: int, name: str = "funnel", **options: str) -> Machine:
    return Machine(word, lambda op, w: w == word and op in MACHINES[name], options)


def container(bits: int, word: int) -> int:
    """The least word·2^j that holds ``bits``."""
    width = word
    while width < bits:
        width *= 2
    return width


@dataclass(frozen=True)
class Problem:
    """A block, how to draw its inputs, and what its outputs must be."""

    block: Block
    draw: Callable[[], Inputs]
    right: Callable[[Inputs, Inputs], bool]


def block_of(op: str, width: int, tops: dict[str, int], k: int = 0) -> Block:
    """``op`` on inputs of these names, each at most its number; outputs r0, r1, …"""
    builder = Builder()
    kinds = ["flag" if kind == "f" else "word" for kind in OPS[op].args]
    args = [builder.input(name, 0, top, kind) for (name, top), kind in zip(tops.items(), kinds, strict=True)]
    for i, result in enumerate(builder.emit(op, width, *args, k=k)):
        builder.output(f"r{i}", result)
    return builder.block


def draw(rng: random.Random, lo: int, hi: int) -> int:
    """A number of [lo, hi]: an end, few bits set, near the top, or any."""
    way = rng.randrange(6)
    few = sum({1 << rng.randrange(hi.bit_length() + 1) for _ in range(4)})
    near = hi - rng.getrandbits(hi.bit_length() // 2 + 1)
    return max(lo, min(hi, (lo, hi, few, near, rng.randint(lo, hi), rng.randint(lo, hi))[way]))


def plain(op: str) -> Callable[[random.Random, int, int], Problem]:
    """Operations that gmpy2 answers directly, on any numbers of ``bits`` bits."""
    row = OPS[op]

    def problem(rng: random.Random, bits: int, word: int) -> Problem:
        width, top = container(bits, word), (1 << bits) - 1
        k = rng.randint(0, 2 * width + 3) if op in ("shl", "shr", "shrd", "low") else 0
        tops = {f"x{i}": 1 if kind == "f" else top for i, kind in enumerate(row.args)}

        def numbers() -> Inputs:
            found = {name: draw(rng, 0, limit) for name, limit in tops.items()}
            if row.args == "ww" and rng.random() < 0.2:  # nearly equal
                found["x1"] = min(top, max(0, found["x0"] + rng.randint(-1, 1)))
            return found

        def right(ins: Inputs, outs: Inputs) -> bool:
            return tuple(outs.values()) == tuple(map(int, PLAIN[op](mpz(1) << width, k, *map(mpz, ins.values()))))

        return Problem(block_of(op, width, tops, k), numbers, right)

    return problem


PLAIN: dict[str, Callable[..., tuple[object, ...]]] = {
    "add": lambda z, k, a, b: ((a + b) // z, (a + b) % z), "addlo": lambda z, k, a, b: ((a + b) % z,),
    "addc": lambda z, k, a, b, c: ((a + b + c) // z, (a + b + c) % z),
    "sub": lambda z, k, a, b: (a < b, (a - b) % z), "sublo": lambda z, k, a, b: ((a - b) % z,),
    "subb": lambda z, k, a, b, c: (a < b + c, (a - b - c) % z),
    "mul": lambda z, k, a, b: (a * b // z, a * b % z), "mulhi": lambda z, k, a, b: (a * b // z,),
    "mullo": lambda z, k, a, b: (a * b % z,),
    "lt": lambda z, k, a, b: (a < b,), "le": lambda z, k, a, b: (a <= b,), "eq": lambda z, k, a, b: (a == b,),
    "shr": lambda z, k, a: (a // mpz(2) ** k,), "shl": lambda z, k, a: (a * mpz(2) ** k % z,),
    "shrd": lambda z, k, a, b: ((a * z + b) // mpz(2) ** k % z,), "low": lambda z, k, a: (a % mpz(2) ** k,),
    "select": lambda z, k, f, a, b: (a if f else b,), "csub": lambda z, k, a, m: (a - m if a >= m else a,),
}  # fmt: skip


def sums(op: str) -> Callable[[random.Random, int, int], Problem]:
    def problem(rng: random.Random, bits: int, word: int) -> Problem:
        top = (1 << bits) - 1

        def numbers() -> Inputs:
            q = draw(rng, 1, top)
            return {"x": draw(rng, 0, q - 1), "y": draw(rng, 0, q - 1), "q": q}

        def right(ins: Inputs, outs: Inputs) -> bool:
            x, y, q = map(mpz, ins.values())
            return outs["r0"] == (x + y if op == "addmod" else x - y) % q

        return Problem(block_of(op, container(bits, word), {"x": top, "y": top, "q": top}), numbers, right)

    return problem


def barrett(rng: random.Random, bits: int, word: int) -> Problem:
    top = (1 << bits) - 1

    def numbers() -> Inputs:
        q = draw(rng, (1 << bits - 1) + 1, top)
        return {"x": draw(rng, 0, q - 1), "y": draw(rng, 0, q - 1), "q": q, "mu": (1 << 2 * bits + 3) // q}

    tops = {"x": top, "y": top, "q": top, "mu": (1 << bits + 4) - 1}
    return Problem(block_of("barrett", container(bits + 4, word), tops, bits), numbers,
                   lambda ins, outs: outs["r0"] == mpz(ins["x"]) * ins["y"] % ins["q"])  # fmt: skip


def inverse_power(k: int, q: int) -> mpz:
    return gmpy2.invert(mpz(2) ** k, q) if q > 1 else mpz(0)


def montgomery(rng: random.Random, bits: int, word: int) -> Problem:
    top, k = (1 << bits) - 1, -(-bits // word) * word

    def numbers() -> Inputs:
        q = draw(rng, 0, top) | 1
        return {"x": draw(rng, 0, q - 1), "y": draw(rng, 0, q - 1), "q": q, "qi": int(gmpy2.invert(q, mpz(2) ** k))}

    def right(ins: Inputs, outs: Inputs) -> bool:
        return outs["r0"] == mpz(ins["x"]) * ins["y"] * inverse_power(k, ins["q"]) % ins["q"]

    tops = {"x": top, "y": top, "q": top, "qi": (1 << k) - 1}
    return Problem(block_of("montgomery", container(bits, word), tops, k), numbers, right)


def montgomery_butterfly(op: str) -> Callable[[random.Random, int, int], Problem]:
    def problem(rng: random.Random, bits: int, word: int) -> Problem:
        top, k = (1 << bits) - 1, -(-bits // word) * word

        def numbers() -> Inputs:
            q = draw(rng, 0, top) | 1
            xyv = {name: draw(rng, 0, q - 1) for name in "xyv"}
            return {**xyv, "q": q, "qi": int(gmpy2.invert(q, mpz(2) ** k))}

        def right(ins: Inputs, outs: Inputs) -> bool:
            x, y, v, q, _ = map(mpz, ins.values())
            v = v * inverse_power(k, int(q))
            wanted = (x + v * y, x - v * y) if op == "ct_montgomery" else (x + y, (x - y) * v)
            return tuple(outs.values()) == tuple(int(r % q) for r in wanted)

        tops = {"x": top, "y": top, "v": top, "q": top, "qi": (1 << k) - 1}
        return Problem(block_of(op, container(bits, word), tops, k), numbers, right)

    return problem


def congruent(q: int, pairs: list[tuple[int, mpz, int]]) -> bool:
    """Each result is congruent to what is wanted and at most its top."""
    return all((got - wanted) % q == 0 and got <= top for got, wanted, top in pairs)


def lazy(op: str) -> Callable[[random.Random, int, int], Problem]:
    """Shoup's product and the lazy butterflies, with the exact quotient or with one short by 2(k - 1)."""

    def problem(rng: random.Random, bits: int, word: int) -> Problem:
        k = max(1, container(bits + 4, word) // word) if rng.random() < 0.5 else 1
        width, top = container(bits + 4 + k.bit_length(), word), (1 << bits) - 1
        k = width // word if k > 1 else 1
        full, c = (1 << width) - 1, 2 * k * top
        if op != "shoup" and 2 * c > full:
            k, c = 1, 2 * top

        def numbers() -> Inputs:
            q = draw(rng, 1, top)
            v = draw(rng, 0, q - 1)
            fixed = {"v": v, "vq": (v << width) // q, "q": q}
            if op == "shoup":
                return {"y": draw(rng, 0, full), **fixed}
            y = draw(rng, 0, full if op == "ct" else 2 * k * q - 1)
            return {"x": draw(rng, 0, 2 * k * q - 1), "y": y, **fixed, "c": 2 * k * q}

        def right(ins: Inputs, outs: Inputs) -> bool:
            q, vy, x = ins["q"], mpz(ins["v"]) * ins["y"], ins.get("x", 0)
            if op == "shoup":
                return congruent(q, [(outs["r0"], vy, 2 * k * q - 1)])
            if op == "ct":
                return congruent(q, [(outs["r0"], x + vy, x + 2 * k * q - 1), (outs["r1"], x - vy, x + ins["c"])])
            wanted = mpz(x - ins["y"]) * ins["v"]
            return congruent(q, [(outs["r0"], mpz(x + ins["y"]), x + ins["y"]), (outs["r1"], wanted, 2 * k * q - 1)])

        fixed = {"v": top, "vq": full, "q": top}
        tops = {"y": full, **fixed} if op == "shoup" else {"x": c, "y": full if op == "ct" else c, **fixed, "c": c}
        return Problem(block_of(op, width, tops, k), numbers, right)

    return problem


def tight(op: str) -> Callable[[random.Random, int, int], Problem]:
    def problem(rng: random.Random, bits: int, word: int) -> Problem:
        width, top = container(bits + 1, word), (1 << bits) - 1
        full = (1 << width) - 1

        def numbers() -> Inputs:
            q = draw(rng, 1, top)
            v = draw(rng, 0, q - 1)
            y = draw(rng, 0, full if op == "ct_tight" else 2 * q - 1)
            return {"x": draw(rng, 0, 2 * q - 1), "y": y, "v": v, "vq": (v << width) // q, "q": q}

        def right(ins: Inputs, outs: Inputs) -> bool:
            x, y, v, _, q = map(mpz, ins.values())
            wanted = (x + v * y, x - v * y) if op == "ct_tight" else (x + y, (x - y) * v)
            return congruent(int(q), [(outs[f"r{i}"], w, 2 * int(q) - 1) for i, w in enumerate(wanted)])

        tops = {"x": 2 * top, "y": full if op == "ct_tight" else 2 * top, "v": top, "vq": full, "q": top}
        return Problem(block_of(op, width, tops, 1), numbers, right)

    return problem


PROBLEMS: dict[str, Callable[[random.Random, int, int], Problem]] = {
    **{op: plain(op) for op in PLAIN},
    **{op: sums(op) for op in ("addmod", "submod")},
    "barrett": barrett, "montgomery": montgomery,
    **{op: lazy(op) for op in ("shoup", "ct", "gs")},
    **{op: tight(op) for op in ("ct_tight", "gs_tight")},
    **{op: montgomery_butterfly(op) for op in ("ct_montgomery", "gs_montgomery")},
}  # fmt: skip


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
        assert problem.right(inputs, run(low, inputs)), (context, inputs)


def sampled(op: str, word: int, salt: str, count: int, most: int) -> None:
    rng = random.Random(f"{SEED} {salt} {op} {word}")
    for _ in range(count):
        options = {"multiply": rng.choice(["schoolbook", "karatsuba"]), "compare": rng.choice(["borrow", "less"])}
        check(op, rng, bits_for(rng, word, most), word, rng.choice(list(MACHINES)), options, 4)


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


def test_the_option_compare_less() -> None:
    """MoMA's (24) and (26) as the paper has them: comparisons, where ours share the subtraction's borrow."""
    top = (1 << 128) - 1
    block = block_of("addmod", 128, {"x": top, "y": top, "q": top})
    trace = {name: Trace() for name in ("less", "borrow")}
    low = {name: rewrite(block, table(), machine(64, compare=name), trace[name]) for name in trace}
    assert {"(24) reduce_by_comparison", "(26) less"} <= set(trace["less"].fired)
    assert {"reduce_by_borrow", "subtract_borrow_out"} <= set(trace["borrow"].fired)
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
    assert word_count(low.inputs["x"]) == 6 and word_count(low.inputs["y"]) == 1
    assert word_count(low.outputs["r0"]) == 7
    assert [w.hi for w in words(low.inputs["x"], 64, 8)] == [(1 << 64) - 1] * 6 + [0, 0]


def test_constants_fold_through() -> None:
    builder = Builder()
    x = builder.input("x", 0, (1 << 128) - 1)
    builder.output("r", builder.one("mullo", 128, x, const(1 << 64)))
    assert not rewrite(builder.block, table(), machine(64)).instrs


def test_the_trace_counts_and_keeps_steps() -> None:
    trace = Trace(keep=True)
    rewrite(block_of("add", 256, {"x": (1 << 256) - 1, "y": (1 << 256) - 1}), table(), machine(64), trace)
    assert trace.fired["(22) add"] == 1 + 1 and trace.fired["(22) add_with_carry"] == 1
    assert [rule.label for rule, *_ in trace.steps] and len(trace.steps) == trace.fired.total()


def test_an_operation_without_rule_or_row_is_refused() -> None:
    with pytest.raises(MomagenError, match="expected a rule or a target row for “mulhalf” at 64 bits, got none"):
        rewrite(block_of("mul", 128, {"x": (1 << 128) - 1, "y": (1 << 128) - 1}), table(),
                Machine(64, lambda op, w: w == 64 and op in LEAST - {"mulhalf"}))  # fmt: skip
