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
    from momagen.prove.b512.claim import ElementwiseClaim, Operands, TransformClaim
    from momagen.prove.b512.text import ProgramText


def prove_program(text: str, claim: TransformClaim | ElementwiseClaim, seed: str) -> Counter[str]:
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
    program = read(text)
    if (program.points, program.order, program.towers, program.scalars) != (*claim.sizes, 1, claim.scalars):
        raise ProofError("the directives describe another transform, other scalars or several moduli")
    field = RandomField(program.order or None, seed)
    begin, length = program.areas.get(claim.result, (0, 0))
    if not length or (program.points and length != program.points):
        raise ProofError("the area of the result has another length")
    operands: Operands = {name: [field.element() for _ in range(length)] for name in claim.vectors}
    scalars = {name: field.element() for name in claim.scalars}
    memory = _memory(program, claim.result, operands, field)
    machine = VectorMachine(field.prime, memory, list(scalars.values()))
    for line in program.lines:
        try:
            machine.execute(line)
        except ProofError as error:
            error.args = (f"{error} (line {line.number})",)
            raise
    result = [machine.memory.get(begin + i) for i in range(length)]
    if None in result:
        raise ProofError("an element of the result is not stored")
    claim.check(field, operands | scalars, result)
    return Counter(paths=1, elements=length)


def _memory(program: ProgramText, goal: str, operands: Operands, field: RandomField) -> dict[int, Any]:
    """Return the vector memory before the run, in which areas and tables must not overlap."""
    memory: dict[int, Any] = {}
    length = program.areas[goal][1]
    for name in operands:
        if program.areas.get(name, (0, 0))[1] != length:
            raise ProofError(f"the area {name} does not have {length} words")
    taken = set(_words(program.areas[goal]))
    parts = [(program.areas[name], numbers) for name, numbers in operands.items()]
    for begin, first, steps, is_scaled in program.tables:
        powers = _powers(first, steps, is_scaled, program.points, field)
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
    if len(steps) > WORDS.bit_length() or not n:
        raise ProofError("a table is longer than the vector memory, or belongs to no transform")
    scale = invert(n, field.prime) if is_scaled else 1
    found = [powmod(field.root, first, field.prime) * scale % field.prime]
    for step in steps:
        factor = powmod(field.root, step, field.prime)
        found += [each * factor % field.prime for each in found]
    return found
