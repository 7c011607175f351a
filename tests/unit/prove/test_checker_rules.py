"""The rules of the checker: each derives what follows, and refuses what does not."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from gmpy2 import mpq

from momagen.prove.checker import Bounds, Checker, Equal, Impossible, ProofError
from momagen.prove.polynomial import InModulus, Polynomial, bernstein, is_nonnegative

LEAST, GREATEST = 5, 9


@pytest.fixture
def checker() -> Checker:
    return Checker(LEAST, GREATEST)


def refused(step: Callable[[], object]) -> bool:
    try:
        step()
    except ProofError:
        return True
    return False


def test_an_empty_range_of_moduli_is_refused() -> None:
    assert refused(lambda: Checker(6, 5)) and refused(lambda: Checker(0, 5)) and not refused(lambda: Checker(5, 5))


def test_only_zero_is_derived(checker: Checker) -> None:
    x = checker.integer("x", (0,), (1,))
    assert refused(lambda: checker.derive(Equal({(x,): 1}, {(): 1}, frozenset())))
    assert refused(lambda: checker.derive(checker.identity({(x,): 1})))


def test_an_assumption_ends_with_its_block(checker: Checker) -> None:
    flag = checker.integer("flag", (0,), (1,))
    with checker.assume(flag, 1) as equation:
        found = checker.substitute(checker.identity({(flag,): 1, (): -1}), equation, {(): 1})
        assert not refused(lambda: checker.derive(found))
        bounds = checker.enclose(checker.substitute(checker.identity({(flag,): 1}), equation, {(): 1}))
        assert bounds.low == bounds.high == (1,)
        assert refused(lambda: checker.integer("inside", (0,), (1,)))
        assert refused(lambda: checker.narrow(flag, bounds))
    assert checker.equations == [] and checker.under == frozenset()
    assert refused(lambda: checker.derive(found))
    assert refused(lambda: checker.name("outside", bounds))
    assert refused(lambda: checker.vanish(Bounds({(flag,): 1, (): -1}, (0,), (0,), bounds.under)))
    assert refused(lambda: checker.is_multiple_of_q(Equal({}, {}, bounds.under)))


def test_assumptions_end_in_the_opposite_order(checker: Checker) -> None:
    flags = [checker.integer(name, (0,), (1,)) for name in "ab"]
    outer, inner = (checker.assume(flag, 1) for flag in flags)
    outer.__enter__()
    inner.__enter__()
    assert refused(lambda: outer.__exit__(None, None, None))


def test_cases_need_a_flag(checker: Checker) -> None:
    def two(number: int) -> Callable[[], object]:
        bounds = Bounds({(number,): 1}, (0,), (1,), frozenset())
        return lambda: checker.by_cases(number, bounds, bounds)

    assert not refused(two(checker.integer("flag", (0,), (1,))))
    assert refused(two(checker.integer("-1 to 1", (-1,), (1,))))
    assert refused(two(checker.integer("0 to 2", (0,), (2,))))
    assert refused(two(checker.integer("0 to q", (0,), (0, 1))))
    assert refused(lambda: checker.idempotent(checker.integer("0 to 2", (0,), (2,))))


def test_cases_keep_other_assumptions_and_join_the_same_polynomial(checker: Checker) -> None:
    a, b, x = (checker.integer(name, (0,), (1,)) for name in "abx")
    zero = Bounds({(x,): 1}, (0,), (3,), frozenset({(a, 0), (b, 1)}))
    one = Bounds({(x,): 1}, (1,), (5,), frozenset({(a, 1)}))
    joined = checker.by_cases(a, zero, one)
    assert isinstance(joined, Bounds)
    assert (joined.low, joined.high, joined.under) == ((0,), (5,), frozenset({(b, 1)}))
    swapped = checker.by_cases(a, one, zero)
    assert swapped.under == frozenset({(a, 0), (a, 1), (b, 1)}), "each case ends its own assumption only"
    assert refused(lambda: checker.by_cases(a, zero, Bounds({(b,): 1}, (0,), (1,), frozenset())))
    only = checker.by_cases(a, Impossible(frozenset({(a, 0)})), one)
    assert isinstance(only, Bounds) and only.under == frozenset() and only.low == (1,)


def test_a_contradiction_holds_for_every_modulus(checker: Checker) -> None:
    x = {(1,): 1}
    assert refused(lambda: checker.contradict(Bounds(x, (LEAST,), (0, 1), frozenset())))
    assert refused(lambda: checker.contradict(Bounds(x, (LEAST + 1,), (0, 1), frozenset())))
    assert not refused(lambda: checker.contradict(Bounds(x, (GREATEST + 1,), (0, 1), frozenset())))
    assert refused(lambda: checker.contradict(Bounds(x, (3,), (3,), frozenset())))


@pytest.mark.parametrize(
    ("low", "high"), [((-1,), (0,)), ((0,), (1,)), ((mpq(-1, 2),), (mpq(GREATEST, 9),)), ((0,), (0, mpq(1, 9)))]
)
def test_only_an_integer_between_minus_one_and_one_vanishes(checker: Checker, low: InModulus, high: InModulus) -> None:
    x = checker.integer("x", (-1,), (1,))
    assert refused(lambda: checker.vanish(Bounds({(x,): 1}, low, high, frozenset())))
    assert refused(lambda: checker.vanish(Bounds({(x,): mpq(1, 2)}, (0,), (0,), frozenset())))
    assert not refused(lambda: checker.vanish(Bounds({(x,): 1}, (mpq(-1, 2),), (0, mpq(1, 10)), frozenset())))


def test_only_integers_get_a_name(checker: Checker) -> None:
    x = checker.integer("x", (0,), (7,))
    assert refused(lambda: checker.name("half", Bounds({(x,): mpq(1, 2)}, (0,), (4,), frozenset())))
    number, equation = checker.name("x again", Bounds({(x,): 1}, (mpq(1, 2),), (mpq(15, 2),), frozenset()))
    assert (checker.variables[number].low, checker.variables[number].high) == ((1,), (7,))
    assert checker.equations[equation] == {(number,): 1, (x,): -1}
    odd, _ = checker.name("in q", Bounds({(x,): 1}, (0,), (mpq(1, 2), mpq(1, 2)), frozenset()))
    assert checker.variables[odd].high == (mpq(1, 2), mpq(1, 2)), "q / 2 need not be an integer"


def test_a_variable_is_narrowed_by_its_own_bounds_only(checker: Checker) -> None:
    x, y = checker.integer("x", (0,), (9,)), checker.integer("y", (0,), (9,))
    assert refused(lambda: checker.narrow(x, Bounds({(y,): 1}, (2,), (3,), frozenset())))
    assert refused(lambda: checker.narrow(x, Bounds({(x,): 1}, (2,), (3,), frozenset({(y, 1)}))))
    checker.narrow(x, Bounds({(x,): 1}, (-4,), (0, 1), frozenset()))
    assert (checker.variables[x].low, checker.variables[x].high) == ((0,), (0, 1))
    checker.narrow(y, Bounds({(y,): 1}, (-4,), (-1, 2), frozenset()))
    assert checker.variables[y].high == (9,), "2q - 1 is less than 9 for no q, and more for most"


def test_only_a_positive_factor_is_cancelled(checker: Checker) -> None:
    x, f = checker.integer("x", (-1,), (3,)), checker.integer("f", (0,), (4,))
    one, more = {(x,): 1}, {(f,): 1, (): 1}

    def bounds(of: Polynomial, low: int) -> Bounds:
        return Bounds(of, (low,), (9,), frozenset())

    product: Polynomial = {(x, f): 1, (x,): 1, (f,): 1, (): 1}
    found = checker.cancel(bounds(product, 1), bounds(more, 1), bounds(one, -1))
    assert (found.of, found.low, found.high) == (one, (0,), (9,))
    under = frozenset({(f, 1)})
    assert checker.cancel(Bounds(product, (1,), (9,), under), bounds(more, 1), bounds(one, -1)).under == under
    assert refused(lambda: checker.cancel(bounds(product, 0), bounds(more, 1), bounds(one, -1)))
    assert refused(lambda: checker.cancel(bounds(product, 1), bounds(more, 0), bounds(one, -1)))
    assert refused(lambda: checker.cancel(bounds({(x, f): 1, (x,): 1}, 1), bounds(more, 1), bounds(one, -1)))
    half = {(x,): mpq(1, 2)}
    halved = {(x, f): mpq(1, 2), (x,): mpq(1, 2), (f,): 1, (): 1}
    assert refused(lambda: checker.cancel(bounds(halved, 1), bounds(more, 1), bounds(half, -1)))


def test_only_terms_with_q_are_multiples_of_q(checker: Checker) -> None:
    x = checker.integer("x", (0,), (9,))
    assert checker.is_multiple_of_q(checker.identity({(0, x): 3}))
    assert not checker.is_multiple_of_q(checker.identity({(0, x): mpq(1, 2)}))
    assert not checker.is_multiple_of_q(checker.identity({(x,): LEAST}))
    single = Checker(7, 7)
    assert single.is_multiple_of_q(single.identity({(1,): 14}))
    assert not single.is_multiple_of_q(single.identity({(1,): 15}))


def test_an_odd_modulus_is_invertible_modulo_powers_of_two(checker: Checker) -> None:
    x = checker.integer("x", (0,), (3,))
    half = Equal({(0, x): 1}, {(0, x): mpq(1, 2)}, frozenset())
    assert not checker.is_multiple_of_q(half)
    assert refused(checker.odd_square)
    checker.state_odd()
    assert checker.is_multiple_of_q(half)
    assert not checker.is_multiple_of_q(Equal({(0, x): 1}, {(0, x): mpq(1, 3)}, frozenset()))
    assert not checker.is_multiple_of_q(Equal({(0, x): 1}, {(x,): mpq(1, 2)}, frozenset()))


def test_the_square_of_an_odd_modulus_is_one_modulo_eight(checker: Checker) -> None:
    checker.state_odd()
    equation = checker.equations[checker.odd_square()]
    (eighth,) = {v for monomial in equation for v in monomial} - {0}
    variable = checker.variables[eighth]
    for q in range(LEAST, GREATEST + 1, 2):
        e = (q * q - 1) // 8
        assert sum(c * (q * q if m == (0, 0) else e if m else 1) for m, c in equation.items()) == 0
        assert evaluated(variable.low, q) <= e <= evaluated(variable.high, q)


def evaluated(polynomial: InModulus, q: int) -> mpq:
    return sum((mpq(c) * q**i for i, c in enumerate(polynomial)), mpq(0))


def test_a_bound_of_an_integer_below_one_is_kept(checker: Checker) -> None:
    """A constant that determines an integer is preferred to a bound in q that is greater by less than 1."""
    x = {(checker.integer("x", (0,), (9,)),): 1}
    constant, linear = (Bounds(x, (0,), high, frozenset()) for high in ((mpq(1, 2),), (mpq(0), mpq(1, 8))))
    for pair in ((constant, linear), (linear, constant)):
        assert checker.maximum(checker.meet(*pair).high) < 1


def test_a_bound_near_q_is_kept() -> None:
    """Of two bounds with nearly the same maximum, the one that grows with q says that a word is below q."""
    checker = Checker(3, (1 << 64) - 1)
    x = {(checker.integer("x", (0,), (9,)),): 1}
    below, above = Bounds(x, (0,), (-2, 1), frozenset()), Bounds(x, (0,), ((1 << 64) - 2, -1), frozenset())
    assert checker.meet(below, above).high == checker.meet(above, below).high == (-2, 1)
    far = Bounds(x, (0,), (1 << 62, mpq(-1, 2)), frozenset())
    assert checker.meet(below, far).high == checker.meet(far, below).high == far.high


def test_enclosures_that_meet_are_of_the_same_polynomial(checker: Checker) -> None:
    first = Bounds({(1,): 1}, (0,), (0, 1), frozenset({(2, 1)}))
    assert refused(lambda: checker.meet(first, Bounds({(1,): 2}, (0,), (9,), frozenset())))
    joined = checker.meet(first, Bounds({(1,): 1}, (3,), (7,), frozenset({(3, 0)})))
    assert (joined.low, joined.under) == ((3,), frozenset({(2, 1), (3, 0)}))
    assert joined.high in ((0, 1), (7,)), "neither is better for every q, and both hold"


def _values(checker: Checker, q: int) -> list[range]:
    """Return the values of each variable for one modulus."""

    def at(polynomial: InModulus) -> int:
        return int(sum(c * q**i for i, c in enumerate(polynomial)))

    return [range(q, q + 1)] + [range(at(v.low), at(v.high) + 1) for v in checker.variables[1:]]


def _value(polynomial: Polynomial, numbers: tuple[int, ...]) -> mpq:
    total = mpq(0)
    for monomial, coefficient in polynomial.items():
        term = mpq(coefficient)
        for number in monomial:
            term *= numbers[number]
        total += term
    return total


@pytest.mark.whole
@pytest.mark.parametrize("seed", range(30))
def test_enclosures_contain_every_value(checker: Checker, seed: int) -> None:
    """Enclose random polynomials of natural, negative and mixed variables, and try all their values."""
    rng = random.Random(seed)
    ends: list[tuple[InModulus, InModulus]] = [
        ((0,), (2,)),
        ((-2,), (-1,)),
        ((-1,), (1,)),
        ((1,), (-3, 1)),
        ((-9, 1), (0,)),
        ((0, -1), (-4, 1)),
    ]
    for low, high in rng.sample(ends, 3):
        checker.integer("v", low, high)
    monomials = [tuple(sorted(rng.choices(range(4), k=rng.randrange(4)))) for _ in range(4)]
    polynomial = {m: mpq(rng.randrange(-5, 6) or 1, rng.choice([1, 1, 3])) for m in monomials}
    try:
        bounds = checker.enclose(checker.identity(polynomial))
    except ProofError:
        return
    for q in range(LEAST, GREATEST + 1):
        low, high = (sum(c * q**i for i, c in enumerate(end)) for end in (bounds.low, bounds.high))
        for numbers in itertools.product(*_values(checker, q)):
            assert low <= _value(polynomial, numbers) <= high


@pytest.mark.whole
@pytest.mark.parametrize("seed", range(30))
def test_comparisons_hold_at_every_modulus(seed: int) -> None:
    rng = random.Random(seed)
    low = rng.randrange(1, 20)
    high = low + rng.randrange(40)
    polynomial = tuple(mpq(rng.randrange(-60, 60), rng.choice([1, 2, 7])) for _ in range(rng.randrange(1, 5)))
    values = [sum(c * q**i for i, c in enumerate(polynomial)) for q in range(low, high + 1)]
    ends = bernstein(polynomial, low, high)
    assert min(ends) <= min(values) and max(values) <= max(ends)
    assert not is_nonnegative(polynomial, low, high) or min(values) >= 0


def test_the_search_states_no_facts() -> None:
    """The modules that look for proofs use the rules only: they state no equation and introduce no variable."""
    folder = Path(__file__).parents[3] / "momagen" / "prove"
    for name in ("search.py", "collapse.py", "numbers/parts.py", "numbers/sample.py", "numbers/structure.py"):
        text = (folder / name).read_text(encoding="utf-8")
        for fact in ("checker.state(", "checker.integer(", ".equations.append", "Equal(", "Bounds(", "Impossible("):
            assert fact not in text, f"{name} uses {fact}"


def test_bounds_are_rounded_to_integers(checker: Checker) -> None:
    x = checker.integer("x", (0,), (7,))
    bounds = Bounds({(x,): 1}, (mpq(1, 2),), (mpq(3, 2), mpq(1, 2 * checker.greatest)), frozenset())
    whole = checker.whole(bounds)
    assert (whole.low, whole.high) == ((1,), (2,))
    checker.narrow(x, whole)
    assert (checker.variables[x].low, checker.variables[x].high) == ((1,), (2,))
    assert refused(lambda: checker.whole(Bounds({(x,): mpq(1, 2)}, (0,), (1,), frozenset())))
    assert checker.whole(Bounds({(x,): 1}, (0,), (1,), frozenset({(x, 1)}))).under == {(x, 1)}
