"""What :func:`momagen.kinds.modular.make_spec.make_spec` is asked for, and the checks that need no modulus."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from momagen.errors import among, build_error
from momagen.formula.breakdown import RING
from momagen.kinds.modular.incomplete import check_montgomery, degree_of
from momagen.kinds.modular.making.automorphism import check_automorphism
from momagen.kinds.modular.making.coset import check_coset
from momagen.kinds.modular.options.record import NO_OPTIONS, KernelOptions
from momagen.kinds.modular.sizes import ORDERS, check_size
from momagen.targets import Target

if TYPE_CHECKING:
    from momagen.kinds.modular.kinds.modular_kind import ModularKind


@dataclass(frozen=True)
class KernelRequest:
    """The arguments of make_spec for one modulus; None: to be chosen."""

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

    @property
    def blas(self) -> bool:
        """Whether it is element by element."""
        return not self.kind.has_points

    @property
    def degree(self) -> int:
        """Of the factors where the transform stops; 1 where they are x - z.

        Raises:
            MomagenError: more levels than there are, or what goes with complete transforms only.
        """
        return degree_of(self.n, self.depth, self.sized, self.coset)

    @property
    def points(self) -> int:
        """Of one transform, behind which remainders modulo factors of that degree stand."""
        return self.n // self.degree

    @property
    def order_of_root(self) -> int:
        """Of the root that is asked for."""
        return (2 * self.points if self.negacyclic else self.points) * self.blowup


def check_request(asked: KernelRequest, basis: bool) -> None:
    """Refuse what does not fit together, whatever the modulus; ``basis``: there are several.

    Raises:
        MomagenError: in one line.
    """
    kind, coset = asked.kind, asked.coset
    if asked.order not in ORDERS:
        raise among("one of the orders", ORDERS, asked.order, "order")
    check_shape(
        kind, inverse=asked.inverse, negacyclic=asked.negacyclic, order=asked.order != "bitrev",
        columns=asked.columns != 1, depth=asked.depth is not None, montgomery=asked.montgomery != 0,
        coset=asked.coset != 0, automorphism=asked.automorphism != 1, blowup=asked.blowup != 1,
        input_order=asked.input_order != "",
    )  # fmt: skip
    check_montgomery(asked.montgomery)
    check_size(asked.n, asked.blas, asked.columns, asked.target.largest)
    check_coset(coset, asked.target, asked.order, asked.negacyclic, asked.options.algorithm or RING)
    check_automorphism(asked.automorphism, coset, asked.degree)
    kind.check(asked, basis)
    _check_sized(asked, basis)


def check_shape(kind: ModularKind, **asked: bool) -> None:
    """Refuse a shape that the kind does not have."""
    for option, wanted in asked.items():
        if wanted and option not in kind.parameters:
            raise build_error(f"`{option}` does not apply to {kind}", option, f"omit `{option}`")


def _check_sized(asked: KernelRequest, basis: bool) -> None:
    """Refuse any number of points where there is one size."""
    if asked.sized and "max_n" not in asked.kind.parameters:
        raise build_error(f'`n="any"` applies only to ntt, not to {asked.kind}', "n", "use a number of points")
    if asked.sized and (asked.columns > 1 or basis):
        several = "columns" if asked.columns > 1 else "moduli"
        raise build_error(f'`n="any"` cannot be combined with `{several}`', "n", "use a number of points")
