"""Parameters of the scheme: a ring, a basis of primes for ciphertexts, and one for switching keys."""

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
"""The widths of primes in bits: residues are one 32-bit word with headroom for lazy reduction."""
DEGREES = range(16, 2**17 + 1)
NUMBERS = ("degree", "limbs", "bits", "digits")
"""The attributes that are integers."""


@dataclass(frozen=True)
class HeParameters:
    """The ring Z_Q[x]/(x^N + 1), the primes of ciphertexts, and the auxiliary primes of switching keys.

    The primes are the largest ones of the given width.

    Attributes:
        degree: N, a power of two from 16 to 2^17.
        limbs: L, the number of primes of ciphertexts.
        bits: The width of every prime q in bits, 20 to 30, with 2N | q - 1.
        digits: dnum, the largest number of digits into which key switching decomposes a polynomial, each of at most
            ⌈limbs/digits⌉ limbs.
        approximate: Whether key switching extends a digit to the other moduli only up to a multiple of the digit's
            modulus, which is faster and adds noise.
        name: The name of the preset.
        security: The security of the preset, as its source states it.
        note: A remark on the preset.

    Raises:
        MomagenError: A number is not an integer or is out of range.
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
        """The number of limbs of a digit, and of auxiliary primes: ⌈L/dnum⌉."""
        return -(-self.limbs // self.digits)

    @cached_property
    def primes(self) -> tuple[int, ...]:
        """All primes, the largest first."""
        return prime_basis(self.limbs + self.digit, self.bits, self.degree)

    @property
    def auxiliary(self) -> tuple[int, ...]:
        """The auxiliary primes, the largest ones; their product P exceeds the product of the moduli of any digit."""
        return self.primes[: self.digit]

    @property
    def moduli(self) -> tuple[int, ...]:
        """The primes of ciphertexts q_0, …, q_(L-1); rescaling drops the last one."""
        return self.primes[self.digit :]

    def parts(self, limbs: int) -> tuple[tuple[int, int], ...]:
        """Return the first limb of each digit of a ciphertext with ``limbs`` limbs, and the limb after its last one."""
        return tuple((at, min(at + self.digit, limbs)) for at in range(0, limbs, self.digit))

    @property
    def slots(self) -> int:
        """The number of complex numbers in a ciphertext: N/2."""
        return self.degree // 2

    @property
    def log_q(self) -> float:
        """The binary logarithm of Q, the product of the primes of ciphertexts."""
        return log2(prod(self.moduli))

    @property
    def log_qp(self) -> float:
        """The binary logarithm of Q·P, on which security depends."""
        return log2(prod(self.primes))


def presets() -> dict[str, dict[str, Any]]:
    """Return the parameter sets in presets.toml by name."""
    found = read_toml(PRESETS, "parameter sets", PRESETS.name)
    return {name: checked(row, KINDS, f"{PRESETS.name}, {name}") for name, row in found.items()}


@checked_arguments
def preset(name: str, *, approximate: bool = False) -> HeParameters:
    """Return the parameters of a named set.

    Args:
        name: "A" to "D" of Table IV in the CROSS paper; "A109", which has 3 + 1 limbs of 27 bits and so
            stays within the 109 bits that the table states for A; "MNIST" of Section V-D; or "small", for tests.
        approximate: Whether digits are extended only up to multiples of their modulus; see :class:`HeParameters`.

    Returns:
        The parameters.

    Raises:
        MomagenError: The name is unknown.
    """
    known = presets()
    if name not in known:
        raise among("one of the parameter sets", known, name, "preset")
    row = known[name]
    return HeParameters(
        row["degree"], row["limbs"], row["bits"], row["digits"], approximate, name, row["security"], row["note"]
    )
