"""Proving a B512 program for every modulus and root: its result at a random operand and root is compared."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from gmpy2 import invert, powmod

from momagen.prove.b512.machine import VectorMachine
from momagen.prove.b512.text import WORDS, read
from momagen.prove.checker import ProofError
from momagen.prove.transforms.field import RandomField

if TYPE_CHECKING:
    from momagen.prove.b512.claim import ProgramClaim
    from momagen.prove.b512.text import ProgramText


def prove_program(text: str, claim: ProgramClaim, seed: str) -> Counter[str]:
    """Prove the claim of a program.

    Args:
        text: The program.
        claim: The claim.
        seed: What determines the random choices.

    Returns:
        The number of paths, which is 1, and of elements that were checked.

    Raises:
        ProofError: The claim is not proven.
    """
    program, of = read(text), claim.transform
    if (program.points, program.order, program.towers) != (of.n, of.order, 1):
        raise ProofError("the directives describe another transform or several moduli")
    field = RandomField(of.order, seed)
    operands = {name: [field.element() for _ in range(of.n)] for name in claim.operands}
    machine = VectorMachine(field.prime, _memory(program, claim, operands, field))
    for line in program.lines:
        try:
            machine.execute(line)
        except ProofError as error:
            error.args = (f"{error} (line {line.number})",)
            raise
    begin = program.areas[claim.result][0]
    result = [machine.memory.get(begin + i) for i in range(of.n)]
    if None in result:
        raise ProofError("an element of the result is not stored")
    if not _is_result(claim, operands, result, field):
        raise ProofError("the result is not what the claim says")
    return Counter(paths=1, elements=of.n)


def _memory(
    program: ProgramText, claim: ProgramClaim, operands: dict[str, list[Any]], field: RandomField
) -> dict[int, Any]:
    """Return the vector memory before the run, in which areas and tables must not overlap."""
    memory: dict[int, Any] = {}
    for name in (*claim.operands, claim.result):
        if program.areas.get(name, (0, 0))[1] != claim.transform.n:
            raise ProofError(f"the area {name} does not have {claim.transform.n} words")
    taken = set(_words(program.areas[claim.result]))
    parts = [(program.areas[name], numbers) for name, numbers in operands.items()]
    for begin, first, steps, is_scaled in program.tables:
        powers = _powers(first, steps, is_scaled, claim.transform.n, field)
        parts.append(((begin, len(powers)), powers))
    for area, numbers in parts:
        words = _words(area)
        if not taken.isdisjoint(words):
            raise ProofError("two areas or tables overlap")
        taken.update(words)
        memory.update(zip(words, numbers, strict=True))
    return memory


def _words(area: tuple[int, int]) -> range:
    if sum(area) > WORDS:
        raise ProofError("an area lies outside the vector memory")
    return range(area[0], sum(area))


def _powers(first: int, steps: tuple[int, ...], is_scaled: bool, n: int, field: RandomField) -> list[Any]:
    """Return a table: word i is root^(first + the sum of steps[b] over the bits b of i), perhaps divided by n."""
    if len(steps) > WORDS.bit_length():
        raise ProofError("a table is longer than the vector memory")
    scale = invert(n, field.prime) if is_scaled else 1
    found = [powmod(field.root, first, field.prime) * scale % field.prime]
    for step in steps:
        factor = powmod(field.root, step, field.prime)
        found += [each * factor % field.prime for each in found]
    return found


def _is_result(claim: ProgramClaim, operands: dict[str, list[Any]], result: list[Any], field: RandomField) -> bool:
    """Return whether the result is that of the claim, for the random operands and root."""
    of = claim.transform
    if claim.is_product:
        x, y, z = (values_at_all(of.is_negacyclic, of.n, p, field) for p in (*operands.values(), result))
        return all((a * b - c) % field.prime == 0 for a, b, c in zip(x, y, z, strict=True))
    polynomial, values = (result, operands["x"]) if of.is_inverse else (operands["x"], result)
    found = values_at_all(of.is_negacyclic, of.n, polynomial, field)
    first, step = (1, 2) if of.is_negacyclic else (0, 1)
    return all(found[(e - first) // step] == value for e, value in zip(of.powers(), values, strict=True))


def values_at_all(is_negacyclic: bool, n: int, polynomial: list[Any], field: RandomField) -> list[Any]:
    """Return the values of a polynomial at root^j or, for a negacyclic ring, at root^(2 * j + 1), for each j < n."""
    if not is_negacyclic:
        return _values(polynomial, field.root, field.prime)
    power, turned = 1, []
    for coefficient in polynomial:
        turned.append(coefficient * power % field.prime)
        power = power * field.root % field.prime
    return _values(turned, field.root**2 % field.prime, field.prime)


def _values(polynomial: list[Any], root: Any, prime: Any) -> list[Any]:
    """Return P(root^j) for each j, for a root whose order is the number of coefficients.

    P(X) is E(X^2) + X * O(X^2), where E has the even coefficients and O the odd ones.
    """
    if len(polynomial) == 1:
        return polynomial
    even, odd = (_values(polynomial[start::2], root * root % prime, prime) for start in (0, 1))
    power, low, high = 1, [], []
    for e, o in zip(even, odd, strict=True):
        low.append((e + power * o) % prime)
        high.append((e - power * o) % prime)
        power = power * root % prime
    return low + high
