"""Requests for kernels on the rows of an RNS basis, as parts of a library."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from momagen.api.matrices.kernels import conversion_spec
from momagen.api.rns.kernels import rescale_spec
from momagen.api.rns.key_switching import keyswitch_spec
from momagen.api.rns.mod_down import moddown_spec
from momagen.errors import MomagenError, among
from momagen.kernels.matrices.keyswitch import KeySwitchSpec
from momagen.kernels.matrices.moddown import ModDownSpec
from momagen.kernels.matrices.rows import RescaleSpec, RowsSpec
from momagen.kernels.matrices.spec import ConversionSpec

SWITCHES = ("positive", "scaled")
"""The switches of a conversion: whether numbers are non-negative, and whether they are scaled and rounded."""


class RowsKind(NamedTuple):
    """One kind of kernels on rows.

    Attributes:
        spec: The class of its requests.
        build: A function that checks the keys and returns a request.
        bases: The keys of its bases, which are required.
        numbers: The other keys, with their defaults.
        switches: The keys whose values are yes or no.
        what: A function that returns a description of the kernel.
    """

    spec: type
    build: Callable[..., RowsSpec]
    bases: tuple[str, ...]
    numbers: Mapping[str, object]
    switches: tuple[str, ...]
    what: Callable[[Any], str]

    @property
    def keys(self) -> tuple[str, ...]:
        """All keys of a request."""
        return (*self.bases, "modulus_bits", *self.numbers, *self.switches)


KINDS = {
    "convert": RowsKind(
        ConversionSpec, conversion_spec, ("moduli", "to"), {"method": "exact"}, SWITCHES,
        lambda spec: f"conversion from one RNS basis to another, method {spec.method}"
        + ", numbers from 0 on" * spec.positive + ", scaled and rounded" * spec.scaled,
    ),
    "rescale": RowsKind(
        RescaleSpec, rescale_spec, ("moduli",), {}, (), lambda spec: "division by the last modulus of an RNS basis"
    ),
    "keyswitch": RowsKind(
        KeySwitchSpec, keyswitch_spec, ("moduli",), {"outputs": 2, "input_factor": 1, "digits": 3}, (),
        lambda spec: f"inner products of digits and keys by rows of an RNS basis, {spec.outputs} for each digit",
    ),
    "moddown": RowsKind(
        ModDownSpec, moddown_spec, ("moduli",),
        {"drop": 1, "method": "corrected", "scale": 1, "plaintext_modulus": 1}, (),
        lambda spec: f"division by the product of the last moduli of an RNS basis, method {spec.method}",
    ),
}  # fmt: skip
"""The kinds by name."""


def kind_of(spec: RowsSpec) -> str:
    """Return the name of the kind of a request."""
    return next(name for name, kind in KINDS.items() if isinstance(spec, kind.spec))


def rows_request(name: str, row: Mapping[str, object]) -> RowsSpec:
    """Return the request for a kernel of the kind ``name``, for no target yet.

    Args:
        name: The kind.
        row: The keys and values of the request.

    Raises:
        MomagenError: A key is unknown or missing, or the kind rejects a value.
    """
    kind = KINDS[name]
    if unknown := [key for key in row if key not in kind.keys]:
        raise among(f"only the keys of {name}:", kind.keys, unknown[0], "keys")
    if missing := [key for key in kind.bases if key not in row]:
        raise MomagenError("a list of moduli, or a number of primes", "no such key", missing[0])
    return kind.build(**row)


def settings(spec: RowsSpec) -> dict[str, object]:
    """Return the keys, other than the bases, whose values differ from the defaults."""
    kind = KINDS[kind_of(spec)]
    values = {key: getattr(spec, key) for key in (*kind.numbers, *kind.switches)}
    usual = {**kind.numbers, **dict.fromkeys(kind.switches, False)}
    return {key: value for key, value in values.items() if value != usual[key]}
