"""The moduli of a residue number system, as users write them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from momagen.errors import MomagenError
from momagen.params import prime_basis
from momagen.params.primes import HEADROOM

from .numbers import integer

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
        listed = [*prime_basis(integer(moduli, "moduli"), bits, max(n, 1))]
    elif widths:
        raise MomagenError("none beside moduli", next(iter(widths.values())), next(iter(widths)))
    if not listed:
        raise MomagenError("at least 1 modulus", "none", "moduli")
    found = [] if roots is None else _listed(roots, "roots")
    if found is None:
        raise MomagenError(f"{len(listed)} roots, one for each modulus", roots, "roots")
    return {"basis": listed, "roots": found, "bits": None, "modulus_bits": None}


def _listed(numbers: object, where: str) -> list[int] | None:
    """Numbers that are listed, also as a text with commas; None where it is one alone."""
    if isinstance(numbers, str):
        return [integer(part.strip(), where) for part in numbers.split(",")] if "," in numbers else None
    if isinstance(numbers, Iterable):
        return [integer(number, f"{where}[{at}]") for at, number in enumerate(numbers)]
    return None
