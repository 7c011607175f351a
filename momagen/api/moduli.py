"""The moduli of a residue number system, as users write them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from momagen.errors import MomagenError, quoted
from momagen.params import prime_basis
from momagen.params.primes import HEADROOM, MAX_MODULI

from .numbers import count, integer

ALONE = ("modulus", "root", "generator")
"""Arguments that are about one modulus."""


def basis_of(moduli: object, roots: object, given: Mapping[str, Any], n: int) -> dict[str, Any]:
    """The arguments ``basis`` and ``roots`` of make_spec; a number of ``moduli`` stands for the largest primes of
    ``given``'s width, which is then said.

    Raises:
        MomagenError: arguments of one modulus beside them, no moduli, a number without a width, or a width with moduli.
    """
    for name in ALONE:
        if given.get(name) is not None:
            raise MomagenError("none beside moduli", given[name], name)
    widths = {name: given[name] for name in ("bits", "modulus_bits") if given.get(name) is not None}
    listed = _listed(moduli, "moduli")
    if listed is None:
        if len(widths) != 1:
            raise MomagenError("bits or modulus_bits beside a number of moduli", ", ".join(widths) or "none", "moduli")
        bits = widths.get("modulus_bits") or widths["bits"] - HEADROOM
        listed = [*prime_basis(count(moduli, "moduli", 1), bits, max(n, 1))]
    elif widths:
        raise MomagenError("none beside moduli", next(iter(widths.values())), next(iter(widths)))
    if not listed:
        raise MomagenError("at least 1 modulus", "none", "moduli")
    found = [] if roots is None else _listed(roots, "roots")
    if found is None:
        raise MomagenError(f"{len(listed)} roots, one for each modulus", roots, "roots")
    return {"basis": listed, "roots": found, "bits": None, "modulus_bits": None}


def bases_of(given: Mapping[str, object], modulus_bits: object) -> list[tuple[int, ...]]:
    """Return the moduli of each basis by its argument's name: those that are listed, or as many primes as it says.

    Primes are the largest of ``modulus_bits`` bits; the first basis that asks for some has the largest.

    Raises:
        MomagenError: neither moduli nor a number of them, a number of moduli without a width, or too many.
    """
    listed = {name: _listed(numbers, name) for name, numbers in given.items()}
    counts = {name: count(given[name], name, 1, MAX_MODULI) for name, found in listed.items() if found is None}
    if counts and modulus_bits is None:
        raise MomagenError("modulus_bits beside a number of moduli", "none", next(iter(counts)))
    bits = integer(modulus_bits, "modulus_bits") if counts else 0
    primes = iter(prime_basis(sum(counts.values()), bits, 1) if counts else ())
    return [tuple(islice(primes, counts[name]) if found is None else found) for name, found in listed.items()]


def listed(numbers: object, where: str) -> list[int]:
    """Return the numbers that are listed; errors as of :func:`basis_of`."""
    found = _listed(numbers, where)
    if found is None:
        raise MomagenError("a list of moduli", quoted(numbers), where)
    return found


def _listed(numbers: object, where: str) -> list[int] | None:
    """Numbers that are listed, also as a text with commas; None where it is one alone."""
    if isinstance(numbers, str):
        numbers = numbers.split(",") if "," in numbers else None
    if not isinstance(numbers, Iterable) or getattr(numbers, "ndim", 1) == 0:
        return None
    found = [integer(number, f"{where}[{at}]") for at, number in enumerate(islice(numbers, MAX_MODULI + 1))]
    if len(found) > MAX_MODULI:
        raise MomagenError(f"at most {MAX_MODULI} moduli", "more", where)
    return found
