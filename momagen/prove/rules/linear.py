"""A search for proofs of inequalities between polynomials, by linear programs and cases.

To prove that a polynomial is at least 0, multiples of equations are subtracted so that the enclosure of the rest is not
negative. A linear program finds the multipliers. If there are none, the search distinguishes the two values of a flag.
Nothing here is trusted.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import comb
from typing import TYPE_CHECKING, Any

from gmpy2 import mpq

from momagen.prove.checker import Bounds, Checker, Equal, ProofError
from momagen.prove.polynomial import (
    InModulus,
    Monomial,
    Polynomial,
    constant,
    quotient_by,
    quotient_by_product,
    scaled,
    times,
    variables,
)
from momagen.prove.rules.simplex import Tableau

if TYPE_CHECKING:
    from momagen.prove.words import Words

SPLITS = 7
"""The greatest number of flags that are distinguished in one proof."""
EFFORT = 3_000_000
"""The effort after which the search for one proof is given up."""
MULTIPLES = 90
"""The greatest number of multiples of equations by variables that one linear program has."""
DEGREE = 4
"""The greatest degree of such a multiple."""
ROUNDS = 8
"""How often products are replaced in a polynomial: an equation may say what a product is in terms of itself."""
ALMOST = mpq(1, 1 << 1024)
"""An integer that is at least -1 + ALMOST is at least 0."""


Target = tuple[int, Any]
"""A sign and the bound that the polynomial with this sign must reach."""


@dataclass
class Linear:
    """A search for proofs of statements about the variables of one checker.

    Attributes:
        checker: The checker of the proofs.
        words: The operations of the program.
        defined: The equation that defines a variable by variables with smaller numbers, and the coefficient of the
            variable in it, which is 1 or -1.
        products: Equations that say what a product of two variables is, by the pair of variables.
        ranges: Equations that say how far q is from its least and greatest value.
        effort: The number of coefficients that linear programs changed so far.
        settled: The equation that says what a quotient or carry is, by its variable.
    """

    checker: Checker
    words: Words
    defined: dict[int, int] = field(default_factory=dict)
    products: dict[tuple[int, int], int] = field(default_factory=dict)
    settled: dict[int, int] = field(default_factory=dict)
    ranges: list[int] = field(default_factory=list)
    _high: dict[int, int] = field(default_factory=dict)
    _low: dict[int, int] = field(default_factory=dict)
    effort: int = 0
    _seen: int = 0
    _level: int = 0
    _derived: set[int] = field(default_factory=set)

    # Normal forms.

    def definitions(self) -> dict[int, int]:
        """Return the defining equation of each variable that has one."""
        for at, operation in enumerate(self.words.operations[self._seen :], self._seen):
            if operation.low in self.defined:  # two numbers with the same remainder differ by a multiple of the weight
                self.defined[operation.high] = operation.equation
            self.defined.setdefault(operation.low, operation.equation)
            self._low.setdefault(operation.low, at)
            self._high.setdefault(operation.high, at)
        self._seen = len(self.words.operations)
        for selection in self.words.selections.values():
            self.defined.setdefault(selection.result, selection.equation)
        return self.defined

    def expand(self, equal: Equal) -> Equal:
        """Replace defined variables by their definitions, the latest one first."""
        defined = self.definitions()
        while found := variables(equal.right) & (defined.keys() | self.settled.keys()):
            equal = self._replace(equal, latest := max(found), self.settled.get(latest, defined.get(latest, -1)))
        return equal

    def _replace(self, equal: Equal, variable: int, equation: int) -> Equal:
        """Replace a variable by what an equation says that it is."""
        unit = self.checker.equations[equation][(variable,)]
        while factor := quotient_by(equal.right, variable):
            equal = self.checker.substitute(equal, equation, scaled(factor, mpq(1, unit)))
        return equal

    def lower(self, equal: Equal) -> Equal:
        """Replace quotients and carries by the expressions that they were computed from, the latest one first."""
        self.definitions()
        done = set[int]()
        while found := {v for v in variables(equal.right) if self._is_lowered(v)} - done:
            latest = max(found)
            done.add(latest)
            equation = self.settled.get(latest, -1)
            if equation < 0:
                at = self._high.get(latest, self._low.get(latest, -1))
                equation = self.words.operations[at].equation if at >= 0 else self.defined[latest]
            equal = self._replace(equal, latest, equation)
        return self.relate(equal)

    def _is_lowered(self, variable: int) -> bool:
        """Return whether a variable is settled, a quotient, or the low part of a number without a high part."""
        if variable in self.settled or variable in self._high:
            return True
        at = self._low.get(variable)
        return at is not None and self.words.operations[at].high in self.settled

    def settle(self, wraps: Polynomial, splits: int, levels: int) -> int:
        """Prove that an integral polynomial is 0, and replace its latest variable from then on."""
        equation = self.zero(wraps, splits, levels=levels)
        latest = max(variables(wraps))
        if quotient_by(wraps, latest) in ({(): 1}, {(): -1}):
            self.settled[latest] = equation
        return equation

    def relate(self, equal: Equal, without: tuple[int, ...] = ()) -> Equal:
        """Replace products of two variables, none of which is in ``without``, by what an equation says of them."""
        for _ in range(ROUNDS):
            again = False
            for (first, second), equation in self.products.items():
                if first in without or second in without:
                    continue
                if multiplier := quotient_by_product(equal.right, first, second):
                    unit = self.checker.equations[equation][tuple(sorted((first, second)))]
                    equal = self.checker.substitute(equal, equation, scaled(multiplier, mpq(1, unit)))
                    again = True
            if not again:
                break
        return equal

    # Inequalities.

    def at_least(self, polynomial: Polynomial, above: Any = None, splits: int = SPLITS, sign: int = 1,
                 start: Equal | None = None, levels: int = 2) -> Bounds:  # fmt: skip
        """Enclose a polynomial by numbers of which the least is at least ``above``.

        Args:
            polynomial: The polynomial.
            above: The bound. By default, it is less than 0 by so little that an integer above it is at least 0.
            splits: The greatest number of flags that may be distinguished.
            sign: -1 if the negative of the polynomial must be at least ``above``.
            levels: How much is tried: 1 adds products of equations and variables, 2 those with the distances of q from
                its ends.
            start: An equation whose left side is the polynomial and whose right side may have a better enclosure.

        Raises:
            ProofError: The search found no proof.
        """
        above = ALMOST - 1 if above is None else above
        if start is not None:
            enclosed = self._enclosed(start, (sign, above))
            if enclosed is not None:
                return enclosed
        equal = self.checker.identity(polynomial)
        facts = [at for at in range(len(self.checker.equations)) if at not in self._derived and at not in self.ranges]
        flags = self._flags(polynomial, facts)[:splits] if splits else []
        found = None
        for self._level, cases in ((0, flags), (1, flags), (2, [])):
            if self._level <= levels:
                found = found or self._cases(equal, facts, (sign, above), cases)
        if found is None:
            raise ProofError(f"not proven: {self.text(scaled(polynomial, sign))} ≥ {float(above):.3g}")
        return found

    def zero(
        self, polynomial: Polynomial, splits: int = SPLITS, start: Equal | None = None, levels: int = 2
    ) -> int:
        """Prove that an integral polynomial lies between -1 and 1, and return the equation that it is 0."""
        low = self.at_least(polynomial, splits=splits, start=start, levels=levels)
        high = self.at_least(polynomial, splits=splits, start=start, sign=-1, levels=levels)
        return self.checker.vanish(self.checker.meet(low, high))

    def text(self, polynomial: Polynomial) -> str:
        """Return a polynomial as text, for messages."""
        names = self.checker.variables
        terms = []
        for monomial, coefficient in sorted(polynomial.items(), reverse=True):
            product = "·".join(names[v].name for v in monomial)
            number = _short(coefficient)
            terms.append(f"{number}·{product}" if product else number)
        return " + ".join(terms) or "0"

    def _cases(self, equal: Equal, facts: list[int], above: Target, flags: list[int]) -> Bounds | None:
        if self.effort > EFFORT:
            return None
        found = self._leaf(equal, facts, above)
        if found is not None or not flags:
            return found
        flag, *others = flags
        cases = []
        for value in (0, 1):
            with self.checker.assume(flag, value) as equation:
                known = self._fix(equal, flag, equation)
                active = [self._fixed(fact, flag, equation) for fact in facts]
                case = self._cases(known, [*active, equation], above, others)
            if case is None:
                return None
            cases.append(case)
        joined = self.checker.by_cases(flag, cases[0], cases[1])
        assert isinstance(joined, Bounds)
        return joined

    def _fix(self, equal: Equal, flag: int, equation: int) -> Equal:
        """Replace a flag by its value."""
        while factor := quotient_by(equal.right, flag):
            equal = self.checker.substitute(equal, equation, factor)
        return equal

    def _fixed(self, fact: int, flag: int, equation: int) -> int:
        """Return a fact in which a flag is replaced by its value."""
        zero = self.checker.equations[fact]
        if not any(flag in monomial for monomial in zero):
            return fact
        made = self._fix(self.checker.identity(zero), flag, equation)
        if not made.right:
            return fact
        return self._implied(made, fact)

    def _implied(self, made: Equal, fact: int) -> int:
        """Add the equation that the right side is 0 because the left side is, by ``fact``."""
        known = self.checker.substitute(self.checker.scale(made, 1), fact, constant(1))
        return self.checker.derive(known)

    def _flags(self, polynomial: Polynomial, facts: list[int]) -> list[int]:
        """Return the flags that may help, the most promising one first."""
        near = variables(polynomial)
        equations = [self.checker.equations[fact] for fact in facts]
        distance: dict[int, int] = dict.fromkeys(near, 0)
        for step in range(1, 5):
            for zero in equations:
                names = variables(zero)
                if names & near and not names <= near:
                    for name in names - near:
                        distance.setdefault(name, step)
            near = set(distance)
        flags = [v for v in distance if v and self._is_flag(v)]
        chosen = {selection.flag for selection in self.words.selections.values()}
        return sorted(flags, key=lambda v: (distance[v] // 2, v not in chosen, distance[v], -v))

    def _is_flag(self, number: int) -> bool:
        variable = self.checker.variables[number]
        return variable.low == (0,) and variable.high == (1,)

    def _leaf(self, equal: Equal, facts: list[int], above: Target) -> Bounds | None:
        """Enclose a polynomial without further cases."""
        forms = self._forms(self.checker.identity(equal.right))
        plain = self._enclosed(equal, above)
        if plain is not None:
            return plain
        gaps = [self._derive(self.checker.shift(form, scaled(form.right, -1))) for form in forms[1:]]
        found = self._solve(equal, [*facts, *gaps], above, bool(self.checker.under))
        if found is not None or not self._level:
            return found
        facts = [*facts, *self.ranges] if self._level > 1 else facts
        more = self._multiples([form.right for form in forms], facts)
        return self._solve(equal, [*facts, *gaps, *more], above, bool(self.checker.under)) if more else None

    def _derive(self, equal: Equal) -> int:
        """Add an equation that only the present proof uses."""
        number = self.checker.derive(equal)
        if not self.checker.under:
            self._derived.add(number)
        return number

    def _multiples(self, polynomials: list[Polynomial], facts: list[int]) -> list[int]:
        """Multiply equations so that they contain products of the polynomials, and return the new equations."""
        todo = [m for polynomial in polynomials for m in polynomial if len(m) > 1 and set(m) - {0}]
        seen, made = set(todo), list[int]()
        known: set[tuple[int, Monomial]] = set()
        parts = [(part, fact) for fact in facts for part in self.checker.equations[fact]
                 if set(part) - {0} or (part and self._level > 1 and fact in self.ranges)]  # fmt: skip
        while todo and len(made) < MULTIPLES:
            product = todo.pop(0)
            for part, fact in parts:
                factor = _cofactor(product, part)
                if not factor or (fact, factor) in known:
                    continue
                known.add((fact, factor))
                zero = times(self.checker.equations[fact], {factor: 1})
                if max(map(len, zero)) > DEGREE:
                    continue
                made.append(self._derive(self.checker.substitute(self.checker.identity(zero), fact, {factor: 1})))
                fresh = [m for m in zero if len(m) > 1 and set(m) - {0} and m not in seen]
                seen.update(fresh)
                todo += fresh
        return made

    def _forms(self, equal: Equal) -> list[Equal]:
        """Return the polynomial in the forms to which substitutions lead."""
        expanded, lowered = self.expand(equal), self.lower(equal)
        found = [equal]
        for form in (self.relate(equal), self.relate(expanded), lowered, self.lower(expanded),
                     self.relate(self.expand(lowered))):  # fmt: skip
            if all(form.right != other.right for other in found):
                found.append(form)
        return found

    def _enclosed(self, equal: Equal, above: Target) -> Bounds | None:
        try:
            bounds = self.checker.enclose(equal)
        except ProofError:
            return None
        sign, least = above
        bound = self.checker.minimum(bounds.low) if sign > 0 else -self.checker.maximum(bounds.high)
        return bounds if bound >= least else None

    def _solve(self, equal: Equal, facts: list[int], above: Target, known: bool) -> Bounds | None:
        """Enclose a polynomial after multiples of equations are subtracted, which a linear program finds."""
        related = self._related(equal.right, facts)
        return self._combined(equal, related, above) or (
            self._combined(equal, [*dict.fromkeys(facts)], above) if len(related) < len(set(facts)) and known else None
        )

    def _combined(self, equal: Equal, used: list[int], above: Target) -> Bounds | None:
        if not used:
            return None
        sign, least = above
        if self.effort > EFFORT:
            return None
        enclosures = Enclosures(self.checker)
        multipliers = enclosures.multipliers(
            scaled(equal.right, sign), [self.checker.equations[fact] for fact in used], least
        )
        self.effort += enclosures.effort + 20 * sum(len(self.checker.equations[fact]) for fact in used)
        if multipliers is None:
            return None
        for fact, multiplier in zip(used, multipliers, strict=True):
            if multiplier:
                equal = self.checker.substitute(equal, fact, constant(multiplier * sign))
        return self._enclosed(equal, above)

    def _related(self, polynomial: Polynomial, facts: list[int]) -> list[int]:
        """Return the equations that are connected with a polynomial by common monomials."""
        near = {monomial for monomial in polynomial if set(monomial) - {0}}
        left, found = list(dict.fromkeys(facts)), list[int]()
        while True:
            now = [fact for fact in left if near & self.checker.equations[fact].keys()]
            if not now:
                return found
            found += now
            for fact in now:
                near |= {monomial for monomial in self.checker.equations[fact] if set(monomial) - {0}}
            left = [fact for fact in left if fact not in now]


class Enclosures:
    """The linear program for the multipliers of equations.

    Its columns are the multipliers and, for each monomial, the coefficient that is left, as a positive and a negative
    part.
    """

    def __init__(self, checker: Checker) -> None:
        self.checker, self.effort = checker, 0

    def multipliers(self, polynomial: Polynomial, zeros: list[Polynomial], above: Any) -> list[Any] | None:
        """Return the multipliers of equations after whose subtraction the enclosure is at least ``above``."""
        monomials = sorted({m for each in (polynomial, *zeros) for m in each if set(m) - {0}})
        ends = {m: self._ends(m) for m in monomials}
        degree = max([len(m) for each in (polynomial, *zeros) for m in each if not set(m) - {0}]
                     + [len(end) - 1 for pair in ends.values() for end in pair] + [0])  # fmt: skip
        if self.checker.least == self.checker.greatest:
            degree = 0
        sizes = {m: max(1, *(abs(c) for end in ends[m] for c in self._bernstein(end, degree))) for m in monomials}
        weights = [max([abs(c) * sizes.get(m, 1) for m, c in zero.items()], default=1) for zero in zeros]
        goal = mpq(1) * max([abs(c) * sizes.get(m, 1) for m, c in polynomial.items()], default=mpq(1))
        rows: list[dict[int, Any]] = []
        right, basic = [], []
        columns = len(zeros)
        low: list[dict[int, Any]] = [{} for _ in range(degree + 1)]
        for at, monomial in enumerate(monomials):
            plus_at, minus_at = columns + 2 * at, columns + 2 * at + 1
            size = sizes[monomial]
            row = {
                j: mpq(zero[monomial]) * size / weights[j] for j, zero in enumerate(zeros) if monomial in zero
            }
            value = mpq(polynomial.get(monomial, 0)) * size / goal
            sign = 1 if value >= 0 else -1
            row = {j: c * sign for j, c in row.items()}
            row[minus_at if sign > 0 else plus_at] = mpq(-1)
            rows.append(row)
            right.append(abs(value))
            basic.append(plus_at if sign > 0 else minus_at)
            least, greatest = (self._bernstein(end, degree) for end in ends[monomial])
            for i in range(degree + 1):
                if least[i]:
                    low[i][plus_at] = mpq(least[i]) / size
                if greatest[i]:
                    low[i][minus_at] = -mpq(greatest[i]) / size
        # Row i says that the lower bound at the Bernstein point i, minus z, is a slack: z + s_i - low_i = 0.
        z, slack = columns + 2 * len(monomials), columns + 2 * len(monomials) + 1
        first = self._pure(polynomial, degree)
        pure = [self._pure(zero, degree) for zero in zeros]
        bottom = []
        for i in range(degree + 1):
            row = {column: -value for column, value in low[i].items()}
            for j in range(len(zeros)):
                if pure[j][i]:
                    row[j] = mpq(pure[j][i]) / weights[j]
            bottom.append((row, mpq(first[i]) / goal))
        eliminated = []
        for row, value in bottom:
            for at, column in enumerate(basic):
                if column in row:
                    times = row.pop(column)
                    value -= times * right[at]
                    for c, each in rows[at].items():
                        new = row.get(c, 0) - times * each
                        if new:
                            row[c] = new
                        else:
                            row.pop(c, None)
            eliminated.append((row, value))
        worst = min(range(degree + 1), key=lambda i: eliminated[i][1])
        objective = len(rows)
        base, bound = eliminated[worst]
        rows.append({**base, slack + worst: mpq(1)})
        right.append(bound)
        basic.append(z)
        for i, (row, value) in enumerate(eliminated):
            if i != worst:
                made = dict(row)
                for c, each in rows[objective].items():
                    new = made.get(c, 0) - each
                    if new:
                        made[c] = new
                    else:
                        made.pop(c, None)
                rows.append(made)
                right.append(value - bound)
                basic.append(slack + i)
        tableau = Tableau(rows, right, basic, {*range(columns), z})
        values = tableau.raise_to(objective, mpq(above) / goal)
        self.effort = tableau.effort
        if values is None:
            return None
        return [values.get(j, 0) * goal / weights[j] for j in range(columns)]

    def _ends(self, monomial: Monomial) -> tuple[InModulus, InModulus]:
        try:
            bounds = self.checker.enclose(self.checker.identity({monomial: 1}))
        except ProofError:
            return (-HUGE,), (HUGE,)
        return bounds.low, bounds.high

    def _pure(self, polynomial: Polynomial, degree: int) -> list[Any]:
        """Return the Bernstein coefficients of the terms without other variables than q."""
        powers: list[Any] = [0] * (1 + max([len(m) for m in polynomial if not set(m) - {0}], default=0))
        for monomial, coefficient in polynomial.items():
            if not set(monomial) - {0}:
                powers[len(monomial)] += coefficient
        return self._bernstein(tuple(powers), degree)

    def _bernstein(self, a: InModulus, degree: int) -> list[Any]:
        """Return the Bernstein coefficients of a polynomial in q for the degree ``degree``."""
        least, width = self.checker.least, self.checker.greatest - self.checker.least
        if not width:
            return [sum(mpq(c) * mpq(least) ** i for i, c in enumerate(a))]
        shifted = [mpq(0)] * (degree + 1)
        for i, coefficient in enumerate(a):
            if coefficient:
                for j in range(i + 1):
                    shifted[j] += mpq(coefficient) * comb(i, j) * mpq(least) ** (i - j) * mpq(width) ** j
        return [
            sum((shifted[j] * mpq(comb(i, j), comb(degree, j)) for j in range(i + 1)), mpq(0))
            for i in range(degree + 1)
        ]


HUGE = mpq(1 << 16384)
"""The bound of a product that cannot be enclosed, which keeps it out of solutions."""


def _cofactor(product: Monomial, part: Monomial) -> Monomial | None:
    """Return the monomial that a part must be multiplied by to be a product, or None."""
    rest = list(product)
    for variable in part:
        if variable not in rest:
            return None
        rest.remove(variable)
    return tuple(rest)


def _short(coefficient: Any) -> str:
    """Return a coefficient as text, with powers of two as such."""
    size = abs(coefficient)
    sign = "-" if coefficient < 0 else ""
    if size.denominator == 1 and size > 64 and int(size) & int(size) - 1 == 0:
        return f"{sign}2^{int(size).bit_length() - 1}"
    if len(str(coefficient)) < 24:
        return str(coefficient)
    return f"{sign}about 2^{int(size.numerator).bit_length() - int(size.denominator).bit_length()}"
