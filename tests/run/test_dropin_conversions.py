"""What edited SEAL and OpenFHE call: the headers of scripts/dropin/rows on the generated library, against gmpy2."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from gmpy2 import invert
from support.dropin_rows import CC, CXX, N, answers, build_program, primes, product

pytestmark = pytest.mark.skipif(not (CC and CXX), reason="no C and C++ compilers")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library for plain C, linked with the headers and a program that calls them."""
    return build_program(tmp_path_factory.mktemp("rows"))


@dataclass(frozen=True)
class Request:
    """A conversion of random rows from ``q`` to ``p``, with the constants that OpenFHE passes."""

    kind: str
    q: tuple[int, ...]
    p: tuple[int, ...]
    numbers: tuple[int, ...]
    inverses: tuple[int, ...]
    products: tuple[tuple[int, ...], ...]
    multiples: tuple[tuple[int, ...], ...]

    def text(self) -> str:
        """Return what the program reads."""
        rounded, is_openfhe = self.kind == "rounded", self.kind in ("approximate", "rounded")
        products = list(zip(*self.products, strict=True)) if rounded else self.products
        constants = [self.inverses, *products, *(self.multiples if rounded else ())]
        rows = [[a % q for a in self.numbers] for q in self.q]
        lists = [self.q, self.p, *(constants if is_openfhe else ()), *rows]
        words = [word for row in lists for word in row]
        return " ".join([self.kind, *map(str, (len(self.q), len(self.p), len(self.numbers), *words))])

    def expected(self) -> list[int]:
        """Return the rows of results by the definition of the libraries."""
        if self.kind in ("exact", "rounded"):
            return [a % p for p in self.p for a in self.numbers]
        total = product(self.q)
        sums = [sum(a * i % q * (total // q) for q, i in zip(self.q, self.inverses, strict=True)) for a in self.numbers]
        return [int(s % p) for p in self.p for s in sums]


def request(kind: str, q: tuple[int, ...], p: tuple[int, ...], rng: random.Random) -> Request:
    """Return a conversion of numbers at most 0.49·Q from zero, and of both ends of that range."""
    total = product(q)
    bound = int(total) * 49 // 100
    numbers = [0, bound, -bound, *(rng.randint(-bound, bound) for _ in range(N - 3))]
    hats = [total // one for one in q]
    return Request(
        kind, q, p, tuple(numbers),
        tuple(int(invert(hat, one)) if one > 1 else 0 for hat, one in zip(hats, q, strict=True)),
        tuple(tuple(int(hat % one) for one in p) for hat in hats),
        tuple(tuple(int(u * total % one) for one in p) for u in range(len(q) + 1)),
    )  # fmt: skip


def run(program: Path, *requests: Request) -> list[list[int] | None]:
    """Return the results of each request; None where the program says that the original code must run."""
    return answers(program, *(one.text() for one in requests))


KINDS = ("fast", "exact", "approximate", "rounded")
BASES = {
    "short": (primes(20, 30, 30), primes(31, 17)),
    "50 bits": (primes(50, 50, 50, 50), primes(49, 48, 50)),
    "mixed": (primes(60, 40, 40, 60), primes(61, 30, 59)),
    "to a power of two": (primes(43, 43, 44, 44), (2**32,)),
    "61 bits": (primes(61, 61, 61), primes(43, 44, 61, 20)),
    "62 bits": ((2**62 - 57, 2**62 - 87), (2**62 - 117, 3)),
    "one modulus": (primes(55), primes(60, 61)),
    "composite moduli": ((3 * 5 * 2**20, 7 * 11 * 13), (2, 6, 2**61)),
    "a shared modulus": (primes(45, 46), primes(46, 45)),
}


@pytest.mark.whole
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("bases", BASES)
def test_the_results_are_those_of_the_original(kind: str, bases: str, program: Path) -> None:
    wanted = request(kind, *BASES[bases], random.Random(f"{kind} {bases}"))
    assert run(program, wanted, wanted) == [wanted.expected()] * 2, "the second time with a stored plan"


@pytest.mark.whole
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("bases", [
    ((2**63 - 25, *primes(40)), primes(50)), (primes(40, 50), (2**63 - 25,)), ((15, 21), (7,)),
], ids=["source", "goal", "common factor"])  # fmt: skip
def test_moduli_that_the_library_does_not_serve(
    kind: str, bases: tuple[tuple[int, ...], tuple[int, ...]], program: Path
) -> None:
    rng = random.Random(kind)
    q, p = bases
    inverses = (0,) * len(q)
    wanted = replace(request(kind, primes(*[40] * len(q)), p, rng), q=q, inverses=inverses)
    served = request(kind, *BASES["mixed"], rng)
    assert run(program, wanted, served) == [None, served.expected()]


def test_more_source_moduli_than_a_rounded_quotient_allows(program: Path) -> None:
    q = primes(*[40] * 65)
    wanted = [request(kind, q, primes(50), random.Random(kind)) for kind in KINDS]
    assert run(program, *wanted) == [w.expected() if w.kind in ("fast", "approximate") else None for w in wanted]


def test_without_a_working_variant_everything_is_left_to_the_original(
    program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROWS_DISABLE", "c")
    requests = [request(kind, *BASES["mixed"], random.Random(kind)) for kind in KINDS]
    assert run(program, *requests) == [None] * len(KINDS)


def test_results_within_the_operands_are_left_to_the_original(program: Path) -> None:
    assert run(program, request("overlap", *BASES["mixed"], random.Random(1))) == [None]


@pytest.mark.whole
@pytest.mark.parametrize("kind", ["approximate", "rounded"])
def test_other_constants_are_left_to_the_original(kind: str, program: Path) -> None:
    """ApproxSwitchCRTBasis is also called with constants that contain -P or 1/Q. A stored plan must not serve these."""
    base = request(kind, *BASES["mixed"], random.Random(kind))
    q, p, inverses, products = base.q, base.p, base.inverses, base.products
    others = [
        replace(base, inverses=(*inverses[:-1], (inverses[-1] + 1) % q[-1])),
        replace(base, products=(*products[:-1], (*products[-1][:-1], (products[-1][-1] + 1) % p[-1]))),
        replace(base, inverses=tuple(2 * i % m for i, m in zip(inverses, q, strict=True))),
    ]
    if kind == "rounded":
        others.append(replace(base, multiples=(*base.multiples[:-1], tuple(0 for _ in p))))
    assert run(program, base, *others, base) == [base.expected(), *[None] * len(others), base.expected()]


@pytest.mark.whole
@pytest.mark.parametrize(("modulus", "m_tilde", "is_served"), [
    (2**60 + 33, 2**32, True), (2**61 - 1, 2**32, True), (2**33 + 17, 2**32, True), (97, 16, True),
    (2**61 + 15, 2**32, False), (97, 128, False),
])  # fmt: skip
def test_the_small_montgomery_reduction_of_seal(modulus: int, m_tilde: int, is_served: bool, program: Path) -> None:
    rng = random.Random(modulus)
    half, product = m_tilde // 2, rng.randrange(modulus)
    inverse = int(invert(m_tilde, modulus))
    r = [0, half - 1, half, m_tilde - 1, *(rng.randrange(m_tilde) for _ in range(N - 4))]
    x = [0, modulus - 1, modulus - 1, *(rng.randrange(modulus) for _ in range(N - 3))]
    centred = [one - m_tilde if one >= half else one for one in r]
    expected = [(a + product * b) * inverse % modulus for a, b in zip(x, centred, strict=True)]
    text = " ".join(map(str, ("reduce", N, modulus, m_tilde, product, inverse, *x, *r)))
    assert answers(program, text) == [expected if is_served else None]
