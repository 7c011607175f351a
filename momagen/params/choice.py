"""The modulus and the root of a kernel, as the user passes them or as momagen chooses them."""

from __future__ import annotations

from momagen.errors import MomagenError, build_error

from .primes import MAX_BITS, check_modulus, default_prime, prime_of
from .roots import check_root, primitive_root, root_of_generator

BITS = (8, MAX_BITS)
"""The smallest and the largest container for which a modulus is chosen, in bits."""


def chosen_modulus(
    bits: int | None, modulus_bits: int | None, modulus: int | None, n: int, negacyclic: bool, *, odd: bool
) -> int:
    """Return the modulus that was passed, or the largest prime for n points of the requested width.

    Args:
        bits: The width of the container, or None.
        modulus_bits: The width of the modulus, or None.
        modulus: The modulus, or None.
        n: The number of points; 0 if there is no transform.
        negacyclic: Whether the ring is Z_q[x]/(x^n + 1).
        odd: Whether the modulus must be odd.

    Raises:
        MomagenError: None of the three is passed, or they do not fit together.
    """
    if bits is modulus_bits is modulus is None:
        raise build_error("the modulus is missing", "modulus", "specify `modulus`, `modulus_bits` or `bits`")
    if bits is not None and (bits > BITS[1] or (modulus is None and bits < BITS[0])):
        raise MomagenError(f"between {BITS[0]} and {BITS[1]} bits", bits, "bits")
    if modulus is not None:
        check_modulus(modulus, "modulus", odd=odd)
        _check_lengths(bits, modulus_bits, modulus.bit_length())
        return modulus
    if modulus_bits is None:
        assert bits is not None
        return default_prime(bits, max(n, 1), negacyclic)
    if bits is not None and modulus_bits > bits:
        raise MomagenError(f"at most the {bits} bits of the container", modulus_bits, "modulus_bits")
    return prime_of(modulus_bits, max(n, 1))


def _check_lengths(bits: int | None, modulus_bits: int | None, length: int) -> None:
    """Check that the modulus has the width that was also passed.

    Raises:
        MomagenError: It does not.
    """
    if bits is not None and length > bits:
        raise MomagenError(f"a modulus of at most {bits} bits", f"{length} bits", "modulus")
    if modulus_bits not in (None, length):
        raise MomagenError(f"a modulus of {modulus_bits} bits", f"{length} bits", "modulus")


def chosen_root(root: int | None, generator: int | None, order: int, q: int) -> int:
    """Return the root of unity of an order modulo q.

    It is the root that was passed, or g^((q - 1)/order) of a generator g, or the smallest one.

    Args:
        root: The root, or None.
        generator: The generator, or None.
        order: The order.
        q: The modulus.

    Raises:
        MomagenError: Both are passed, or the one that is passed does not yield such a root.
    """
    if root is not None and generator is not None:
        raise build_error("`generator` cannot be combined with `root`", "generator", "use one of the two")
    if generator is not None:
        return root_of_generator(generator, order, q)
    if root is None:
        return primitive_root(order, q)
    check_root(root, order, q, "root")
    return root
