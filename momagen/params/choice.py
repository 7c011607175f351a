"""The modulus and the root of a kernel: as its user gives them, or chosen."""

from __future__ import annotations

from momagen.errors import MomagenError, build_error

from .primes import MAX_BITS, check_modulus, default_prime, prime_of
from .roots import check_root, primitive_root, root_of_generator

BITS = (8, MAX_BITS)
"""The least and the most of a container whose modulus is chosen."""


def chosen_modulus(
    bits: int | None, modulus_bits: int | None, modulus: int | None, n: int, negacyclic: bool, *, odd: bool
) -> int:
    """The modulus as given, or the largest prime for n points of so many bits, or for a container of so many.

    Raises:
        MomagenError: none of the three is given, or they do not fit together.
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
    """Refuse a modulus of another length than was asked for beside it."""
    if bits is not None and length > bits:
        raise MomagenError(f"a modulus of at most {bits} bits", f"{length} bits", "modulus")
    if modulus_bits not in (None, length):
        raise MomagenError(f"a modulus of {modulus_bits} bits", f"{length} bits", "modulus")


def chosen_root(root: int | None, generator: int | None, order: int, q: int) -> int:
    """The root of unity of that order modulo q: as given, g^((q - 1)/order) of a generator g, or the smallest.

    Raises:
        MomagenError: both are given, or what is given gives no such root.
    """
    if root is not None and generator is not None:
        raise build_error("`generator` cannot be combined with `root`", "generator", "use one of the two")
    if generator is not None:
        return root_of_generator(generator, order, q)
    if root is None:
        return primitive_root(order, q)
    check_root(root, order, q, "root")
    return root
