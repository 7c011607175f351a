"""RNS contexts in C: the operations of homomorphic encryption on one basis, built on a library of kernels."""

from __future__ import annotations

from .package import RnsPackage, rns_context

__all__ = ["RnsPackage", "rns_context"]
