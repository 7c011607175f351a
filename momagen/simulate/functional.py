"""The functional simulator, which executes programs instruction by instruction and checks every address and operand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

import numpy as np

from momagen.errors import MomagenError, among, build_error
from momagen.params.words import from_words
from momagen.rpu.isa.assembly import line_of
from momagen.rpu.isa.elements import LANES, places
from momagen.rpu.isa.instruction import LOAD_STORE, RpuInstruction
from momagen.rpu.isa.program import RpuProgram
from momagen.rpu.isa.table import b512

from .arithmetic import Arithmetic, spread
from .memory import WordMemory, Words

HALF = LANES // 2


class Functional:
    """The state of a machine that executes one program.

    Args:
        program: The program.
        vdm_bytes: The size of the vector memory in bytes (default: the largest that the instruction set allows).
        sdm_bytes: The size of the scalar memory in bytes (default: the largest that the instruction set allows).

    Raises:
        MomagenError: The initial contents of the memory do not fit.
    """

    def __init__(self, program: RpuProgram, vdm_bytes: int | None = None, sdm_bytes: int | None = None) -> None:
        sizes = b512().machine
        self.program = program
        self.vdm = WordMemory("vector memory", vdm_bytes or sizes["vdm_bytes"])
        self.sdm = WordMemory("scalar memory", sdm_bytes or sizes["sdm_bytes"])
        self.vdm.fill(program.vdm, "program")
        self.sdm.fill(program.sdm, "program")
        count = sizes["registers"]
        self.v: Words = np.zeros((count, LANES, 2), np.uint64)
        self.s: Words = np.zeros((count, 2), np.uint64)
        self.a, self.m = [0] * count, [0] * count
        self.below = [0] * count  # by vector register, a modulus below which its numbers are known to be

    def put(self, area: str, numbers: list[int]) -> None:
        """Write numbers to an area from its beginning.

        Raises:
            MomagenError: The area is unknown or too small.
        """
        begin, count = self._area(area)
        if len(numbers) > count:
            raise MomagenError(f"at most {count} numbers, the size of the area", len(numbers), area)
        self.vdm.put(begin, numbers, area)

    def get(self, area: str) -> list[int]:
        """Return the numbers in an area.

        Raises:
            MomagenError: The area is unknown.
        """
        return self.vdm.get(*self._area(area), area)

    def _area(self, name: str) -> tuple[int, int]:
        if name not in self.program.areas:
            raise among("one of the areas", self.program.areas, name, "program")
        return self.program.areas[name]

    def run(self) -> None:
        """Execute the program once.

        Raises:
            MomagenError: An address is outside the memory, or a modulus or an operand is invalid; the message names the
                instruction.
        """
        for at, each in enumerate(self.program.instructions):
            try:
                self._step(each)
            except MomagenError as error:
                where = ", ".join(filter(None, [f"instruction {at}: {line_of(each)}", error.where]))
                raise error.at(where) from None

    def _step(self, given: RpuInstruction) -> None:
        name = given.opcode.name
        if name in SCALAR_LOADS:
            SCALAR_LOADS[name](self, given)
        elif given.opcode.pipeline == LOAD_STORE:
            self._move(given)
        elif name in SHUFFLES:
            x, y = given["VS"], given["VT"]
            same = self.below[x] == self.below[y]
            self.v[given["VD"]], self.below[given["VD"]] = SHUFFLES[name](self.v[x], self.v[y]), same * self.below[x]
        else:
            self._compute(given)

    # Memory

    def _scalar(self, given: RpuInstruction) -> None:
        self.s[given["RT"]] = self.sdm.words[self.sdm.checked(given["ADDRESS"], 1, "")][0]

    def _modulus(self, given: RpuInstruction) -> None:
        self.m[given["MT"]] = found = self._number(given)
        if found < 2:
            raise MomagenError("a modulus of at least 2", found, "")

    def _address(self, given: RpuInstruction) -> None:
        self.a[given["AT"]] = found = self._number(given)
        if found >= len(self.vdm.words):
            raise MomagenError(f"an address below {len(self.vdm.words)}", found, "")

    def _number(self, given: RpuInstruction) -> int:
        return self.sdm.get(given["ADDRESS"], 1, "")[0]

    def _move(self, given: RpuInstruction) -> None:
        """Execute a load or a store between the vector memory and a register."""
        begin, register = self.a[given["RA"]] + given["ADDRESS"], given["VD"]
        if given.opcode.name == "vbroadcast":
            self.v[register], self.below[register] = self.vdm.words[self.vdm.checked(begin, 1, "")], 0
            return
        element = places(given["MODE"], given["VALUE"])
        words = self.vdm.words[self.vdm.checked(begin, int(element[-1]) + 1, "")]
        if given.opcode.name == "vload":
            self.v[register], self.below[register] = words[element], 0
        else:
            words[element] = self.v[register]

    # Arithmetic

    def _compute(self, given: RpuInstruction) -> None:
        q, (vd, x) = self.m[given["RM"]], (given["VD"], given["VS"])
        if q < 2:
            raise build_error(f"no modulus was loaded into m{given['RM']}", "", "load one with mload")
        of, vx, vy = _arithmetic(q), self._vector(x, q), self._second(given, q)
        if given.opcode.bfly:
            t = of.mul(vy, self._vector(given["VT1"], q))
            self.v[vd], self.v[given["VD1"]] = of.add(vx, t), of.sub(vx, t)
            self.below[given["VD1"]] = q
        else:
            self.v[vd] = getattr(of, given.opcode.name[-3:])(vx, vy)
        self.below[vd] = q

    def _second(self, given: RpuInstruction, q: int) -> Words:
        if "RT" not in given.opcode.reads:
            return self._vector(given["VT"], q)
        found = spread(self.s[given["RT"]])
        _arithmetic(q).check(found, f"s{given['RT']}")
        return found

    def _vector(self, register: int, q: int) -> Words:
        """Return an operand, checked to be below q."""
        if self.below[register] != q:
            _arithmetic(q).check(self.v[register], f"v{register}")
            self.below[register] = q
        found: Words = self.v[register]
        return found

    def numbers(self, register: int) -> list[int]:
        """Return the numbers in a vector register."""
        return from_words(self.v[register])


@lru_cache(maxsize=256)
def _arithmetic(q: int) -> Arithmetic:
    return Arithmetic(q)


def _interleaved(x: Words, y: Words) -> Words:
    return np.stack([x, y], axis=1).reshape(LANES, 2)


SHUFFLES: Mapping[str, Callable[[Words, Words], Words]] = {
    "unpklo": lambda x, y: _interleaved(x[:HALF], y[:HALF]), "unpkhi": lambda x, y: _interleaved(x[HALF:], y[HALF:]),
    "pklo": lambda x, y: np.concatenate([x[::2], y[::2]]), "pkhi": lambda x, y: np.concatenate([x[1::2], y[1::2]]),
}  # fmt: skip
SCALAR_LOADS: Mapping[str, Callable[[Functional, RpuInstruction], None]] = {
    "sload": Functional._scalar, "mload": Functional._modulus, "aload": Functional._address,
}  # fmt: skip
