"""What requests for kernels on the rows of RNS bases have in common."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from momagen.kernels.residues.arith import Arith
from momagen.kinds.modular.fields import ROW
from momagen.kinds.modular.threads import MOST
from momagen.kinds.parameter import Param, ParameterRole
from momagen.kinds.request import DeclaredRequest

from .interfaces.interface import RowsInterface

MODULI = Param(
    "moduli of the RNS basis; or COUNT: the COUNT largest primes of the width --modulus-bits",
    group="Bases", metavar="Q,…|COUNT", by_position=True,
)  # fmt: skip
TARGET = Param(
    "target in C with 64-bit words, native, or cuda",
    doc='A C target with 64-bit words, "native" for the best of them on this CPU, or a CUDA target such as "cuda".',
    group="Output", metavar="NAME", role=ParameterRole.MACHINE, default="c", always=True,
)  # fmt: skip
THREADS = Param(
    "use up to K threads per call, in C",
    doc="The number of threads that compute one call, in C; ``k.threads`` sets another number.",
    group="Output", metavar="K", role=ParameterRole.RUN, default="1", least=1, most=MOST,
    accepts=int | None,
)  # fmt: skip
WIDTH = Param(
    "width of these primes in bits",
    doc="The width in bits of the primes, if a number of them was passed.",
    group="Bases", metavar="B", role=ParameterRole.SHORTHAND, default="none",
)  # fmt: skip


@dataclass(frozen=True)
class PrimesOfWidth:
    """The parameter that selects primes by their number and width."""

    modulus_bits: Annotated[int | None, WIDTH] = None


class RowsSpec(DeclaredRequest):
    """A request for a kernel on the rows of RNS bases.

    Attributes:
        moduli: The moduli of the rows of an operand.
        goals: The moduli of the rows of the result.
        target: The name of a target in C with 64-bit words, or of one in CUDA.
        threads: The number of threads that a call uses at first, in C; 0: the caller alone.
    """

    if TYPE_CHECKING:  # a dataclass would take an attribute of its base for the default of a field

        @property
        def goals(self) -> tuple[int, ...]:
            """The moduli of the rows of the result."""

    @property
    def modulus(self) -> int:
        """The first modulus."""
        return self.moduli[0]

    @property
    def sources(self) -> tuple[int, ...]:
        """The moduli of the rows from which every row of the result is computed."""
        return self.moduli

    @property
    def bits(self) -> int:
        """The length of the longest modulus."""
        return max(q.bit_length() for q in self.moduli)

    @property
    def arith(self) -> Arith:
        """The words of a residue."""
        return Arith(self.bits, ROW)

    @property
    def interface(self) -> RowsInterface:
        """The C interface of the kernel."""
        found: RowsInterface = self.kind.interface(self)
        return found

    @property
    def constants(self) -> Mapping[str, int]:
        """The numbers of the request that functions in text (``rules/rns.toml``) read, by name."""
        return {}

    @property
    def widths(self) -> str:
        """The widths of a residue's container and of the moduli, in words."""
        return f"{ROW}-bit container, moduli of up to {self.bits} bits"


class SummedSpec(RowsSpec):
    """A request for a kernel that sums products of residues and constants, which determine a number up to multiples.

    Attributes:
        method: How the multiple of the product of ``sources`` is determined.
        positive: Whether the number that the residues modulo ``sources`` represent is not negative.
        scaled: Whether the result is the number times the product of ``goals``, divided by that of ``sources``.
        divides: Whether the number is subtracted, and the difference divided by the product of ``sources``.
    """

    divides = False
    if TYPE_CHECKING:

        @property
        def method(self) -> str:
            """How the multiple is determined."""

        @property
        def positive(self) -> bool:
            """Whether the number is not negative."""

        @property
        def scaled(self) -> bool:
            """Whether the result is scaled."""

    @property
    def exact(self) -> bool:
        """Whether the number itself is computed, by mixed radices."""
        return self.method == "exact"

    @property
    def corrected(self) -> bool:
        """Whether the multiple is computed from rounded quotients."""
        return self.method == "corrected"
