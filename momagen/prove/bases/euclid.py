"""The lemma that a function computes 1/a modulo q by Euclid's algorithm, or 0 if a and q have a common factor.

The function must consist of a loop ``while (next != 0)`` between simple statements. The names of its variables suggest
the invariant, which is checked, so that other names or another algorithm only fail to be proven. Before each iteration

    r * t + next * s = q,  a * t = +-next + q * k,  a * s = -+r + q * l,  next < r,  t >= 1,  s >= 0,

where the upper signs hold if ``negative`` is 0. At first r is q, next is a, which is below q, s is 0 and t is 1. One
iteration is executed on any numbers with these properties and next > 0. No operation may leave the range from 0 to q,
and the iteration must leave numbers with these properties and with 1 <= s and 2 * s <= q. So next decreases until it
is 0. Then r * t is q and a * t is q * k, so that r divides q and a. Each common factor of a and q divides r, which is
q * l - a * s or a * s - q * l. Therefore r is the greatest common divisor; without an iteration, it is q, and a is 0.
The statements after the loop are executed for these states: the function must return 0 if r is not 1, and otherwise s
or q - s, so that the product of a and the result is 1 modulo q.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from momagen.prove.c.memory import Number
from momagen.prove.c.statements import Program
from momagen.prove.c.types import WORD
from momagen.prove.checker import ProofError
from momagen.prove.facts import Facts, Path
from momagen.prove.polynomial import constant, plus, quotient_by, quotient_by_product, times
from momagen.prove.words import Value

if TYPE_CHECKING:
    from momagen.prove.c.parsed import Source
    from momagen.prove.certificates.guide import Guide
    from momagen.prove.checker import Equal
    from momagen.prove.polynomial import Polynomial

NAMES = "r", "next", "s", "t", "negative"
"""The variables of the loop."""


class Proven(Exception):
    """An iteration was proven, after which a run ends."""


class EuclidRun(Program):
    """A run of the function in which the invariant of its loop replaces the loop.

    Args:
        source: The source as a compiler sees it.
        facts: The facts of the run.
        sign: The value of ``negative``; None for a run in which the loop has no iteration.
        is_last: Whether the loop has ended; otherwise the run ends after one iteration.

    Attributes:
        q: The modulus.
        a: The number below q whose inverse is computed.
        state: The numbers r, next, s and t before an iteration.
        factors: The equations of k and of l.
        modulus: The word q and the equation of r * t + next * s.
        gap: The word r and the equation ``r = next + 1 + gap``.
        division: The words r and next - 1, and their equations, after r was divided by next.
        ends: The values of these variables after the loop.
        shorter: The word next - 1.
        lower: The word t - 1.
    """

    state: tuple[Polynomial, ...] = ()
    factors: tuple[int, int] = (0, 0)
    modulus: tuple[int, int] = (0, 0)
    gap: tuple[int, int] = (0, 0)
    division: tuple[tuple[int, int], ...] = ()
    ends: tuple[Value, ...] = ()
    shorter = lower = 0

    def __init__(self, source: Source, facts: Facts, sign: int | None, is_last: bool) -> None:
        super().__init__(source, facts)
        self.sign, self.is_last = sign, is_last
        greatest = facts.checker.greatest
        self.q = self.words.variable("q", 2, greatest)
        facts.state_modulus([self.q], WORD.greatest + 1)
        self.a = self.words.variable("a", 0, greatest - 1)

    def isolated(self, facts: Facts) -> Program:
        """Refuse to prove a loop by a separate run."""
        raise ProofError("a loop inside Euclid's algorithm is not supported")

    # The loop.

    def _loop(self, condition: Any, step: Any, body: Any) -> None:
        blocks = [self.variable(name) for name in NAMES]
        held: list[Any] = [block.load(self.words.constant(0), self.facts) for block in blocks]
        values = [number.value.polynomial for number in held]
        if values != [self.q.polynomial, self.a.polynomial, {}, constant(1), {}] or step is not None:
            raise ProofError("Euclid's algorithm does not begin with q, a, 0 and 1")
        if any(number.kind != WORD for number in held) or len(set(blocks)) < len(NAMES):
            raise ProofError("a variable of Euclid's algorithm is not a word")
        state = [self.q, self.words.constant(0), *(number.value for number in held[2:])]
        if self.sign is not None:
            state = [*self._any_state(), self.words.constant(self.sign)]
        for block, value in zip(blocks, state, strict=True):
            block.store(self.words.constant(0), Number(WORD, value), self.facts)
        if self.holds(condition) == self.is_last:
            raise ProofError("the condition of Euclid's algorithm is not proven to be next != 0")
        if self.is_last:
            self.ends = tuple(state)
            return
        others = {block: dict(block.cells) for block in self.all_blocks() if block not in blocks}
        self.iterate_to_end(step, body)
        if any(block.cells != cells for block, cells in others.items()):
            raise ProofError("an iteration of Euclid's algorithm changes another variable")
        self._check([block.load(self.words.constant(0), self.facts).value.polynomial for block in blocks])
        raise Proven

    def _natural(self, name: str, least: int = 0) -> tuple[int, Value]:
        """Return a variable that is at least 0, and a word that is greater by ``least``."""
        value = self.words.variable(name, 0, self.facts.checker.greatest)
        return self.words.number_of(value), self.words.value_of(plus(value.polynomial, constant(least)))

    def _any_state(self) -> list[Value]:
        """Return words that satisfy the invariant, after the last iteration or before another one."""
        s = self._natural("s", int(self.is_last))[1]
        if self.is_last:
            self.facts.state_not_negative(plus(self.q.polynomial, s.polynomial, -2), "q - 2 * s")
            r = self.words.variable("r", 1, self.facts.checker.greatest)
            return [r, self.words.constant(0), s, self._natural("t", 1)[1]]
        checker = self.facts.checker
        r = self.words.variable("r", 2, checker.greatest)
        self.shorter, following = self._natural("next - 1", 1)
        self.lower, t = self._natural("t - 1", 1)
        self.state = r.polynomial, following.polynomial, s.polynomial, t.polynomial
        gap = self._natural("gap", 1)[1].polynomial
        self.gap = self.words.number_of(r), checker.state(plus(plus(r.polynomial, following.polynomial, -1), gap, -1))
        total = plus(times(r.polynomial, t.polynomial), times(following.polynomial, s.polynomial))
        self.modulus = self.words.number_of(self.q), checker.state(plus(self.q.polynomial, total, -1))
        one = 1 if self.sign == 0 else -1
        k, other = (checker.integer(name, (-1,), (1, 1)) for name in ("k", "l"))
        a = self.a.polynomial
        self.factors = (
            checker.state(plus(plus(times(a, t.polynomial), following.polynomial, -one), {(0, k): 1}, -1)),
            checker.state(plus(plus(times(a, s.polynomial), r.polynomial, one), {(0, other): 1}, -1)),
        )
        return [r, following, s, t]

    def _check(self, after: list[Polynomial]) -> None:
        """Check that an iteration has preserved the invariant."""
        r, following, s, t, negative = after
        q, a = self.q.polynomial, self.a.polynomial
        one = 1 if self.sign == 0 else -1
        if negative != constant(1 - (self.sign or 0)):
            raise ProofError("an iteration of Euclid's algorithm does not change the sign")
        naturals = following, plus(plus(r, following, -1), constant(-1)), plus(t, constant(-1)), plus(s, constant(-1))
        if not all(self._is_natural(each) for each in (*naturals, plus(q, s, -2))):
            raise ProofError("an iteration of Euclid's algorithm leaves numbers out of their ranges")
        if self._by_division(plus(plus(times(r, t), times(following, s)), q, -1)).right:
            raise ProofError("an iteration of Euclid's algorithm is not proven to keep r * t + next * s")
        for total in (plus(times(a, t), following, one), plus(times(a, s), r, -one)):
            if not self.facts.checker.is_multiple_of_q(self._modulo_q(total)):
                raise ProofError("an iteration of Euclid's algorithm is not proven to keep its congruences")

    # Comparisons.

    def _replace(self, equal: Equal, steps: tuple[tuple[int, int], ...]) -> Equal:
        for number, equation in steps:
            while factor := quotient_by(equal.right, number):
                equal = self.facts.checker.substitute(equal, equation, factor)
        return equal

    def _by_division(self, polynomial: Polynomial) -> Equal:
        """Return that a polynomial is equal to one in the quotient and the remainder of the division."""
        return self._replace(self.facts.checker.identity(polynomial), (self.modulus, *self.division))

    def _modulo_q(self, polynomial: Polynomial) -> Equal:
        """Return that a polynomial equals one in which multiples of q and other terms replace the products of a."""
        a, s = self.words.number_of(self.a), next(iter(self.state[2]))[0]
        equal = self.facts.checker.identity(polynomial)
        for number, equation in zip((self.lower, s), self.factors, strict=True):
            factor = quotient_by_product(equal.right, a, number)
            equal = self.facts.checker.substitute(equal, equation, factor)
        return self._replace(equal, self.division)

    def _is_natural(self, polynomial: Polynomial) -> bool:
        """Return True only if a polynomial is proven to be at least 0."""
        checker = self.facts.checker
        by_gap = self._replace(checker.identity(polynomial), (self.modulus, self.gap))
        forms = [form for form in (by_gap, self._by_division(polynomial)) if min(form.right.values(), default=0) >= 0]
        return any(checker.not_negative(checker.enclose(form).low) for form in forms)

    # Arithmetic, whose results must be proven to lie between 0 and q.

    def _arithmetic(self, op: str, x: Value, y: Value, kind: Any) -> Number:
        if not self.state:
            return super()._arithmetic(op, x, y, kind)
        if op == "/":
            return Number(kind, self._quotient(x.polynomial, y.polynomial))
        if op not in "+*":
            raise ProofError(f"the operator {op} is not supported in Euclid's algorithm")
        return self._bounded((plus if op == "+" else times)(x.polynomial, y.polynomial), kind)

    def _minus(self, x: Value, y: Value, kind: Any, is_half: bool = False) -> Number:
        if not self.state or (x.is_constant and y.is_constant):
            return super()._minus(x, y, kind, is_half)
        return self._bounded(plus(x.polynomial, y.polynomial, -1), kind)

    def _bounded(self, polynomial: Polynomial, kind: Any) -> Number:
        if not self._is_natural(polynomial) or not self._is_natural(plus(self.q.polynomial, polynomial, -1)):
            raise ProofError("a number of Euclid's algorithm may be negative or above q")
        return Number(kind, Value(polynomial, 0, self.facts.checker.greatest))

    def _quotient(self, dividend: Polynomial, divisor: Polynomial) -> Value:
        """Return the quotient of r by next, which is at least 1, as r is greater. The remainder is below next."""
        if self.division or (dividend, divisor) != self.state[:2]:
            raise ProofError("Euclid's algorithm divides other numbers than r by next")
        checker = self.facts.checker
        quotient, rest, gap = self._natural("quotient - 1", 1)[1], *(self._natural(n) for n in ("rest", "gap of rest"))
        total = plus(times(quotient.polynomial, divisor), rest[1].polynomial)
        shorter = plus(rest[1].polynomial, gap[1].polynomial)
        self.division = (
            (self.gap[0], checker.state(plus(dividend, total, -1))),
            (self.shorter, checker.state(plus({(self.shorter,): 1}, shorter, -1))),
        )
        return quotient


def prove_euclid(source: Source, name: str, moduli: tuple[int, int], guide: Guide) -> int:
    """Prove that a function of a < q and q returns 1/a modulo q, or 0 if a and q are not coprime.

    Args:
        source: The source as a compiler sees it.
        name: The name of the function.
        moduli: The least and the greatest q.
        guide: Where the proofs come from.

    Returns:
        The number of paths that were checked.

    Raises:
        ProofError: This is not proven.
    """
    for sign in (0, 1):
        run = EuclidRun(source, Facts(*moduli, Path(), guide), sign, is_last=False)
        try:
            run.call(name, [Number(WORD, run.a), Number(WORD, run.q)])
        except Proven:
            if run.facts.path.used:  # only one outcome of each branch was executed
                raise ProofError(f"{name} branches in its loop, or may leave it before next is 0") from None
            continue
        raise ProofError(f"{name} is not proven to compute an inverse")
    return 2 + sum(_check_end(source, name, moduli, guide, sign) for sign in (None, 0, 1))


def _check_end(source: Source, name: str, moduli: tuple[int, int], guide: Guide, sign: int | None) -> int:
    """Check the result of the function after the loop, and return the number of paths."""
    paths = 0
    for path in Path.every():
        facts = Facts(*moduli, path, guide)
        run = EuclidRun(source, facts, sign, is_last=True)
        returned = run.call(name, [Number(WORD, run.a), Number(WORD, run.q)]).value
        r = run.ends[0].polynomial
        is_zero = not returned.polynomial and facts.is_not_negative(plus(r, constant(-2)))
        s = run.ends[2].polynomial
        inverse = s if sign else plus(run.q.polynomial, s, -1)
        is_inverse = returned.polynomial == inverse and facts.is_not_negative(plus(constant(1), r, -1))
        if not is_zero and not (is_inverse and sign is not None):
            raise ProofError(f"{name} is not proven to return the inverse that it has computed")
        paths += 1
    return paths
