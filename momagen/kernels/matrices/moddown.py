"""The request for ModDown: division of numbers by the product of the last moduli of an RNS basis."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd, prod

from momagen.errors import MomagenError
from momagen.kernels.rns.format import LONGEST
from momagen.kernels.rns.quotients import MOST_MODULI

from .basis import BasisSpec
from .spec import check_basis
from .targets import check_sources, check_threads, computing_target


@dataclass(frozen=True)
class ModDownSpec(BasisSpec):
    """The numbers (s·a - δ)/P modulo all ``moduli`` but the last ``drop``, whose product is P.

    δ is a multiple of t with δ ≡ s·a modulo P: δ = t·r, where r is a representative of s·a/t modulo P. The method
    decides which: "exact" and "corrected" take |r| < P/2, so that for t = 1 the result is s·a/P rounded to the nearest
    integer; "fast" takes 0 <= r < drop·P.

    Attributes:
        drop: the number of moduli that divide; in C, a plan has its own number.
        method: "exact", "corrected" or "fast".
        scale: s, which is 1 or BFV's plaintext modulus; a plan has its own number.
        plaintext_modulus: t, which is 1 or BGV's plaintext modulus; a plan has its own number.
    """

    drop: int = 1
    method: str = "corrected"
    scale: int = 1
    plaintext_modulus: int = 1

    @property
    def goals(self) -> tuple[int, ...]:
        """The moduli of the result."""
        return self.moduli[: -self.drop]

    @property
    def divisors(self) -> tuple[int, ...]:
        """The moduli that divide."""
        return self.moduli[-self.drop :]

    @property
    def divisor(self) -> int:
        """P."""
        return prod(self.divisors)

    @property
    def exact(self) -> bool:
        """Whether r is computed by mixed radices."""
        return self.method == "exact"

    @property
    def corrected(self) -> bool:
        """Whether r is computed from rounded quotients."""
        return self.method == "corrected"

    @property
    def positive(self) -> bool:
        """Whether r is not negative."""
        return self.method == "fast"

    @property
    def stem(self) -> str:
        """The name without its target."""
        method = f"_{self.method}" * (self.method != "corrected")
        return f"moddown{len(self.moduli)}to{len(self.goals)}_{self.bits}b{method}"

    def command(self) -> str:
        """Return the command line that generates this kernel."""
        options = ["--drop", str(self.drop), *["--method", self.method] * (self.method != "corrected")]
        options += ["--scale", str(self.scale)] * (self.scale > 1)
        options += ["--plaintext-modulus", str(self.plaintext_modulus)] * (self.plaintext_modulus > 1)
        return self.command_of("moddown", *options)


def check_moddown(spec: ModDownSpec) -> ModDownSpec:
    """Return ``spec``.

    Raises:
        MomagenError: there is no such kernel: moduli that share factors or are too long, even divisors of the method
            "exact", another number of divisors, a scale or a plaintext modulus out of range, a target of another
            language, or threads in CUDA.
    """
    if not 1 <= spec.drop < len(spec.moduli):
        raise MomagenError(f"from 1 to {len(spec.moduli) - 1} of the {len(spec.moduli)} moduli", spec.drop, "drop")
    check_basis(spec.moduli, "moduli", odd=False)
    check_basis(spec.divisors, "divisors", odd=spec.exact)
    computing_target(spec.target, spec.bits)
    check_threads(spec.target, spec.threads)
    check_sources(spec.target, spec.method, spec.drop, "drop")
    if spec.corrected and spec.drop > MOST_MODULI:
        raise MomagenError(f"at most {MOST_MODULI} divisors with method corrected", spec.drop, "drop")
    if not 1 <= spec.scale < 1 << LONGEST:
        raise MomagenError(f"a number from 1 to 2^{LONGEST} - 1", spec.scale, "scale")
    t = spec.plaintext_modulus
    if not 1 <= t < 1 << LONGEST or gcd(t, spec.divisor) > 1:
        expected = f"a number from 1 to 2^{LONGEST} - 1 that shares no factor with the divisors"
        raise MomagenError(expected, t, "plaintext_modulus")
    return spec
