"""Automorphisms of residues that stay what they are, values or coefficients."""

from __future__ import annotations

from .moving import Automorphism, automorphism

__all__ = ["Automorphism", "automorphism"]
