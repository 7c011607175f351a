"""Specifications of kernels inside another kernel: of one modulus, of one size, and of the other direction."""

from __future__ import annotations

import json
from dataclasses import replace

from momagen.kernels.residues.arith import FULL_LIMBS
from momagen.kinds.modular.making.automorphism import undone
from momagen.kinds.modular.options.record import KernelOptions
from momagen.kinds.modular.spec import Spec


def of_modulus(spec: Spec, at: int) -> Spec:
    """Return the specification of the kernel for one modulus of the basis, as the build computes it.

    Args:
        spec: The specification of a kernel on an RNS basis.
        at: The index of the modulus.
    """
    q, root = spec.basis[at], spec.roots[at]
    serves = spec.width if q.bit_length() < spec.width else 0
    return replace(spec, modulus=q, root=root, serves=serves, basis=(), roots=())


def of_size(spec: Spec, n: int) -> Spec:
    """Return the specification of one size of a kernel that serves all sizes.

    The root is a power of the root of the largest size.

    Args:
        spec: The specification of the kernel.
        n: The number of points.
    """
    shorter = spec.n // n
    root, g = pow(spec.root, shorter, spec.modulus), spec.automorphism % (spec.order_of_root // shorter)
    return replace(spec, n=n, root=root, sized=False, automorphism=g)


def other_direction(spec: Spec, options: KernelOptions) -> Spec:
    """Return the specification of the inverse of a transform, including the inverse of its automorphism.

    Args:
        spec: The specification of the transform.
        options: The options of the inverse. A schedule, which is that of one direction, is omitted, but the
            inverse has the same kind of limbs.
    """
    g, own = undone(spec.automorphism, spec.order_of_root), options.without("schedule")
    stated = json.loads(options.schedule)["residues"] if options.schedule else ""
    if stated == FULL_LIMBS and (spec.target.digit or spec.target.real):
        own = replace(own, limbs="full")
    return replace(spec, inverse=not spec.inverse, options=own, automorphism=g, montgomery=0)
