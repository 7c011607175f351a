"""The base class of kinds of kernels on polynomials, and functions that describe rings, levels and columns in words."""

from __future__ import annotations

from typing import ClassVar

from momagen.kinds.modular.spec import Spec

from .modular_kind import ModularKind


class PolynomialKind(ModularKind):
    """A kind of kernel on polynomials modulo x^n - 1, x^n + 1 or x^n - g^n.

    Attributes:
        preposition: The word before the modulus in the first line of files.
    """

    preposition: ClassVar[str] = "modulo"

    def headline(self, request: Spec) -> str:
        """Return the first line of the kernel's files, with its ring and without a full stop."""
        ring = f"values on the coset of {request.coset}" if request.coset else f"{'nega' * request.negacyclic}cyclic"
        sign = "+" if request.negacyclic else "-"
        width = f"{self.preposition} q of up to {request.width} bits"
        return f"{self.noun(request)} {width}, ring X^n {sign} {request.power} ({ring})"

    def noun(self, request: Spec) -> str:
        """Return the subject of the first line of the kernel's files, without its modulus and ring."""
        raise NotImplementedError


def ring_of(spec: Spec) -> str:
    """Return the polynomial that is zero in the ring, such as "x^8 - 1"."""
    return f"x^{'n' if spec.sized else spec.length} {'+' if spec.negacyclic else '-'} {spec.power}"


def levels_of(spec: Spec) -> str:
    """Return the number of levels of an incomplete transform, in words."""
    return f" by {spec.depth} levels" * (spec.degree > 1)


def columns_of(spec: Spec) -> str:
    """Return the number of columns, in words, if there are several."""
    return f" in {spec.across} columns" if spec.across > 1 else ""


def with_moduli(text: str, spec: Spec) -> str:
    """Return a description with the number of moduli, if there are several."""
    return f"{text}, {len(spec.basis)} moduli" if spec.basis else text
