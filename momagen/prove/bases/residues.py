"""Numbers in a program with several moduli: their residues, and the modulus to which statements about each refer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gmpy2 import mpz

from momagen.prove.checker import Checker, ProofError
from momagen.prove.sums.lengths import LengthRun
from momagen.prove.transforms.claim import Moduli
from momagen.prove.transforms.stored import Stored
from momagen.prove.transforms.walk import NoBranches

if TYPE_CHECKING:
    from momagen.prove.c.parsed import Source
    from momagen.prove.vectors.plans import Plans


class ResidueRun(LengthRun):
    """A run in which each number is known modulo one of several moduli.

    Args:
        source: The source as a compiler sees it.
        claim: The claim.
        plans: The data that all runs share.

    Attributes:
        moduli_of_basis: The moduli.
        tags: For each number, the index of the modulus to which the proven statements about the number refer. The
            modulus with the index ``count + i`` is ``2^s[i] * q[i]``, which is as long as the longest modulus.
        shifts: The numbers s.
        parities: The parity of each modulus of which it is known.
        scalars: The words that ``create`` takes after the moduli.
        keys: The keys of numbers that are no residues: numbers with equal keys are equal.
        multiples: The product of a number below q[i] by 2^s[i].
        multiple_of: For each of these products, the number below q[i].
    """

    claim: Any

    def __init__(self, source: Source, claim: Any, plans: Plans) -> None:
        self.tags: dict[Stored, int] = {}
        self._residues: dict[Any, Any] = {}
        self._inverses: dict[Any, Any] = {}
        super().__init__(source, claim, claim.moduli, plans, NoBranches())
        self.plans = plans
        self.moduli_of_basis = [Stored(f"q[{i}]", 1, (0, 1), (0, 1), 0) for i in range(claim.count)]
        self.longer = [Stored(f"2^s * q[{i}]", 1, (0, 1), (0, 1), 0) for i in range(claim.count)]
        self.tags |= {number: i for i, number in enumerate([*self.moduli_of_basis, *self.longer])}
        self.shifts = [Stored(f"s[{i}]", 1, (0,), (claim.bits - 1,)) for i in range(claim.count)]
        self.parities: dict[int, int] = dict(claim.parities)
        self.keys: dict[Stored, Any] = {}
        self.scalars = {name: Stored(name, 1, (0,), (claim.longest,)) for name in claim.scalars}
        self.multiples: dict[Stored, Stored] = {}
        self.multiple_of: dict[Stored, Stored] = {}
        self.ranges = {is_long: Checker(*self._ends(is_long)) for is_long in (False, True)}

    # Numbers.

    def _ends(self, is_long: bool) -> tuple[int, int]:
        """Return the least and the greatest modulus, or the bounds of moduli shifted to the greatest length."""
        return (1 << self.claim.bits - 1 if is_long else self.claim.least), self.claim.greatest

    def moduli_for(self, tag: int | None) -> Moduli:
        """Return the range of a modulus."""
        is_long = tag is not None and tag >= self.claim.count
        return Moduli(*self._ends(is_long), None if tag is None else self.parities.get(tag))

    def tag_of(self, number: Stored) -> int | None:
        """Return the index of the modulus to which the proven statements about a number refer, or None."""
        return self.tags.get(number)

    def ends_of(self, number: Stored) -> tuple[int, int]:
        """Return a lower and an upper bound of a number, over all values of its modulus."""
        found = self.ranges[(self.tag_of(number) or 0) >= self.claim.count]
        return int(found.minimum(number.low)), int(found.maximum(number.high))

    def tagged(
        self, name: str, tag: int, residue: Any = None, is_secret: bool = False, least: int = 0, factor: int = 1
    ) -> Stored:
        """Return a number below ``factor`` times a modulus; if no residue is stated, it is a new unknown."""
        drawn = self.field.element() if residue is None else residue
        number = Stored(name, 1, (least,), (-1, factor), drawn, is_secret)
        self.tags[number] = tag
        return number

    def residue_of(self, number: Stored, tag: int) -> Any:
        """Return the residue of a number modulo a modulus; it is unknown if the number has another modulus."""
        own = self.tag_of(number)
        if number in self.keys:
            return self.face_of_key(self.keys[number], tag)
        if own == tag:
            return number.residue
        key = ("q", own) if number.is_modulus else (own, number.residue) if number.is_reduced else number
        return self.unknown((key, tag))

    def multiple(self, number: Stored) -> Stored:
        """Return the product of a number below m * q[i] by 2^s[i], which is below m * 2^s[i] * q[i]."""
        tag = self.tags[number]
        if number.is_modulus:
            return self.longer[tag]
        if number not in self.multiples:
            factor = int(number.high[1])
            found = self.tagged("a multiple of 2^s", tag + self.claim.count, None, number.is_secret, factor=factor)
            self.multiples[number], self.multiple_of[found] = found, number
        return self.multiples[number]

    def _quotient_of(self, outcome: Any, tag: int, inputs: list[Stored]) -> Stored | None:
        """Return the number m below q of a result 2^s * m below 2^s * q, or None if it is not proven to be one.

        The result is congruent to a sum of products of integers modulo 2^s * q. If one factor of each product is
        2^s * y, then m is congruent modulo q to the sum with y in the place of 2^s * y.
        """
        own, total = tag - self.claim.count, mpz(0)
        for coefficient, product in outcome.residue:
            factors = [inputs[i] for i in product]
            shifted = [n for n in factors if n in self.multiple_of and self.tags[n] == tag]
            if len(shifted) != 1 or coefficient.denominator != 1:
                return None
            term = mpz(coefficient)
            for factor in factors:
                term *= self.residue_of(self.multiple_of[factor] if factor in shifted else factor, own)
            total += term
        return self.tagged("a quotient by 2^s", own, total % self.field.prime, any(n.is_secret for n in inputs))

    def face(self, residue: Any, own: int, tag: int) -> Any:
        """Return the face for modulus ``tag`` of the number below modulus ``own`` that has a residue modulo ``own``."""
        return self.unknown(((own, residue % self.field.prime), tag))

    def face_of_modulus(self, own: int, tag: int) -> Any:
        """Return the residue of a modulus modulo another one."""
        return self.unknown((("q", own), tag))

    def face_of_key(self, key: Any, tag: int) -> Any:
        """Return the residue of a number with a key modulo a modulus."""
        return self.unknown((("key", key), tag))

    def name_by_key(self, number: Stored, key: Any, greatest: int) -> None:
        """Give a number that is proven to be at most ``greatest`` its key."""
        number.low, number.high = (0,), (greatest,)
        self.keys[number] = key

    def unknown(self, key: Any) -> Any:
        """Return the random number that represents an unknown residue."""
        if key not in self._residues:
            self._residues[key] = self.field.element()
        return self._residues[key]

    def units(self) -> set[tuple[Any, int]]:
        """Return the residues, each with its modulus, that are invertible for the moduli of the claim."""
        return set()

    def implied_units(self) -> dict[tuple[Any, int], tuple[Any, int]]:
        """Return further residues that are invertible, each with a unit of which it is a factor."""
        return {}

    def inverse(self, residue: Any, tag: int) -> Any:
        """Return the inverse of a residue that the program has computed; that of 1 is 1.

        Raises:
            ProofError: The program has not computed this inverse.
        """
        if residue == 1:
            return mpz(1)
        if (residue, tag) not in self._inverses:
            raise ProofError("an inverse that the claim mentions is not computed")
        return self._inverses[residue, tag]
