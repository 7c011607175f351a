"""Kernels inside another one: of one modulus, of one size, and of the other direction."""

from __future__ import annotations

from dataclasses import replace

from momagen.kinds.modular.making.automorphism import undone
from momagen.kinds.modular.options.record import KernelOptions
from momagen.kinds.modular.spec import Spec


def of_modulus(spec: Spec, at: int) -> Spec:
    """The kernel of one modulus of the basis, as the build does it."""
    q, root = spec.basis[at], spec.roots[at]
    serves = spec.width if q.bit_length() < spec.width else 0
    return replace(spec, modulus=q, root=root, serves=serves, basis=(), roots=())


def of_size(spec: Spec, n: int) -> Spec:
    """The transform of n points inside a sized one: its root is a power of the largest one's."""
    shorter = spec.n // n
    root, g = pow(spec.root, shorter, spec.modulus), spec.automorphism % (spec.order_of_root // shorter)
    return replace(spec, n=n, root=root, sized=False, automorphism=g)


def other_direction(spec: Spec, options: KernelOptions) -> Spec:
    """The other direction, with these options: what undoes the transform, and its automorphism too."""
    g = undone(spec.automorphism, spec.order_of_root)
    return replace(spec, inverse=not spec.inverse, options=options, automorphism=g, montgomery=0)
