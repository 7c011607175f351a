"""Roots of unity whose order is a power of two: the smallest one modulo a prime, and checks of roots.

A transform modulo any odd q needs a w with w^(order/2) = -1. Such a w has this order modulo every prime factor p of q,
because -1 is not 1 modulo p. Therefore w^i - w^j is a unit for i ≠ j, and all properties of transforms modulo primes
also hold modulo q.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import count

import gmpy2

from momagen.errors import MomagenError, build_error, shorten
from momagen.params.primes import check_modulus, is_power_of_two, is_prime

MAX_SEARCH = 2**32  # order of a root that is searched for: already minutes
MAX_NAMED = 2**64  # order of a wrong root that a message names
MAX_FACTOR = 2**14  # divisors of q - 1 that a message tries


@lru_cache(maxsize=256)
def primitive_root(order: int, q: int) -> int:
    """Return the smallest 0 < w < q with w^order = 1 and no smaller power equal to 1 modulo q.

    This takes order/4 modular multiplications (2^23 at 768 bits: about a second) and constant memory.

    Args:
        order: A power of two up to 2^32 that divides q - 1.
        q: An odd prime.

    Raises:
        MomagenError: The order or the modulus is invalid.
    """
    check_modulus(q)
    _check_prime(q)
    if not is_power_of_two(order) or order > MAX_SEARCH or (q - 1) % order:
        raise MomagenError(
            "a power of two up to 2^32 that divides q - 1", order, "root order", _largest_hint(_largest_order(q))
        )
    if order <= 2:
        return 1 if order == 1 else q - 1
    nonresidue = next(a for a in count(2) if gmpy2.jacobi(a, q) == -1)
    return _smallest_conjugate(gmpy2.powmod(nonresidue, (q - 1) // order, q), order, gmpy2.mpz(q))


def root_of_generator(generator: int, order: int, q: int) -> int:
    """Return ω = g^((q - 1)/order), the root of unity for a generator g of the multiplicative group.

    Args:
        generator: g with 1 < g < q, a quadratic non-residue, as every generator is; g^((q - 1)/2) = -1 makes ω
            primitive, whatever the order of g.
        order: A power of two that divides q - 1; 1 yields 1.
        q: An odd prime.

    Raises:
        MomagenError: g is not from 2 to q - 1, or is a quadratic residue.
    """
    _check_prime(q)
    expected = "a generator of the multiplicative group modulo q"
    if not 1 < generator < q:
        raise MomagenError(expected, f"{generator}, which is not between 2 and q - 1", "generator")
    if gmpy2.jacobi(generator, q) != -1:
        raise MomagenError(expected, generator, "generator", "it is a square, so its powers miss half of the group")
    return int(gmpy2.powmod(generator, (q - 1) // order, q))


def _check_prime(q: int) -> None:
    """Check that q is prime.

    Raises:
        MomagenError: It is not.
    """
    if not is_prime(q):
        problem = f"{shorten(q)} is composite, and momagen finds roots of unity only modulo a prime"
        raise build_error(problem, "modulus", "specify `root`, or use a prime `modulus`")


def _smallest_conjugate(root: gmpy2.mpz, order: int, q: gmpy2.mpz) -> int:
    # The primitive roots are the odd powers of one; root^(order/2) = −1 makes them ±root^i for odd i < order/2.
    step, power = root * root % q, root
    low = high = root
    for _ in range(order // 4 - 1):
        power = power * step % q
        if power < low:
            low = power
        elif power > high:
            high = power
    return int(min(low, q - high))


def check_root(root: int, order: int, q: int, where: str = "root") -> None:
    """Check that ``root`` is a primitive root of unity of ``order`` modulo the odd q, with 0 < root < q.

    If q is composite, it must be one modulo each prime factor of q: root^(order/2) = -1.

    Args:
        root: The root.
        order: The order, a power of two.
        q: The modulus.
        where: The argument that an error names.

    Raises:
        MomagenError: The root is not from 1 to q - 1 or has another order; the message states the actual order if it is
            a power of two up to 2^64.
    """
    expected = f"a primitive {order}-th root of unity modulo q"
    if not 0 < root < q:
        raise MomagenError(expected, f"{root}, which is not between 1 and q - 1", where)
    if (actual := _two_power_order(root, q)) != order:
        raise MomagenError(expected, root, where, _hint(root, order, actual, q))
    if order > 1 and gmpy2.powmod(root, order // 2, q) != q - 1:
        hint = f"its power {order // 2} is not -1, so its order is less modulo a prime factor of q"
        raise MomagenError(expected, root, where, hint)


def _hint(root: int, order: int, actual: int, q: int) -> str:
    """Return a remark on ``root``, whose order is ``actual``, and a root of ``order`` if it yields one.

    The order is 0 if it is not a power of two.
    """
    what = f"its order is {actual or 'no power of two up to 2^64'}"
    if not (found := _derived(root, order, q)):
        return what
    if is_prime(q) and gmpy2.jacobi(root, q) == -1:
        what = f"{root} is a generator" if is_generator(root, q) else f"{root} is no square"
        return f"{what}: use generator={root} or root={found}"
    return f"{what if actual else f'its order is a multiple of {order}'}: use root={found}"


def _derived(root: int, order: int, q: int) -> int:
    """Return a power of ``root`` that is a primitive root of unity of ``order``, a power of two, or 0."""
    most = _largest_order(q) if is_prime(q) else MAX_NAMED
    power = gmpy2.powmod(root, (q - 1) // most, q) if is_prime(q) else gmpy2.mpz(root)
    for _ in range(most.bit_length() if order > 1 else 0):
        if gmpy2.powmod(power, order // 2, q) == q - 1:
            return int(power)
        power = power * power % q
    return 0


def is_generator(g: int, q: int) -> bool:
    """Return whether g generates the multiplicative group modulo the prime q; False if q - 1 is hard to factor."""
    primes, rest = set[int](), q - 1
    for p in range(2, MAX_FACTOR):
        while rest % p == 0:
            primes, rest = primes | {p}, rest // p
    easy = rest == 1 or is_prime(rest)
    return easy and all(gmpy2.powmod(g, (q - 1) // p, q) != 1 for p in primes | {rest} - {1})


def _two_power_order(root: int, q: int) -> int:
    """Return the order of ``root`` if it is a power of two up to 2^64, otherwise 0."""
    power, order = gmpy2.mpz(root), 1
    while power != 1 and order <= MAX_NAMED:
        power, order = power * power % q, 2 * order
    return order if order <= MAX_NAMED else 0


def check_order(n: int, q: int, negacyclic: bool, where: str = "n") -> None:
    """Check that n is a power of two of at least 2 with n | q - 1, or 2n | q - 1 if ``negacyclic`` is true.

    If q is composite, any power of two is accepted, because the root decides.

    Raises:
        MomagenError: It is not; the message states the largest power of two for this modulus.
    """
    if n < 2 or not is_power_of_two(n):
        raise MomagenError("a power of two of at least 2", n, where)
    if (q - 1) % (2 * n if negacyclic else n) and is_prime(q):
        kind, divisor = ("negacyclic", "2n") if negacyclic else ("cyclic", "n")
        largest = _largest_order(q) // (2 if negacyclic else 1)
        raise MomagenError(f"a {kind} size n such that {divisor} divides q - 1", n, where, _largest_hint(largest))


def _largest_hint(n: int) -> str:
    """Return a remark on the largest number of points."""
    return f"the largest for this modulus is 2^{n.bit_length() - 1}" if n > 1 else "this modulus has none"


def _largest_order(q: int) -> int:
    """Return the largest power of two that divides q - 1."""
    return (q - 1) & (1 - q)
