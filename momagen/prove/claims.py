"""What a generated function must do, stated from the request for the kernel alone."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from momagen.prove.checker import ProofError
from momagen.prove.polynomial import combine, scaled, times

if TYPE_CHECKING:
    from collections.abc import Callable

    from momagen.prove.polynomial import Polynomial

LONGEST = 50
"""The binary logarithm of the greatest number of elements of a vector in a claim."""


@dataclass(frozen=True)
class Formula:
    """An element-wise operation modulo q, as a formula.

    Attributes:
        formula: What a result is congruent to, for people.
        vectors: The names of the operands that are vectors, in the order of the arguments.
        scalars: The names of the operands that are single residues; they precede the vectors.
        value: The polynomial that a result is congruent to, from the polynomials of the operands.
        long: The operands that may be any numbers of as many words as a residue.
        divisor: The power of two by which the value is divided modulo q, which must be odd if it is not 1.
        compared: Two operands of which the second one is compared with the first one: the last argument of ``value`` is
            1 if it is greater, otherwise 0. There is none if no operands are compared.
        is_modulo_words: Whether the result is a number of the words of a residue, instead of one modulo q.
    """

    formula: str
    vectors: tuple[str, ...]
    scalars: tuple[str, ...]
    value: Callable[..., Polynomial]
    long: tuple[str, ...] = ()
    divisor: int = 1
    compared: tuple[str, ...] = ()
    is_modulo_words: bool = False

    @property
    def operands(self) -> tuple[str, ...]:
        """The names of all operands, in the order of the arguments."""
        return (*self.scalars, *self.vectors)


OPERATIONS = {
    "vadd": Formula("x + y", ("x", "y"), (), lambda x, y: combine([(1, x), (1, y)])),
    "vsub": Formula("x - y", ("x", "y"), (), lambda x, y: combine([(1, x), (-1, y)])),
    "vmul": Formula("x * y", ("x", "y"), (), times),
    "vmuladd": Formula("x * y + w", ("x", "y", "w"), (), lambda x, y, w: combine([(1, times(x, y)), (1, w)])),
    "axpy": Formula("a * x + y", ("x", "y"), ("a",), lambda a, x, y: combine([(1, times(a, x)), (1, y)])),
    "scal": Formula("a * x", ("x",), ("a",), times),
    "vadds": Formula("x + a", ("x",), ("a",), lambda a, x: combine([(1, x), (1, a)])),
    "vsubs": Formula("x - a", ("x",), ("a",), lambda a, x: combine([(1, x), (-1, a)])),
    "vneg": Formula("-x", ("x",), (), lambda x: combine([(-1, x)])),
    "reduce": Formula("x", ("x",), (), lambda x: x, long=("x",)),
    "cmpadd": Formula(
        "(x > bound ? x + diff : x)",
        ("x",),
        ("bound", "diff"),
        lambda bound, diff, x, is_above: combine([(1, x), (1, times(diff, is_above))]),
        long=("bound", "diff", "x"),
        compared=("bound", "x"),
        is_modulo_words=True,
    ),
    "cmpsub": Formula(
        "(x > bound ? x - diff : x)",
        ("x",),
        ("bound", "diff"),
        lambda bound, diff, x, is_above: combine([(1, x), (-1, times(diff, is_above))]),
        long=("bound",),
        compared=("bound", "x"),
    ),
}


def _to_montgomery(bits: int) -> Formula:
    return Formula(f"2^{bits} * x", ("x",), (), lambda x: scaled(x, 1 << bits))


def _from_montgomery(bits: int) -> Formula:
    return Formula(f"x / 2^{bits}", ("x",), (), lambda x: x, divisor=1 << bits)


CONVERSIONS: dict[str, Callable[[int], Formula]] = {"tomont": _to_montgomery, "frommont": _from_montgomery}
"""The operations on odd moduli that depend on the number of bits of the words of a residue."""


class InWords:
    """A claim about residues of ``words`` words of ``word`` bits."""

    words: int
    word: int

    @property
    def longest(self) -> int:
        """The greatest number of as many words as a residue has."""
        return (1 << self.word * self.words) - 1


@dataclass(frozen=True)
class Claim(InWords):
    """The claim of a kernel's ``execute`` function.

    ``create`` accepts every modulus q with ``least <= q <= greatest``, unless there is no memory, and no other one. Of
    a claim about odd moduli, these are the odd ones. For each q, every number n of elements and all vectors of residues
    below q, ``execute`` stores residues below q that are congruent to the operation's formula. The result may be the
    same array as any operand that is a vector.

    Attributes:
        name: The prefix of the functions.
        operation: What is computed.
        bits: The bits of the longest modulus.
        words: The words of a residue.
        word: The bits of a word, which the target states.
        is_odd: Whether the claim is about odd moduli only, because ``create`` refuses all others.
    """

    name: str
    operation: Formula
    bits: int
    words: int
    word: int = 64
    is_odd: bool = False

    @property
    def least(self) -> int:
        """The least modulus."""
        return 3 if self.is_odd else 2

    @property
    def greatest(self) -> int:
        """The greatest modulus."""
        return (1 << self.bits) - 1

    def for_odd_moduli(self) -> Claim:
        """Return the claim about odd moduli only."""
        return replace(self, is_odd=True)

    def text(self) -> str:
        """Return the claim as a sentence."""
        short = [name for name in self.operation.operands if name not in self.operation.long]
        ranges = [f"{', '.join(short)} < q"] * bool(short)
        ranges += [f"{', '.join(self.operation.long)} < 2^{self.word * self.words}"] * bool(self.operation.long)
        moduli = f"odd q with 2 < q < 2^{self.bits}" if self.is_odd else f"q with 1 < q < 2^{self.bits}"
        modulo = f"(mod 2^{self.word * self.words})" if self.operation.is_modulo_words else "(mod q) and z < q"
        return (
            f"For every {moduli} and every n <= 2^{LONGEST}:"
            f" z = {self.operation.formula} {modulo}, if {' and '.join(ranges)}."
            " z may be the same array as an operand that is a vector."
            " create accepts these q, unless there is no memory, and no other q."
            " create and execute return an error if one pointer is NULL."
        )


def claim_of(manifest: dict[str, Any]) -> Claim:
    """Return the claim of a saved kernel from the request in its manifest.

    Raises:
        ProofError: The prover has no claim for such a request yet.
    """
    spec = manifest["spec"]
    kind = spec["kind"]
    if kind not in OPERATIONS and kind not in CONVERSIONS:
        raise ProofError(f"there is no claim for {kind} kernels yet")
    if spec["options"] or spec["basis"] or spec["montgomery"]:
        raise ProofError("there is no claim for these options yet")
    bits, words, word = sizes_of(spec)
    if kind in CONVERSIONS:
        return Claim(manifest["name"], CONVERSIONS[kind](words * word), bits, words, word, is_odd=True)
    return Claim(manifest["name"], OPERATIONS[kind], bits, words, word)


def sizes_of(spec: dict[str, Any]) -> tuple[int, int, int]:
    """Return the bits of the longest modulus, the words of a residue, and the bits of a word.

    The field ``bits`` of a request is the width of the container, which may be longer than the modulus.

    Raises:
        ProofError: The container is shorter than the modulus, so that a statement about all moduli would be vacuous.
    """
    found = re.search(r"(?:_words|^c)(16|32|64)$", spec["target"])
    word = int(found[1]) if found else 64
    bits, words = int(spec["modulus"], 0).bit_length(), -(-spec["bits"] // word)
    if not 1 < bits <= words * word:
        raise ProofError(f"the manifest states a modulus of {bits} bits and a residue of {words} words of {word} bits")
    return bits, words, word
