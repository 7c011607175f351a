"""Every rule is tested because it stands in the table: swept at small w, drawn at 32 and 64, proven as an identity."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from functools import partial
from math import prod
from operator import add, sub

import pytest

from momagen.ir import OPS
from momagen.rewrite import COMPOSITES, CONSTANTS, Rule, check_shrinks, table
from momagen.rewrite.proof.cases import SHIFTS, every_case, random_cases
from momagen.rewrite.proof.identity import IdentityError, check_identity
from momagen.rewrite.proof.prove import RuleError, check_rule
from momagen.rewrite.rules.operations import LAZY

TABLE = list(table())
RULES = [rule for rule in TABLE if rule.digits > 1 or not rule.slack]
"""Digits with slack alone may hold the product of two: `test_slack_rules` has those rules."""
HALVED = ("word_product_high", "word_product_low", "word_product_by_halves", "pack_halves", "shoup_by_halves")
HORNER = ("row_to_nearest", "rows_to_nearest", "times_to_nearest")
WIDTHS = {
    **dict.fromkeys(("product_by_barrett", "product_by_barrett_lazy"), (6, 7)),
    **dict.fromkeys(("barrett", "barrett_lazy"), (6, 7, 8, 9)), **dict.fromkeys(HALVED, (2, 4, 6)),
    "residue_by_rounded_quotient": (3, 4, 5, 6),
    "word_product_by_convolution": (4, 8), "fold_high_part": (3, 4),
    "residue_by_sign": (3, 4, 5), "multiply_low_by_halves": (2, 4), "multiply_high_about_by_halves": (2, 4, 6),
    **dict.fromkeys(("fold", "fold_to_nearest", "shoup_to_nearest", "shoup_of_one_digit_to_nearest"), (2, 3)),
    **dict.fromkeys((*HORNER, "columns", "quotient_to_nearest"), (2, 3)), "product_to_nearest": (3, 4, 5),
    "subtract_modulo_in_place": (2, 3), "quotient_over_power_to_nearest": (2, 3), "add_multiple_to_nearest": (2,),
    **dict.fromkeys(("multiply_by_longer_quotient", "multiply_around_zero", "quotient_on_the_fly"), (9,)),
    **dict.fromkeys(("product_by_truncated_barrett", "multiply_by_truncated_quotient"), (6,)),
    "multiply_by_quotient_of_one_digit": (3, 4), "multiply_by_shoup_within": (8,), "reduce_by_shoup": (3, 4),
    **dict.fromkeys(("multiply_by_solinas", "cooley_tukey_solinas", "gentleman_sande_solinas"), (4,)),
    **dict.fromkeys(("solinas_product_by_montgomery", "solinas_sums_by_carries"), (2, 4)),
    **dict.fromkeys(("solinas_product_by_shifts", "solinas_sums_by_shifts"), (2, 4)),
    **dict.fromkeys(("multiply_by_signed_digits", "cooley_tukey_signed", "gentleman_sande_signed"), (4,)),
    **dict.fromkeys(("product_of_digits", "product_of_digits_signed", "signed_residue", "unsigned_residue"), (4, 6)),
    "signed_sums": (4,),
    "sums_of_digit_products": (2, 4), "fold_at_mersenne": (3, 4), "fold_at_number": (3, 4),
    **dict.fromkeys(("fold_at_difference", "fold_at_sum", "fold_at_four_terms"), (9,)),
    **dict.fromkeys(("product_by_one_fold", "product_by_two_folds", "product_by_three_folds"), (3, 4)),
    **dict.fromkeys(("product_by_columns", "fold_columns", "fold_at_five_terms"), ()),
    **dict.fromkeys(("remainder_of_word", "remainder_of_word_on_a_digit"), (5, 6)),
    "product_of_digits_by_barrett": (3, 4), "residue_over_power": (5, 6), "residue_over_power_to_nearest": (2, 3),
    **dict.fromkeys(("shoup_by_split_quotient", "shoup_by_half_words", "shoup_by_both_halves"), (2, 4, 6)),
    "sum_of_words": (4, 5), "sum_by_leading": (4, 5), "sum_by_leading_about": (6,), "sum_of_one_word": (6,),
    "sum_of_limbs": (6,), "sum_of_limbs_long": (4, 5),
    "shoup_of_half_words": (4, 6), "shoup_of_one_limb": (4, 5),
    "multiply_by_signed_halves": (4, 6), **dict.fromkeys(("reduce_towards_zero", "raise_by_sign"), (2, 3, 4)),
    **dict.fromkeys((f"multiply_by_split_quotient{of}" for of in ("", "_of_two", "_of_three")), (2, 4)),
}  # fmt: skip
"""Barrett needs four spare bits over a modulus of two; a product by halves an even word."""
QUICK, REACH = 1 << 17, 1 << 22
"""So many inputs are swept in every run, and so many by ``-m slow``."""
LONG = {
    "barrett": 9, "barrett_lazy": 9, "shoup_by_halves": 6, "shoup_by_both_halves": 6, "fold": 3, "fold_to_nearest": 3,
    "residue_to_nearest": 4, "shoup_to_nearest": 3, "shoup_of_one_digit_to_nearest": 3, "quotient_to_nearest": 3,
    "product_to_nearest": 5,
    **dict.fromkeys(HORNER, 3),
}  # fmt: skip
"""Widths at which modular operations, whose inputs `size` does not count, have too many for every run."""


DOUBLES = {
    **dict.fromkeys(("shoup_to_nearest", "shoup_of_one_digit_to_nearest"), 48),
    **dict.fromkeys(HORNER, 47),
    "product_around_to_nearest": 50,
}
"""Bits of a word where 64 are too many: digits add up to 2^52 there."""


def widths(rule: Rule) -> tuple[int, ...]:
    return WIDTHS.get(rule.name, (2, 3, 4))


def size(rule: Rule, w: int) -> int:
    """How many inputs the rule's operation has; modular ones have few at these widths."""
    if rule.op in COMPOSITES and rule.op not in ("csub", "mulhi_about"):
        return 0
    words = prod(2 if kind == "f" else 1 << rule.digits * w for kind in OPS[rule.op].args)
    return words * {"mulhi_about": 3 * 4}.get(rule.op, (2 * rule.digits + 1) * w if rule.op in SHIFTS else 1)


def is_long(rule: Rule, w: int) -> bool:
    return size(rule, w) > QUICK or w == LONG.get(rule.name)


def sweeps() -> list[object]:
    return [
        pytest.param(rule, w, id=f"{rule.label}-{w}", marks=[pytest.mark.slow] if is_long(rule, w) else [])
        for rule in RULES
        for w in widths(rule)
        if size(rule, w) <= REACH
    ]


def draws() -> list[object]:
    """Real words, and the small ones whose sweep is not in every run."""
    return [
        pytest.param(rule, w, id=f"{rule.label}-{w}")
        for rule in RULES
        for w in (*(w for w in widths(rule) if is_long(rule, w)), 32, DOUBLES.get(rule.name, 64))
    ]


def test_labels_are_unique() -> None:
    assert len({rule.label for rule in TABLE}) == len(TABLE)


def test_every_composite_has_a_rule() -> None:
    assert {rule.op for rule in TABLE} >= set(COMPOSITES)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("rule, w", sweeps())
def test_sweep(rule: Rule, w: int) -> None:
    assert check_rule(rule, w, exhaustive=True, rng=random.Random(0), count=0) > 0


@pytest.mark.sampled(4)
@pytest.mark.parametrize("rule, w", draws())
def test_edges_and_random_words(rule: Rule, w: int) -> None:
    assert check_rule(rule, w, exhaustive=False, rng=random.Random(w), count=500) > 0


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.identity], ids=lambda rule: rule.label)
def test_identity(rule: Rule) -> None:
    check_identity(rule)


@pytest.mark.parametrize("op", [op for op in LAZY if OPS[op].results == "w"])
def test_lazy_answers_are_all_that_agree(op: str) -> None:
    """The answers that a proof takes are exactly those that the operation's row lets pass."""
    for k, args in every_case(op, 1, 4):
        if OPS[op].requires(4, k, *args):
            agreed = [r for r in range(1 << 4) if OPS[op].agrees(4, k, args, (r,))]  # type: ignore[misc]
            assert list(LAZY[op](4, k, *args)) == agreed, (k, args)


def several(answer: int | tuple[int, ...]) -> tuple[int, ...]:
    return answer if isinstance(answer, tuple) else (answer,)


@pytest.mark.parametrize("op", ["mac", "quotient"])
def test_the_ends_of_lazy_answers_agree(op: str) -> None:
    """Of answers without bound: the first and the last agree; so does none that is another sum, or further away."""
    row, count = OPS[op], 0
    for k, args in random_cases(op, 1, 8, random.Random(0), 500):
        if not row.requires(8, k, *args):
            continue
        first, last = (several(LAZY[op](8, k, *args)[end]) for end in (0, -1))
        agrees = partial(row.agrees, 8, k, args)  # type: ignore[arg-type]
        assert agrees(first) and agrees(last) and agrees(row.meaning(8, k, *args))
        if op == "quotient":
            assert not agrees((first[0] - 1,)) and not agrees((last[0] + 1,))
        if op == "mac":
            (_, top), _ = row.bounds(8, k, *((a, a) for a in args))
            assert not agrees((top + 1, first[1] + (first[0] - top - 1 << 8)))
        step = ((0, 1) if len(first) > 1 else (1,)) + (0,) * len(first[2:])
        assert not agrees(tuple(map(sub, first, step))) and not agrees(tuple(map(add, last, step)))
        count += 1
    assert count > 100


ENDS = {"f": (0, 1), "w": (0, 255), "i": (-(1 << 40), 1 << 40)}
"""Of a flag, of a word of eight bits, and of integers beyond them."""


LONGER = {"fold_columns": 64}
"""Words of operations that eight bits have no input for."""


@pytest.mark.parametrize("op", [*COMPOSITES, *CONSTANTS])
def test_bounds_of_a_composite_hold_every_answer(op: str) -> None:
    """Any intervals around valid arguments give bounds around what the operation may answer."""
    rng, w = random.Random(0), LONGER.get(op, 8)
    row, tried = OPS[op], 0
    for k, args in random_cases(op, 1, w, rng, 2000):
        if row.requires(w, k, *args):
            ends = [ENDS.get(kind, (a, a)) for kind, a in zip(row.args, args, strict=True)]
            box = [
                (rng.randint(min(lo, a), a), rng.randint(a, max(a, hi))) for a, (lo, hi) in zip(args, ends, strict=True)
            ]  # fmt: skip
            answers = LAZY[op](w, k, *args) if op in LAZY else [row.meaning(w, k, *args)]
            for answer in map(several, (answers[0], answers[-1])):
                bounds = row.bounds(w, k, *box)
                assert all(lo <= r <= hi for r, (lo, hi) in zip(answer, bounds, strict=True)), (k, args, box)
            tried += 1
    assert tried > 500


MUTANTS = {
    "high_digit": ("c0 = a0", "c0 = a1"),
    "low_digit": ("c0 = a1", "c0 = a0"),
    "add": ("δ0 + a0 + b0", "a0 + b0"),
    "add_with_carry": ("d + a1 + b1", "a1 + b1"),
    "add_four_digits": ("δ1 + a1 + b1", "δ0 + a1 + b1"),
    "add_low": ("a1 + b1", "a1 + b0"),
    "add_low_with_carry": ("δ0 + a0 + b0", "d + a0 + b0"),
    "subtract": ("a1 - b1", "b1 - a1"),
    "subtract_with_borrow": ("a0 - b0 - δ0", "a0 - b0 - d"),
    "subtract_borrow_out": ("a0 - b0 - δ0", "a0 - b0"),
    "subtract_borrow_in_out": ("a1 - b1 - d", "a1 - b1"),
    "less_by_borrow": ("a0 - b0 - δ0", "a0 - b0"),
    "less": ("a1 < b1", "a1 ≤ b1"),
    "at_most": ("[b0, b1] < [a0, a1]", "[a0, a1] < [b0, b1]"),
    "equal": ("∧", "∨"),
    "select": ("c1 = a1 if δ otherwise b1", "c1 = b1 if δ otherwise a1"),
    "word_of_flag": ("c1 = word(δ); c0 = 0", "c0 = word(δ); c1 = 0"),
    "shift_right_within": ("c1 = [a0, a1] >> k", "c1 = a1 >> k"),
    "shift_right_across": ("a0 >> k - w", "a0 >> k"),
    "shift_left_within": ("w - k", "k"),
    "shift_left_across": ("c0 = a1 << k - w", "c0 = a0 << k - w"),
    "funnel_within": ("[a1, b0]", "[a0, b0]"),
    "funnel_across": ("[a1, b0] >> k - w", "[b0, b1] >> k - w"),
    "low_bits_within": ("c0 = 0", "c0 = a0"),
    "low_bits_across": ("k - w", "k"),
    "karatsuba": ("word(s0 ∧ t0) + ", ""),
    "karatsuba_words": ("word(s0 ∧ t0) + ", ""),
    "multiply": ("[h0, h1, h2, 0]", "[0, h1, h2, 0]"),
    "multiply_low_by_halves": ("mulhalf(a1, y0)", "mulhalf(a0, y0)"),
    "multiply_low": ("d0 + f1 + g1", "d0 + f1"),
    "multiply_high": ("+ δ1", ""),
    "multiply_high_about": ("[0, g0]", "[0, 0]"),
    "multiply_high_one_word": ("⌊a · b / 2^w⌋", "a · b"),
    "multiply_high_about_by_halves": ("+ r + s", "+ r"),
    "add_across": ("each_full{word}(s)", "each_eq{word}(s, a)"),
    "add_across_without_carry": ("a + b", "a - b"),
    "add_low_across": ("each_full{word}(s)", "each_eq{word}(s, a)"),
    "add_low_across_without_carry": ("each_lt{word}(s, a)", "each_lt{word}(a, s)"),
    "subtract_across": ("each_dec", "each_inc"),
    "subtract_low_across": ("each_lt{word}(a, b)", "each_lt{word}(b, a)"),
    "less_across": ("each_lt{word}(a, b)", "each_lt{word}(b, a)"),
    "at_most_across": ("b < a", "a < b"),
    "equal_across": ("mxor(e, f)", "mxor(f, f)"),
    "conditional_subtract_across": ("each_if{w / word}(δ, d)", "d"),
    "reduce_across": ("δ1 ∨ a0", "δ1 ∧ a0"),
    "subtract_modulo_across": ("g = each_if{w / word}(δ, each_lt{word}(s, q))", "g = each_lt{word}(s, q)"),
    "shift_left_by_sums": ("a + a", "a - a"),
    "add_modulo": ("a + b", "a - b"),
    "subtract_modulo_by_minimum": ("umin(d, u)", "umax(d, u)"),
    "reduce_by_minimum": ("umin(a1, d)", "umax(a1, d)"),
    "conditional_subtract_by_minimum": ("umin(a, d)", "umax(a, d)"),
    "subtract_modulo_by_mask": ("addif(δ, t, q)", "addif(¬δ, t, q)"),
    "subtract_modulo": ("c = u if δ otherwise t", "c = t if δ otherwise u"),
    "reduce_by_comparison": ("≤", "<"),
    "subtract_modulo_in_place": ("(c1 < q1) ∧ δ", "(t1 < q1) ∧ δ"),
    "reduce_in_place": ("q1 ≤ a2", "q1 < a2"),
    "conditional_subtract_in_place": ("c0 = u if", "c0 = v if"),
    "reduce_by_mask": ("q ≤ a1", "q < a1"),
    "reduce_by_top_bit": ("select_top(d", "select_top(a1"),
    "reduce_by_borrow": ("¬a0 ∧ δ", "δ"),
    "conditional_subtract_by_mask": ("m ≤ a", "m < a"),
    "conditional_subtract": ("c = a if δ otherwise b", "c = b if δ otherwise a"),
    "barrett": ("c = csub(d, q)", "c = d"),
    "barrett_lazy": ("[s0, s1] >> k + 5", "[s0, s1] >> k + 6"),
    "montgomery": ("u = (t + q) mod 2^k", "u = t + q"),
    "montgomery_lazy": ("s = g + q", "s = g"),
    "shoup_by_both_halves": ("subhalves(m, n)", "m - n"),
    "shoup_by_halves": ("(m - n << w / 2)", "(m << w / 2)"),
    "shoup_by_half_words": ("(mulhalf(y, f) >> w / 2)", "mulhalf(y, f)"),
    "shoup_by_split_quotient": ("(a, g), a, e)", "(a, g), b, e)"),
    "shoup": ("t = y · v - h · q", "t = y · v - h · v"),
    "shoup_about": ("mulhi_about{k}", "mulhi_about{2 k}"),
    "multiply_by_shoup": ("over{h}(v, q)", "over{h - 1}(v, q)"),
    "multiply_by_montgomery": ("scaled{k}", "scaled{k - 1}"),
    "product_by_barrett": ("below{2 * k + 3}", "below{2 * k + 2}"),
    "product_by_barrett_lazy": ("below{2 * k + 3}", "below{2 * k + 2}"),
    "product_by_montgomery": ("square{k}", "square{k - 1}"),
    "product_by_full_montgomery": ("inverse{k}", "inverse{k - 1}"),
    "product_by_montgomery_lazy": ("square{k}", "square{k + 1}"),
    "multiply_by_split_quotient_of_two": ("over{w}", "over{w - 1}"),
    "multiply_by_solinas": ("T - (q >> w / 2)", "T"),
    "cooley_tukey_solinas": ("solinas_sums(x, T, q)", "solinas_sums(T, x, q)"),
    "gentleman_sande_solinas": ("z + e", "z"),
    "solinas_product": ("[δ4:1, g] = f + a1", "[δ4:1, g] = f + a0"),
    "solinas_product_by_montgomery": ("(q >> w / 2)", "q"),
    "solinas_sums_by_carries": ("a = s + e", "a = s - e"),
    "solinas_product_by_shifts": ("- word(δ0)", ""),
    "solinas_sums_by_shifts": ("t) - (0", "t) + (0"),
    "solinas_sums": ("m = q0 + 0 + δ1", "m = q0 + 0"),
    "multiply_by_signed_digits": ("(y, a, b, q)", "(y, b, a, q)"),
    "cooley_tukey_signed": ("signed_sums{k}(x, t, q)", "signed_sums{k}(t, x, q)"),
    "gentleman_sande_signed": ("{k}(d, a", "{k}(X, a"),
    "sums_of_digit_products": ("(1 << w / 2 - 1)", "1"),
    "product_of_digits": ("lts(g, m)", "lts(m, g)"),
    "product_of_digits_signed": ("- 1)\n", ")\n"),
    "signed_sums": ("lts(a, x)", "lts(a, t)"),
    "signed_residue": ("- 1)\nδ", "- 2)\nδ"),
    "unsigned_residue": ("lts(o - 1, z)", "lts(s, z)"),
    "sum_if_by_choice": ("b if δ otherwise 0", "0 if δ otherwise b"),
    "difference_if_by_choice": ("a - b", "a + b"),
    "fold_at_mersenne": ("(x >> k)", "(x >> k + 1)"),
    "fold_at_difference": ("- h", "+ h"),
    "fold_at_sum": ("+ h +", "+"),
    "fold_at_four_terms": ("- h", "+ h"),
    "fold_at_number": ("(1 << k) - q", "q"),
    "fold_at_five_terms": ("+ h)", "- h)"),
    "fold_columns": ("- s3 - s5", "- s3"),
    "product_by_three_folds": ("fold_at{a}([t1", "fold_at{a + 1}([t1"),
    "product_by_columns": ("fold_columns{a}([t1, t0], [0, q])", "[t1, t0]"),
    "product_by_one_fold": ("[_, t] = [0 < 0, fold_at{a}([t1, t0], [0, q])] mod [0, q]", "t = t0"),
    "product_by_two_folds": ("fold_at{a}([t1", "fold_at{a + 1}([t1"),
    "cooley_tukey_within": ("s = x + c", "s = x + q"),
    "gentleman_sande_within": ("X = x + y", "X = x - y"),
    "multiply_by_shoup_within": ("over{h}(v, q)", "over{h - 1}(v, q)"),
    "reduce_by_shoup": ("below{w}(q)", "below{w - 1}(q)"),
    "multiply_high_within": ("a · b", "a · a"),
    "reduce_about_exactly": ("csub(a, q)", "csub(q, a)"),
    "reduce_by_leading_bits": ("(q >> k) < (a >> k)", "(a >> k) < (q >> k)"),
    "cooley_tukey_lazy": ("s = x + c", "s = x + q"),
    "gentleman_sande_lazy": ("d = s - y", "d = x - y"),
    "cooley_tukey_tight": ("t = csub(r, q)", "t = r"),
    "gentleman_sande_tight": ("z = csub(x, q)", "z = x"),
    "cooley_tukey_full": ("mulmod_full{k}(y, v", "mulmod_full{k}(x, v"),
    "gentleman_sande_full": ("d = (x - y)", "d = (y - x)"),
    "multiply_high_by_carries": ("[0, g0, g1, 0]", "[0, g0, 0, 0]"),
    "shoup_on_digits": ("n = 0 - q", "n = q"),
    "multiply_balanced": ("y, r, u", "y, u, r"),
    "multiply_balanced_signed": ("y, r, u", "y, u, r"),
    "multiply_balanced_alone": ("r · q'", "y · q'"),
    "multiply_balanced_signed_alone": ("r · q'", "q · q'"),
    "redc_by_high_products": ("⌊m · q / 2^w⌋", "⌊m · r / 2^w⌋"),
    "redc_by_signed_products": ("mulhis(m, q)", "mulhis(m, r)"),
    "residue_by_rounded_quotient": ("1 - u", "0 - u"),
    "subtract_to_a_word_with_a_sign": ("minus(a, b)", "minus(b, a)"),
    "montgomery_by_constant": ("⌊m · q / 2^w⌋", "⌊m · v / 2^w⌋"),
    "montgomery_by_constant_alone": ("r · q'", "v · q'"),
    "multiply_by_signed_halves": ("smulhalf(z, f)", "smulhalf(z, e)"),
    "reduce_towards_zero": ("minus(0, m)", "0"),
    "raise_by_sign": ("m, 0", "0, m"),
    "pick_by_top_bit": ("(d, a, b)", "(d, b, a)"),
    "multiply_by_split_quotient": ("(y, v, f, e, g, q)", "(y, v, e, f, g, q)"),
    "multiply_by_split_quotient_of_three": ("k - w / 2", "k - w / 2 + 1"),
    "raise_by_minimum": ("umin(x, u)", "umax(x, u)"),
    "reduce_by_lesser": ("minus(x, m)", "plus(x, m)"),
    "lower_by_maximum": ("umax(x, u)", "umin(x, u)"),
    "reduce_by_larger": ("plus(x, m)", "minus(x, m)"),
    "multiply_add": ("plus(c1, l)", "plus(c0, l)"),
    "fold": ("c1 mod 2^w", "c0 mod 2^w"),
    "multiply_add_to_nearest": ("minus(c0, d0)", "minus(d0, c0)"),
    "fold_to_nearest": ("plus(f, e)", "plus(f, g)"),
    "quotient_to_nearest": ("leading{w}(h, l)", "leading{w}(l, h)"),
    "residue_to_nearest": ("minus(0, e)", "minus(e, 0)"),
    "shoup_of_one_digit_to_nearest": ("(n, e, q)", "(n, e, v)"),
    "shoup_to_nearest": ("(g, f, n, s)", "(g, f, e, s)"),
    "product_around_to_nearest": ("(h, e, q)", "(h, e, v)"),
    "product_to_nearest": ("minus(l, u)", "minus(u, l)"),
    "times_to_nearest": ("columns(0, z", "columns(0, y"),
    "columns": ("(g0)", "(g1)"),
    "rows_to_nearest": ("plus(l0", "plus(l1"),
    "row_to_nearest": ("plus(f0, r)", "plus(f1, r)"),
    "residue_by_sign": ("s = e + 1", "s = e"),
    "multiply_by_longer_quotient": ("p >> word", "p >> word - 1"),
    "multiply_around_zero": ("1 << word", "2 << word"),
    "quotient_on_the_fly": ("w - h", "w - h - 1"),
    "product_by_truncated_barrett": ("p1 + e", "p1 - e"),
    **dict.fromkeys(("multiply_by_truncated_quotient", "multiply_by_quotient_of_one_digit"), ("v + z", "v - z")),
    "product_of_digits_by_barrett": ("y + e", "y - e"),
    **dict.fromkeys(("remainder_of_word", "remainder_of_word_on_a_digit"), ("k + 1", "k + 2")),
    "residue_over_power_to_nearest": ("(z, u, q)", "(z, e, q)"),
    "residue_over_power": ("minus(0, plus(m, e))", "plus(m, e)"),
    "quotient_over_power_to_nearest": ("minus(u, e)", "minus(e, u)"),
    "add_multiple_to_nearest": ("mac(0, f, c, s)", "mac(0, s, c, f)"),
    "residue_by_quotient": ("c = csub(t, q)", "c = t"),
    "residue_by_quotient_lazy": ("n = 0 - q", "n = q"),
    "add_flag_to_digits": ("+ word", "- word"),
    "borrow_by_sign": ("minus(settle{word}(a), settle{word}(b))", "minus(settle{word}(b), settle{word}(a))"),
    **dict.fromkeys(("carry_by_sign", "carry_chain_by_sign"), ("(1), 1)", "(1), 0)")),
    "less_by_difference": ("(a), settle{word}(b)", "(b), settle{word}(a)"),
    "remainder_by_multiples": ("- 1 - i", "- 1"),
    "minus_product": ("(0 - p)", "(1 - p)"),
    "newton": ("(2 - p)", "(1 - p)"),
    "over_by_reciprocal": ("q ≤ r", "q < r"),
    "over_by_reciprocal_wide": ("[0, q] ≤ [r1, r0]", "[0, q] < [r1, r0]"),
    "shift_left_word": ("a mod 2^(w - k)", "a"),
    "sum_without_carry": ("a + b", "a - b"),
    "carry_by_comparison": ("c1 < a", "c1 ≤ a"),
    "carry_by_signed_comparison": ("lts(s, x)", "lts(s, a)"),
    "carry_chain_signed": ("lts(t, s)", "lts(t, x)"),
    "carry_chain": ("δ0 ∨ δ1", "δ0 ∧ δ1"),
    "add_flag": ("s + word(δ)", "s - word(δ)"),
    "borrow_by_top_bit": ("top(c1)", "top(a)"),
    "borrow_at_zero_word": ("δ ∧ ", ""),
    "borrow_by_top_bits": ("¬top(a)", "¬top(b)"),
    "borrow_is_top_bit": ("top(c1)", "top(a)"),
    "borrow_by_signed_comparison": ("lts(x, y)", "lts(a, y)"),
    "borrow_chain_signed": ("lts(s, t)", "lts(x, t)"),
    "borrow_by_comparison": ("a < b", "a ≤ b"),
    "borrow_chain": ("(a < b) ∨ ", ""),
    "subtract_flag": ("s - word(δ)", "s"),
    "word_product_by_halves": ("pack(v, p)", "pack(t, p)"),
    "word_product": ("c1 = a · b", "c1 = c0"),
    "word_product_by_convolution": ("(s5 << w / 4)", "(s5 << w / 2)"),
    "fold_high_part": ("l + h · p", "l + p"),
    "word_product_high": ("(v >> w / 2)", "(s >> w / 2)"),
    "word_product_low": ("+ mulhalf(a, y)", ""),
    "sum_of_words": ("s0 >> k - 1", "s0 >> k"),
    "sum_by_leading": ("t = s - e · p", "t = s"),
    "sum_by_leading_about": ("t = s - e · p", "t = s"),
    "sum_of_one_word": (">> w / 2 + 1", ">> w / 2 + 2"),
    "sum_of_limbs": ("fmalo{k}(s0, h, v)", "s0"),
    "sum_of_limbs_long": ("fmalo{k}(fmahi{k}(s1, e, n0), e, n1)", "fmahi{k}(s1, e, n0)"),
    "shoup_of_half_words": ("y · v - e · q", "y · v"),
    "shoup_of_one_limb": ("fmalo{k}(0, y, v)", "fmahi{k}(0, y, v)"),
    "less_by_sign": ("lts(a, b)", "lts(b, a)"),
    "less_by_flipped_signs": ("lts(x, y)", "lts(a, b)"),
    "pack_halves": ("(a << w / 2)", "a"),
    "at_most_word": ("b < a", "a < b"),
    "funnel_word": ("w - k", "k"),
    "select_by_top_bit": ("a if δ otherwise b", "b if δ otherwise a"),
    "top_bit": ("w - 1", "w - 2"),
}
"""One wrong turn for every rule: a digit swapped, a carry dropped, < for ≤."""


def changed(name: str, old: str, new: str) -> Rule:
    """The rule ``name`` with ``old`` replaced in its right-hand side, or in what it derives."""
    (rule,) = (rule for rule in RULES if rule.name == name)
    if old in rule.derive:
        return replace(rule, derive=rule.derive.replace(old, new, 1))
    assert old in rule.right
    return replace(rule, right=rule.right.replace(old, new, 1))


def test_every_rule_has_a_mutant() -> None:
    assert {rule.name for rule in RULES} == set(MUTANTS)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", [name for name in MUTANTS if WIDTHS.get(name) != ()])
def test_a_mutant_fails_by_its_own_name(name: str) -> None:
    mutant = changed(name, *MUTANTS[name])
    with pytest.raises(RuleError, match=re.escape(f"{mutant.file}, rule {mutant.label}, at w = ")):
        for w in widths(mutant):
            check_rule(mutant, w, exhaustive=True, rng=random.Random(0), count=0)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_fails_on_real_words(name: str) -> None:
    mutant = changed(name, *MUTANTS[name])
    with pytest.raises(RuleError, match=re.escape(mutant.label)):
        check_rule(mutant, DOUBLES.get(name, 64), exhaustive=False, rng=random.Random(0), count=2000)


@pytest.mark.parametrize("name", [rule.name for rule in RULES if rule.identity])
def test_a_mutant_is_no_identity(name: str) -> None:
    with pytest.raises(IdentityError, match=re.escape(changed(name, *MUTANTS[name]).label)):
        check_identity(changed(name, *MUTANTS[name]))


DERIVED = [(rule.name, op) for rule in RULES for op in CONSTANTS if f"= {op}{{" in rule.derive]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name, op", DERIVED)
def test_another_constant_than_a_rule_derives_fails(name: str, op: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of it, rounded down."""
    row = OPS[op]
    monkeypatch.setitem(OPS, op, replace(row, meaning=lambda *args: tuple(v // 2 for v in row.meaning(*args))))
    (rule,) = (rule for rule in RULES if rule.name == name)
    with pytest.raises(RuleError, match=re.escape(rule.label)):
        for w in widths(rule):
            if w < LONG.get(rule.name, w + 1):
                check_rule(rule, w, exhaustive=True, rng=random.Random(0), count=0)


def test_a_wrong_theorem_is_caught() -> None:
    with pytest.raises(RuleError, match=r"\(18\) barrett.*the assumption .* < 1·"):
        check_rule(changed("barrett", "d < 2·q", "d < 1·q"), 8, exhaustive=True, rng=random.Random(0), count=0)
    with pytest.raises(RuleError, match=r"multiply_add_to_nearest.*the assumption \|.*\| ≤ 1·0x2 is wrong"):
        check_rule(changed("multiply_add_to_nearest", "w - 1", "w - 2"), 3,
                   exhaustive=True, rng=random.Random(0), count=0)  # fmt: skip
    with pytest.raises(RuleError, match=r"gentleman_sande_lazy.*the assumption .* ≤ "):
        check_rule(changed("gentleman_sande_lazy", "≤ s", "≤ x"), 4, exhaustive=True, rng=random.Random(0), count=0)


def test_a_rule_may_not_ask_for_what_an_operation_does_not_promise() -> None:
    with pytest.raises(RuleError, match=r"cooley_tukey_lazy.*mulmod at 4 bits of .*, which violate its precondition"):
        check_rule(changed("cooley_tukey_lazy", "(y, v, q)", "(v, y, q)"), 4,
                   exhaustive=True, rng=random.Random(0), count=0)  # fmt: skip


def test_the_message_gives_inputs_expected_and_got() -> None:
    with pytest.raises(RuleError) as caught:
        check_rule(changed("less", "a1 < b1", "a1 ≤ b1"), 2, exhaustive=True, rng=random.Random(0), count=0)
    inputs = "moma.toml, rule (26) less, at w = 2, k = 0, [a0, a1] = 0x0, [b0, b1] = 0x0"
    assert str(caught.value) == f"{inputs}: expected δ = a < b = (0x0), got (0x1)"


@pytest.mark.parametrize("rule", TABLE, ids=lambda rule: rule.label)
def test_every_rule_shrinks(rule: Rule) -> None:
    check_shrinks(rule)


@pytest.mark.parametrize("rule", TABLE, ids=lambda rule: rule.label)
def test_every_rule_explains_itself(rule: Rule) -> None:
    assert rule.why and rule.source
