"""The request for ModDown: division of numbers by the product of the last moduli of an RNS basis."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from math import gcd, prod

from momagen.errors import MomagenError
from momagen.kernels.rns.format import LONGEST
from momagen.kernels.rns.quotients import MOST_MODULI
from momagen.kernels.spec.names.stem import named_for
from momagen.languages import COMPILED
from momagen.targets import load_target

from .spec import check_basis, listed


@dataclass(frozen=True)
class ModDownSpec:
    """The numbers (s·a - δ)/P modulo all ``moduli`` but the last ``drop``, whose product is P.

    δ is a multiple of t with δ ≡ s·a modulo P: δ = t·r, where r is a representative of s·a/t modulo P. The method
    decides which: "exact" and "corrected" take |r| < P/2, so that for t = 1 the result is s·a/P rounded to the nearest
    integer; "fast" takes 0 <= r < drop·P.

    Attributes:
        moduli: the RNS basis of a.
        target: the name of a target in C with 64-bit words.
        drop: the number of moduli that divide; a plan has its own number.
        method: "exact", "corrected" or "fast".
        scale: s, which is 1 or BFV's plaintext modulus; a plan has its own number.
        plaintext_modulus: t, which is 1 or BGV's plaintext modulus; a plan has its own number.
        threads: the number of threads that a call uses at first; 0: the caller alone.
    """

    moduli: tuple[int, ...]
    target: str
    drop: int = 1
    method: str = "corrected"
    scale: int = 1
    plaintext_modulus: int = 1
    threads: int = 0

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
    def bits(self) -> int:
        """The length of the longest modulus."""
        return max(q.bit_length() for q in self.moduli)

    @property
    def stem(self) -> str:
        """The name without its target."""
        method = f"_{self.method}" * (self.method != "corrected")
        return f"moddown{len(self.moduli)}to{len(self.goals)}_{self.bits}b{method}"

    @property
    def name(self) -> str:
        """The base name of its files."""
        return named_for(self.stem, self.target)

    def command(self) -> str:
        """Return the command line that generates this kernel."""
        words = ["momagen", "moddown", *listed("moduli", self.moduli), "--drop", str(self.drop)]
        words += ["--method", self.method] * (self.method != "corrected")
        words += ["--scale", str(self.scale)] * (self.scale > 1)
        words += ["--plaintext-modulus", str(self.plaintext_modulus)] * (self.plaintext_modulus > 1)
        words += ["--threads", str(self.threads)] * (self.threads > 0)
        return shlex.join([*words, "--target", self.target])


def check_moddown(spec: ModDownSpec) -> ModDownSpec:
    """Return ``spec``.

    Raises:
        MomagenError: there is no such kernel: moduli that share factors or are too long, even divisors of the method
            "exact", another number of divisors, a scale or a plaintext modulus out of range, or a target of another
            language.
    """
    if not 1 <= spec.drop < len(spec.moduli):
        raise MomagenError(f"1 to {len(spec.moduli) - 1} of {len(spec.moduli)} moduli", spec.drop, "drop")
    check_basis(spec.moduli, "moduli", odd=False)
    check_basis(spec.divisors, "divisors", odd=spec.exact)
    target = load_target(spec.target)
    if target.syntax != COMPILED or target.word <= LONGEST:
        raise MomagenError("a target in C with words of 64 bits", spec.target, "target")
    if spec.bits > LONGEST:
        raise MomagenError(f"moduli of at most {LONGEST} bits", f"one of {spec.bits}", "moduli")
    if spec.corrected and spec.drop > MOST_MODULI:
        raise MomagenError(f"at most {MOST_MODULI} divisors with method corrected", spec.drop, "drop")
    if not 1 <= spec.scale < 1 << LONGEST:
        raise MomagenError(f"a number from 1 to 2^{LONGEST} - 1", spec.scale, "scale")
    t = spec.plaintext_modulus
    if not 1 <= t < 1 << LONGEST or gcd(t, spec.divisor) > 1:
        expected = f"a number from 1 to 2^{LONGEST} - 1 that shares no factor with the divisors"
        raise MomagenError(expected, t, "plaintext_modulus")
    return spec
