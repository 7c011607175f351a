"""What :func:`momagen.kinds.modular.make_spec.make_spec` is asked for, and the checks that need no modulus."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from momagen.errors import among
from momagen.kinds.limits import check
from momagen.kinds.modular.incomplete import check_depth, check_montgomery
from momagen.kinds.modular.making.automorphism import check_automorphism
from momagen.kinds.modular.making.coset import check_coset
from momagen.kinds.modular.making.limits import COMBINATIONS, PARAMETERS
from momagen.kinds.modular.options.record import NO_OPTIONS, KernelOptions
from momagen.kinds.modular.sizes import ORDERS, check_size
from momagen.languages import MachineModel
from momagen.targets import Target

if TYPE_CHECKING:
    from momagen.kinds.modular.kinds.modular_kind import ModularKind


@dataclass(frozen=True)
class KernelRequest:
    """The arguments of make_spec for one modulus; None: to be chosen. ``several``: of as many as a basis has."""

    kind: ModularKind
    target: Target
    n: int = 0
    bits: int | None = None
    modulus: int | None = None
    root: int | None = None
    inverse: bool = False
    negacyclic: bool = False
    order: str = "bitrev"
    options: KernelOptions = NO_OPTIONS
    modulus_bits: int | None = None
    generator: int | None = None
    serves: int = 0
    sized: bool = False
    columns: int = 1
    coset: int = 0
    automorphism: int = 1
    depth: int | None = None
    montgomery: int = 0
    blowup: int = 1
    input_order: str = ""
    several: bool = False

    @property
    def blas(self) -> bool:
        """Whether it is element by element."""
        return not self.kind.has_points

    @property
    def on_device(self) -> bool:
        """Whether the target computes in threads or on arrays."""
        return self.target.machine in (MachineModel.THREADS, MachineModel.ARRAYS)

    @property
    def degree(self) -> int:
        """Of the factors where the transform stops; 1 where they are x - z."""
        return 1 if self.depth is None else self.n >> self.depth

    @property
    def points(self) -> int:
        """Of one transform, behind which remainders modulo factors of that degree stand."""
        return self.n // self.degree

    @property
    def order_of_root(self) -> int:
        """Of the root that is asked for."""
        return (2 * self.points if self.negacyclic else self.points) * self.blowup


def check_request(asked: KernelRequest) -> None:
    """Check a request, whatever the modulus.

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
