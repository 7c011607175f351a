"""The request from which :mod:`momagen.kinds.modular.make_spec` determines a specification, and its first checks.

The checks in this module need no modulus.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from momagen.errors import among
from momagen.kinds.limits import check
from momagen.kinds.modular.incomplete import check_depth, check_montgomery
from momagen.kinds.modular.making.automorphism import check_automorphism
from momagen.kinds.modular.making.coset import check_coset
from momagen.kinds.modular.making.limits import COMBINATIONS, PARAMETERS
from momagen.kinds.modular.parameters import ModularParameters
from momagen.kinds.modular.sizes import ORDERS, check_size
from momagen.targets import Target

if TYPE_CHECKING:
    from momagen.kinds.modular.kinds.modular_kind import ModularKind


@dataclass(frozen=True)
class KernelRequest(ModularParameters):
    """A request for a kernel with one modulus or a basis; ``degree`` follows from ``depth`` by :func:`requested`.

    Attributes:
        kind: The kind of kernel.
        target: The target.
    """

    kind: ModularKind = field(kw_only=True)
    target: Target = field(kw_only=True)

    @property
    def blas(self) -> bool:
        """Whether the kernel is element-wise."""
        return not self.kind.has_points

    @property
    def points(self) -> int:
        """The number of points of one transform, each of which is a remainder with ``degree`` coefficients."""
        return self.n // self.degree

    @property
    def order_of_root(self) -> int:
        """The order of the root."""
        return (2 * self.points if self.negacyclic else self.points) * self.blowup


def requested(kind: ModularKind, **fields: Any) -> KernelRequest:
    """Return a request with the degree of the factors at which its transform stops, if its number of levels fits."""
    asked = KernelRequest(kind=kind, **fields)
    depth = asked.depth or 0
    return replace(asked, degree=asked.n >> depth) if 0 < depth < asked.n.bit_length() else asked


def check_request(asked: KernelRequest) -> None:
    """Check a request without regard to the modulus.

    Raises:
        MomagenError: A value is out of range, or the values do not fit the kind, the target or each other.
    """
    if asked.order not in ORDERS:
        raise among("one of the orders", ORDERS, asked.order, "order")
    check(asked, PARAMETERS)
    check_montgomery(asked.montgomery)
    if not asked.blas:
        check_size(asked.n, asked.columns, asked.target.largest)
        check_depth(asked.n, asked.depth)
    check_coset(asked.coset)
    check_automorphism(asked.automorphism)
    check(asked, COMBINATIONS)
    asked.kind.check(asked)
