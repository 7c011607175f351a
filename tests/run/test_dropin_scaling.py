"""What edited OpenFHE calls to scale, to divide and to multiply by BEHZ, against the definitions, by gmpy2."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from gmpy2 import invert, mpz
from support.dropin_rows import CC, CXX, N, answers, build_program, primes, product

pytestmark = pytest.mark.skipif(not (CC and CXX), reason="no C and C++ compilers")
Row = list[int]
S = 65537
"""The plaintext modulus that scales."""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library for plain C, linked with the headers and a program that calls them."""
    return build_program(tmp_path_factory.mktemp("rows"))


@dataclass(frozen=True)
class Case:
    """One call: OpenFHE's constants, the operands' rows and the results' rows."""

    kind: str
    q: Sequence[int]
    p: Sequence[int]
    constants: list[Row]
    operands: list[Row]
    results: list[Row]

    def text(self) -> str:
        """Return what the program reads."""
        words = [word for row in (self.q, self.p, *self.constants, *self.operands) for word in row]
        return " ".join([self.kind, *map(str, (len(self.q), len(self.p), len(self.operands[0]), *words))])

    def expected(self) -> list[int]:
        """Return the words of the results."""
        return [word for row in self.results for word in row]

    def spoiled(self) -> Iterator[str]:
        """Yield the same call with one constant changed by 1, for the last constant of every list."""
        for k, row in enumerate(self.constants):
            others = [*self.constants[:k], [*row[:-1], row[-1] ^ 1], *self.constants[k + 1 :]]
            yield Case(self.kind, self.q, self.p, others, self.operands, self.results).text()


def rows(numbers: Sequence[mpz | int], moduli: Sequence[int]) -> list[Row]:
    """Return the residues of the numbers."""
    return [[int(a % m) for a in numbers] for m in moduli]


def numbers_up_to(bound: mpz, rng: random.Random) -> list[int]:
    """Return N numbers from -bound to bound, with 0 and both ends."""
    return [0, int(bound), -int(bound), *(rng.randint(-int(bound), int(bound)) for _ in range(N - 3))]


def rounded(numerator: mpz, denominator: mpz) -> mpz:
    """Return the nearest integer to a quotient."""
    return (2 * numerator + denominator) // (2 * denominator)


def cofactor_inverses(q: Sequence[int]) -> Row:
    """Return the inverses of Q/q_i modulo every q_i."""
    return [int(invert(product(q) // one, one)) for one in q]


def scaling_constants(q: Sequence[int], p: Sequence[int], s: int) -> list[Row]:
    """Return tOSHatInvModsDivsModo as OpenFHE computes it: s·P·w/m modulo p_j, w the inverse of QP/m modulo m."""
    both, total = product(q) * product(p), product(p)
    return [[int(s * total * invert(both // m, m) // m % one) for m in (*q, one)] for one in p]


def scale(kind: str, q: Sequence[int], p: Sequence[int], rng: random.Random, s: int = S) -> Case:
    """Return a call of ScaleAndRound to a basis."""
    a = numbers_up_to(product(q) * product(p) * 49 // 100, rng)
    results = rows([rounded(s * mpz(one), product(q)) for one in a], p)
    return Case(kind, q, p, scaling_constants(q, p, s), rows(a, (*p, *q) if kind == "scale" else (*q, *p)), results)


def divide(kind: str, q: Sequence[int], p: Sequence[int], rng: random.Random) -> Case:
    """Return a call of ScaleAndRoundPOverQ."""
    a = numbers_up_to(q[0] * product(p) * 49 // 100, rng)
    results = rows([rounded(mpz(one), mpz(q[0])) for one in a], p)
    return Case(kind, q[:1], p, [[int(invert(q[0], one)) for one in p]], rows(a, (*p, q[0])), results)


def plaintext(kind: str, q: Sequence[int], p: Sequence[int], rng: random.Random) -> Case:
    """Return a call of ScaleAndRound to the plaintext modulus p_0."""
    t, total = p[0], product(q)
    a = numbers_up_to(total * 49 // 100, rng)
    inverses = zip(q, cofactor_inverses(q), strict=True)
    of = {"plaintext": lambda m, w: t * w // m % t, "gamma": lambda m, w: t * 2**26 * w % m}[kind]
    return Case(kind, q, p[:1], [[of(m, w) for m, w in inverses]], rows(a, q),
                rows([rounded(t * mpz(one), total) for one in a], [t]))  # fmt: skip


def extend(kind: str, q: Sequence[int], p: Sequence[int], rng: random.Random) -> Case:
    """Return a call of FastBaseConvqToBskMontgomery."""
    a = numbers_up_to(product(q) * 49 // 100, rng)
    return Case(kind, q, p, [[int(product(q) // m % one) for one in p] for m in q], rows(a, q), rows(a, p))


def floor(kind: str, q: Sequence[int], p: Sequence[int], rng: random.Random) -> Case:
    """Return a call of FastRNSFloorq."""
    total = product(q)
    a = numbers_up_to(total * product(p) * 49 // 100, rng)
    scaled = [S * w % m for m, w in zip(q, cofactor_inverses(q), strict=True)]
    rests = [sum(mpz(one) * c % m * (total // m) for m, c in zip(q, scaled, strict=True)) for one in a]
    inverses = [[int(invert(m, one)) for one in p] for m in q]
    constants = [[S], scaled, *inverses, [int(S * invert(total, one) % one) for one in p]]
    quotients = [(S * mpz(one) - rest) // total for one, rest in zip(a, rests, strict=True)]
    return Case(kind, q, p, constants, rows(a, (*q, *p)), rows(quotients, p))


def return_from_bsk(kind: str, q: Sequence[int], p: Sequence[int], rng: random.Random) -> Case:
    """Return a call of FastBaseConvSK, from ``q``, whose last modulus is m_sk."""
    b = q[:-1]
    a = numbers_up_to(product(b) * (q[-1] - len(b)) // 2, rng)
    return Case(kind, q, p, [[int(product(b) // m % one) for one in p] for m in b], rows(a, q), rows(a, p))


KINDS = {
    "scale": scale, "scale_last": scale, "divide": divide, "plaintext": plaintext, "gamma": plaintext,
    "extend": extend, "floor": floor, "return": return_from_bsk,
}  # fmt: skip
BASES = {
    "50 bits": (primes(50, 50, 50), primes(49, 48, 47)),
    "mixed": (primes(60, 40, 41, 60), primes(61, 30, 59)),
    "a modulus of 20 bits": (primes(45, 44), primes(20, 60)),
    "62 bits": ((2**62 - 57, 2**62 - 87), (2**62 - 117, 2**62 - 143)),
}


@pytest.mark.whole
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("bases", BASES)
def test_results_are_those_of_the_definition(kind: str, bases: str, program: Path) -> None:
    case = KINDS[kind](kind, *BASES[bases], random.Random(f"{kind} {bases}"))
    assert answers(program, case.text(), case.text()) == [case.expected()] * 2, "the second time with a stored plan"


@pytest.mark.whole
@pytest.mark.parametrize("kind", KINDS)
def test_other_constants_are_left_to_the_original(kind: str, program: Path) -> None:
    case = KINDS[kind](kind, *BASES["mixed"], random.Random(kind))
    spoiled = [*case.spoiled()]
    assert answers(program, case.text(), *spoiled) == [case.expected(), *[None] * len(spoiled)]


def test_a_division_without_a_factor(program: Path) -> None:
    """The level of a ciphertext is lowered by ScaleAndRound with s = 1."""
    case = scale("scale", *BASES["mixed"], random.Random(1), s=1)
    assert answers(program, case.text()) == [case.expected()]


def test_a_plaintext_modulus_that_is_a_power_of_two(program: Path) -> None:
    cases = [plaintext(kind, BASES["mixed"][0], (2**16,), random.Random(kind)) for kind in ("plaintext", "gamma")]
    assert answers(program, *(case.text() for case in cases)) == [case.expected() for case in cases]


def test_without_a_working_variant_everything_is_left_to_the_original(
    program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROWS_DISABLE", "c")
    cases = [make(kind, *BASES["mixed"], random.Random(kind)) for kind, make in KINDS.items()]
    assert answers(program, *(case.text() for case in cases)) == [None] * len(cases)


@pytest.mark.parametrize("kind", KINDS)
def test_moduli_that_the_library_does_not_serve(kind: str, program: Path) -> None:
    case = KINDS[kind](kind, (2**63 - 25, *primes(40, 50)), primes(45, 44), random.Random(kind))
    assert answers(program, case.text()) == [None]
