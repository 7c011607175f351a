"""Parameters of the scheme: a ring, a basis of primes for ciphertexts, one for switching keys."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import log2, prod
from pathlib import Path
from typing import Any

from momagen.arguments import checked_arguments
from momagen.errors import MomagenError, among, quoted
from momagen.params.primes import MAX_MODULI, is_power_of_two, prime_basis
from momagen.tables import checked, read_toml

PRESETS = Path(__file__).with_name("presets.toml")
KINDS = {"degree": "a whole number", "limbs": "a whole number", "bits": "a whole number", "digits": "a whole number",
         "log_q": "a whole number", "security": "a text", "note": "a text"}  # fmt: skip
BITS = range(20, 31)
"""Of primes: kernels of one word of 32 bits, with room for lazy reduction."""
DEGREES = range(16, 2**17 + 1)
NUMBERS = ("degree", "limbs", "bits", "digits")
"""Attributes that are whole numbers."""


@dataclass(frozen=True)
class HeParameters:
    """A ring x^N + 1, ``limbs`` primes of ciphertexts and the auxiliary ones of switching keys, all found, none given.

    Attributes:
        degree: N, a power of two. limbs: L. bits: of every prime, 2N | q - 1. digits: at most so many parts of limbs in
            which a switching key takes a polynomial (dnum), each of ``digit`` limbs.
        approximate: digits are raised to more limbs up to multiples of their modulus, which is quicker and adds noise.
        name, security, note: as the preset has them.
    """

    degree: int
    limbs: int
    bits: int = 28
    digits: int = 3
    approximate: bool = False
    name: str = ""
    security: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        where = "parameters"
        for name in NUMBERS:
            if type(value := getattr(self, name)) is not int:
                raise MomagenError("an integer", quoted(value), f"{where}, {name}")
        if not is_power_of_two(self.degree) or self.degree not in DEGREES:
            raise MomagenError(f"a power of two from {DEGREES[0]} to {DEGREES[-1]}", self.degree, f"{where}, degree")
        if self.bits not in BITS:
            raise MomagenError(f"from {BITS[0]} to {BITS[-1]} bits", self.bits, f"{where}, bits")
        if not 1 <= self.limbs <= MAX_MODULI:
            raise MomagenError(f"from 1 to {MAX_MODULI} limbs", self.limbs, f"{where}, limbs")
        if not 1 <= self.digits <= self.limbs:
            raise MomagenError(f"from 1 to {self.limbs} digits", self.digits, f"{where}, digits")

    @property
    def digit(self) -> int:
        """Limbs of a digit, and auxiliary ones: ⌈L/dnum⌉."""
        return -(-self.limbs // self.digits)

    @cached_property
    def primes(self) -> tuple[int, ...]:
        """All of them, the largest first."""
        return prime_basis(self.limbs + self.digit, self.bits, self.degree)

    @property
    def auxiliary(self) -> tuple[int, ...]:
        """The largest ones, whose product P is more than that of any digit."""
        return self.primes[: self.digit]

    @property
    def moduli(self) -> tuple[int, ...]:
        """q_0, …, q_(L-1); rescaling drops the last."""
        return self.primes[self.digit :]

    def parts(self, limbs: int) -> tuple[tuple[int, int], ...]:
        """Where each digit of a ciphertext of so many limbs begins and ends."""
        return tuple((at, min(at + self.digit, limbs)) for at in range(0, limbs, self.digit))

    @property
    def slots(self) -> int:
        """Complex numbers of a ciphertext: N/2."""
        return self.degree // 2

    @property
    def log_q(self) -> float:
        """log2 Q."""
        return log2(prod(self.moduli))

    @property
    def log_qp(self) -> float:
        """log2 of Q·P, which security depends on."""
        return log2(prod(self.primes))


def presets() -> dict[str, dict[str, Any]]:
    """The sets of presets.toml by name, as it has them."""
    found = read_toml(PRESETS, "parameter sets", PRESETS.name)
    return {name: checked(row, KINDS, f"{PRESETS.name}, {name}") for name, row in found.items()}


@checked_arguments
def preset(name: str, *, approximate: bool = False) -> HeParameters:
    """Return a parameter set: "A" to "D" of CROSS's Table IV, "A109", "MNIST" of its Section V-D, or "small" for tests.

    "A109" has the total number of bits of A, but not its number of limbs.

    Raises:
        MomagenError: the name is unknown.
    """
    known = presets()
    if name not in known:
        raise among("one of the parameter sets", known, name, "preset")
    row = known[name]
    return HeParameters(
        row["degree"], row["limbs"], row["bits"], row["digits"], approximate, name, row["security"], row["note"]
    )
