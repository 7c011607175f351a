"""The meaning of B512 programs: each word of the vector memory holds a residue below q, as a value in a random field.

An instruction adds, subtracts or multiplies residues, or moves them; which ones does not depend on them. The same
instructions are executed for every q, and all results are below q.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from momagen.prove.b512.text import WORDS
from momagen.prove.checker import ProofError

if TYPE_CHECKING:
    from collections.abc import Callable

    from momagen.prove.b512.text import Line

LANES = 512
HALF = LANES // 2
Vector = list[Any]

ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda s, t: s + t,
    "sub": lambda s, t: s - t,
    "mul": lambda s, t: s * t,
}
SHUFFLES: dict[str, Callable[[Vector, Vector], Vector]] = {
    "unpklo": lambda s, t: [each for pair in zip(s[:HALF], t[:HALF], strict=True) for each in pair],
    "unpkhi": lambda s, t: [each for pair in zip(s[HALF:], t[HALF:], strict=True) for each in pair],
    "pklo": lambda s, t: s[::2] + t[::2],
    "pkhi": lambda s, t: s[1::2] + t[1::2],
}
PLACES: dict[str, Callable[[int, int], int]] = {
    "contiguous": lambda i, _: i,
    "strided": lambda i, step: i << step,
    "skip": lambda i, step: (i >> step << step + 1) + i % (1 << step),
    "repeated": lambda i, step: i % (1 << step),
}
"""By address mode: the distance of element i from the address."""


class VectorMachine:
    """The state of the machine.

    Args:
        prime: The number of elements of the field.
        memory: What the vector memory holds, by address.
        scalars: What the scalar memory holds after the modulus.

    Attributes:
        memory: What the vector memory holds, by address.
    """

    def __init__(self, prime: Any, memory: dict[int, Any], scalars: list[Any]) -> None:
        self.prime, self.memory, self.scalars = prime, memory, scalars
        self._held: dict[int, Any] = {}
        self._vectors: dict[int, Vector] = {}
        self._has_modulus: set[int] = set()

    def execute(self, line: Line) -> None:
        """Execute an instruction.

        Raises:
            ProofError: It reads what was not written, or is not used by programs with a claim.
        """
        name, operands = line.name, line.operands
        if name == "mload":
            if operands[1] != 0:
                raise ProofError("a modulus is not the first word of the scalar memory")
            self._has_modulus.add(operands[0])
        elif name == "sload":
            if not 0 < operands[1] <= len(self.scalars):
                raise ProofError("a word of the scalar memory is read that is no scalar")
            self._held[operands[0]] = self.scalars[operands[1] - 1]
        elif name in ("vload", "vstore", "vbroadcast"):
            self._move(line)
        elif name in SHUFFLES:
            self._vectors[operands[0]] = SHUFFLES[name](self._read(operands[1]), self._read(operands[2]))
        elif name == "bfly":
            self._butterfly(operands)
        elif name[1:] in ARITHMETIC:
            to, first, second, modulus = operands
            self._vectors[to] = self._compute(name[1:], self._read(first), self._read(second), modulus)
        elif name[2:] in ARITHMETIC:
            to, first, scalar, modulus = operands
            if scalar not in self._held:
                raise ProofError("a scalar register is read that was not written")
            self._vectors[to] = self._compute(name[2:], self._read(first), [self._held[scalar]] * LANES, modulus)
        else:
            raise ProofError(f"there is no claim for programs with {name}")

    def _move(self, line: Line) -> None:
        register, base, offset = line.operands
        if base != 0:
            raise ProofError("an address register is used that is not 0")
        place = PLACES["repeated" if line.name == "vbroadcast" else line.mode]
        addresses = [offset + place(i, line.step) for i in range(LANES)]
        if max(addresses) >= WORDS:
            raise ProofError("an address lies outside the vector memory")
        if line.name == "vstore":
            self.memory.update(zip(addresses, self._read(register), strict=True))
        elif not all(address in self.memory for address in addresses):
            raise ProofError("a word of the vector memory is read that was not written")
        else:
            self._vectors[register] = [self.memory[address] for address in addresses]

    def _butterfly(self, operands: tuple[int, ...]) -> None:
        total, difference, first, second, factor, modulus = operands
        if total == difference:
            raise ProofError("the two results of a butterfly are the same register")
        product = self._compute("mul", self._read(second), self._read(factor), modulus)
        one = self._read(first)
        self._vectors[total] = self._compute("add", one, product, modulus)
        self._vectors[difference] = self._compute("sub", one, product, modulus)

    def _compute(self, name: str, first: Vector, second: Vector, modulus: int) -> Vector:
        if modulus not in self._has_modulus:
            raise ProofError("a modulus register is used that was not loaded")
        operation, prime = ARITHMETIC[name], self.prime
        return [operation(s, t) % prime for s, t in zip(first, second, strict=True)]

    def _read(self, register: int) -> Vector:
        if register not in self._vectors:
            raise ProofError("a vector register is read that was not written")
        return self._vectors[register]
