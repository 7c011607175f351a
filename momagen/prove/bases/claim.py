"""The claims of kernels for RNS bases, each derived only from the request for the kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from momagen.prove.checker import ProofError
from momagen.prove.claims import LONGEST, InWords
from momagen.prove.transforms.claim import CHANCE, NO_CLAIM, Moduli

WORD_BITS = 64
"""The bits of a word, and so of a residue."""


@dataclass(frozen=True)
class BasisClaim(InWords):
    """A claim about the public functions of a kernel for an RNS basis.

    ``create`` takes the number of moduli, which is ``count`` in all calls that the claim covers, and the moduli. It
    accepts moduli between ``least`` and ``greatest`` and refuses all others.

    Attributes:
        name: The prefix of the functions.
        count: The number of moduli.
        bits: The bits of the longest modulus.
        word: The bits of a word.
    """

    name: str
    count: int
    bits: int
    word: int
    words = 1
    least = 2
    kind = ""
    vectors: ClassVar[tuple[str, ...]] = ()
    """The vectors that ``execute`` takes, the result first."""
    scalars: ClassVar[tuple[str, ...]] = ()
    """The words that ``create`` takes after the moduli."""

    @property
    def greatest(self) -> int:
        """The greatest modulus."""
        return (1 << self.bits) - 1

    @property
    def moduli(self) -> Moduli:
        """The range of each modulus."""
        return Moduli(self.least, self.greatest, None)

    @property
    def counts(self) -> tuple[int, ...]:
        """The numbers that ``create`` takes: the number of moduli, and others."""
        return (self.count,)

    @property
    def arrays(self) -> tuple[tuple[str, int], ...]:
        """The arrays of moduli that ``create`` takes, each with its length."""
        return (("q", self.count),)

    @property
    def order(self) -> tuple[int, ...]:
        """The order of the moduli in which the first one outside the claim is looked for; any order does."""
        return tuple(range(self.count))

    @property
    def parities(self) -> dict[int, int]:
        """The parity of each modulus that may not have the other one."""
        return {}

    @property
    def results(self) -> int:
        """The number of rows of the result."""
        return self.count - 1


@dataclass(frozen=True)
class Rescaling(BasisClaim):
    """The claim of a kernel that divides numbers by the last modulus d of an RNS basis.

    ``create`` accepts all moduli of which each lies between ``least`` and ``greatest`` and has no common factor with d,
    unless there is no memory, and no others. For each number a with the residues x[i], and every column, ``execute``
    and ``execute_rows`` store the residues of floor((a + m) / d) modulo all other moduli, where m is floor(d / 2) if
    quotients are rounded to the nearest integer, and 0 if they are rounded down.

    Attributes:
        is_nearest: Whether quotients are rounded to the nearest integer.
    """

    is_nearest: bool
    kind = "rescale"
    vectors = "z", "x"

    def text(self) -> str:
        """Return the claim as a sentence."""
        last = self.count - 1
        rounded = "floor((a + floor(d / 2)) / d)" if self.is_nearest else "floor(a / d)"
        return (
            f"For all {self.count} moduli q[i] with 1 < q[i] < 2^{self.bits} of which the last, d, has no common factor"
            f" with another one, every n <= 2^{LONGEST}, and in each of the n columns for every integer a with"
            f" a = x[i] (mod q[i]) for all i, if all x[i] < q[i]: z[i] = {rounded} (mod q[i]) and z[i] < q[i], for"
            f" i < {last}. z may be the same array as x or, in execute_rows, all rows of z those of x. No branch and no"
            " address depends on x. create for this number of moduli accepts these, unless there is no memory, and"
            " no others. create returns an error if q is NULL, and execute and execute_rows do if the plan is NULL or,"
            f" for n > 0, z or x. {CHANCE}"
        )


def rescaling_of(manifest: dict[str, Any]) -> Rescaling:
    """Return the claim of a saved kernel that rescales from the request in its manifest.

    Raises:
        ProofError: The prover has no claim for such a request yet.
    """
    sizes = sizes_of(manifest, manifest["spec"]["moduli"])
    if sizes[0] < 2:
        raise ProofError(NO_CLAIM)
    return Rescaling(manifest["name"], *sizes, manifest["spec"]["rounding"] == "nearest")


@dataclass(frozen=True)
class KeySwitch(BasisClaim):
    """The claim of a kernel that computes the inner products of key switching.

    ``create`` accepts all moduli between ``least`` and ``greatest``, unless there is no memory, and no others. For each
    output o, each modulus and each column c, ``execute`` and ``execute_rows`` store the residue of a sum over all
    digits j. Each summand is the product of column c of the key for j and o, and of one column of digit j: column c or,
    if the caller passes an order, column order[c].

    Attributes:
        digits: The number of digits.
        outputs: The number of sums.
        input_factor: The factor F; digits may be any numbers below F * q.
    """

    digits: int
    outputs: int
    input_factor: int
    kind = "keyswitch"
    vectors = "z", "d", "k"

    @property
    def counts(self) -> tuple[int, ...]:
        """The numbers that ``create`` takes: the number of moduli and the number of digits."""
        return self.count, self.digits

    @property
    def results(self) -> int:
        """The number of rows of the result."""
        return self.count * self.outputs

    def text(self) -> str:
        """Return the claim as a sentence."""
        factor = self.input_factor
        others = "" if factor == 1 else " of k"
        lazy = "" if factor == 1 else f" the numbers of d are below {factor} times their moduli, and"
        return (
            f"For all {self.count} moduli q[i] with 1 < q[i] < 2^{self.bits}, {self.digits} digits and every"
            f" n <= 2^{LONGEST}: column c of row {self.count} * o + i of z is the sum over all digits j of column c' of"
            f" row {self.count} * j + i of d times column c of row {self.count} * ({self.outputs} * j + o) + i of k"
            f" (mod q[i]) and below q[i], for all i, o < {self.outputs} and c < n, if{lazy} all residues{others} are"
            " below their moduli. c' is c or, if order is not NULL, order[c], which must be below n. z must not overlap"
            " d or k. No branch and no address depends on d or k. create for these numbers accepts these moduli, unless"
            " there is no memory, and no others. create returns an error if q is NULL, and execute and execute_rows do"
            f" if the plan is NULL or, for n > 0, z, d or k. {CHANCE}"
        )


def key_switch_of(manifest: dict[str, Any]) -> KeySwitch:
    """Return the claim of a saved kernel for key switching from the request in its manifest.

    Raises:
        ProofError: The prover has no claim for such a request yet.
    """
    spec = manifest["spec"]
    return KeySwitch(
        manifest["name"], *sizes_of(manifest, spec["moduli"]), spec["digits"], spec["outputs"], spec["input_factor"]
    )


def sizes_of(manifest: dict[str, Any], numbers: list[str]) -> tuple[int, int, int]:
    """Return the number of moduli, the bits of the longest one, and the bits of a word.

    Raises:
        ProofError: The prover has no claim for such a request yet.
    """
    spec = manifest["spec"]
    if spec["target"] != "c" or spec["threads"] or manifest["words"] != 1:
        raise ProofError(NO_CLAIM)
    bits = [int(q, 0).bit_length() for q in numbers]
    if not 1 < max(bits) <= WORD_BITS:
        raise ProofError(f"the manifest states moduli of {max(bits)} bits and residues of one word")
    return len(bits), max(bits), WORD_BITS
