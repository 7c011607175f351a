"""The names of kernels modulo q in tables of measurements, where inverse transforms have separate names."""

from __future__ import annotations

from typing import NamedTuple

from momagen.kinds.modular.kinds.modular_kind import ModularKind
from momagen.kinds.modular.make_spec import modular_kind

INVERSES = {"intt": "ntt"}
"""The kinds of inverse transforms by their names."""


class DirectedKind(NamedTuple):
    """A kind and a direction.

    Attributes:
        kind: The kind.
        inverse: Whether the kernel is an inverse transform.
    """

    kind: ModularKind
    inverse: bool


def kernel_named(name: str) -> DirectedKind:
    """Return the kind and the direction of a kernel such as "vmul", "ntt" or "intt".

    Raises:
        MomagenError: There is no such kind.
    """
    return DirectedKind(modular_kind(INVERSES.get(name, name)), name in INVERSES)
