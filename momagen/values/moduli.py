"""The moduli of an RNS basis, as users write them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from itertools import islice
from typing import Any

from momagen.errors import MomagenError, build_error, quoted
from momagen.lazy import is_instance
from momagen.params import prime_basis
from momagen.params.primes import HEADROOM, MAX_MODULI

from .numbers import count, integer

ALONE = {"modulus": "use one of the two", "root": "use `roots`", "generator": "use `roots`"}
"""Arguments that describe a single modulus, each with the remedy if it is combined with ``moduli``."""


def basis_of(moduli: object, roots: object, given: Mapping[str, Any], n: int) -> dict[str, Any]:
    """Return the arguments ``basis`` and ``roots`` of ``make_spec``.

    Args:
        moduli: The moduli, or the number of the largest primes of the width in ``given``.
        roots: One root for each modulus, or None.
        given: The other arguments that were passed.
        n: The number of points; primes q satisfy 2n | q - 1.

    Raises:
        MomagenError: ``given`` has arguments of a single modulus, there are no moduli, a number of moduli lacks a
            width, or a width was passed with a list of moduli.
    """
    for name, remedy in ALONE.items():
        if given.get(name) is not None:
            raise build_error(f"`{name}` cannot be combined with `moduli`", name, remedy)
    widths = {name: given[name] for name in ("bits", "modulus_bits") if given.get(name) is not None}
    listed = _listed(moduli, "moduli")
    if listed is None:
        if len(widths) != 1:
            if not widths:
                raise _without_width("moduli")
            raise build_error("`bits` cannot be combined with `modulus_bits`", "bits", "use one of the two")
        bits = widths.get("modulus_bits") or widths["bits"] - HEADROOM
        listed = [*prime_basis(count(moduli, "moduli", 1), bits, max(n, 1))]
    elif widths:
        name = next(iter(widths))
        raise build_error(f"`{name}` cannot be combined with a list of `moduli`", name, f"omit `{name}`")
    if not listed:
        raise MomagenError("at least 1 modulus", "none", "moduli")
    found = [] if roots is None else _listed(roots, "roots")
    if found is None:
        raise MomagenError(f"{len(listed)} roots, one for each modulus", roots, "roots")
    return {"basis": tuple(listed), "roots": tuple(found), "bits": None, "modulus_bits": None}


def _without_width(name: str) -> MomagenError:
    """Return the error for a number of primes whose width the user did not specify."""
    return build_error(f"`{name}` is a number of primes, but their width is missing", name, "specify `modulus_bits`")


def bases_of(given: Mapping[str, object], modulus_bits: object) -> list[tuple[int, ...]]:
    """Return one basis for each argument in ``given``: the listed moduli, or the largest primes of a width.

    Args:
        given: For each argument, its moduli or the number of primes. The primes of an argument are below those of the
            arguments before it.
        modulus_bits: The width of the primes, which have exactly this number of bits.

    Raises:
        MomagenError: A value is neither moduli nor a number, a number of moduli lacks a width, or there are too many
            moduli.
    """
    listed = {name: _listed(moduli, name) for name, moduli in given.items()}
    counts = {name: count(given[name], name, 1, MAX_MODULI) for name, moduli in listed.items() if moduli is None}
    if counts and modulus_bits is None:
        raise _without_width(next(iter(counts)))
    bits = integer(modulus_bits, "modulus_bits") if counts else 0
    primes = iter(prime_basis(sum(counts.values()), bits, 1) if counts else ())
    return [tuple(islice(primes, counts[name])) if moduli is None else tuple(moduli) for name, moduli in listed.items()]


def listed_moduli(moduli: object, where: str) -> list[int]:
    """Return the integers that ``moduli`` lists.

    Raises:
        MomagenError: ``moduli`` is not a list of integers.
    """
    found = _listed(moduli, where)
    if found is None:
        raise MomagenError("a list of moduli", quoted(moduli), where)
    return found


def _listed(numbers: object, where: str) -> list[int] | None:
    """Return the numbers of a list or of a text with commas, of which the last may end it, or None for one number.

    Raises:
        MomagenError: The elements have no order or are not integers, as in sets, mappings, bytes and masked arrays.
    """
    if isinstance(numbers, str):
        numbers = numbers.removesuffix(",").split(",") if "," in numbers else None
    if not isinstance(numbers, Iterable) or (is_instance(numbers, "numpy.ndarray") and not getattr(numbers, "ndim", 1)):
        return None
    unfit = isinstance(numbers, Set | Mapping | bytes | bytearray | memoryview)
    if unfit or is_instance(numbers, "numpy.ma.MaskedArray"):
        raise MomagenError("a list of integers", f"a {type(numbers).__name__}", where)
    found = [integer(number, f"{where}[{at}]") for at, number in enumerate(islice(numbers, MAX_MODULI + 1))]
    if len(found) > MAX_MODULI:
        raise MomagenError(f"at most {MAX_MODULI} moduli", "more", where)
    return found
