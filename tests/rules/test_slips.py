"""The slips of the papers' listings, each written as a rule: refused as printed, right once corrected in one place.

MoMA: Zhang, Franchetti, CGO 2025. MQX: Zhang, Fu, Franchetti, MICRO 2025.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import pytest

from momagen.errors import MomagenError
from momagen.rewrite import Rule, check_shrinks, parse_rule, table
from momagen.rewrite.proof.prove import RuleError, check_rule


@dataclass(frozen=True)
class Slip:
    """``to`` as printed; ``wrong`` in it should read ``right``; ``ours`` is the table's rule, which has it right."""

    place: str
    left: str
    to: str
    wrong: str
    right: str
    ours: str
    widths: tuple[int, ...] = (2, 3)
    when: str = ""


ADDMOD = "[ch, cl] = ([ah, al] + [bh, bl]) mod [mh, ml]"

SLIPS = [
    Slip("MoMA (2) and Listing 1, _saddmod: t > q leaves t = q", "c = (a + b) mod q", """
        [t0:1, t1] = a + b
        δ = t0 ∨ (q < t1)
        d = t1 - q
        c = d if δ otherwise t1
        """, "q < t1", "q ≤ t1", "add_modulo"),
    Slip("MoMA Listing 1, _smulmod: t > q leaves t = q", "c = barrett{k}(a, b, q, μ)", """
        [t0, t1] = a · b
        r = [t0, t1] >> k - 2
        [s0, s1] = r · μ
        h = [s0, s1] >> k + 5
        t = t1 - h · q
        δ = q < t
        d = t - q
        c = d if δ otherwise t
        """, "q < t", "q ≤ t", "barrett", (6, 7, 8)),
    Slip("MoMA (18) and MQX (4): the quotient may be one short, uncorrected", "c = barrett{k}(a, b, q, μ)", """
        [t0, t1] = a · b
        r = [t0, t1] >> k - 2
        [s0, s1] = r · μ
        h = [s0, s1] >> k + 5
        t = t1 - h · q
        c = t
        """, "c = t", "c = csub(t, q)", "barrett", (6, 7, 8)),
    Slip("MoMA Table 1 (24): < leaves a = q", "[c0, c1] = [a0:1, a1, a2] mod [q0, q1]", """
        δ0 = [q0, q1] < [a1, a2]
        δ1 = a0 ∨ (¬a0 ∧ δ0)
        [b0, b1] = [a1, a2] - [q0, q1]
        [c0, c1] = [b0, b1] if δ1 otherwise [a1, a2]
        """, "[q0, q1] < [a1, a2]", "[q0, q1] ≤ [a1, a2]", "reduce_by_comparison"),
    Slip("MoMA (34): the digits of q are q0 and q1 in the comparison, q1 and q2 in the subtraction",
         "[f0, f1] = [d1, d2] - [q0, q1]", """
        f1 = d2 - q1
        δ0 = d2 < q1
        f0 = d1 - q1 - δ0
        """, "d1 - q1 - δ0", "d1 - q0 - δ0", "subtract"),
    Slip("MoMA Listing 4, _qshr: || is a logical or", "c = shrd{k}(a1, a2)", """
        t0 = a2 >> k
        t7 = a1 << w - k
        c = word(¬(t7 =? 0) ∨ ¬(t0 =? 0))
        """, "word(¬(t7 =? 0) ∨ ¬(t0 =? 0))", "t7 + t0", "funnel_word", when="k < w"),
    Slip("MQX Table 1, at full width: no carry out of a = b = 2^w - 1 with a carry in", "[co:1, c] = a + b + ci:1", """
        t0 = a + b
        c = t0 + word(ci)
        co = (c < a) ∨ (c < b)
        """, "(c < a) ∨ (c < b)", "(t0 < a) ∨ (c < t0)", "carry_chain", (2, 3, 4)),
    Slip("MQX Listings 1 and 2, at full width: the same carry, between the high words", ADDMOD, """
        t30 = al + bl
        c1 = (t30 < al) ∨ (t30 < bl)
        t28 = ah + bh
        t29 = t28 + word(c1)
        c2 = (t29 < ah) ∨ (t29 < bh)
        a38 = ml ≤ t30
        i28 = c2 ∨ ((mh < t29) ∨ ((mh =? t29) ∧ a38))
        d1 = t30 - ml
        d2 = t29 - mh
        d3 = d2 - word(¬a38)
        ch = d3 if i28 otherwise t29
        cl = d1 if i28 otherwise t30
        """, "(t29 < ah) ∨ (t29 < bh)", "(t28 < ah) ∨ (t29 < t28)", "add_modulo", (2,)),
    Slip("MQX Listing 3: only the high words are compared, and strictly", ADDMOD, """
        [elc:1, el] = al + bl
        [ehc:1, eh] = ah + bh + elc
        ehc1 = mh < eh
        ctrl = ehc1 ∨ ehc
        [clc:1, t] = el - ml
        cl = t if ctrl otherwise el
        c1 = eh - mh - clc
        ch = c1 if ctrl otherwise eh
        """, "ehc1 = mh < eh", "ehc1 = [mh, ml] ≤ [eh, el]", "add_modulo", (2,)),
    Slip("MQX Listing 3, at full width: _mm512_cmp_epi64_mask compares signed words", ADDMOD, """
        [elc:1, el] = al + bl
        [ehc:1, eh] = ah + bh + elc
        less = (top(mh) ∧ ¬top(eh)) ∨ ((mh < eh) ∧ (top(mh) ∨ ¬top(eh)))
        ctrl = ehc ∨ (less ∨ ((mh =? eh) ∧ (ml ≤ el)))
        [clc:1, t] = el - ml
        cl = t if ctrl otherwise el
        c1 = eh - mh - clc
        ch = c1 if ctrl otherwise eh
        """, "(top(mh) ∧ ¬top(eh)) ∨ ((mh < eh) ∧ (top(mh) ∨ ¬top(eh)))", "mh < eh", "add_modulo", (2,)),
]  # fmt: skip


def written(slip: Slip, to: str, when: str = "") -> Rule:
    row = {"name": "printed", "from": slip.left, "to": to, "why": slip.place, "when": when or slip.when}
    rule = parse_rule(row, slip.place)
    check_shrinks(rule)
    return rule


def sweep(rule: Rule, widths: tuple[int, ...]) -> int:
    return sum(check_rule(rule, w, exhaustive=True, rng=random.Random(0), count=0) for w in widths)


@pytest.mark.parametrize("slip", SLIPS, ids=lambda slip: slip.place)
def test_the_printed_version_is_refused(slip: Slip) -> None:
    with pytest.raises(RuleError, match="rule printed, at w = "):
        sweep(written(slip, slip.to), slip.widths)


@pytest.mark.parametrize("slip", SLIPS, ids=lambda slip: slip.place)
def test_one_correction_makes_it_right(slip: Slip) -> None:
    assert slip.wrong in slip.to
    assert sweep(written(slip, slip.to.replace(slip.wrong, slip.right)), slip.widths) > 0


@pytest.mark.parametrize("slip", SLIPS, ids=lambda slip: slip.place)
def test_our_rule_passes(slip: Slip) -> None:
    (ours,) = (rule for rule in table() if rule.name == slip.ours)
    assert ours.op == written(slip, slip.to).op
    assert sweep(ours, slip.widths) > 0


def test_the_carry_of_mqx_table_1_fails_nowhere_else() -> None:
    """With a spare bit (the paper's moduli have four) the printed carry is right; at full width one input breaks it."""
    (slip,) = (slip for slip in SLIPS if slip.place.startswith("MQX Table 1"))
    assert sweep(written(slip, slip.to, "a < 2^(w-1) and b < 2^(w-1)"), (2, 3, 4)) > 0
    with pytest.raises(RuleError, match=r"a = 0xf, b = 0xf, ci:1 = 0x1: expected .* = .0x1, 0xf., got .0x0, 0xf."):
        sweep(written(slip, slip.to), (4,))


def test_a_digit_that_does_not_exist_is_refused() -> None:
    """MoMA (34) subtracts q2, the third digit of a number of two."""
    row = {"name": "printed", "from": "[f0, f1] = [d1, d2] - [q0, q1]", "why": "MoMA (34)",
           "to": "f1 = d2 - q2; δ0 = d2 < q2; f0 = d1 - q1 - δ0"}  # fmt: skip
    with pytest.raises(MomagenError, match=r"moma\.toml, rule printed: expected a name defined before its use, got q2"):
        check_shrinks(parse_rule(row, "moma.toml"))
