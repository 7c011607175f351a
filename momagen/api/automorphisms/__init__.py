"""Automorphisms a(x) → a(x^g) of values or coefficients, as permutations of residues."""

from __future__ import annotations

from .moving import Automorphism, automorphism

__all__ = ["Automorphism", "automorphism"]
